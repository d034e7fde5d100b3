//! Gives the possible sizes of a transport block (TS 36.213 section 7.1.7.2). They show whether a
//! message has the layout that belongs to its version.

use std::sync::LazyLock;

/// Sizes in bits by I_TBS and PRBs for one layer: TS 36.213 table 7.1.7.2.1-1, with the rows for
/// 256QAM.
static SIZES: LazyLock<Vec<Vec<u32>>> = LazyLock::new(|| {
    let rows = include_str!("../../tables/tbs_bits.csv").lines().skip(1);
    rows.map(|row| row.split(',').skip(1).filter_map(|bits| bits.parse().ok()).collect()).collect()
});

/// All sizes in the table, in bits, in ascending order.
static ALL: LazyLock<Vec<u32>> = LazyLock::new(|| {
    let mut all: Vec<u32> = SIZES.iter().flatten().copied().collect();
    all.sort_unstable();
    all.dedup();
    all
});

/// The direction of the link, which determines the table of MCSs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Link {
    /// The downlink (TS 36.213 tables 7.1.7.1-1 and 7.1.7.1-1A).
    Down,
    /// The uplink (TS 36.213 table 8.6.1-1).
    Up,
}

/// The sizes in bits for one I_TBS, by PRBs from 1 on; empty for an index that does not exist.
pub(crate) fn row(i_tbs: usize) -> &'static [u32] {
    SIZES.get(i_tbs).map_or(&[], Vec::as_slice)
}

/// The I_TBS of an MCS. Where two modulations meet, both have an MCS with the same I_TBS.
pub(crate) const fn i_tbs(link: Link, mcs: u8) -> usize {
    let row = match (link, mcs) {
        (Link::Down, 0..=9) | (Link::Up, 0..=10) => mcs,
        (Link::Down, ..=16) | (Link::Up, ..=20) => mcs - 1,
        _ => mcs - 2,
    };
    row as usize
}

/// The I_TBS of a downlink MCS if 256QAM is configured (TS 36.213 table 7.1.7.1-1A).
const fn i_tbs_256qam(mcs: u8) -> usize {
    let row = match mcs {
        0..=4 => mcs * 2,
        5..=20 => mcs + 5,
        _ => mcs + 6,
    };
    row as usize
}

/// Whether a block of one layer can have this size in bytes, without its CRC.
pub(crate) fn is_size(bytes: u32) -> bool {
    bytes.checked_mul(8).is_some_and(|bits| ALL.binary_search(&bits).is_ok())
}

/// Whether a downlink first transmission with an MCS (0 to 28) on `prbs` PRBs can have this size in
/// bits: on one layer or two, and in the short downlink part of a special subframe (section 7.1.7).
pub(crate) fn fits_mcs(mcs: u8, prbs: u16, bits: u32) -> bool {
    let rows = [Some(i_tbs(Link::Down, mcs)), (mcs < 28).then(|| i_tbs_256qam(mcs))];
    rows.into_iter().flatten().any(|i| columns(prbs).any(|prbs| at(i, prbs) == Some(bits)))
}

/// Whether a block with this modulation (in bits per symbol) can have this size in bits on `prbs`
/// PRBs. The ranges of modulations overlap, because of the tables for 64QAM and 256QAM, and of
/// phones without 64QAM in the uplink.
pub(crate) fn fits_modulation(link: Link, order: u8, prbs: u16, bits: u32) -> bool {
    let rows = match (link, order) {
        (Link::Down, 2) => 0..=9,
        (Link::Down, 4) => 9..=15,
        (Link::Down, 6) => 15..=26,
        (Link::Down, 8) => 25..=33,
        (Link::Up, 2) => 0..=10,
        (Link::Up, 4) => 10..=26,
        (Link::Up, 6) => 19..=33,
        (Link::Up, 8) => 25..=33,
        _ => return false,
    };
    let fits = |prbs| rows.clone().any(|i| at(i, prbs) == Some(bits));
    match link {
        Link::Down => columns(prbs).any(fits),
        Link::Up => fits(prbs),
    }
}

/// The columns of the table that an allocation may use: its number of PRBs, twice that number for
/// two layers, and three quarters of it for a special subframe.
fn columns(prbs: u16) -> impl Iterator<Item = u16> {
    [prbs, prbs * 2, (prbs * 3 / 4).max(1)].into_iter()
}

fn at(i_tbs: usize, prbs: u16) -> Option<u32> {
    row(i_tbs).get(usize::from(prbs).checked_sub(1)?).copied()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_table_is_whole() {
        assert_eq!(SIZES.len(), 34);
        // The table gives 328 bits for one PRB at I_TBS 6, which is more than for two PRBs.
        assert!(SIZES.iter().all(|row| row.len() == 110 && row.iter().skip(1).is_sorted()));
        // The corners of the table, and I_TBS 26 on 100 PRBs with 75,376 bits.
        assert!([16, 712, 97_896, 75_376].iter().all(|bits| is_size(bits / 8)));
        assert!(!is_size(75_376 / 8 + 3) && !is_size(0));
    }

    #[test]
    fn sizes_by_mcs_are_those_of_the_clause() {
        // MCS 28 is I_TBS 26; with 256QAM MCS 27 is I_TBS 33; MCS 24 on 32 PRBs is I_TBS 22.
        assert!(fits_mcs(28, 100, 75_376) && fits_mcs(27, 100, 97_896));
        assert!(fits_mcs(24, 32, 16_992) && !fits_mcs(23, 32, 16_992));
        assert!(!fits_mcs(28, 100, 75_400) && !fits_mcs(28, 0, 75_376));
        // On two layers, the size is that of twice the PRBs.
        assert!(fits_mcs(0, 25, 1384));
    }

    #[test]
    fn sizes_by_modulation_are_those_of_its_rows() {
        // Uplink MCS 22 on 4 PRBs is I_TBS 20, 64QAM.
        let bits = row(20)[3];
        assert!(fits_modulation(Link::Up, 6, 4, bits) && !fits_modulation(Link::Up, 2, 4, bits));
        assert!(!fits_modulation(Link::Up, 6, 4, bits + 8));
        assert!(fits_modulation(Link::Down, 2, 50, row(9)[49]));
        assert!(!fits_modulation(Link::Down, 5, 50, row(9)[49]));
    }

    #[test]
    fn every_mcs_has_the_row_of_its_table() {
        let of = |table: &'static str| {
            let rows = include_str!("../../tables/mcs.csv").lines().skip(1);
            rows.filter_map(move |line| {
                let mut cells = line.split(',');
                let named = cells.next()? == table;
                let mcs = cells.next()?.parse::<u8>().ok()?;
                let row = cells.nth(1)?.parse::<usize>().ok()?;
                named.then_some((mcs, row))
            })
        };
        assert!(of("dl64").count() == 29 && of("dl256").count() == 28 && of("ul64").count() == 29);
        assert!(of("dl64").all(|(mcs, row)| i_tbs(Link::Down, mcs) == row));
        assert!(of("dl256").all(|(mcs, row)| i_tbs_256qam(mcs) == row));
        assert!(of("ul64").all(|(mcs, row)| i_tbs(Link::Up, mcs) == row));
    }
}
