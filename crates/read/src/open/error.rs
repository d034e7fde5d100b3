//! Why an input cannot be opened.

use std::io;

/// Why a named input gives nothing at all. The text says what is wrong, with the name of the
/// input; [`OpenError::hint`] says what to do.
#[derive(Debug, thiserror::Error)]
pub enum OpenError {
    /// There is no such file.
    #[error("{name}: no such file")]
    NotFound {
        /// The input.
        name: String,
    },
    /// The system does not allow it.
    #[error("{name}: permission denied")]
    Permission {
        /// The input.
        name: String,
    },
    /// Any other error of the operating system.
    #[error("{name}: {error}")]
    Io {
        /// The input.
        name: String,
        /// What the system said.
        error: io::Error,
    },
    /// A pipe, socket or device met while walking a directory.
    #[error("{name}: a pipe, socket or device")]
    Special {
        /// The input.
        name: String,
    },
    /// It holds no byte (after decompression).
    #[error("{name}: the file is empty")]
    Empty {
        /// The input.
        name: String,
    },
    /// The first bytes are not those of a capture file.
    #[error("{name}: not a packet capture ({found})")]
    NotCapture {
        /// The input.
        name: String,
        /// What the first bytes are.
        found: String,
        /// What to do, when the format was recognised.
        advice: Option<&'static str>,
    },
    /// It starts like a compressed file but nothing can be decompressed.
    #[error("{name}: {coding} data is damaged from the start ({error})")]
    Compression {
        /// The input.
        name: String,
        /// `gzip` or `zstd`.
        coding: &'static str,
        /// What the decompressor said.
        error: String,
    },
    /// It was compressed with a window that is larger than the decompressor allocates by default.
    #[error("{name}: this zstd data needs a larger window than 128 MiB to be decompressed")]
    LongWindow {
        /// The input.
        name: String,
    },
    /// It ends within the file header.
    #[error("{name}: the file ends within the capture's file header, after {bytes} bytes")]
    HeaderCut {
        /// The input.
        name: String,
        /// The length of the file, in bytes.
        bytes: usize,
    },
    /// Its link type has no IP packets, or none that are read.
    #[error("{name}: link type {number} ({link}) carries no IP that can be read")]
    LinkType {
        /// The input.
        name: String,
        /// Its number in the LINKTYPE registry.
        number: u32,
        /// The registry's name.
        link: &'static str,
    },
    /// The first bytes are not those of a modem log.
    #[error("{name}: not a modem log that is known")]
    NotModemLog {
        /// The input.
        name: String,
        /// What to do: give a log of one of the formats that are read.
        advice: &'static str,
    },
    /// `-` was given more than once.
    #[error("standard input (-) was given more than once")]
    StdinTwice,
}

impl OpenError {
    pub(crate) fn from_io(name: &str, error: io::Error) -> Self {
        let name = name.to_owned();
        match error.kind() {
            io::ErrorKind::NotFound => Self::NotFound { name },
            io::ErrorKind::PermissionDenied => Self::Permission { name },
            _ => Self::Io { name, error },
        }
    }

    /// What to do about it.
    pub const fn hint(&self) -> Option<&'static str> {
        match self {
            Self::NotFound { .. } => Some("check the path; a pattern must match at least one file"),
            Self::Permission { .. } => Some("make the file readable, or run as its owner"),
            Self::Io { .. } => None,
            Self::Special { .. } => Some("name it alone to read from it"),
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
                "airmile reads Ethernet, Linux cooked, raw IP, loopback, PPP and IEEE 802.11; capture \
                 on an IP interface, and give modem logs with --modem",
            ),
            Self::NotModemLog { advice, .. } => Some(advice),
            Self::StdinTwice => Some("give - once"),
        }
    }

    /// Whether the file is simply something else: met while walking a directory, it is a note and
    /// no failure.
    pub const fn is_junk(&self) -> bool {
        matches!(
            self,
            Self::Empty { .. }
                | Self::Special { .. }
                | Self::NotCapture { .. }
                | Self::LinkType { .. }
                | Self::NotModemLog { .. }
        )
    }
}
