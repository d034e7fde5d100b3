//! Reads numbers of any width, the most significant bit first, as in RLC headers and unaligned PER.

/// The bits that are not read yet.
pub(crate) struct BitReader<'a> {
    bytes: &'a [u8],
    at: usize,
}

impl<'a> BitReader<'a> {
    pub(crate) const fn new(bytes: &'a [u8]) -> Self {
        Self { bytes, at: 0 }
    }

    /// The next bit; `None` at the end.
    pub(crate) fn flag(&mut self) -> Option<bool> {
        let byte = self.bytes.get(self.at / 8)?;
        let bit = byte >> (7 - self.at % 8) & 1;
        self.at += 1;
        Some(bit == 1)
    }

    /// The next `width` bits as a number, at most 32; `None` if fewer are left.
    pub(crate) fn number(&mut self, width: u32) -> Option<u32> {
        (0..width).try_fold(0, |value: u32, _| Some(value << 1 | u32::from(self.flag()?)))
    }

    /// The next `width` bits as a number of a type with at least that width.
    pub(crate) fn narrow<T: TryFrom<u32>>(&mut self, width: u32) -> Option<T> {
        T::try_from(self.number(width)?).ok()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bits_come_from_the_top() {
        let mut bits = BitReader::new(&[0b1010_0001, 0xFF]);
        assert_eq!(bits.flag(), Some(true));
        assert_eq!(bits.number(7), Some(0b010_0001));
        assert_eq!(bits.number(9), None);
    }
}
