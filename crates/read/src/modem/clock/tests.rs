//! Tests with a simulated modem, whose clock must be found.

use std::collections::BTreeSet;

use proptest::prelude::*;

use super::*;
use crate::modem::record::{BufferStatus, Record};

const WRAP: i64 = 10_240;

/// A packet: the time at which it was logged, and its subframes.
type Packet = (Instant, Vec<i64>);

/// A simulated modem. Each packet is flushed some time after its last subframe.
#[derive(Clone, Debug)]
struct Modem {
    /// The rate by which the log's clock is fast, in parts per million.
    drift_ppm: i64,
    /// The subframe that is on the air when the log's clock is at its start.
    start: i64,
    /// For each packet: the milliseconds since the packet before it, its subframes, and the time
    /// from its last subframe to its flush.
    packets: Vec<(i64, Vec<i64>, i64)>,
}

impl Modem {
    fn logged(&self, tti: i64, late_us: i64) -> Instant {
        let since = Duration::from_millis(tti - self.start);
        let drift = since.over(1_000_000).times(self.drift_ppm);
        let start = Instant::from_nanos(1_600_000_000_000_000_000);
        start + since + drift + Duration::from_micros(late_us)
    }

    /// The packets, and the true numbers of their subframes.
    fn packets(&self) -> Vec<Packet> {
        let mut now = self.start;
        let mut logged = Instant::MIN;
        let mut packets = Vec::new();
        for (gap, steps, late_us) in &self.packets {
            now += gap;
            let mut ttis = vec![now];
            for step in steps {
                now += step;
                ttis.push(now);
            }
            logged = self.logged(now, *late_us).max(logged);
            packets.push((logged, ttis));
        }
        packets
    }
}

fn modem() -> impl Strategy<Value = Modem> {
    let gap = prop_oneof![9 => 1..200i64, 1 => 200..400_000i64];
    // Half of the packets are logged at once, the others with the flush of an idle phone.
    let late = prop_oneof![0..2_000i64, 0..300_000i64];
    let packet = (gap, proptest::collection::vec(1..10i64, 0..6), late);
    (-50..=50i64, 0..WRAP, proptest::collection::vec(packet, 1..400))
        .prop_map(|(drift_ppm, start, packets)| Modem { drift_ppm, start, packets })
}

/// Reads the packets; returns number and time of each subframe.
fn read(clocks: &mut Clocks, packets: &[Packet]) -> Vec<Aired> {
    let subframes =
        packets.iter().flat_map(|(logged, ttis)| ttis.iter().map(move |t| (*logged, *t)));
    subframes.map(|(logged, tti)| clocks.of(User(0)).aired(logged, tti.rem_euclid(WRAP))).collect()
}

fn record(aired: Aired) -> Record {
    Record::Buffer(BufferStatus {
        time: aired.time,
        tti: Some(aired.tti),
        user: User(0),
        lcg: None,
        index: None,
        low_bytes: None,
        high_bytes: None,
        firmware_queue_bytes: None,
        source: "a test",
    })
}

proptest! {
    #[test]
    fn numbers_are_those_of_the_modem(modem in modem()) {
        let packets = modem.packets();
        let read = read(&mut Clocks::default(), &packets);
        let truth: Vec<i64> = packets.iter().flat_map(|(_, ttis)| ttis.clone()).collect();
        let found: Vec<i64> = read.iter().map(|aired| aired.tti).collect();
        // The numbers begin with the count of the first subframe, which may be in a later wrap.
        let from = truth[0] - found[0];
        prop_assert_eq!(from.rem_euclid(WRAP), 0);
        let wrong = truth.iter().zip(&found).find(|(truth, found)| **found + from != **truth);
        prop_assert_eq!(wrong, None);
    }

    #[test]
    fn no_time_is_after_its_packet(modem in modem()) {
        let packets = modem.packets();
        let read = read(&mut Clocks::default(), &packets);
        let logged = packets.iter().flat_map(|(logged, ttis)| ttis.iter().map(|_| *logged));
        for (aired, logged) in read.iter().zip(logged) {
            prop_assert!(aired.time <= logged + Duration::from_millis(1), "{aired:?} {logged:?}");
        }
    }

    #[test]
    fn times_are_mended(mut modem in modem()) {
        // One packet in ten is logged at once, while those before it are flushed.
        for (at, (gap, _, late)) in modem.packets.iter_mut().enumerate() {
            *gap = (*gap).min(1000);
            if at % 10 == 9 {
                (*gap, *late) = (*gap + 300, 500);
            }
        }
        prop_assume!(modem.packets.len() > 10);
        let packets = modem.packets();
        let mut clocks = Clocks::default();
        let mut records: Vec<_> = read(&mut clocks, &packets).into_iter().map(record).collect();
        clocks.refine(&mut records.iter_mut().filter_map(Record::subframe));
        let truth = packets.iter().flat_map(|(_, ttis)| ttis.iter().map(|tti| modem.logged(*tti, 0)));
        for (record, truth) in records.iter().zip(truth) {
            let Record::Buffer(status) = record else { continue };
            let off = status.time - truth;
            prop_assert!(off.abs() <= Duration::from_millis(3), "{} ms off", off.as_millis_f64());
        }
    }
}

/// Reads a subframe every few milliseconds, logged 1 ms after it, and every 300 ms a packet about
/// the same subframes once more.
fn steady(clocks: &mut Clocks, zero: Instant, ttis: impl Iterator<Item = i64>) -> Vec<Aired> {
    let mut packets = Vec::<Packet>::new();
    let mut flushed = Vec::new();
    for tti in ttis.step_by(5) {
        flushed.push(tti);
        packets.push((zero + ms(tti + 1), vec![tti]));
        if flushed.len() == 60 {
            packets.push((zero + ms(tti + 2), std::mem::take(&mut flushed)));
        }
    }
    read(clocks, &packets)
}

const ZERO: Instant = Instant::from_nanos(1_700_000_000_000_000_000);

#[test]
fn a_new_cell_counts_otherwise_and_the_numbers_go_on() {
    for step in [-5000, -695, -30, 0, 30, 695, 5000, 9000] {
        let mut clocks = Clocks::default();
        let before = steady(&mut clocks, ZERO, 0..5000);
        // Subframe `n` of the new cell is on the air `step` ms after that of the old one.
        let from = 5400 - step;
        let after = steady(&mut clocks, ZERO + ms(step), from..from + 5000);
        let (last, first) = (before[before.len() - 1], after[after.len() - 1]);
        let elapsed = (first.time - last.time).as_nanos() / 1_000_000;
        let off = first.tti - last.tti - elapsed;
        // A step smaller than the usual delay of packets is found after some of them. A still
        // smaller one counts as no step, and the numbers follow the count of the cell.
        let most = if step.abs() <= 30 { 30 } else { 2 };
        assert!(off.abs() <= most, "step {step}: {last:?}, {first:?}");
    }
}

#[test]
fn numbers_that_cannot_be_change_nothing_for_the_others() {
    let mut clocks = Clocks::default();
    let mut clean = Clocks::default();
    let mut apart = BTreeSet::new();
    for tti in 0..20_000_i64 {
        let (logged, subframe) = (ZERO + ms(tti), tti.rem_euclid(WRAP));
        if tti > 1000 && tti % 7 == 0 {
            clocks.of(User(0)).aired(logged, (tti * 7919 + 4321).rem_euclid(WRAP));
        }
        let (found, want) =
            (clocks.of(User(0)).aired(logged, subframe), clean.of(User(0)).aired(logged, subframe));
        if tti > 2000 {
            apart.insert(found.tti - want.tti);
        }
    }
    assert_eq!(apart.len(), 1, "{apart:?}");
}

#[test]
fn a_clock_that_is_set_lets_numbers_go_on() {
    let since_1980 = Instant::from_nanos(315_964_800_000_000_000);
    for (from, to) in
        [(since_1980, ZERO), (ZERO, since_1980), (ZERO, ZERO - Duration::from_secs(7200))]
    {
        let mut clocks = Clocks::default();
        let before = steady(&mut clocks, from, 0..3000);
        let after = steady(&mut clocks, to, 3300..6000);
        let last = before[before.len() - 1].tti;
        assert!(after.iter().all(|aired| aired.tti > last - 300), "{from:?}");
        assert!(after[0].tti < last + WRAP, "{from:?}");
        assert!((after[9].time - to).abs() < Duration::from_secs(10));
    }
}

#[test]
fn subscriptions_have_a_clock_each() {
    let mut clocks = Clocks::default();
    for tti in 0..100 {
        let (one, two) = (User(1), User(2));
        assert_eq!(clocks.of(one).aired(ZERO + ms(tti), tti).tti, tti);
        assert_eq!(clocks.of(two).aired(ZERO + ms(tti), tti + 5000).tti, tti + 5000);
    }
}

#[test]
fn any_number_of_subscriptions_takes_no_more_room() {
    let mut clocks = Clocks::default();
    for id in 0..10_000 {
        clocks.of(User(id)).aired(ZERO, 0);
        assert!(clocks.0.len() <= MOST_USERS);
    }
}

#[test]
fn damaged_packets_that_leap_one_after_another_change_nothing_for_the_others() {
    for leaps in [[7200, 18_000], [18_000, 7200], [7200, 800 * 86_400], [-7200, 7200]] {
        let (mut clocks, mut clean) = (Clocks::default(), Clocks::default());
        for tti in 0..2000 {
            let (logged, subframe) = (ZERO + ms(tti + 1), tti);
            if tti == 1000 {
                for seconds in leaps {
                    clocks.of(User(0)).aired(logged + Duration::from_secs(seconds), subframe);
                }
            }
            let found = clocks.of(User(0)).aired(logged, subframe);
            assert_eq!(found, clean.of(User(0)).aired(logged, subframe), "{leaps:?}");
        }
    }
}
