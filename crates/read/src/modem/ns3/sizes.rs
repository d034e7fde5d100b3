//! From MCS and size of a transport block back to the PRBs that it is on.

use std::sync::LazyLock;

/// Which table of MCSs.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Link {
    /// TS 36.213 table 7.1.7.1-1.
    Down,
    /// TS 36.213 table 8.6.1-1.
    Up,
}

/// PRBs of a block.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Prbs {
    /// No other count has this size.
    One(u16),
    /// The smallest of those that have it.
    AtLeast(u16),
    /// None has it.
    None,
}

/// Bits by I_TBS and PRBs, of one layer: TS 36.213 table 7.1.7.2.1-1.
static SIZES: LazyLock<Vec<Vec<u32>>> = LazyLock::new(|| {
    let rows = include_str!("../../../tables/tbs_bits.csv").lines().skip(1);
    rows.map(|row| row.split(',').skip(1).filter_map(|bits| bits.parse().ok()).collect()).collect()
});

/// The PRBs on which an MCS has that size.
pub(super) fn prbs(link: Link, mcs: u8, bytes: u32) -> Prbs {
    let row = SIZES.get(usize::from(row(link, mcs)));
    let all = row.into_iter().flatten().zip(1..);
    let mut fits = all.filter(|(bits, _)| **bits == bytes * 8).map(|(_, prbs)| prbs);
    match (fits.next(), fits.next()) {
        (Some(only), None) => Prbs::One(only),
        (Some(smallest), Some(_)) => Prbs::AtLeast(smallest),
        (None, _) => Prbs::None,
    }
}

/// I_TBS of an MCS: two modulations meet at the first steps, each with an MCS of its own.
const fn row(link: Link, mcs: u8) -> u8 {
    match (link, mcs) {
        (Link::Down, 0..=9) | (Link::Up, 0..=10) => mcs,
        (Link::Down, ..=16) | (Link::Up, ..=20) => mcs - 1,
        _ => mcs - 2,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_table_is_whole() {
        assert_eq!(SIZES.len(), 27);
        // One PRB of I_TBS 6 has 328 bits, more than two have: the table's own odd value.
        assert!(SIZES.iter().all(|row| row.len() == 110 && row.iter().skip(1).is_sorted()));
    }

    #[test]
    fn sizes_lead_back_to_their_prbs() {
        // I_TBS 26: 75376 bits from 100 PRBs on to 110; I_TBS 0: 16 bits on one.
        assert_eq!(prbs(Link::Down, 28, 9422), Prbs::AtLeast(100));
        assert_eq!(prbs(Link::Up, 28, 9422), Prbs::AtLeast(100));
        assert_eq!(prbs(Link::Down, 0, 2), Prbs::One(1));
        assert_eq!(prbs(Link::Down, 0, 3), Prbs::None);
        assert_eq!(prbs(Link::Down, 28, u32::MAX / 8), Prbs::None);
    }

    #[test]
    fn the_uplink_changes_its_modulation_later() {
        assert_eq!([9, 10, 16, 17, 28].map(|mcs| row(Link::Down, mcs)), [9, 9, 15, 15, 26]);
        assert_eq!([10, 11, 20, 21, 28].map(|mcs| row(Link::Up, mcs)), [10, 10, 19, 19, 26]);
    }
}
