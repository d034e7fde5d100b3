//! Reads the lines of an input, with their offsets and numbers.

use std::borrow::Cow;
use std::io::{self, BufRead, BufReader};

use crate::modem::reader::Input;
use crate::modem::report::Notes;

/// The greatest length of a line in bytes. No format has longer lines, and the limit bounds the
/// memory.
const LONGEST: usize = 1 << 20;

/// A line without its line end.
#[derive(Debug)]
pub(crate) struct Line<'a> {
    /// The number of bytes of the input before the line.
    pub(crate) offset: u64,
    /// The number of the line, counted from 1.
    pub(crate) number: u64,
    /// The text; bytes that are not UTF-8, which no format uses, are replaced.
    pub(crate) text: Cow<'a, str>,
}

/// Reads an input line by line.
pub(crate) struct Lines {
    input: BufReader<Input>,
    /// The number of bytes read so far.
    offset: u64,
    number: u64,
    line: Vec<u8>,
}

impl Lines {
    pub(crate) fn new(input: Input) -> Self {
        Self { input: BufReader::new(input), offset: 0, number: 0, line: Vec::new() }
    }

    /// Whether the next line has arrived already, so that reading it will not wait for a slow pipe.
    pub(crate) fn is_ready(&self) -> bool {
        self.input.buffer().contains(&b'\n')
    }

    /// The next line. A line that is too long is skipped and reported.
    ///
    /// # Errors
    /// The input fails; the line in which it fails is lost.
    pub(crate) fn next(&mut self, notes: &mut Notes) -> io::Result<Option<Line<'_>>> {
        loop {
            let offset = self.offset;
            let Some(whole) = self.take()? else { return Ok(None) };
            self.number += 1;
            if whole {
                let (number, bytes) = (self.number, trimmed(&self.line, offset));
                return Ok(Some(Line { offset, number, text: String::from_utf8_lossy(bytes) }));
            }
            notes.skip("line_too_long");
            let bytes = self.offset - offset;
            let text = format!("line {}: {bytes} bytes without an end; skipped", self.number);
            notes.problem(offset, "corrupt_record", text);
        }
    }

    /// Reads a line: `Some(false)` if it was longer than [`LONGEST`], `None` at the end of the
    /// input.
    fn take(&mut self) -> io::Result<Option<bool>> {
        self.line.clear();
        let mut whole = true;
        loop {
            let buffer = match self.input.fill_buf() {
                Err(error) if error.kind() == io::ErrorKind::Interrupted => continue,
                buffer => buffer?,
            };
            let end = buffer.iter().position(|byte| *byte == b'\n');
            let taken = end.map_or(buffer.len(), |end| end + 1);
            let nothing = taken == 0;
            whole &= self.line.len() + taken <= LONGEST;
            if whole {
                self.line.extend_from_slice(buffer.get(..taken).unwrap_or_default());
            }
            self.input.consume(taken);
            self.offset += taken as u64;
            match end {
                None if nothing && whole && self.line.is_empty() => return Ok(None),
                None if !nothing => {}
                _ => return Ok(Some(whole)),
            }
        }
    }
}

/// The line without its line end, and without the byte order mark that some editors put first.
fn trimmed(line: &[u8], offset: u64) -> &[u8] {
    let line = line.strip_suffix(b"\n").unwrap_or(line);
    let line = line.strip_suffix(b"\r").unwrap_or(line);
    if offset == 0 { line.strip_prefix(b"\xef\xbb\xbf").unwrap_or(line) } else { line }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn lines(text: Vec<u8>) -> (Vec<(u64, u64, String)>, Notes) {
        let (mut notes, mut all) = (Notes::default(), Vec::new());
        let mut lines = Lines::new(Box::new(io::Cursor::new(text)));
        while let Ok(Some(line)) = lines.next(&mut notes) {
            all.push((line.offset, line.number, line.text.into_owned()));
        }
        (all, notes)
    }

    #[test]
    fn places_count_bytes_whatever_ends_a_line() {
        let (all, _) = lines(b"\xef\xbb\xbfa\r\n\nb\xff".to_vec());
        let expected = [(0, 1, "a"), (6, 2, ""), (7, 3, "b\u{fffd}")];
        assert_eq!(all, expected.map(|(offset, number, text)| (offset, number, text.to_owned())));
    }

    #[test]
    fn a_line_without_end_is_skipped_and_the_next_one_read() {
        let text = [vec![b'x'; 3 * LONGEST], b"\nshort\n".to_vec()].concat();
        let (all, notes) = lines(text);
        assert_eq!(all, [(3 * LONGEST as u64 + 1, 2, "short".to_owned())]);
        assert_eq!(notes.skipped.get("line_too_long"), Some(&1));
        assert_eq!(notes.problems.len(), 1);
    }

    #[test]
    fn an_endless_last_line_is_an_end_too() {
        let (all, notes) = lines(vec![b'x'; 2 * LONGEST]);
        assert_eq!((all.len(), notes.problems.len()), (0, 1));
    }
}
