//! Reads the members of a gzip file one after another (RFC 1952 section 2.2).

use std::io::{self, BufRead, Read};

use flate2::bufread::GzDecoder;

/// Decompresses all members. Zeros after a member are padding that tapes and block devices add;
/// they are skipped, as in `gzip -d`.
pub(crate) struct Members<R>(Option<GzDecoder<R>>);

impl<R: BufRead> Members<R> {
    /// Decompresses from the start of the first member on.
    pub(crate) fn new(reader: R) -> Self {
        Self(Some(GzDecoder::new(reader)))
    }

    /// Continues after the member that has ended; returns whether there is another one.
    fn next_member(&mut self) -> io::Result<bool> {
        let Some(ended) = &mut self.0 else { return Ok(false) };
        // An interrupted call changes nothing, and the caller calls again.
        let another = is_at_member(ended.get_mut())?;
        let ended = self.0.take().filter(|_| another);
        self.0 = ended.map(|ended| GzDecoder::new(ended.into_inner()));
        Ok(another)
    }
}

impl<R: BufRead> Read for Members<R> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        while let Some(member) = &mut self.0 {
            let bytes = member.read(buffer)?;
            if bytes > 0 || buffer.is_empty() || !self.next_member()? {
                return Ok(bytes);
            }
        }
        Ok(0)
    }
}

/// Skips padding; returns whether something follows it.
fn is_at_member(reader: &mut impl BufRead) -> io::Result<bool> {
    loop {
        let bytes = reader.fill_buf()?;
        if bytes.is_empty() {
            return Ok(false);
        }
        let zeros = bytes.iter().take_while(|byte| **byte == 0).count();
        let another = zeros < bytes.len();
        reader.consume(zeros);
        if another {
            return Ok(true);
        }
    }
}

#[cfg(test)]
mod tests {
    use std::io::{BufReader, Write};

    use flate2::{Compression, write::GzEncoder};

    use super::*;

    /// A reader that returns one piece per call, with an interrupted call before each.
    struct Interrupted {
        pieces: Vec<Vec<u8>>,
        interrupted: bool,
    }

    impl Read for Interrupted {
        fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
            self.interrupted = !self.interrupted;
            if self.interrupted {
                return Err(io::ErrorKind::Interrupted.into());
            }
            if self.pieces.is_empty() {
                return Ok(0);
            }
            self.pieces.remove(0).as_slice().read(buffer)
        }
    }

    #[test]
    fn an_interrupted_call_between_members_ends_nothing() {
        let pieces = vec![member(b"one"), vec![0; 5], member(b"two"), member(b"three")];
        let reader = BufReader::new(Interrupted { pieces, interrupted: false });
        let mut text = String::new();
        // `read_to_string` calls again after an interrupted call.
        Members::new(reader).read_to_string(&mut text).unwrap();
        assert_eq!(text, "onetwothree");
    }

    fn member(content: &[u8]) -> Vec<u8> {
        let mut encoder = GzEncoder::new(Vec::new(), Compression::fast());
        encoder.write_all(content).unwrap();
        encoder.finish().unwrap()
    }
}
