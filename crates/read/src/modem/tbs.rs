//! Sizes that a transport block can have: with them a layout that no log has proved is told from
//! one that is not the message's.

/// Sizes in bytes of TS 36.213 table 7.1.7.2.1-1 (one spatial layer, 1 to 110 PRBs), which are all
/// whole bytes.
const ONE_LAYER: [u16; 186] = [
    2, 3, 4, 5, 7, 9, 11, 13, 15, 17, 18, 19, 22, 26, 28, 32, 35, 36, 37, 41, 42, 43, 47, 49, 51,
    53, 55, 57, 59, 61, 63, 65, 67, 69, 71, 73, 75, 77, 79, 81, 85, 87, 89, 93, 97, 101, 105, 109,
    113, 117, 121, 125, 129, 133, 137, 141, 145, 149, 153, 157, 161, 165, 169, 173, 177, 185, 193,
    201, 209, 217, 225, 233, 241, 249, 253, 261, 269, 277, 285, 293, 301, 309, 317, 325, 333, 341,
    349, 357, 373, 389, 405, 421, 437, 453, 469, 485, 501, 517, 533, 549, 573, 597, 621, 645, 669,
    693, 717, 749, 775, 807, 839, 871, 903, 935, 967, 999, 1031, 1063, 1095, 1143, 1191, 1239,
    1287, 1335, 1383, 1431, 1479, 1527, 1572, 1620, 1692, 1764, 1836, 1908, 1980, 2052, 2124, 2196,
    2292, 2385, 2481, 2577, 2673, 2769, 2865, 2961, 3062, 3182, 3302, 3422, 3542, 3662, 3822, 3963,
    4107, 4251, 4395, 4587, 4736, 4904, 5072, 5296, 5477, 5669, 5861, 6117, 6378, 6594, 6882, 7167,
    7407, 7708, 7972, 8324, 8601, 8889, 9214, 9422, 9526, 9838, 10147, 10595, 10992, 11352, 11725,
    12237,
];

/// Whether a block of one layer can have so many bytes without its CRC.
pub(crate) fn is_size(bytes: u32) -> bool {
    u16::try_from(bytes).is_ok_and(|bytes| ONE_LAYER.binary_search(&bytes).is_ok())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sizes_are_sorted_and_those_of_the_clause() {
        assert!(ONE_LAYER.is_sorted());
        // The corners of the table, and I_TBS 26 on 100 PRBs: 75,376 bits.
        assert!([16, 712, 97_896, 75_376].iter().all(|bits| is_size(bits / 8)));
        assert!(!is_size(75_376 / 8 + 3) && !is_size(0) && !is_size(1 << 17));
    }
}
