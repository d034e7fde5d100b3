//! Recognises the compression of an input by its first bytes, and never by its name.

use std::io::{self, BufReader, Cursor, Read};

use super::error::OpenError;
use super::handles::is_of_reading;
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

/// The memory of a gzip decompressor beside its input, in bytes: the window of 32 KiB and its tables.
const GZIP_BYTES: u64 = 80 << 10;

/// The memory of a zstd decompressor beside its window, in bytes: its tables, and the blocks of
/// 128 KiB that it reads and writes.
const ZSTD_BYTES: u64 = 512 << 10;

/// The reader of an uncompressed input, the names of its compressions, the outermost first, and the
/// memory of their decompressors in bytes.
type Uncompressed = (Box<dyn Read + Send>, Vec<&'static str>, u64);

/// Removes all compressions from an input.
pub(super) fn uncompress(
    mut reader: Box<dyn Read + Send>,
    name: &str,
) -> Result<Uncompressed, OpenError> {
    let (mut codings, mut bytes) = (Vec::new(), 0);
    loop {
        let (first, again) =
            peek(reader, PEEK).map_err(|error| first_error(name, &codings, error))?;
        reader = again;
        if first.is_empty() {
            return Err(OpenError::Empty { name: name.to_owned() });
        }
        let Some(coding) = coding(&first).filter(|_| codings.len() < MAX_CODINGS) else {
            return Ok((reader, codings, bytes));
        };
        codings.push(coding);
        reader = match coding {
            "gzip" => {
                bytes += GZIP_BYTES + COMPRESSED_STEP as u64;
                let reader = BufReader::with_capacity(COMPRESSED_STEP, reader);
                Box::new(Steps(Members::new(reader)))
            }
            _ => {
                let failed = |error| first_error(name, &codings, error);
                let (window, reader) = zstd_window(reader).map_err(failed)?;
                bytes += ZSTD_BYTES + window;
                Box::new(Steps(zstd::Decoder::new(reader).map_err(failed)?))
            }
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
        Some(coding) if !is_of_reading(&error) => {
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

/// The size of the window of the first zstd frame in bytes, and a reader of the same bytes. The
/// decompressor needs the bytes that tell it, so that reading them waits for no other data.
fn zstd_window(reader: Box<dyn Read + Send>) -> io::Result<(u64, Box<dyn Read + Send>)> {
    let (first, reader) = peek(reader, PEEK + 2)?;
    Ok((window_bytes(&first), reader))
}

/// The size of the window by the beginning of a zstd frame, in bytes (RFC 8878 section 3.1.1.1).
/// A frame without a window is its content, which is then small.
fn window_bytes(first: &[u8]) -> u64 {
    /// The bit of the frame header descriptor that says that there is no window descriptor.
    const SINGLE_SEGMENT: u8 = 1 << 5;
    match first {
        [0x28, 0xb5, 0x2f, 0xfd, descriptor, window] if descriptor & SINGLE_SEGMENT == 0 => {
            let base = 1_u64 << (10 + (window >> 3));
            base + base / 8 * u64::from(window & 7)
        }
        _ => 0,
    }
}

/// The first bytes of the input, and a reader that gives them again.
fn peek(
    mut reader: Box<dyn Read + Send>,
    most: usize,
) -> io::Result<(Vec<u8>, Box<dyn Read + Send>)> {
    let mut first = Vec::with_capacity(most);
    match reader.by_ref().take(most as u64).read_to_end(&mut first) {
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_zstd_frame_says_how_large_its_window_is() {
        let frame = |log: u32| {
            let mut encoder = zstd::Encoder::new(Vec::new(), 1).unwrap();
            encoder.window_log(log).unwrap();
            std::io::Write::write_all(&mut encoder, &[7; 100]).unwrap();
            encoder.finish().unwrap()
        };
        for log in [10, 19, 25] {
            let (mut reader, codings, bytes) =
                uncompress(Box::new(Cursor::new(frame(log))), "x").unwrap();
            assert_eq!((codings.as_slice(), bytes), (&["zstd"][..], ZSTD_BYTES + (1 << log)));
            let mut all = Vec::new();
            reader.read_to_end(&mut all).unwrap();
            assert_eq!(all, [7; 100]);
        }
    }

    #[test]
    fn a_window_descriptor_has_eighths() {
        assert_eq!(window_bytes(&[0x28, 0xb5, 0x2f, 0xfd, 0, (10 << 3) | 3]), (1 << 20) / 8 * 11);
        assert_eq!(window_bytes(&[0x28, 0xb5, 0x2f, 0xfd, 0x20, 0xff]), 0);
        assert_eq!(window_bytes(&[0x28, 0xb5, 0x2f, 0xfd]), 0);
    }
}
