//! Gathers the hello message with which a direction begins, which may span segments.

use airmile_types::Held;

use super::hello;
use super::records::{Chunk, HEADER};

/// Number of bytes up to which a hello is read.
const BYTES_MOST: usize = 4096;

/// The hello of one direction, as it is gathered.
#[derive(Clone, Debug, Default, PartialEq)]
pub(super) enum HelloBytes {
    /// No byte yet: the hello begins after the first record's header.
    #[default]
    Awaited,
    /// The bytes so far.
    Partial(Vec<u8>),
    /// The hello was handed over.
    Read,
}

impl Held for HelloBytes {
    fn held_bytes(&self) -> usize {
        match self {
            Self::Partial(bytes) => bytes.held_bytes(),
            Self::Awaited | Self::Read => 0,
        }
    }

    fn give_back(&mut self) {
        if let Self::Partial(bytes) = self {
            bytes.give_back();
        }
    }
}

/// Offset of the first byte of the first record's body.
const START: i64 = 1 + HEADER as i64;

impl HelloBytes {
    /// Takes the bytes in `chunk`; returns the hello when it is whole or no more of it can come.
    pub(super) fn take(&mut self, chunk: &Chunk<'_>) -> Option<Vec<u8>> {
        let mut bytes = match std::mem::replace(self, Self::Read) {
            Self::Awaited => Vec::new(),
            Self::Partial(bytes) => bytes,
            Self::Read => return None,
        };
        let next = START + bytes.len() as i64;
        if chunk.end() <= next {
            *self = if bytes.is_empty() { Self::Awaited } else { Self::Partial(bytes) };
            return None;
        }
        if chunk.start() > next {
            return Some(bytes);
        }
        let length = hello::length(&bytes);
        let captured = chunk.captured_from(next);
        bytes.extend(captured.iter().take(BYTES_MOST.saturating_sub(bytes.len())));
        let whole = hello::length(&bytes).or(length).is_some_and(|length| bytes.len() >= length);
        let cut = next + (captured.len() as i64) < chunk.end();
        if whole || cut || bytes.len() == BYTES_MOST {
            bytes.shrink_to_fit();
            return Some(bytes);
        }
        *self = Self::Partial(bytes);
        None
    }
}
