//! Gives the decompressed bytes of an input, and the progress of reading it.

use std::fs::{self, File};
use std::io::{self, Read};
use std::os::fd::AsFd;
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use super::compression::uncompress;
use super::error::OpenError;
use super::source::{Place, Source};
use super::stop::Stop;
use super::waiting::Waiting;

/// A decompressed input.
pub(crate) struct Stream {
    pub(crate) reader: Box<dyn Read + Send>,
    /// The compressions that were removed, the outermost first.
    pub(crate) codings: Vec<&'static str>,
    /// The memory of the decompressors, in bytes.
    pub(crate) decoders_bytes: u64,
    pub(crate) progress: Progress,
    pub(crate) stop: Stop,
    /// Whether so many inputs are read at once that this one should use little memory and no thread
    /// of its own.
    pub(crate) is_crowded: bool,
}

/// How far an input has been read, in bytes as stored.
#[derive(Clone, Debug, Default)]
pub struct Progress {
    read: Arc<AtomicU64>,
    /// The size of the input; `None` for a pipe.
    pub total: Option<u64>,
}

impl Progress {
    /// The number of bytes read from the input so far.
    pub fn read(&self) -> u64 {
        self.read.load(Ordering::Relaxed)
    }
}

/// Opens an input and removes its compression.
pub(crate) fn stream(source: &Source) -> Result<Stream, OpenError> {
    let name = source.to_string();
    let opened = match &source.place {
        Place::File(path) if !source.named && is_special(path) => {
            return Err(OpenError::Special { name });
        }
        Place::Link(path) => return Err(link(name, path)),
        Place::File(path) => file(path, source),
        Place::Stdin => stdin(&source.stop),
    };
    let (raw, total) = opened.map_err(|error| OpenError::from_io(&name, error))?;
    let (stop, is_crowded) = (source.stop.clone(), source.handles.is_crowded());
    Ok(Stream { stop, is_crowded, ..reader(&name, raw, total)? })
}

/// Removes the compression from an input that is already open.
pub(crate) fn reader(
    name: &str,
    raw: Box<dyn Read + Send>,
    total: Option<u64>,
) -> Result<Stream, OpenError> {
    let progress = Progress { read: Arc::default(), total };
    let counted = Counted { inner: raw, read: Arc::clone(&progress.read) };
    let (reader, codings, decoders_bytes) = uncompress(Box::new(counted), name)?;
    let stop = Stop::default();
    Ok(Stream { reader, codings, decoders_bytes, progress, stop, is_crowded: false })
}

/// A reader of bytes, and its size in bytes; `None` for pipes and devices.
type Raw = (Box<dyn Read + Send>, Option<u64>);

/// Whether the path is neither a file, nor a directory, nor missing. A pipe may never give a byte,
/// and opening a device may have side effects.
fn is_special(path: &Path) -> bool {
    path.metadata().is_ok_and(|found| !found.is_file() && !found.is_dir())
}

/// The error for a link that is not followed.
fn link(name: String, path: &Path) -> OpenError {
    let found = match fs::canonicalize(path) {
        Ok(place) => {
            format!("a symbolic link out of its folder, to {}, was not followed", place.display())
        }
        Err(_) => "a symbolic link that leads nowhere".to_owned(),
    };
    OpenError::Link { name, found }
}

fn file(path: &Path, source: &Source) -> io::Result<Raw> {
    let file = source.handles.open(path)?;
    let metadata = file.metadata()?;
    if metadata.is_dir() {
        return Err(io::Error::new(io::ErrorKind::IsADirectory, "it is a directory"));
    }
    if metadata.is_file() {
        let reader = source.handles.keep(path, file, &metadata);
        return Ok((Box::new(reader), Some(metadata.len())));
    }
    Ok((Box::new(Waiting::new(file, source.stop.clone())), None))
}

fn stdin(stop: &Stop) -> io::Result<Raw> {
    // The buffer of the standard library is bypassed, because poll does not see the bytes in it.
    let file = File::from(io::stdin().as_fd().try_clone_to_owned()?);
    Ok((Box::new(Waiting::new(file, stop.clone())), None))
}

/// A reader that counts the bytes read.
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
