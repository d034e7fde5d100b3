//! Gives the range of bytes of each level of a buffer status report, for the readers of uplink
//! messages.

/// The greatest number of bytes of each level below the top one (TS 36.321 table 6.1.3.1-1). Index
/// `i` means more than the bytes of the level before, and at most this number.
const UPPER_BYTES: [u32; 63] = [
    0, 10, 12, 14, 17, 19, 22, 26, 31, 36, 42, 49, 57, 67, 78, 91, 107, 125, 146, 171, 200, 234,
    274, 321, 376, 440, 515, 603, 706, 826, 967, 1132, 1326, 1552, 1817, 2127, 2490, 2915, 3413,
    3995, 4677, 5476, 6411, 7505, 8787, 10_287, 12_043, 14_099, 16_507, 19_325, 22_624, 26_487,
    31_009, 36_304, 42_502, 49_759, 58_255, 68_201, 79_846, 93_479, 109_439, 128_125, 150_000,
];

/// The least and the greatest number of bytes of a level; the top level has no greatest number.
/// `None` if the index is not that of a level.
pub(crate) fn range(index: u8) -> Option<(u32, Option<u32>)> {
    let below = |index: u8| index.checked_sub(1).and_then(|at| UPPER_BYTES.get(usize::from(at)));
    let low = below(index).map_or(0, |most| most + 1);
    (index < 64).then(|| (low, UPPER_BYTES.get(usize::from(index)).copied()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_level_lies_between_the_one_before_it_and_its_own() {
        let found = [0, 1, 2, 62, 63, 64].map(range);
        let expected = [
            Some((0, Some(0))),
            Some((1, Some(10))),
            Some((11, Some(12))),
            Some((128_126, Some(150_000))),
            Some((150_001, None)),
            None,
        ];
        assert_eq!(found, expected);
    }

    #[test]
    fn levels_rise() {
        assert!(UPPER_BYTES.is_sorted_by(|level, next| level < next));
    }
}
