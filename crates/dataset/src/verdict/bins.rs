//! Finds the place of a value that slices repeat because it belongs to their bin (methods T2).

use super::live::Piece;

/// The length of a bin in ns.
const BIN_NS: i128 = 100_000_000;

/// The bin in which a slice begins. What is counted per bin is repeated by all slices that cut it.
pub(super) const fn bin_of(start_ns: i64) -> i64 {
    (start_ns as i128).div_euclid(BIN_NS) as i64
}

/// Whether a slice lies in a bin, at least in part.
pub(super) fn is_in(piece: &Piece, bin: i64) -> bool {
    let (from, to) = (i128::from(bin) * BIN_NS, (i128::from(bin) + 1) * BIN_NS);
    let (start, end) = (i128::from(piece.start_ns), i128::from(piece.end_ns));
    start < to && (end > from || start >= from)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bins_before_1970_begin_before_their_slices() {
        assert_eq!([bin_of(0), bin_of(99_999_999), bin_of(-1)], [0, 0, -1]);
    }
}
