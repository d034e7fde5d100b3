//! Keeps a part of an input in memory, as a window that slides over it in large blocks, so that
//! records need not be copied.

use std::io::{self, ErrorKind, Read};

use crate::bytes::part;
use crate::open::Stop;
use crate::open::ahead::{Ahead, HEADROOM};

/// The size of one read, in bytes: large enough that a system call costs nothing per packet, and
/// small enough that the bytes are still in a core's cache when they are decoded.
const BLOCK: usize = 256 << 10;
/// The size of one read of each input when very many are read at once.
const SMALL_BLOCK: usize = 32 << 10;

/// The bytes of an input that are in memory, from the current position on.
pub(crate) struct Window {
    input: Input,
    /// The size of one read, in bytes.
    block: usize,
    buffer: Vec<u8>,
    start: usize,
    end: usize,
    /// The position in the decompressed input that corresponds to `buffer[end]`.
    read: u64,
    exhausted: bool,
    failure: Option<io::Error>,
}

enum Input {
    Direct(Box<dyn Read + Send>),
    Ahead(Ahead),
}

impl Window {
    /// A window at the start of `input`.
    pub(crate) fn new(input: Box<dyn Read + Send>) -> Self {
        Self::over(Input::Direct(input), BLOCK, vec![0; BLOCK])
    }

    /// A window at the start of `input` that uses little memory.
    pub(crate) fn small(input: Box<dyn Read + Send>) -> Self {
        Self::over(Input::Direct(input), SMALL_BLOCK, vec![0; SMALL_BLOCK])
    }

    /// A window at the start of `input`, which another thread reads in advance.
    pub(crate) fn ahead(input: Box<dyn Read + Send>, stop: Stop) -> io::Result<Self> {
        Ok(Self::over(Input::Ahead(Ahead::new(input, stop)?), BLOCK, Vec::new()))
    }

    const fn over(input: Input, block: usize, buffer: Vec<u8>) -> Self {
        Self { input, block, buffer, start: 0, end: 0, read: 0, exhausted: false, failure: None }
    }

    /// The memory of the window and of what is read in advance, in bytes.
    pub(crate) fn held_bytes(&self) -> usize {
        let ahead = match self.input {
            Input::Direct(_) => 0,
            Input::Ahead(_) => Ahead::held_bytes(),
        };
        self.buffer.capacity() + ahead
    }

    /// The bytes in memory; reads no further ones.
    #[inline]
    pub(crate) fn bytes(&self) -> &[u8] {
        part(&self.buffer, self.start..self.end)
    }

    /// The buffer from `bytes` bytes after the current position on; it may contain more than what
    /// was read.
    #[inline]
    pub(crate) fn behind(&self, bytes: usize) -> Option<&[u8]> {
        self.buffer.get(self.start + bytes..)
    }

    /// The current position in the decompressed input.
    #[inline]
    pub(crate) const fn offset(&self) -> u64 {
        self.read - (self.end - self.start) as u64
    }

    /// Reads until `wanted` bytes are in memory; returns `false` if the input ends before.
    #[inline]
    pub(crate) fn have(&mut self, wanted: usize) -> bool {
        self.end - self.start >= wanted || self.fill(wanted)
    }

    /// Moves forward by `bytes`, at most to the end of the bytes in memory.
    #[inline]
    pub(crate) fn skip(&mut self, bytes: usize) {
        self.start = self.end.min(self.start.saturating_add(bytes));
    }

    /// Moves forward by `bytes`, which must be in memory.
    #[inline]
    pub(crate) const fn step(&mut self, bytes: usize) {
        self.start += bytes;
    }

    /// Removes and returns the error that ended the input early.
    pub(crate) fn take_failure(&mut self) -> Option<io::Error> {
        self.failure.take()
    }

    #[cold]
    fn fill(&mut self, wanted: usize) -> bool {
        while self.end - self.start < wanted && !self.exhausted {
            let got = match &self.input {
                Input::Direct(_) => self.read_once(wanted),
                Input::Ahead(_) => self.next_block(),
            };
            match got {
                Ok(0) => self.exhausted = true,
                Ok(bytes) => self.read += bytes as u64,
                Err(error) if error.kind() == ErrorKind::Interrupted => {}
                Err(error) => {
                    self.exhausted = true;
                    self.failure = Some(error);
                }
            }
        }
        self.end - self.start >= wanted
    }

    fn read_once(&mut self, wanted: usize) -> io::Result<usize> {
        // Bytes are moved only when necessary, so that looking far ahead takes linear time.
        if self.start >= self.block / 2 || self.buffer.len() - self.start < wanted {
            self.buffer.copy_within(self.start..self.end, 0);
            self.end -= self.start;
            self.start = 0;
        }
        if self.buffer.len() < wanted {
            self.buffer.resize(wanted.next_power_of_two(), 0);
        }
        let Input::Direct(input) = &mut self.input else { return Ok(0) };
        let bytes = input.read(self.buffer.get_mut(self.end..).unwrap_or_default())?;
        self.end += bytes;
        Ok(bytes)
    }

    /// Puts the rest of this block before the data of the next block. If it does not fit there, the
    /// data is put after the rest.
    fn next_block(&mut self) -> io::Result<usize> {
        let Input::Ahead(ahead) = &self.input else { return Ok(0) };
        let mut block = ahead.next()?;
        let bytes = block.len() - HEADROOM;
        let left = part(&self.buffer, self.start..self.end);
        if let Some(room) = HEADROOM.checked_sub(left.len()) {
            block.get_mut(room..HEADROOM).unwrap_or_default().copy_from_slice(left);
            (self.start, self.end) = (room, block.len());
            ahead.give_back(std::mem::replace(&mut self.buffer, block));
        } else {
            self.buffer.drain(..self.start);
            self.buffer.extend_from_slice(part(&block, HEADROOM..block.len()));
            (self.start, self.end) = (0, self.buffer.len());
            ahead.give_back(block);
        }
        Ok(bytes)
    }
}
