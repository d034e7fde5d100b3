//! Tests the queue estimate, and makes scheduled milliseconds for the tests of this folder.

use airmile_read::modem::User;
use airmile_types::{Duration, Instant};

use crate::log::BurstRow;
use crate::tti::Ms;

/// A scheduled millisecond with one decoded block.
pub(crate) fn scheduled(at: i64, bytes: u64, padding: Option<u64>, share: f64) -> Ms {
    Ms {
        tti: at,
        time: Instant::from_nanos(1_700_000_000_000_000_000 + at * 1_000_000),
        cell: Some(1),
        share: Some(share),
        bytes: Some(bytes),
        failed_bytes: 0,
        padding_bytes: padding,
        retransmission: Some(false),
        after_gap: false,
    }
}

use proptest::prelude::*;

use super::arrivals::{Arrival, Arrivals};
use super::balance::Balance;
use super::service::{QueueLog, Service, TICK};
use super::timeline::{QueueRun, QueueState, QueueTimeline, merge};

/// For each millisecond, the packets that arrive before it and the bytes that it can carry (0:
/// other users are scheduled).
fn link() -> impl Strategy<Value = Vec<(Vec<u64>, u64)>> {
    let packets = prop_oneof![3 => Just(vec![]), 1 => prop::collection::vec(40u64..1501, 1..6)];
    let room = prop_oneof![1 => Just(0u64), 3 => 200u64..4000];
    prop::collection::vec((packets, room), 2..200)
}

/// Serves a queue millisecond by millisecond; gives the log, the arrivals and the true states.
fn play(link: &[(Vec<u64>, u64)], has_padding: bool) -> (Vec<Ms>, Arrivals, Vec<QueueState>) {
    let (mut queued, mut log, mut truth) = (0u64, Vec::new(), Vec::new());
    let mut arrivals = Arrivals::default();
    // The log begins with a HARQ retransmission, before any data waits.
    log.push(Ms { retransmission: Some(true), ..scheduled(-1, 0, has_padding.then_some(0), 0.1) });
    for (ms, (packets, room)) in link.iter().enumerate() {
        let at = ms as i64;
        for bytes in packets {
            // A packet arrives a quarter of a millisecond before the millisecond begins; times
            // count from the first entry of the log.
            let at = (at + 1) * TICK - TICK / 4;
            arrivals.packets.push(Arrival { at, bytes: *bytes, lost: false, delivered: None });
            queued += bytes;
        }
        let served = queued.min(*room);
        let state = match (queued, served) {
            (0, _) => QueueState::Empty,
            (all, some) if all == some => QueueState::Draining,
            _ => QueueState::Backlogged,
        };
        if served > 0 {
            let padding = if state == QueueState::Draining { room - served } else { 0 };
            let (size, padding) =
                if has_padding { (served + padding, Some(padding)) } else { (served, None) };
            log.push(scheduled(at, size, padding, served as f64 / *room as f64));
        }
        queued -= served;
        truth.push(state);
    }
    (log, arrivals, truth)
}

fn states(runs: &[QueueRun]) -> Vec<QueueState> {
    runs.iter().flat_map(|run| (run.from..run.to).map(|_| run.state)).collect()
}

proptest! {
    #[test]
    fn what_arrived_less_what_was_served_is_what_waits(link in link(), has_padding in any::<bool>()) {
        let (log, arrivals, truth) = play(&link, has_padding);
        let service = Service::new(&QueueLog { downlink: &log, uplink: &[] }).unwrap();
        let runs = Balance::new(&service, &arrivals, Duration::ZERO, false).run();
        let found = states(&runs.0);
        prop_assert_eq!(&found[1..], &truth[..found.len() - 1]);
    }

    #[test]
    fn padding_and_nothing_in_flight_take_lost_packets_out(
        link in link(), unseen in prop::collection::vec((0usize..200, 40u64..5000), 1..5),
    ) {
        let (log, mut arrivals, truth) = play(&link, true);
        // Packets that passed the capture point and never arrived, without any sign of the loss.
        for (ms, bytes) in &unseen {
            arrivals.packets.push(Arrival { at: *ms as i64 * TICK, bytes: *bytes, lost: false, delivered: None });
        }
        arrivals.packets.sort_by_key(|packet| packet.at);
        let service = Service::new(&QueueLog { downlink: &log, uplink: &[] }).unwrap();
        let found = states(&Balance::new(&service, &arrivals, Duration::ZERO, false).run().0);
        for (ms, (found, truth)) in found[1..].iter().zip(&truth).enumerate() {
            let padded = log.iter().any(|l| l.tti == ms as i64 && l.padding_bytes > Some(8));
            prop_assert!(!padded || found == truth, "ms {ms}: {found:?}");
        }
    }

    #[test]
    fn doubt_holds_every_answer(link in link(), shift_us in 0i64..3000) {
        let (log, arrivals, _) = play(&link, false);
        let service = Service::new(&QueueLog { downlink: &log, uplink: &[] }).unwrap();
        let run = |us| Balance::new(&service, &arrivals, Duration::from_micros(us), false).run();
        let (best, later, earlier) = (run(0), run(shift_us), run(-shift_us));
        let merged = merge(&best, &[&later, &earlier]);
        let all = [states(&best.0), states(&later.0), states(&earlier.0)];
        let runs = merged.0.iter().flat_map(|run| (run.from..run.to).map(move |_| run));
        for (ms, run) in runs.enumerate() {
            let backlogged = || all.iter().map(|states| states[ms] == QueueState::Backlogged);
            prop_assert_eq!(run.state, all[0][ms]);
            prop_assert_eq!(run.surely, backlogged().all(|is| is));
            prop_assert_eq!(run.perhaps, backlogged().any(|is| is));
        }
    }

    #[test]
    fn bursts_hold_what_was_backlogged_and_scheduled(link in link()) {
        let (log, arrivals, _) = play(&link, true);
        let radio = QueueLog { downlink: &log, uplink: &[] };
        let service = Service::new(&radio).unwrap();
        let runs = Balance::new(&service, &arrivals, Duration::ZERO, false).run();
        let states = states(&runs.0);
        let is = |at: i64| states[at as usize] == QueueState::Backlogged;
        let all = log.iter().filter(|ms| is(ms.tti + 1));
        let (active, bytes) = (all.clone().count(), all.filter_map(|ms| ms.bytes).sum::<u64>());
        let rows = QueueTimeline::new(runs, service.axis).bursts(&radio, User(7));
        let busy = states.iter().filter(|state| **state == QueueState::Backlogged).count();
        let sum = |of: fn(&BurstRow) -> f64| rows.iter().map(of).sum::<f64>();
        prop_assert_eq!(sum(|row| row.throughput_time_ms), busy as f64);
        prop_assert_eq!(sum(|row| row.active_ms), active as f64);
        prop_assert_eq!(sum(|row| row.bytes.map_or(f64::NAN, |bytes| bytes as f64)), bytes as f64);
    }
}

#[test]
fn a_queue_that_stands_where_the_capture_ends_was_not_carried_by_another_radio() {
    use super::capture::{Passed, PhoneCapture};
    use airmile_types::Vantage;

    // 4000 packets come in 2 s, and one is served in each millisecond; log and capture end after
    // 2.5 s.
    let log: Vec<_> = (0..2_500).map(|ms| scheduled(ms, 1_500, Some(0), 1.0)).collect();
    let start = log[0].time;
    let mut capture = PhoneCapture::new(Vantage::Monitor);
    for n in 0..4_000 {
        let mut packet =
            Passed::new(start + Duration::from_micros(500 * n - 600), 1_500, 1_448, false);
        let acknowledged = start + Duration::from_millis(n + 12);
        packet.acknowledged = (n < 2_480).then_some(acknowledged);
        capture.passed.push(packet);
    }
    let radio = QueueLog { downlink: &log, uplink: &[] };
    let queue = super::estimate(&radio, Some(&capture)).unwrap();
    let demand = queue.times(start, start + Duration::from_millis(2_490)).link_demand().unwrap();
    assert!(demand.ratio > 0.99, "{demand:?}");
    // Half of the acknowledged bytes were served here, so another radio carries the rest.
    let half: Vec<_> = log.iter().filter(|ms| ms.tti % 2 == 0).copied().collect();
    let found = super::estimate(&QueueLog { downlink: &half, uplink: &[] }, Some(&capture));
    assert!(matches!(found, Err(super::Undetermined::OtherRadio(ratio)) if ratio < 0.6));
}
