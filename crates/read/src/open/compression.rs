//! Recognises the compression of an input by its first bytes, and never by its name.

use std::io::{self, BufReader, Cursor, Read};

use super::error::OpenError;
use super::members::Members;

/// The greatest number of nested compressions that are removed; more do not occur by accident.
const MAX_CODINGS: usize = 3;

/// The number of bytes that are read to recognise a compression. It is enough for every magic
/// number, and a pipe may give no more for a long time.
const PEEK: usize = 4;

/// The size of one read of decompressed data. A decompressor that meets an error loses the output
/// of the same call, so small reads keep the loss small.
const DECOMPRESSED_STEP: usize = 16 << 10;

/// The size of one read of a gzip file, in bytes: a quarter of the system calls of the usual 8 KB.
const COMPRESSED_STEP: usize = 32 << 10;

/// Removes all compressions from an input. Returns their names, the outermost first.
pub(super) fn uncompress(
    mut reader: Box<dyn Read + Send>,
    name: &str,
) -> Result<(Box<dyn Read + Send>, Vec<&'static str>), OpenError> {
    let mut codings = Vec::new();
    loop {
        let (first, again) = peek(reader).map_err(|error| first_error(name, &codings, error))?;
        reader = again;
        if first.is_empty() {
            return Err(OpenError::Empty { name: name.to_owned() });
        }
        let Some(coding) = coding(&first).filter(|_| codings.len() < MAX_CODINGS) else {
            return Ok((reader, codings));
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
        // This text is libzstd's only sign of a window that is too large
        // (ZSTD_error_frameParameter_windowTooLarge).
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
        // RFC 1952 section 2.3.1: the magic number, and the only compression method that exists.
        [0x1f, 0x8b, 8, ..] => Some("gzip"),
        // RFC 8878 section 3.1: the magic number of a zstd frame, or of a skippable frame before
        // it.
        [0x28, 0xb5, 0x2f, 0xfd, ..] | [0x50..=0x5f, 0x2a, 0x4d, 0x18, ..] => Some("zstd"),
        _ => None,
    }
}

/// The first bytes of the input, and a reader that gives them again.
fn peek(mut reader: Box<dyn Read + Send>) -> io::Result<(Vec<u8>, Box<dyn Read + Send>)> {
    let mut first = Vec::with_capacity(PEEK);
    match reader.by_ref().take(PEEK as u64).read_to_end(&mut first) {
        Err(error) if first.is_empty() => return Err(error),
        // The bytes before the error are kept. The error occurs again at the next read, or the
        // input ends.
        _ => {}
    }
    let again = Box::new(Cursor::new(first.clone()).chain(reader));
    Ok((first, again))
}

/// A reader that reads in small steps.
struct Steps<R>(R);

impl<R: Read> Read for Steps<R> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let step = buffer.len().min(DECOMPRESSED_STEP);
        self.0.read(buffer.get_mut(..step).unwrap_or_default())
    }
}
