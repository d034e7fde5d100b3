//! Counts how many packets both captures contain, and how many only one of them: these were lost
//! between the capture points, or missed by one of them.

use std::ops::RangeInclusive;

use airmile_types::Instant;
use serde::Serialize;

use super::matched::{Fate, Fates, Matched};
use super::seen::Seen;

/// The counts of the packets of two captures.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
pub struct Counts {
    /// The number of TCP connections of which both captures contain packets.
    pub shared_flows: u64,
    /// The number of TCP connections in either capture.
    pub flows: u64,
    /// The counts for the first capture.
    pub first: Side,
    /// The counts for the second capture.
    pub second: Side,
}

/// The counts of the packets of one capture.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
pub struct Side {
    /// All TCP packets.
    pub tcp_packets: u64,
    /// Packets of connections that the other capture does not contain.
    pub other_flows: u64,
    /// Packets of shared connections outside of the shared time: before the first or after the last
    /// packet that both captures contain in that direction. One capture was not running then, or
    /// the packet was still on its way.
    pub other_times: u64,
    /// The packets from the phone in shared connections and in the shared time.
    pub uplink: Tally,
    /// The packets to the phone in shared connections and in the shared time.
    pub downlink: Tally,
}

/// Packets of one capture in one direction that belong to shared connections and to the shared
/// time.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
pub struct Tally {
    /// All packets.
    pub packets: u64,
    /// Packets that the other capture contains, matched one to one.
    pub paired: u64,
    /// Packets that the other capture contains, but several that nothing distinguishes.
    pub repeated: u64,
    /// Packets whose bytes the other capture contains in segments that are cut in another way.
    pub joined: u64,
    /// Packets that the other capture does not contain.
    pub alone: u64,
    /// The payload of all packets, in bytes.
    pub bytes: u64,
    /// Payload that the other capture does not contain, in bytes.
    pub alone_bytes: u64,
}

/// Counts the packets by what was found.
pub(super) fn count(first: &[Seen], second: &[Seen], matched: &Matched, flows: usize) -> Counts {
    let mut shared = vec![false; flows];
    let one = matched.pairs.iter().filter_map(|pair| first.get(pair.first as usize));
    for packet in one.clone() {
        if let Some(flow) = shared.get_mut(packet.flow as usize) {
            *flow = true;
        }
    }
    let two = matched.pairs.iter().filter_map(|pair| second.get(pair.second as usize));
    let (one, two) = (Spans::of(one), Spans::of(two));
    Counts {
        shared_flows: shared.iter().filter(|shared| **shared).count() as u64,
        flows: flows as u64,
        first: side(first, &matched.first, &shared, &one),
        second: side(second, &matched.second, &shared, &two),
    }
}

/// The times of the first and the last shared packet of each direction, by the clock of one
/// capture. A clock that stepped back makes the span longer.
struct Spans {
    uplink: RangeInclusive<Instant>,
    downlink: RangeInclusive<Instant>,
}

impl Spans {
    fn of<'a>(packets: impl Iterator<Item = &'a Seen> + Clone) -> Self {
        let span = |up: bool| {
            let none = (Instant::MAX, Instant::from_nanos(i64::MIN));
            let times = packets.clone().filter(|packet| packet.up == up).map(|packet| packet.time);
            let (from, to) = times.fold(none, |(from, to), time| (from.min(time), to.max(time)));
            from..=to
        };
        Self { uplink: span(true), downlink: span(false) }
    }

    fn hold(&self, packet: &Seen) -> bool {
        if packet.up { &self.uplink } else { &self.downlink }.contains(&packet.time)
    }
}

fn side(seen: &[Seen], fates: &Fates, shared: &[bool], spans: &Spans) -> Side {
    let mut side = Side { tcp_packets: seen.len() as u64, ..Side::default() };
    for ((packet, fate), missing) in seen.iter().zip(&fates.fates).zip(&fates.missing) {
        if !shared.get(packet.flow as usize).is_some_and(|shared| *shared) {
            side.other_flows += 1;
        } else if !spans.hold(packet) {
            side.other_times += 1;
        } else if packet.up {
            side.uplink.add(packet, *fate, *missing);
        } else {
            side.downlink.add(packet, *fate, *missing);
        }
    }
    side
}

impl Tally {
    fn add(&mut self, packet: &Seen, fate: Fate, missing: u32) {
        self.packets += 1;
        self.bytes += u64::from(packet.bytes);
        self.alone_bytes += u64::from(missing);
        *match fate {
            Fate::Alone => &mut self.alone,
            Fate::Paired => &mut self.paired,
            Fate::Repeated => &mut self.repeated,
            Fate::Joined => &mut self.joined,
        } += 1;
    }
}
