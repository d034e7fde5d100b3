//! Writes a classic capture with nanoseconds packet by packet, headers only.

use std::fs::File;
use std::io::{self, BufWriter, Read, Write};

/// The number of bytes kept of each frame: the snap length of the recorded capture that is
/// expanded.
pub(crate) const SNAP_LENGTH: usize = 96;

/// The number of bytes gathered before they are written.
const BUFFER: usize = 1 << 20;

pub(crate) type Out = BufWriter<Box<dyn Write>>;

/// Opens a file for writing; `-` is standard output.
///
/// # Errors
/// Returns the error of the system, with the name of the file.
#[expect(clippy::disallowed_methods, reason = "writes the captures that are measured with")]
pub(crate) fn create(out: &str) -> io::Result<Out> {
    let target: Box<dyn Write> =
        if out == "-" { Box::new(io::stdout()) } else { Box::new(named(out, File::create(out))?) };
    Ok(BufWriter::with_capacity(BUFFER, target))
}

/// Opens a file for reading.
///
/// # Errors
/// Returns the error of the system, with the name of the file.
#[expect(clippy::disallowed_methods, reason = "reads the capture that is expanded or packed")]
pub(crate) fn open(input: &str) -> io::Result<impl Read + use<>> {
    named(input, File::open(input))
}

fn named<T>(name: &str, result: io::Result<T>) -> io::Result<T> {
    result.map_err(|error| io::Error::new(error.kind(), format!("{name}: {error}")))
}

/// Writes the file header: nanoseconds, little-endian, Ethernet.
pub(crate) fn file_header(out: &mut Out) -> io::Result<()> {
    let words: [u32; 6] = [0xa1b2_3c4d, 0x0004_0002, 0, 0, SNAP_LENGTH as u32, 1];
    words.iter().try_for_each(|word| out.write_all(&word.to_le_bytes()))
}

/// Writes one record; `frame` contains the bytes that were captured of `wire_bytes`.
pub(crate) fn record(
    out: &mut Out,
    time_ns: u64,
    frame: &[u8],
    wire_bytes: usize,
) -> io::Result<()> {
    let captured = frame.len().min(SNAP_LENGTH);
    let seconds = (time_ns / 1_000_000_000) as u32;
    let nanos = (time_ns % 1_000_000_000) as u32;
    for word in [seconds, nanos, captured as u32, wire_bytes as u32] {
        out.write_all(&word.to_le_bytes())?;
    }
    out.write_all(frame.get(..captured).unwrap_or(frame))
}
