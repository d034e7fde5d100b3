//! `--compat online`: prints what the published online program of BT19 prints, including its
//! errors.
//!
//! The program reads the downlink records of a modem in the order of the log, whatever carrier they
//! are for. A burst begins in a record of more than 45 resource blocks. It ends after a record of
//! fewer than 20 when the next record is not for the very next subframe. These counts fit a cell of
//! 50 resource blocks, but the program uses them for any cell. These errors are kept: subframe
//! numbers wrap around at 10249 (there are 10240), so that a burst over a wrap is 9 ms too long and
//! a step over a wrap looks like a gap; a record of another carrier that is one subframe behind
//! looks like a wrap too; failed blocks and HARQ retransmissions count as volume; a burst that is
//! open at the end is dropped; layers and carriers are not counted; a record that cannot be read
//! counts as 2000 resource blocks in subframe -1 with -1 bytes.
//!
//! These errors are not kept: the program takes paging and system information for data, which are
//! left out here (methods G2); its block sizes contain no CRC; in a record 0xB126 it counts only
//! the resource blocks in the first word of the bit map, at most 64 of them. [`Tti`] has the number
//! of resource blocks and not their positions. Therefore, on cells of more than 64 resource blocks,
//! up to 64 are counted here where the program may have seen fewer.

use airmile_read::modem::Tti;
use airmile_types::{Direction, Instant};

use super::average::MovingAverage;

/// The number of resource blocks above which a burst begins.
const START_BLOCKS: i64 = 45;
/// The number of resource blocks below which a burst may end.
const END_BLOCKS: i64 = 20;
/// The subframe number at which the program lets subframes wrap.
const WRAP: i64 = 10_249;
/// The subframe number at which subframes wrap (TS 36.211 section 4: 1024 frames of 10).
const SUBFRAMES: i64 = 10_240;
/// The number of resource blocks in the first word of the bit map of 0xB126.
const FIRST_WORD: i64 = 64;
/// The number of resource blocks that the program assumes if it cannot read the number.
const UNREADABLE_BLOCKS: i64 = 2000;

/// A record as the published program reads it.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct OnlineRecord {
    /// The subframe, 0 to 10239; -1 when it could not be read.
    pub subframe: i64,
    /// The number of resource blocks.
    pub blocks: i64,
    /// The bytes of the record's transport blocks.
    pub bytes: i64,
    /// The time at which the record was logged.
    pub time: Instant,
}

/// A burst as the published program reports it.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct OnlineBurst {
    /// The subframe of the first record.
    pub start_subframe: i64,
    /// The subframe of the last record.
    pub end_subframe: i64,
    /// The time of the first record.
    pub start: Instant,
    /// The time of the last record.
    pub end: Instant,
    /// The end minus the start, in milliseconds.
    pub duration_ms: i64,
    /// The number of records.
    pub records: u64,
    /// The bytes of all records except the last.
    pub bytes: i64,
    /// The bytes divided by the duration, in bit/s; 0 if the duration is 0.
    pub throughput_bps: f64,
    /// The moving average over the last five bursts, weighted by duration; `None` where the program
    /// fails because it divides by zero.
    pub average_bps: Option<f64>,
}

/// The state of the published program.
#[derive(Clone, Debug, Default)]
pub struct OnlineTracker {
    last: Option<OnlineRecord>,
    open: Option<Open>,
    average: MovingAverage,
}

#[derive(Clone, Copy, Debug)]
struct Open {
    start: OnlineRecord,
    records: u64,
    bytes: i64,
}

impl OnlineTracker {
    /// Takes the next record of the log, and returns the burst that ends before it.
    pub fn push(&mut self, record: OnlineRecord) -> Option<OnlineBurst> {
        let ended = self.last.and_then(|last| self.end_before(&last, &record));
        if self.open.is_none() && record.blocks > START_BLOCKS {
            self.open = Some(Open { start: record, records: 0, bytes: 0 });
        }
        if let Some(open) = &mut self.open {
            open.records += 1;
            open.bytes = open.bytes.saturating_add(record.bytes);
        }
        self.last = Some(record);
        ended
    }

    fn end_before(&mut self, last: &OnlineRecord, record: &OnlineRecord) -> Option<OnlineBurst> {
        let gap = distance(last.subframe, record.subframe);
        let open = self.open.take_if(|_| last.blocks < END_BLOCKS && gap > 1)?;
        let duration_ms = distance(open.start.subframe, last.subframe);
        let bytes = open.bytes.saturating_sub(last.bytes);
        let throughput_bps =
            if duration_ms > 0 { bytes as f64 * 8e3 / duration_ms as f64 } else { 0.0 };
        self.average.push(duration_ms as f64, throughput_bps);
        Some(OnlineBurst {
            start_subframe: open.start.subframe,
            end_subframe: last.subframe,
            start: open.start.time,
            end: last.time,
            duration_ms,
            records: open.records,
            bytes,
            throughput_bps,
            average_bps: self.average.value(),
        })
    }
}

/// The downlink records of the user data in the order of the log. The transport blocks of one
/// subframe and carrier make up one record.
pub fn online_records<'a>(ttis: impl IntoIterator<Item = &'a Tti>) -> Vec<OnlineRecord> {
    let mut records: Vec<OnlineRecord> = Vec::new();
    let mut before: Option<&Tti> = None;
    for tti in ttis {
        if !tti.is_user_data() || tti.direction != Direction::Downlink {
            continue;
        }
        let record = record_of(tti);
        match records.last_mut().filter(|_| before.is_some_and(|before| same(before, tti))) {
            Some(last) => last.bytes = last.bytes.saturating_add(record.bytes),
            None => records.push(record),
        }
        before = Some(tti);
    }
    records
}

/// Whether a transport block belongs to the same record as another.
fn same(before: &Tti, tti: &Tti) -> bool {
    let key = |tti: &Tti| (tti.tti, tti.carrier, tti.user, tti.source);
    key(before) == key(tti) && before.block < tti.block
}

fn record_of(tti: &Tti) -> OnlineRecord {
    let time = tti.time;
    let (Some(prbs), Some(bytes)) = (tti.prbs.map(i64::from), tti.tbs_bytes.map(i64::from)) else {
        return OnlineRecord { subframe: -1, blocks: UNREADABLE_BLOCKS, bytes: -1, time };
    };
    let blocks = if tti.source == "0xB126" { prbs.min(FIRST_WORD) } else { prbs };
    OnlineRecord { subframe: tti.tti.rem_euclid(SUBFRAMES), blocks, bytes, time }
}

/// The number of subframes from an earlier one to a later one, computed as the program does.
const fn distance(from: i64, to: i64) -> i64 {
    if to < from { WRAP - from + to } else { to - from }
}

#[cfg(test)]
mod tests {
    use super::*;

    const fn record(subframe: i64, blocks: i64, bytes: i64) -> OnlineRecord {
        OnlineRecord { subframe, blocks, bytes, time: Instant::from_nanos(0) }
    }

    fn run(records: &[OnlineRecord]) -> Vec<OnlineBurst> {
        let mut tracker = OnlineTracker::default();
        records.iter().filter_map(|record| tracker.push(*record)).collect()
    }

    #[test]
    fn a_burst_ends_behind_a_small_record_and_its_last_bytes_do_not_count() {
        let bursts = run(&[record(10, 46, 100), record(14, 19, 50), record(16, 46, 1)]);
        assert_eq!(bursts.len(), 1);
        let burst = bursts[0];
        assert_eq!((burst.start_subframe, burst.end_subframe, burst.duration_ms), (10, 14, 4));
        assert_eq!((burst.records, burst.bytes, burst.throughput_bps), (2, 100, 200_000.0));
    }

    #[test]
    fn forty_five_and_twenty_are_not_enough() {
        assert_eq!(run(&[record(0, 45, 1), record(1, 19, 1), record(9, 46, 1)]), []);
        assert_eq!(run(&[record(0, 46, 1), record(1, 20, 1), record(9, 19, 1)]), []);
        assert_eq!(run(&[record(0, 46, 1), record(1, 19, 1), record(2, 46, 1)]), []);
    }

    #[test]
    fn subframes_wrap_nine_too_late() {
        let bursts = run(&[record(10_230, 50, 1), record(10_239, 10, 1), record(0, 50, 1)]);
        assert_eq!(bursts[0].duration_ms, 9, "the very next subframe looks like a gap of 10");
        let bursts = run(&[record(10_238, 50, 1), record(2, 10, 1), record(9, 1, 1)]);
        assert_eq!(bursts[0].duration_ms, 13);
    }

    #[test]
    fn a_record_out_of_order_looks_like_a_wrap() {
        let bursts = run(&[record(5, 50, 1), record(6, 10, 1), record(5, 10, 1)]);
        assert_eq!(bursts[0].duration_ms, 1);
    }

    #[test]
    fn an_unreadable_record_begins_a_burst() {
        let unreadable = record(-1, UNREADABLE_BLOCKS, -1);
        let bursts = run(&[unreadable, record(3, 10, 7), record(9, 1, 1)]);
        assert_eq!((bursts[0].duration_ms, bursts[0].bytes), (4, -1));
    }

    #[test]
    fn the_average_is_of_five_bursts() {
        let records: Vec<_> = (0..6)
            .flat_map(|i| [record(i * 100, 50, 100 * i), record(i * 100 + 8, 1, 0)])
            .chain([record(900, 1, 1)])
            .collect();
        let bursts = run(&records);
        assert_eq!(bursts.len(), 6);
        assert_eq!(bursts[5].average_bps, Some(300_000.0));
    }
}
