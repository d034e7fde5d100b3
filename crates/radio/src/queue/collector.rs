//! Collects, from the segments of flows, what a capture shows about each phone's packets.

use std::collections::BTreeMap;

use airmile_read::TcpFlags;
use airmile_track::{
    BEFORE_BYTES, Datagram, FlowFacts, Handler, Scoreboard, Segment, SessionFacts,
};
use airmile_types::{Address, Direction, Duration, Instant, PerDirection, Vantage};

use super::capture::{Passed, PhoneCapture};
use super::copies::Copies;
use super::sender_clock::SenderClock;

/// Collects the [`PhoneCapture`] of all phones in one pass, as the handler of a tracker.
#[derive(Debug, Default)]
pub struct CaptureCollector {
    phones: BTreeMap<Address, PhoneCapture>,
}

/// The state that the collector keeps for each flow.
#[derive(Debug, Default)]
pub struct FlowCopies {
    copies: PerDirection<Copies>,
    clock: PerDirection<SenderClock>,
    /// Whether the first ACK of the data of each direction was seen.
    acknowledged: PerDirection<bool>,
    /// Whether data of each direction was seen.
    carried: PerDirection<bool>,
    /// Whether the handshake passed while the phone had no other traffic.
    from_idle: bool,
}

/// The state that the collector keeps for each phone.
#[derive(Debug, Default)]
pub struct PhonePackets {
    directions: PerDirection<DirectionPackets>,
    nothing_in_flight: Vec<(Instant, Instant)>,
    busy_flows: u32,
    empty_since: Option<Instant>,
    /// Until this time, packets that are never acknowledged may be in flight.
    silent_until: Option<Instant>,
}

/// The packets of one direction.
#[derive(Debug, Default)]
struct DirectionPackets {
    passed: Vec<Passed>,
    /// The sender's timestamp of each packet.
    stamps: Vec<Option<u32>>,
    tick: Option<Duration>,
    unseen_bytes: u64,
}

/// The time for which a packet that is never acknowledged is assumed to be in flight (our choice).
const SILENT: Duration = Duration::from_millis(500);
/// The longest time between two packets of one queue (our choice).
const IDLE: Duration = Duration::from_secs(1);
/// The time for which packets may still arrive after a reset (methods T7): the longest queue of a
/// cell.
const DRAINS: Duration = Duration::from_secs(5);

impl CaptureCollector {
    /// What this capture point shows about each phone, by the phone's address.
    pub fn finish(mut self, vantage: Vantage) -> BTreeMap<Address, PhoneCapture> {
        self.phones.values_mut().for_each(|capture| capture.set_vantage(vantage));
        self.phones
    }
}

impl Handler for CaptureCollector {
    type Flow = FlowCopies;
    type Ue = PhonePackets;

    fn open(&mut self, _: &FlowFacts) -> FlowCopies {
        FlowCopies::default()
    }

    fn segment(&mut self, flow: &mut FlowCopies, phone: &mut PhonePackets, segment: &Segment<'_>) {
        let was_busy = !flow.copies.downlink.is_empty();
        phone.carries(flow, segment);
        phone.acknowledges(flow, segment);
        phone.account(was_busy, !flow.copies.downlink.is_empty(), segment.time);
    }

    fn datagram(&mut self, _: &mut FlowCopies, phone: &mut PhonePackets, datagram: &Datagram<'_>) {
        let packet = Passed::new(datagram.time, datagram.ip_bytes, datagram.payload_bytes, true);
        phone.pass(datagram.direction, packet, None);
        if datagram.direction == Direction::Downlink {
            phone.hush(datagram.time + SILENT);
        }
    }

    fn end(
        &mut self,
        flow: FlowCopies,
        phone: &mut PhonePackets,
        facts: &FlowFacts,
        _: Option<&PerDirection<Scoreboard>>,
    ) {
        if !flow.copies.downlink.is_empty() {
            phone.hush(facts.end + DRAINS);
            phone.account(true, false, facts.end);
        }
        for direction in [Direction::Downlink, Direction::Uplink] {
            let (clock, packets) = (flow.clock.of(direction), phone.directions.of_mut(direction));
            packets.tick = clock.tick().or(packets.tick);
            clock.apply(packets.tick, &mut packets.passed);
        }
    }

    fn session(&mut self, mut phone: PhonePackets, session: &SessionFacts) {
        phone.close(session.end);
        let capture =
            self.phones.entry(session.ue).or_insert_with(|| PhoneCapture::new(Vantage::Monitor));
        let PerDirection { mut downlink, mut uplink } = phone.directions;
        capture.tick = downlink.tick.unwrap_or(capture.tick);
        capture.passed.append(&mut downlink.passed);
        capture.sent.append(&mut uplink.passed);
        capture.unseen_bytes.downlink += downlink.unseen_bytes;
        capture.unseen_bytes.uplink += uplink.unseen_bytes;
        capture.nothing_in_flight.append(&mut phone.nothing_in_flight);
    }
}

impl PhonePackets {
    /// Notes a packet and the data that it carries.
    fn carries(&mut self, flow: &mut FlowCopies, segment: &Segment<'_>) {
        let end = segment.end + i64::from(segment.flags.has(TcpFlags::FIN));
        let silent = end <= segment.start;
        let stamp = segment.timestamps.map(|stamp| stamp.value);
        flow.from_idle |= segment.flags.has(TcpFlags::SYN) && self.is_idle(segment.time);
        let packet = Passed::new(segment.time, segment.ip_bytes, segment.new_bytes, silent);
        let packet = Passed { from_idle: flow.from_idle, ..packet };
        let place = self.pass(segment.direction, packet, stamp);
        flow.clock.of_mut(segment.direction).push(place, segment.time, stamp);
        if end > segment.start {
            self.notes_unseen(flow, segment);
            let passed = &mut self.directions.of_mut(segment.direction).passed;
            flow.copies.of_mut(segment.direction).sent(segment.start, end, place, passed);
        } else if segment.direction == Direction::Downlink {
            self.hush(segment.time + SILENT);
        }
    }

    /// Notes the data that was in flight when the capture began. In a flow met in mid-stream, an
    /// ACK may pass before any data, and its offset counts as 1; the bytes from there to the first
    /// data were in flight.
    fn notes_unseen(&mut self, flow: &mut FlowCopies, segment: &Segment<'_>) {
        let first = !std::mem::replace(flow.carried.of_mut(segment.direction), true);
        let before = segment.start - 1;
        if first && !segment.own.is_synchronized() && (1..=BEFORE_BYTES).contains(&before) {
            self.directions.of_mut(segment.direction).unseen_bytes += before.unsigned_abs();
        }
    }

    /// Notes the data of the other direction that a segment acknowledges.
    fn acknowledges(&mut self, flow: &mut FlowCopies, segment: &Segment<'_>) {
        let Some(ack) = segment.ack else { return };
        let direction = segment.direction.reverse();
        let packets = self.directions.of_mut(direction);
        let first = !std::mem::replace(flow.acknowledged.of_mut(direction), true);
        // The first byte seen of a flow has offset 1.
        if first && (1 - BEFORE_BYTES..1).contains(&ack) {
            packets.unseen_bytes += (1 - ack).unsigned_abs();
        }
        let echo = segment.timestamps.map(|stamp| stamp.echo);
        let stamps = &packets.stamps;
        let earlier = |packet: usize| {
            let stamp = stamps.get(packet).copied().flatten();
            // Timestamps are compared modulo 2^32 (RFC 7323 section 5.2).
            echo.zip(stamp).is_some_and(|(echo, stamp)| echo.wrapping_sub(stamp) > u32::MAX / 2)
        };
        let copies = flow.copies.of_mut(direction);
        copies.acknowledged(ack, segment.time, &mut packets.passed, earlier);
        if let Some(twice) = segment.dsack {
            copies.duplicate(twice, &mut packets.passed);
        }
    }

    /// Whether nothing has passed for long enough that no queue is left.
    fn is_idle(&self, now: Instant) -> bool {
        let last = |packets: &DirectionPackets| packets.passed.last().map(|packet| packet.time);
        let last = last(&self.directions.downlink).max(last(&self.directions.uplink));
        last.is_none_or(|last| now - last > IDLE)
    }

    /// Adds a packet, and returns its index.
    fn pass(&mut self, direction: Direction, packet: Passed, stamp: Option<u32>) -> usize {
        if direction == Direction::Downlink {
            self.close(packet.time);
        }
        let packets = self.directions.of_mut(direction);
        packets.passed.push(packet);
        packets.stamps.push(stamp);
        packets.passed.len() - 1
    }

    fn hush(&mut self, until: Instant) {
        self.silent_until = self.silent_until.max(Some(until));
        if self.busy_flows == 0 {
            self.empty_since = Some(until);
        }
    }

    /// Counts how many flows are busy, when one becomes busy or idle.
    fn account(&mut self, was_busy: bool, is_busy: bool, now: Instant) {
        match (was_busy, is_busy) {
            (false, true) => self.busy_flows += 1,
            (true, false) => self.busy_flows = self.busy_flows.saturating_sub(1),
            _ => return,
        }
        let idle = self.busy_flows == 0;
        self.empty_since = idle.then(|| self.silent_until.map_or(now, |until| until.max(now)));
    }

    /// Ends the span in which nothing was in flight, because a packet passes.
    fn close(&mut self, now: Instant) {
        if let Some(since) = self.empty_since.filter(|since| *since < now) {
            self.nothing_in_flight.push((since, now));
            self.empty_since = Some(now);
        }
    }
}
