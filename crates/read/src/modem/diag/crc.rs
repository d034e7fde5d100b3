//! Computes CRC-16/X.25, the last two bytes of every HDLC frame (RFC 1662 appendix C.2).

#![expect(clippy::indexing_slicing, reason = "a byte into 256, a constant into sixteen")]

/// The generator polynomial 0x1021, reflected.
const POLYNOMIAL: u16 = 0x8408;

/// The number of bytes per step: sixteen table look-ups that do not depend on each other. With one
/// byte at a time, each look-up would wait for the one before.
const STEP: usize = 16;

/// `TABLES[k][b]`: the effect of a byte `b` on the CRC, `k` bytes later.
static TABLES: [[u16; 256]; STEP] = tables();

/// The CRC of `bytes`.
#[inline]
pub(super) fn crc(bytes: &[u8]) -> u16 {
    let (steps, rest) = bytes.as_chunks::<STEP>();
    let sum = steps.iter().fold(0xffff, step);
    !rest.iter().fold(sum, |sum, byte| single(sum, *byte))
}

#[inline]
fn step(sum: u16, bytes: &[u8; STEP]) -> u16 {
    let bytes = (u128::from_le_bytes(*bytes) ^ u128::from(sum)).to_le_bytes();
    // The compiler unrolls a loop from 0 to a constant, so that no look-up needs a bounds check.
    let (mut next, mut at) = (0, 0);
    while at < STEP {
        next ^= TABLES[STEP - 1 - at][usize::from(bytes[at])];
        at += 1;
    }
    next
}

#[inline]
fn single(sum: u16, byte: u8) -> u16 {
    let [low, high] = sum.to_le_bytes();
    u16::from(high) ^ TABLES[0][usize::from(low ^ byte)]
}

#[expect(clippy::cast_possible_truncation, reason = "`byte` stays below 256")]
const fn tables() -> [[u16; 256]; STEP] {
    let mut tables = [[0; 256]; STEP];
    let mut byte = 0;
    while byte < 256 {
        let mut sum = byte as u16;
        let mut bit = 0;
        while bit < 8 {
            sum = if sum & 1 == 1 { (sum >> 1) ^ POLYNOMIAL } else { sum >> 1 };
            bit += 1;
        }
        tables[0][byte] = sum;
        byte += 1;
    }
    let mut later = 1;
    while later < STEP {
        let mut byte = 0;
        while byte < 256 {
            let before = tables[later - 1][byte];
            tables[later][byte] = (before >> 8) ^ tables[0][(before & 0xff) as usize];
            byte += 1;
        }
        later += 1;
    }
    tables
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn check_value() {
        assert_eq!(crc(b"123456789"), 0x906e);
        assert_eq!(crc(b""), 0);
    }

    /// The CRC computed bit by bit, by its definition.
    fn naive(bytes: &[u8]) -> u16 {
        let mut sum = 0xffff_u16;
        for byte in bytes {
            sum ^= u16::from(*byte);
            for _ in 0..8 {
                sum = if sum & 1 == 1 { (sum >> 1) ^ POLYNOMIAL } else { sum >> 1 };
            }
        }
        !sum
    }

    proptest! {
        #[test]
        fn as_defined(bytes in proptest::collection::vec(any::<u8>(), 0..100)) {
            prop_assert_eq!(crc(&bytes), naive(&bytes));
        }
    }
}
