//! Finds the number of PRBs of a transport block from its MCS and size.

pub(super) use crate::modem::tbs::Link;
use crate::modem::tbs::{i_tbs, row};

/// The number of PRBs of a block.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Prbs {
    /// Only this number of PRBs gives the size.
    One(u16),
    /// Several numbers of PRBs give the size; this is the smallest.
    AtLeast(u16),
    /// No number of PRBs gives the size.
    None,
}

/// The number of PRBs for which an MCS gives a size of `bytes`.
pub(super) fn prbs(link: Link, mcs: u8, bytes: u32) -> Prbs {
    let all = row(i_tbs(link, mcs)).iter().zip(1..);
    let mut fits = all.filter(|(bits, _)| **bits == bytes * 8).map(|(_, prbs)| prbs);
    match (fits.next(), fits.next()) {
        (Some(only), None) => Prbs::One(only),
        (Some(smallest), Some(_)) => Prbs::AtLeast(smallest),
        (None, _) => Prbs::None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sizes_lead_back_to_their_prbs() {
        // I_TBS 26 gives 75376 bits for 100 to 110 PRBs; I_TBS 0 gives 16 bits for one PRB.
        assert_eq!(prbs(Link::Down, 28, 9422), Prbs::AtLeast(100));
        assert_eq!(prbs(Link::Up, 28, 9422), Prbs::AtLeast(100));
        assert_eq!(prbs(Link::Down, 0, 2), Prbs::One(1));
        assert_eq!(prbs(Link::Down, 0, 3), Prbs::None);
        assert_eq!(prbs(Link::Down, 28, u32::MAX / 8), Prbs::None);
    }

    #[test]
    fn the_uplink_changes_its_modulation_later() {
        assert_eq!([9, 10, 16, 17, 28].map(|mcs| i_tbs(Link::Down, mcs)), [9, 9, 15, 15, 26]);
        assert_eq!([10, 11, 20, 21, 28].map(|mcs| i_tbs(Link::Up, mcs)), [10, 10, 19, 19, 26]);
    }
}
