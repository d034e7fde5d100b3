//! Tests FQ-CoDel, marks instead of drops, and token buckets against their definitions.

use airmile_link::{
    Discipline, EventKind, LinkConfig, Path, PathConfig, PolicerConfig, QueueConfig, RateConfig,
};
use airmile_types::{Direction, Instant};

use crate::common::{Played, Sent, of_flows, quiet};

const MS_NS: i64 = 1_000_000;

/// A link on which one packet of 1500 bytes fills a TTI.
fn link(queue: QueueConfig) -> LinkConfig {
    let mut config = quiet();
    config.downlink.rate = RateConfig::Constant { mbps: 12.0 };
    config.downlink.queue = queue;
    config
}

fn fair() -> QueueConfig {
    QueueConfig { discipline: Discipline::FqCodel, bytes: 10_000_000, ..QueueConfig::default() }
}

/// The packets of flows, each with its gap in nanoseconds and the bytes of its packets, for some
/// milliseconds.
fn mixed(flows: &[(i64, u32)], ms: i64) -> Vec<Sent> {
    let mut packets = Vec::new();
    for (flow, (gap_ns, bytes)) in flows.iter().enumerate() {
        let times = (0..ms * MS_NS / gap_ns).map(|n| 20 * MS_NS + 300_000 + n * gap_ns);
        let sent = |ns| Sent { ns, bytes: *bytes, flow: flow as u64, ecn: false };
        packets.extend(times.map(sent));
    }
    packets.sort_by_key(|sent| sent.ns);
    packets
}

/// The bytes that each flow got until a time, in milliseconds.
fn got(played: &Played, packets: &[Sent], flows: u64, until_ms: i64) -> Vec<u64> {
    let until = Instant::from_nanos(until_ms * MS_NS);
    let of = |flow| {
        let delivered = played.delivered.iter().filter(|(at, _)| *at < until);
        let own = delivered.map(|(_, number)| packets[*number]).filter(|sent| sent.flow == flow);
        own.map(|sent| u64::from(sent.bytes)).sum()
    };
    (0..flows).map(of).collect()
}

fn count(played: &Played, kind: EventKind) -> usize {
    played.events.iter().filter(|event| event.kind == kind).count()
}

#[test]
fn flows_that_want_more_share_the_bytes_whatever_their_packets() {
    // Three flows want twice the link each: one sends packets of 1500 bytes, the others smaller ones.
    let packets = mixed(&[(500_000, 1500), (250_000, 750), (100_000, 300)], 2_000);
    let played = of_flows(&link(fair()), Direction::Downlink, packets.iter().copied());
    let shares = got(&played, &packets, 3, 2_000);
    let third = 1_500.0 * 1_975.0 / 3.0;
    for share in shares {
        // Deficit round robin differs by a quantum and a packet at most, at any time.
        assert!((share as f64 - third).abs() < 3.0 * 1_514.0, "{share} bytes of {third}");
    }
}

#[test]
fn a_flow_of_single_packets_passes_a_full_queue() {
    // One flow fills the link twice, another sends a small packet every 20 ms, less than its turn.
    let packets = mixed(&[(500_000, 1500), (20_000_000, 200)], 2_000);
    let played = of_flows(&link(fair()), Direction::Downlink, packets.iter().copied());
    let delays = |flow: u64| {
        let own = played.delivered.iter().filter(|(_, number)| packets[*number].flow == flow);
        own.map(|(at, number)| (*at - played.sent[*number]).as_millis_f64()).collect::<Vec<_>>()
    };
    let (bulk, single) = (delays(0), delays(1));
    assert_eq!(single.len(), 100);
    // It waits for the next TTI, for the packet that is being sent, and 5 ms on the air.
    let most = single.iter().copied().fold(0.0, f64::max);
    assert!(most <= 5.0 + 0.7 + 2.0, "{most} ms");
    // CoDel cannot hold back a sender that does not react, so the other flow's queue is long.
    assert!(bulk.iter().copied().fold(0.0, f64::max) > 100.0);
}

#[test]
fn a_full_queue_drops_the_first_packet_of_the_longest_flow() {
    let queue = QueueConfig { bytes: 30_000, ..fair() };
    let packets = mixed(&[(500_000, 1500), (20_000_000, 200)], 1_000);
    let played = of_flows(&link(queue), Direction::Downlink, packets.iter().copied());
    let lost = |flow| {
        let sent = packets.iter().filter(|sent| sent.flow == flow).count();
        let own = played.delivered.iter().filter(|(_, number)| packets[*number].flow == flow);
        sent - own.count()
    };
    assert_eq!(lost(1), 0);
    assert_eq!(lost(0), count(&played, EventKind::DropTail) + count(&played, EventKind::CodelDrop));
    // What leaves is what came last: with room for 20 packets no packet waits longer than these
    // take.
    let waits = played.delays_ms();
    assert!(waits.iter().copied().fold(0.0, f64::max) <= 5.0 + 21.7, "{waits:?}");
}

#[test]
fn packets_that_take_marks_are_marked_when_others_would_be_dropped() {
    for discipline in [Discipline::Codel, Discipline::FqCodel] {
        let queue = QueueConfig { discipline, ecn: true, ..fair() };
        let takes = |ecn| {
            let times = (0..3_000).map(|n| 20 * MS_NS + 300_000 + n * 750_000);
            let packets = times.map(|ns| Sent { ns, bytes: 1500, flow: 0, ecn });
            of_flows(&link(queue), Direction::Downlink, packets)
        };
        let (marked, dropped) = (takes(true), takes(false));
        assert_eq!((count(&marked, EventKind::CodelDrop), marked.delivered.len()), (0, 3_000));
        assert_eq!(count(&dropped, EventKind::Marked), 0);
        let times = |played: &Played| -> Vec<i64> {
            played.events.iter().map(|event| event.at.as_nanos() / MS_NS).take(20).collect()
        };
        // The decision is the same; a dropped packet leaves its TTI to the next one.
        for (mark, drop) in times(&marked).iter().zip(times(&dropped)) {
            assert!((mark - drop).abs() <= 1, "{discipline:?}: {mark} and {drop} ms");
        }
    }
}

/// The times in microseconds at which packets of 1500 bytes leave a path, and the number of those
/// that it dropped, when `count` packets come every `gap_us`.
fn through(config: &PathConfig, gap_us: i64, count: i64) -> (Vec<i64>, usize) {
    let mut path = Path::new(Direction::Downlink, config, 1).unwrap();
    let mut played = Played::default();
    for number in 0..count {
        path.push(Instant::from_nanos(number * gap_us * 1_000), vec![0u8; 1500], &mut played);
    }
    let left = std::iter::from_fn(|| path.pop(Instant::MAX));
    (left.map(|(at, _)| at.as_nanos() / 1_000).collect(), played.events.len())
}

#[test]
fn a_shaper_lets_a_burst_pass_and_spaces_the_rest() {
    // Of 20 packets at once, a burst of ten leaves at once, five wait, one each millisecond, and the
    // buffer has no room for the others.
    let shaper = PathConfig {
        delay_ms: 0.0,
        mbps: Some(12.0),
        burst_bytes: 15_000,
        buffer_bytes: 7_500,
        ..PathConfig::default()
    };
    let (left, dropped) = through(&shaper, 0, 20);
    let expected: Vec<i64> = [0; 10].into_iter().chain((1..=5).map(|ms| ms * 1_000)).collect();
    assert_eq!((left, dropped), (expected, 5));
    // Tokens come back at the rate: packets that come more slowly never wait.
    let (left, dropped) = through(&shaper, 1_100, 100);
    assert_eq!((left, dropped), ((0..100).map(|n| n * 1_100).collect(), 0));
}

#[test]
fn a_policer_passes_a_burst_and_then_its_rate_and_delays_nothing() {
    let policer = Some(PolicerConfig { mbps: 12.0, burst_bytes: 30_000 });
    let config = PathConfig { delay_ms: 0.0, policer, ..PathConfig::default() };
    // Packets come at three times the rate for 3 s: the burst, and 3,000 packets at the rate.
    let (gap_us, count) = (333, 9_009);
    let (left, dropped) = through(&config, gap_us, count);
    assert!(left.iter().all(|at| at % gap_us == 0), "a packet was delayed");
    assert_eq!(left.len() + dropped, count as usize);
    assert!((left.len() as f64 - 3_020.0).abs() <= 1.0, "{}", left.len());
}

#[test]
fn the_access_can_police_too() {
    let mut config = link(QueueConfig { bytes: 10_000_000, ..QueueConfig::default() });
    config.downlink.policer = Some(PolicerConfig { mbps: 6.0, burst_bytes: 15_000 });
    let packets = mixed(&[(1_000_000, 1500)], 2_000);
    let played = of_flows(&config, Direction::Downlink, packets);
    let passed = played.delivered.len();
    assert_eq!(passed + count(&played, EventKind::Policed), 2_000);
    assert!((passed as f64 - 1_010.0).abs() <= 1.0, "{passed}");
    // The link is twice as fast as the policer, so what passes waits for nothing.
    assert!(played.delays_ms().iter().all(|delay| *delay <= 5.0 + 0.7 + 1e-6));
}
