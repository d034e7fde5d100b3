//! Reads little-endian numbers at offsets of a message, and bit fields. No function panics; if
//! bytes are missing, the result is [`Misfit::Short`].

use super::outcome::Misfit;
use crate::bytes::chunk;

/// The bytes of a message, or of a part of one.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Bytes<'a>(pub(crate) &'a [u8]);

impl<'a> Bytes<'a> {
    /// The number of bytes.
    pub(crate) const fn len(self) -> usize {
        self.0.len()
    }

    /// The `length` bytes from `at` on.
    #[inline]
    pub(crate) fn part(self, at: usize, length: usize) -> Result<Self, Misfit> {
        let end = at.checked_add(length).ok_or(Misfit::Short)?;
        self.0.get(at..end).map(Self).ok_or(Misfit::Short)
    }

    /// All bytes from `at` on.
    #[inline]
    pub(crate) fn from(self, at: usize) -> Result<Self, Misfit> {
        self.0.get(at..).map(Self).ok_or(Misfit::Short)
    }

    /// `count` records of `size` bytes each, from `at` on.
    pub(crate) fn records(
        self,
        at: usize,
        count: usize,
        size: usize,
    ) -> Result<impl ExactSizeIterator<Item = Self> + use<'a>, Misfit> {
        let length = count.checked_mul(size).ok_or(Misfit::Short)?;
        let all = self.part(at, length)?;
        Ok(all.0.chunks_exact(size.max(1)).map(Bytes))
    }

    /// The byte at `at`.
    #[inline]
    pub(crate) fn u8(self, at: usize) -> Result<u8, Misfit> {
        self.0.get(at).copied().ok_or(Misfit::Short)
    }

    /// The 16-bit number at `at`.
    #[inline]
    pub(crate) fn u16(self, at: usize) -> Result<u16, Misfit> {
        self.array(at).map(u16::from_le_bytes)
    }

    /// The 32-bit number at `at`.
    #[inline]
    pub(crate) fn u32(self, at: usize) -> Result<u32, Misfit> {
        self.array(at).map(u32::from_le_bytes)
    }

    /// The 64-bit number at `at`.
    pub(crate) fn u64(self, at: usize) -> Result<u64, Misfit> {
        self.array(at).map(u64::from_le_bytes)
    }

    #[inline]
    fn array<const N: usize>(self, at: usize) -> Result<[u8; N], Misfit> {
        chunk(self.0, at).copied().ok_or(Misfit::Short)
    }
}

/// The number in the `width` bits of `word` from bit `low` on; bits beyond the word are 0.
#[inline]
pub(crate) const fn bits(word: u32, low: u32, width: u32) -> u32 {
    let shifted = match word.checked_shr(low) {
        Some(shifted) => shifted,
        None => 0,
    };
    if width >= u32::BITS { shifted } else { shifted & ((1 << width) - 1) }
}

/// Does the same as [`bits`] for a field of at most eight bits.
#[inline]
pub(crate) const fn bits8(word: u32, low: u32, width: u32) -> u8 {
    debug_assert!(width <= u8::BITS);
    (bits(word, low, width) & 0xff) as u8
}

/// Does the same as [`bits`] for a field of at most sixteen bits.
#[inline]
pub(crate) const fn bits16(word: u32, low: u32, width: u32) -> u16 {
    debug_assert!(width <= u16::BITS);
    (bits(word, low, width) & 0xffff) as u16
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_little_endian_and_end_with_the_bytes() {
        let bytes = Bytes(&[1, 2, 3, 4, 5, 6, 7, 8]);
        assert_eq!(bytes.u8(7), Ok(8));
        assert_eq!(bytes.u16(1), Ok(0x0302));
        assert_eq!(bytes.u32(4), Ok(0x0807_0605));
        assert_eq!(bytes.u64(0), Ok(0x0807_0605_0403_0201));
        assert_eq!(bytes.u64(1), Err(Misfit::Short));
        assert_eq!(bytes.u8(usize::MAX), Err(Misfit::Short));
        assert!(bytes.part(usize::MAX, 2).is_err());
        assert!(bytes.records(1, usize::MAX, 2).is_err());
        assert_eq!(
            bytes.records(1, 2, 3).map(|all| all.map(|one| one.0[0]).collect()),
            Ok(vec![2, 5])
        );
    }

    #[test]
    fn fields_of_bits() {
        assert_eq!(bits(0b1101_0110, 1, 3), 0b011);
        assert_eq!(bits(u32::MAX, 31, 9), 1);
        assert_eq!(bits(u32::MAX, 32, 1), 0);
        assert_eq!(bits(7, 0, 32), 7);
        assert_eq!(bits8(0xABCD_EF12, 4, 8), 0xf1);
        assert_eq!(bits16(0xABCD_EF12, 4, 16), 0xdef1);
    }
}
