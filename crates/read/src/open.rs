//! Opening an input: what it is, told by its first bytes and never by its name.

use std::fs::{File, OpenOptions};
use std::io::{self, BufReader, Cursor, Read};
use std::os::fd::AsFd;
use std::os::unix::fs::OpenOptionsExt;
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use nix::fcntl::OFlag;

use crate::classic;
use crate::error::OpenError;
use crate::members::Members;
use crate::source::{Place, Source};
use crate::stop::Stop;
use crate::waiting::Waiting;

/// Compressed in compressed in compressed: nobody does more by accident.
const MAX_CODINGS: usize = 3;
/// Enough for the magic number of every coding; a pipe may give no more for a long time.
const PEEK: usize = 4;
/// A decompressor that meets an error loses what it made in the same call: keep that small.
const DECOMPRESSED_STEP: usize = 16 << 10;
/// What a gzip file is read by: a quarter of the system calls of the usual 8 KB.
const COMPRESSED_STEP: usize = 32 << 10;

/// A decompressed input.
pub(crate) struct Stream {
    pub(crate) reader: Box<dyn Read + Send>,
    /// From the outside in.
    pub(crate) codings: Vec<&'static str>,
    pub(crate) progress: Progress,
    pub(crate) stop: Stop,
}

/// How far an input has been read, in bytes as stored.
#[derive(Clone, Debug, Default)]
pub struct Progress {
    read: Arc<AtomicU64>,
    /// The size of the input; unknown for pipes.
    pub total: Option<u64>,
}

impl Progress {
    /// Bytes read from the input so far.
    pub fn read(&self) -> u64 {
        self.read.load(Ordering::Relaxed)
    }
}

/// Opens an input and takes its compression off.
pub(crate) fn stream(source: &Source) -> Result<Stream, OpenError> {
    let name = source.to_string();
    let opened = match &source.place {
        Place::File(path) if !source.named && is_special(path) => {
            return Err(OpenError::Special { name });
        }
        Place::File(path) => file(path, &source.stop),
        Place::Stdin => stdin(&source.stop),
    };
    let (raw, total) = opened.map_err(|error| OpenError::from_io(&name, error))?;
    Ok(Stream { stop: source.stop.clone(), ..reader(&name, raw, total)? })
}

/// Takes the compression off an input that is open already.
pub(crate) fn reader(
    name: &str,
    raw: Box<dyn Read + Send>,
    total: Option<u64>,
) -> Result<Stream, OpenError> {
    let progress = Progress { read: Arc::default(), total };
    let counted = Counted { inner: raw, read: Arc::clone(&progress.read) };
    uncompress(Box::new(counted), name, progress)
}

/// What bytes come from, and how many there are; unknown for pipes and devices.
type Raw = (Box<dyn Read + Send>, Option<u64>);

/// Whether it is neither a file nor missing: a pipe may never speak, and a device may act on being
/// opened.
fn is_special(path: &Path) -> bool {
    path.metadata().is_ok_and(|found| !found.is_file() && !found.is_dir())
}

fn file(path: &Path, stop: &Stop) -> io::Result<Raw> {
    // A pipe opens without waiting for its writer; for files it means nothing (open(2)).
    let file = OpenOptions::new().read(true).custom_flags(OFlag::O_NONBLOCK.bits()).open(path)?;
    let metadata = file.metadata()?;
    if metadata.is_dir() {
        return Err(io::Error::new(io::ErrorKind::IsADirectory, "it is a directory"));
    }
    if metadata.is_file() {
        return Ok((Box::new(file), Some(metadata.len())));
    }
    Ok((Box::new(Waiting::new(file, stop.clone())), None))
}

fn stdin(stop: &Stop) -> io::Result<Raw> {
    // Without the buffer of the standard library, whose bytes no poll would show.
    let file = File::from(io::stdin().as_fd().try_clone_to_owned()?);
    Ok((Box::new(Waiting::new(file, stop.clone())), None))
}

fn uncompress(
    mut reader: Box<dyn Read + Send>,
    name: &str,
    progress: Progress,
) -> Result<Stream, OpenError> {
    let mut codings = Vec::new();
    loop {
        let (first, again) = peek(reader).map_err(|error| first_error(name, &codings, error))?;
        reader = again;
        if first.is_empty() {
            return Err(OpenError::Empty { name: name.to_owned() });
        }
        let Some(coding) = coding(&first).filter(|_| codings.len() < MAX_CODINGS) else {
            return Ok(Stream { reader, codings, progress, stop: Stop::default() });
        };
        codings.push(coding);
        reader = match coding {
            "gzip" => {
                let reader = BufReader::with_capacity(COMPRESSED_STEP, reader);
                Box::new(Steps(Members::new(reader)))
            }
            _ => Box::new(Steps(
                zstd::Decoder::new(reader).map_err(|error| first_error(name, &codings, error))?,
            )),
        };
    }
}

fn first_error(name: &str, codings: &[&'static str], error: io::Error) -> OpenError {
    match codings.last() {
        // libzstd has no other sign of it than this text (ZSTD_error_frameParameter_windowTooLarge).
        Some(&"zstd") if error.to_string().contains("too much memory") => {
            OpenError::LongWindow { name: name.to_owned() }
        }
        Some(coding) if error.raw_os_error().is_none() => {
            OpenError::Compression { name: name.to_owned(), coding, error: error.to_string() }
        }
        _ => OpenError::from_io(name, error),
    }
}

fn coding(first: &[u8]) -> Option<&'static str> {
    match first {
        // RFC 1952 section 2.3.1: magic, and the only method there is.
        [0x1f, 0x8b, 8, ..] => Some("gzip"),
        // RFC 8878 section 3.1: a frame, or a skippable frame before it.
        [0x28, 0xb5, 0x2f, 0xfd, ..] | [0x50..=0x5f, 0x2a, 0x4d, 0x18, ..] => Some("zstd"),
        _ => None,
    }
}

/// The first bytes, and a reader that still gives them.
fn peek(mut reader: Box<dyn Read + Send>) -> io::Result<(Vec<u8>, Box<dyn Read + Send>)> {
    let mut first = Vec::with_capacity(PEEK);
    match reader.by_ref().take(PEEK as u64).read_to_end(&mut first) {
        Err(error) if first.is_empty() => return Err(error),
        // What came before the error is a start; the error will come again or the input ends.
        _ => {}
    }
    let again = Box::new(Cursor::new(first.clone()).chain(reader));
    Ok((first, again))
}

/// What a file that is no capture is, and what to do with it.
pub(crate) fn unknown(name: String, first: &[u8]) -> OpenError {
    let (found, advice) = match first {
        [0xfd, b'7', b'z', b'X', b'Z', ..] => {
            ("xz-compressed", Some("decompress it first: xz -dc FILE | airmile -"))
        }
        [b'B', b'Z', b'h', ..] => {
            ("bzip2-compressed", Some("decompress it first: bzip2 -dc FILE | airmile -"))
        }
        [4, 0x22, 0x4d, 0x18, ..] => {
            ("lz4-compressed", Some("decompress it first: lz4 -dc FILE | airmile -"))
        }
        [b'P', b'K', 3, 4, ..] => ("a zip archive", Some("unpack it first")),
        [b's', b'n', b'o', b'o', b'p', 0, ..] => {
            ("a snoop file", Some("convert it: editcap -F pcapng FILE OUT"))
        }
        [b'b', b't', b's', b'n', b'o', b'o', b'p', ..] => ("a Bluetooth log", None),
        [b'P', b'A', b'R', b'1', ..] => {
            ("a Parquet file", Some("open the dataset with airmile query"))
        }
        [b't', b'_', b'u', b'n', b'i', b'x', ..] => ("a modem log", Some("give it with --modem")),
        _ if first.iter().all(|b| b.is_ascii_graphic() || b.is_ascii_whitespace()) => {
            ("text", None)
        }
        _ => {
            return OpenError::NotCapture {
                name,
                found: format!("it begins {}", hex(first)),
                advice: None,
            };
        }
    };
    OpenError::NotCapture { name, found: found.to_owned(), advice }
}

fn hex(first: &[u8]) -> String {
    first.iter().take(8).map(|b| format!("{b:02x}")).collect::<Vec<_>>().join(" ")
}

/// Whether these are the first bytes of a capture, be it cut off within the file header.
pub(crate) fn is_capture(first: &[u8]) -> bool {
    let pcapng = first.len() < 12 && first.starts_with(&[0x0a, 0x0d, 0x0d, 0x0a]);
    pcapng || first.first_chunk::<4>().is_some_and(|magic| classic::is_magic(*magic))
}

/// Counts the bytes that pass.
struct Counted {
    inner: Box<dyn Read + Send>,
    read: Arc<AtomicU64>,
}

impl Read for Counted {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let bytes = self.inner.read(buffer)?;
        self.read.fetch_add(bytes as u64, Ordering::Relaxed);
        Ok(bytes)
    }
}

/// Reads in small steps.
struct Steps<R>(R);

impl<R: Read> Read for Steps<R> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let step = buffer.len().min(DECOMPRESSED_STEP);
        self.0.read(buffer.get_mut(..step).unwrap_or_default())
    }
}
