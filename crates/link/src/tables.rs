//! Contains the 3GPP tables that turn a channel into bytes, and a queue into a report.

use std::sync::LazyLock;

/// The greatest number of PRBs for which a transport block size is given (TS 36.213 table
/// 7.1.7.2.1-1).
pub const MOST_PRBS: u32 = 110;

/// The index of the report "more than 150000 bytes" (TS 36.321 table 6.1.3.1-1).
pub const TOP_BSR: u8 = 63;

/// The tables that give the meaning of an MCS index.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum McsTable {
    /// Downlink up to 64QAM (TS 36.213 table 7.1.7.1-1).
    Downlink64,
    /// Uplink up to 64QAM (TS 36.213 table 8.6.1-1).
    Uplink64,
}

impl McsTable {
    /// The number of resource elements for data in a pair of PRBs when these MCSs are used.
    pub const fn data_elements(self) -> f64 {
        match self {
            // 12 subcarriers in 11 symbols (3 symbols are for control, TS 36.211 section 6.7), less
            // 12 elements for the reference signals of two ports (section 6.10.1).
            Self::Downlink64 => 120.0,
            // 12 subcarriers in 12 SC-FDMA symbols: in each slot, one of the 7 symbols is for the
            // reference signal (TS 36.211 section 5.5.2).
            Self::Uplink64 => 144.0,
        }
    }
}

/// One modulation and coding scheme (MCS).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Mcs {
    /// The index, 0 to 28.
    pub index: u8,
    /// The number of bits per symbol.
    pub qm: u8,
    /// The row in the table of transport block sizes.
    pub i_tbs: u8,
}

impl Mcs {
    /// The modulation as modem logs name it, such as `64QAM`.
    pub const fn modulation(self) -> &'static str {
        match self.qm {
            2 => "QPSK",
            4 => "16QAM",
            _ => "64QAM",
        }
    }
}

/// One channel quality indicator (CQI).
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Cqi {
    /// The index, 1 to 15.
    pub index: u8,
    /// The number of bits per resource element.
    pub efficiency: f64,
}

static TBS: LazyLock<Vec<Vec<u32>>> =
    LazyLock::new(|| records(include_str!("../tables/tbs_bits.csv")).map(numbers).collect());
static BSR: LazyLock<Vec<u32>> = LazyLock::new(|| {
    let rows = records(include_str!("../tables/bsr.csv")).map(numbers);
    rows.filter_map(|row| row.first().copied()).collect()
});
static CQI: LazyLock<Vec<Cqi>> = LazyLock::new(|| {
    let rows = records(include_str!("../tables/cqi.csv"));
    rows.filter_map(|row| Some(Cqi { index: cell(row, 0)?, efficiency: cell(row, 3)? })).collect()
});
static DOWNLINK_64: LazyLock<Vec<Mcs>> = LazyLock::new(|| mcs_rows("dl64"));
static UPLINK_64: LazyLock<Vec<Mcs>> = LazyLock::new(|| mcs_rows("ul64"));

/// The bits of a transport block on `prbs` PRBs (at most [`MOST_PRBS`]) of one layer; 0 without
/// PRBs, and for an `i_tbs` that does not exist.
pub fn tbs_bits(i_tbs: u8, prbs: u32) -> u32 {
    let Some(row) = TBS.get(usize::from(i_tbs)) else { return 0 };
    let column = prbs.min(MOST_PRBS) as usize;
    column.checked_sub(1).and_then(|column| row.get(column)).copied().unwrap_or(0)
}

/// The rows of a table, by rising index.
pub fn mcs(table: McsTable) -> &'static [Mcs] {
    match table {
        McsTable::Downlink64 => &DOWNLINK_64,
        McsTable::Uplink64 => &UPLINK_64,
    }
}

/// The CQIs up to 64QAM, by rising efficiency (TS 36.213 table 7.2.3-1).
pub fn cqis() -> &'static [Cqi] {
    &CQI
}

/// The index that reports `bytes` waiting: the first whose upper bound is not less than `bytes`.
pub fn bsr_index(bytes: u64) -> u8 {
    BSR.partition_point(|&upper| u64::from(upper) < bytes).min(usize::from(TOP_BSR)) as u8
}

/// The most bytes that an index can mean; for the top index, which means more than its bound, the
/// bound itself.
pub fn bsr_upper_bytes(index: u8) -> u32 {
    BSR.get(usize::from(index)).or(BSR.last()).copied().unwrap_or(0)
}

fn records(csv: &'static str) -> impl Iterator<Item = &'static str> {
    csv.lines().skip(1).filter(|line| !line.is_empty())
}

/// The numbers of a record after its index.
fn numbers(record: &str) -> Vec<u32> {
    record.split(',').skip(1).filter_map(|cell| cell.trim().parse().ok()).collect()
}

fn cell<T: std::str::FromStr>(record: &str, column: usize) -> Option<T> {
    record.split(',').nth(column)?.trim().parse().ok()
}

fn mcs_rows(table: &str) -> Vec<Mcs> {
    let rows = records(include_str!("../tables/mcs.csv"))
        .filter(|row| row.split(',').next() == Some(table));
    rows.filter_map(|row| {
        Some(Mcs { index: cell(row, 1)?, qm: cell(row, 2)?, i_tbs: cell(row, 3)? })
    })
    .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn block_sizes_are_those_of_the_clause() {
        // The corners of TS 36.213 table 7.1.7.2.1-1, and the block of 75 Mbit/s on 100 PRBs.
        assert_eq!(tbs_bits(0, 1), 16);
        assert_eq!(tbs_bits(26, 100), 75_376);
        assert_eq!(tbs_bits(26, 110), 75_376);
        assert_eq!(tbs_bits(26, 0), 0);
        assert_eq!(tbs_bits(99, 50), 0);
    }

    #[test]
    fn a_larger_block_has_more_prbs_or_a_higher_index() {
        // One PRB of I_TBS 6 is the exception that the clause makes for voice: 328 bits.
        assert_eq!(tbs_bits(6, 1), 328);
        for i_tbs in 0..26 {
            for prbs in 2..MOST_PRBS {
                assert!(tbs_bits(i_tbs, prbs) <= tbs_bits(i_tbs, prbs + 1));
                assert!(tbs_bits(i_tbs, prbs) <= tbs_bits(i_tbs + 1, prbs));
            }
        }
    }

    #[test]
    fn tables_are_whole() {
        assert_eq!(cqis().len(), 15);
        assert_eq!(mcs(McsTable::Downlink64).len(), 29);
        assert_eq!(mcs(McsTable::Uplink64).len(), 29);
        assert!(cqis().windows(2).all(|pair| pair[0].efficiency < pair[1].efficiency));
    }

    #[test]
    fn each_mcs_has_the_modulation_of_its_clause() {
        // TS 36.213 tables 7.1.7.1-1 and 8.6.1-1.
        for (table, ends) in [(McsTable::Downlink64, [10, 17]), (McsTable::Uplink64, [11, 21])] {
            for mcs in mcs(table) {
                let higher = ends.iter().filter(|&&first| mcs.index >= first).count();
                let (qm, name) = [(2, "QPSK"), (4, "16QAM"), (6, "64QAM")][higher];
                assert_eq!((mcs.qm, mcs.modulation()), (qm, name), "{table:?} {}", mcs.index);
            }
        }
    }

    #[test]
    fn a_report_covers_what_waits() {
        assert_eq!(bsr_index(0), 0);
        assert_eq!(bsr_index(1), 1);
        assert_eq!(bsr_index(10), 1);
        assert_eq!(bsr_index(11), 2);
        assert_eq!(bsr_index(u64::MAX), TOP_BSR);
        for bytes in [1u64, 99, 1500, 30_000, 149_999] {
            assert!(u64::from(bsr_upper_bytes(bsr_index(bytes))) >= bytes);
        }
    }
}
