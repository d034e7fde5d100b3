//! The members of a gzip file, one after the other (RFC 1952 section 2.2).

use std::io::{self, BufRead, Read};

use flate2::bufread::GzDecoder;

/// Decompresses all members. Zeros after a member are padding that tapes and block devices leave,
/// and pass as they do with `gzip -d`.
pub(crate) struct Members<R>(Option<GzDecoder<R>>);

impl<R: BufRead> Members<R> {
    /// From the start of the first member.
    pub(crate) fn new(reader: R) -> Self {
        Self(Some(GzDecoder::new(reader)))
    }

    /// Goes on behind the member that has ended; tells whether there is another one.
    fn next_member(&mut self) -> io::Result<bool> {
        let Some(ended) = self.0.take() else { return Ok(false) };
        let mut reader = ended.into_inner();
        loop {
            let bytes = reader.fill_buf()?;
            if bytes.is_empty() {
                return Ok(false);
            }
            let zeros = bytes.iter().take_while(|byte| **byte == 0).count();
            let another = zeros < bytes.len();
            reader.consume(zeros);
            if another {
                self.0 = Some(GzDecoder::new(reader));
                return Ok(true);
            }
        }
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
