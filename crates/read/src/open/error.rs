//! Defines the reasons why an input cannot be opened, each with advice for the user.

use std::io;

use super::handles::is_limit;

/// Why an input gives no data at all. The text says what is wrong, and contains the name of the
/// input; [`OpenError::hint`] says what to do.
#[derive(Debug, thiserror::Error)]
pub enum OpenError {
    /// No file has this name.
    #[error("{name}: no such file")]
    NotFound {
        /// The name of the input.
        name: String,
    },
    /// The operating system denies access.
    #[error("{name}: permission denied")]
    Permission {
        /// The name of the input.
        name: String,
    },
    /// Any other error of the operating system.
    #[error("{name}: {error}")]
    Io {
        /// The name of the input.
        name: String,
        /// The error that the operating system reported.
        error: io::Error,
    },
    /// A directory contains a pipe, a socket or a device.
    #[error("{name}: a pipe, socket or device")]
    Special {
        /// The name of the input.
        name: String,
    },
    /// A directory contains a symbolic link that leads out of it, or nowhere.
    #[error("{name}: {found}")]
    Link {
        /// The name of the link.
        name: String,
        /// Where the link leads, in words.
        found: String,
    },
    /// The process or the system has too many open files.
    #[error("{name}: no more files can be opened at once")]
    TooManyOpen {
        /// The name of the input.
        name: String,
    },
    /// The input is empty after decompression.
    #[error("{name}: the file is empty")]
    Empty {
        /// The name of the input.
        name: String,
    },
    /// The first bytes are not those of a capture file.
    #[error("{name}: not a packet capture ({found})")]
    NotCapture {
        /// The name of the input.
        name: String,
        /// What the first bytes belong to.
        found: String,
        /// What to do, if the format of the first bytes is known.
        advice: Option<&'static str>,
    },
    /// The input begins like a compressed file, but no byte can be decompressed.
    #[error("{name}: {coding} data is damaged from the start ({error})")]
    Compression {
        /// The name of the input.
        name: String,
        /// The compression: `gzip` or `zstd`.
        coding: &'static str,
        /// The error that the decompressor reported.
        error: String,
    },
    /// The input was compressed with a larger window than the decompressor allocates by default.
    #[error("{name}: this zstd data needs a larger window than 128 MiB to be decompressed")]
    LongWindow {
        /// The name of the input.
        name: String,
    },
    /// The input ends within the file header.
    #[error("{name}: the file ends within the capture's file header, after {bytes} bytes")]
    HeaderCut {
        /// The name of the input.
        name: String,
        /// The length of the file, in bytes.
        bytes: usize,
    },
    /// The link type carries no IP packets, or is one that is not read.
    #[error("{name}: link type {number} ({link}) carries no IP that can be read")]
    LinkType {
        /// The name of the input.
        name: String,
        /// The number of the link type in the LINKTYPE registry.
        number: u32,
        /// The name of the link type in the registry.
        link: &'static str,
    },
    /// The first bytes are not those of a modem log.
    #[error("{name}: not a modem log that is known")]
    NotModemLog {
        /// The name of the input.
        name: String,
        /// What to do: a list of the formats that are read.
        advice: &'static str,
    },
    /// `-` occurs more than once among the inputs.
    #[error("standard input (-) was given more than once")]
    StdinTwice,
}

impl OpenError {
    pub(crate) fn from_io(name: &str, error: io::Error) -> Self {
        let name = name.to_owned();
        match error.kind() {
            io::ErrorKind::NotFound => Self::NotFound { name },
            _ if is_limit(&error) => Self::TooManyOpen { name },
            io::ErrorKind::PermissionDenied => Self::Permission { name },
            _ => Self::Io { name, error },
        }
    }

    /// What to do about the error; `None` if there is no advice.
    pub const fn hint(&self) -> Option<&'static str> {
        match self {
            Self::NotFound { .. } => Some("check the path; a pattern must match at least one file"),
            Self::Permission { .. } => Some("make the file readable, or run as its owner"),
            Self::Io { .. } => None,
            Self::Special { .. } => Some("name it alone to read from it"),
            Self::Link { .. } => Some("name the link itself to read what it leads to"),
            Self::TooManyOpen { .. } => {
                Some("raise the limit with ulimit -n, or close other programs")
            }
            Self::Empty { .. } => Some("did the capture stop before its first packet was written?"),
            Self::NotCapture { advice: Some(advice), .. } => Some(advice),
            Self::NotCapture { .. } => Some("give a pcap or pcapng file, plain, gzip or zstd"),
            Self::Compression { .. } => {
                Some("copy the file again; test it with gzip -t or zstd -t")
            }
            Self::LongWindow { .. } => {
                Some("decompress it first: zstd -dc --long=31 FILE | airmile -")
            }
            Self::HeaderCut { .. } => Some("copy the file again: nothing can be read from it"),
            Self::LinkType { .. } => Some(
                "airmile reads Ethernet, Linux cooked, raw IP, loopback, PPP, IEEE 802.11, PKTAP, NFLOG \
                 and PPI; capture on an IP interface, and give modem logs with --modem",
            ),
            Self::NotModemLog { advice, .. } => Some(advice),
            Self::StdinTwice => Some("give - once"),
        }
    }

    /// Whether the file is simply of another kind. In a directory such a file is only noted, and
    /// does not make the run fail.
    pub const fn is_junk(&self) -> bool {
        matches!(
            self,
            Self::Empty { .. }
                | Self::Link { .. }
                | Self::Special { .. }
                | Self::NotCapture { .. }
                | Self::LinkType { .. }
                | Self::NotModemLog { .. }
        )
    }
}
