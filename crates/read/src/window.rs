//! A sliding view of an input: large reads, no copy per record.

use std::io::{self, ErrorKind, Read};

/// One read's size: large enough that a system call costs nothing per packet.
const BLOCK: usize = 1 << 20;

/// Bytes of an input that are in memory, from the current position on.
pub(crate) struct Window {
    input: Box<dyn Read + Send>,
    buffer: Vec<u8>,
    start: usize,
    end: usize,
    /// Position in the (decompressed) input of `buffer[end]`.
    read: u64,
    exhausted: bool,
    failure: Option<io::Error>,
}

impl Window {
    /// A window at the start of `input`.
    pub(crate) fn new(input: Box<dyn Read + Send>) -> Self {
        let buffer = vec![0; BLOCK];
        Self { input, buffer, start: 0, end: 0, read: 0, exhausted: false, failure: None }
    }

    /// What can be seen without reading on.
    #[inline]
    pub(crate) fn bytes(&self) -> &[u8] {
        self.buffer.get(self.start..self.end).unwrap_or_default()
    }

    /// A part of what can be seen; empty when it cannot all be seen.
    #[inline]
    pub(crate) fn part(&self, start: usize, length: usize) -> &[u8] {
        let start = self.start + start;
        self.buffer.get(start..start + length).unwrap_or_default()
    }

    /// Position in the (decompressed) input.
    #[inline]
    pub(crate) const fn offset(&self) -> u64 {
        self.read - (self.end - self.start) as u64
    }

    /// Reads on until `wanted` bytes can be seen; false when the input ends before.
    #[inline]
    pub(crate) fn have(&mut self, wanted: usize) -> bool {
        self.end - self.start >= wanted || self.fill(wanted)
    }

    /// Steps over bytes that can be seen.
    #[inline]
    pub(crate) fn skip(&mut self, bytes: usize) {
        self.start = self.end.min(self.start.saturating_add(bytes));
    }

    /// The error that ended the input early.
    pub(crate) fn take_failure(&mut self) -> Option<io::Error> {
        self.failure.take()
    }

    #[cold]
    fn fill(&mut self, wanted: usize) -> bool {
        // Moving only what must be moved keeps long looks ahead linear.
        if self.start >= BLOCK / 2 || self.buffer.len() - self.start < wanted {
            self.buffer.copy_within(self.start..self.end, 0);
            self.end -= self.start;
            self.start = 0;
        }
        if self.buffer.len() < wanted {
            self.buffer.resize(wanted.next_power_of_two(), 0);
        }
        while self.end - self.start < wanted && !self.exhausted {
            self.read_once();
        }
        self.end - self.start >= wanted
    }

    fn read_once(&mut self) {
        match self.input.read(self.buffer.get_mut(self.end..).unwrap_or_default()) {
            Ok(0) => self.exhausted = true,
            Ok(bytes) => {
                self.end += bytes;
                self.read += bytes as u64;
            }
            Err(error) if error.kind() == ErrorKind::Interrupted => {}
            Err(error) => {
                self.exhausted = true;
                self.failure = Some(error);
            }
        }
    }
}
