//! Defines the manifest's entry for a user's uplink: how much was granted, and when data waited.

use airmile_radio::{TimeSpans, TtiScope, uplink_queue};
use airmile_read::modem::{Tti, User};
use airmile_types::{Duration, Instant};
use serde::Serialize;

/// A silence of more than a second ends a stretch of sending (methods T1).
const SILENCE: Duration = Duration::from_secs(1);
/// A silence after which the phone has nothing more to send: it would have sent another scheduling
/// request (methods G8).
const LONGEST_WAIT: Duration = Duration::from_millis(200);
/// Fewer bytes than this, between two such silences, are a small call such as a keep-alive (methods
/// T1), in whose time no transfer waits.
const SMALL_CALL_BYTES: u64 = 1024;

/// The totals of one user's uplink grants (methods G8).
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct UplinkReport {
    /// The number of blocks that were sent for the first time.
    pub blocks: u64,
    /// The size of these blocks, in bytes.
    pub granted_bytes: u64,
    /// The padding in these blocks, in bytes; null when no block reports its padding.
    pub padding_bytes: Option<u64>,
    /// The share of filled blocks among those that report their padding; null when none does.
    pub filled_ratio: Option<f64>,
    /// The time from the first to the last block in seconds, without silences of more than a
    /// second. Blocks of small calls do not count, unless there are no others.
    pub sending_s: f64,
    /// The part of `sending_s`, in seconds, in which data waited in the phone: the time after a
    /// filled block.
    pub backlogged_s: f64,
    /// The part of `sending_s`, in seconds, for which it is known whether data waited.
    pub known_s: f64,
}

impl UplinkReport {
    /// Adds up the blocks of a user, which come in order of time; `None` without a block.
    pub(crate) fn new(user: User, ttis: &[Tti]) -> Option<Self> {
        let scope = TtiScope::uplink(user);
        let first_sent = |tti: &&Tti| scope.holds(tti) && tti.retransmission != Some(true);
        let blocks: Vec<&Tti> = ttis.iter().filter(first_sent).collect();
        let padding = || blocks.iter().filter_map(|tti| tti.padding_bytes);
        let filled = padding().filter(|padding| *padding == 0).count();
        let stretches = stretches(&without_small_calls(&blocks));
        let queue = uplink_queue(user, blocks.iter().copied());
        let within_s = |spans: &TimeSpans| {
            let parts = stretches.iter().map(|(from, until)| spans.within_ms(*from, *until));
            parts.sum::<f64>() / 1e3
        };
        let count = padding().count();
        (!blocks.is_empty()).then(|| Self {
            blocks: blocks.len() as u64,
            granted_bytes: blocks.iter().filter_map(|tti| tti.tbs_bytes).map(u64::from).sum(),
            padding_bytes: (count > 0).then(|| padding().map(u64::from).sum()),
            filled_ratio: (count > 0).then(|| filled as f64 / count as f64),
            sending_s: stretches.iter().map(|(from, until)| (*until - *from).as_secs_f64()).sum(),
            backlogged_s: within_s(&queue.backlogged),
            known_s: within_s(&queue.known),
        })
    }
}

/// The blocks of transfers; all blocks if there are only small calls.
fn without_small_calls<'a>(blocks: &[&'a Tti]) -> Vec<&'a Tti> {
    let near = |one: &&Tti, next: &&Tti| next.time - one.time <= LONGEST_WAIT;
    let calls = blocks.chunk_by(near).filter(|call| most_bytes(call) >= SMALL_CALL_BYTES);
    let transfers: Vec<&Tti> = calls.flatten().copied().collect();
    if transfers.is_empty() { blocks.to_vec() } else { transfers }
}

/// The bytes of data in blocks. A block whose padding is not known may be full.
fn most_bytes(blocks: &[&Tti]) -> u64 {
    let data = |tti: &&Tti| {
        let padding = tti.padding_bytes.unwrap_or(0);
        u64::from(tti.tbs_bytes.unwrap_or(0).saturating_sub(padding))
    };
    blocks.iter().map(data).sum()
}

/// The stretches of time from first to last block, without silences.
fn stretches(blocks: &[&Tti]) -> Vec<(Instant, Instant)> {
    let near = |one: &&Tti, next: &&Tti| next.time - one.time <= SILENCE;
    let ends = |stretch: &[&Tti]| Some((stretch.first()?.time, stretch.last()?.time));
    blocks.chunk_by(near).filter_map(ends).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use airmile_read::modem::Rnti;
    use airmile_types::Direction;

    fn block(ms: i64, padding_bytes: Option<u32>) -> Tti {
        Tti {
            rnti: Rnti::C,
            direction: Direction::Uplink,
            tbs_bytes: Some(600),
            padding_bytes,
            ..Tti::plain(Instant::from_nanos(ms * 1_000_000), ms, User(1), "test")
        }
    }

    #[test]
    fn data_waits_after_blocks_that_were_filled_and_silences_are_no_sending() {
        let ttis = [
            block(0, Some(0)),
            block(8, Some(0)),
            block(16, Some(100)),
            block(40, Some(0)),
            block(60, None),
            block(5000, None),
            block(5010, Some(0)),
        ];
        let report = UplinkReport::new(User(1), &ttis).expect("there are blocks");
        let ms = |seconds: f64| (seconds * 1e3).round();
        assert_eq!(
            (report.blocks, report.granted_bytes, report.padding_bytes),
            (7, 4200, Some(100))
        );
        assert_eq!(
            (ms(report.sending_s), ms(report.backlogged_s), ms(report.known_s)),
            (70.0, 36.0, 60.0)
        );
        assert_eq!(report.filled_ratio, Some(0.8));
        assert_eq!(UplinkReport::new(User(2), &ttis), None);
    }

    /// A keep-alive of 60 bytes each 600 ms for 30 s, and between two of them `upload`.
    fn among_keep_alives(upload: impl Iterator<Item = Tti>) -> UplinkReport {
        let call = |n: i64| Tti { tbs_bytes: Some(100), ..block(n * 600, Some(40)) };
        let mut ttis: Vec<Tti> = (0..50).map(call).chain(upload).collect();
        ttis.sort_by_key(|tti| tti.time);
        UplinkReport::new(User(1), &ttis).expect("there are blocks")
    }

    #[test]
    fn a_short_upload_that_fills_its_grants_is_not_diluted_by_keep_alives() {
        // From 6.21 s to 6.386 s, a block of 600 bytes each 8 ms, all filled but the last.
        let upload = (0..23).map(|n| block(6210 + n * 8, Some(if n == 22 { 100 } else { 0 })));
        let report = among_keep_alives(upload);
        let ms = |seconds: f64| (seconds * 1e3).round();
        assert_eq!((ms(report.sending_s), ms(report.backlogged_s)), (176.0, 176.0));
        assert_eq!(report.blocks, 73);
    }

    #[test]
    fn keep_alives_alone_are_the_time_of_sending() {
        let report = among_keep_alives(std::iter::empty());
        assert_eq!(((report.sending_s * 1e3).round(), report.backlogged_s), (29_400.0, 0.0));
    }
}
