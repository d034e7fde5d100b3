//! Writes messages field by field.

use std::fmt::Debug;

use airmile_read::modem::diag::messages::Misfit;

/// The bytes of a message, or of a part of one.
#[derive(Clone)]
pub(crate) struct Layout(pub(crate) Vec<u8>);

impl Layout {
    pub(crate) fn of(size: usize) -> Self {
        Self(vec![0; size])
    }

    /// Writes a little-endian number of `width` bytes.
    pub(crate) fn number(mut self, at: usize, width: usize, value: u32) -> Self {
        self.0[at..at + width].copy_from_slice(&value.to_le_bytes()[..width]);
        self
    }

    /// Writes a number into the bits from `low` on of the 32-bit word at `at`.
    pub(crate) fn bits(self, at: usize, low: u32, width: u32, value: u32) -> Self {
        let mut bytes = [0; 4];
        bytes.copy_from_slice(&self.0[at..at + 4]);
        let mask = ((1 << width) - 1) << low;
        let word = u32::from_le_bytes(bytes) & !mask | value << low & mask;
        self.number(at, 4, word)
    }

    pub(crate) fn then(mut self, next: Self) -> Self {
        self.0.extend(next.0);
        self
    }
}

/// Checks that a message that is cut at any byte is refused.
pub(crate) fn cut_anywhere<T: Debug>(message: &Layout, parse: impl Fn(&[u8]) -> Result<T, Misfit>) {
    for length in 0..message.0.len() {
        let parsed = parse(&message.0[..length]);
        assert!(parsed.is_err(), "cut at {length}: {parsed:?}");
    }
}
