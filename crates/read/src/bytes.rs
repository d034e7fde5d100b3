//! Reads numbers and parts of byte slices that may be too short.

use std::ops::Range;

/// The `N` bytes from `at` on; `None` if not all of them were captured.
#[inline]
pub(crate) fn chunk<const N: usize>(bytes: &[u8], at: usize) -> Option<&[u8; N]> {
    bytes.get(at..)?.first_chunk::<N>()
}

/// A part of `bytes`; empty if not all of it was captured.
///
/// The code for a missing part is kept out of line, behind a branch that the processor predicts.
/// `unwrap_or_default` would compute both halves of the slice without a branch, several times for
/// each packet.
#[inline]
pub(crate) fn part(bytes: &[u8], range: Range<usize>) -> &[u8] {
    match bytes.get(range) {
        Some(part) => part,
        None => nothing(),
    }
}

#[cold]
#[inline(never)]
const fn nothing() -> &'static [u8] {
    &[]
}

/// The 16-bit number at `at` in network byte order; `None` if it was not captured.
#[inline]
pub(crate) fn be16(bytes: &[u8], at: usize) -> Option<u16> {
    chunk::<2>(bytes, at).map(|b| u16::from_be_bytes(*b))
}

/// The byte order that the magic number of a capture file shows.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Order {
    Little,
    Big,
}

impl Order {
    /// Two bytes as a number in this byte order.
    #[inline]
    pub(crate) const fn u16(self, bytes: [u8; 2]) -> u16 {
        match self {
            Self::Little => u16::from_le_bytes(bytes),
            Self::Big => u16::from_be_bytes(bytes),
        }
    }

    /// Four bytes as a number in this byte order.
    #[inline]
    pub(crate) const fn u32(self, bytes: [u8; 4]) -> u32 {
        let little = u32::from_le_bytes(bytes);
        if matches!(self, Self::Little) { little } else { little.swap_bytes() }
    }

    /// Eight bytes as a number in this byte order.
    pub(crate) const fn u64(self, bytes: [u8; 8]) -> u64 {
        match self {
            Self::Little => u64::from_le_bytes(bytes),
            Self::Big => u64::from_be_bytes(bytes),
        }
    }

    /// The 32-bit number at `at`; `None` if it was not captured.
    #[inline]
    pub(crate) fn u32_at(self, bytes: &[u8], at: usize) -> Option<u32> {
        chunk::<4>(bytes, at).map(|b| self.u32(*b))
    }

    /// The 16-bit number at `at`; `None` if it was not captured.
    #[inline]
    pub(crate) fn u16_at(self, bytes: &[u8], at: usize) -> Option<u16> {
        chunk::<2>(bytes, at).map(|b| self.u16(*b))
    }
}

/// A number of bytes as 32 bits; the greatest such number if it does not fit.
#[inline]
pub(crate) fn saturate(bytes: usize) -> u32 {
    u32::try_from(bytes).unwrap_or(u32::MAX)
}
