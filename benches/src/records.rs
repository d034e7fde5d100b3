//! Reads the records of an uncompressed capture with nanoseconds, one by one.

use std::io::{self, BufReader, Read, Write};

use crate::writer::{create, open};

const FILE_HEADER: usize = 24;

/// One record; `frame` contains the captured bytes.
pub(crate) struct Record<'a> {
    pub(crate) seconds: u32,
    pub(crate) nanos: u32,
    pub(crate) wire_bytes: u32,
    pub(crate) frame: &'a [u8],
}

/// An open capture.
pub(crate) struct Records<R> {
    file: R,
    /// The unchanged file header.
    pub(crate) head: [u8; FILE_HEADER],
    frame: Vec<u8>,
}

impl Records<BufReader<Box<dyn Read>>> {
    /// Opens a capture, uncompressed or zstd.
    pub(crate) fn open(input: &str) -> io::Result<Self> {
        let file = open(input)?;
        let file: Box<dyn Read> = if input.ends_with(".zst") {
            Box::new(zstd::Decoder::new(file)?)
        } else {
            Box::new(file)
        };
        let mut file = BufReader::with_capacity(1 << 20, file);
        let mut head = [0; FILE_HEADER];
        file.read_exact(&mut head)?;
        if !head.starts_with(&0xa1b2_3c4d_u32.to_le_bytes()) {
            return Err(io::Error::other(format!("{input}: not little-endian with nanoseconds")));
        }
        Ok(Self { file, head, frame: Vec::new() })
    }
}

impl<R: Read> Records<R> {
    /// The next record; `None` at the end of the file, even if it is within a record.
    pub(crate) fn next(&mut self) -> io::Result<Option<Record<'_>>> {
        let mut words = [0_u32; 4];
        for word in &mut words {
            let mut bytes = [0; 4];
            match self.file.read_exact(&mut bytes) {
                Err(error) if error.kind() == io::ErrorKind::UnexpectedEof => return Ok(None),
                done => done?,
            }
            *word = u32::from_le_bytes(bytes);
        }
        let [seconds, nanos, captured, wire_bytes] = words;
        self.frame.clear();
        let got = (&mut self.file).take(captured.into()).read_to_end(&mut self.frame)?;
        let whole = got == captured as usize;
        Ok(whole.then_some(Record { seconds, nanos, wire_bytes, frame: &self.frame }))
    }
}

/// Copies the first `count` records of `input`.
pub(crate) fn first(input: &str, out: &str, count: u64) -> io::Result<u64> {
    let mut records = Records::open(input)?;
    let mut out = create(out)?;
    out.write_all(&records.head)?;
    let mut copied = 0;
    while copied < count
        && let Some(record) = records.next()?
    {
        let Record { seconds, nanos, wire_bytes, frame } = record;
        for word in [seconds, nanos, frame.len() as u32, wire_bytes] {
            out.write_all(&word.to_le_bytes())?;
        }
        out.write_all(frame)?;
        copied += 1;
    }
    out.flush()?;
    Ok(copied)
}
