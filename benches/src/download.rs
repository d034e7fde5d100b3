//! Writes artificial downloads, for machines that do not have the recorded capture.
//!
//! Each flow opens, requests 87 KB (or the given number of segments), receives them in rounds of
//! slow start with an ACK for every second segment, and closes. One flow in eight loses a segment
//! behind the capture point and repairs the loss by SACK; one in ten never closes. The number of
//! the flow decides everything.

use std::cmp::Reverse;
use std::collections::BinaryHeap;
use std::io::{self, Write};

use crate::frame::{ACK, FIN, PSH, SYN, Tcp, frame, scatter};
use crate::writer::{Out, create, file_header, record};

const START_NS: u64 = 1_700_000_000_000_000_000;
const MS: u64 = 1_000_000;
/// The time between the first packets of two flows, which keeps about 400 flows open at a time.
const FLOW_GAP_NS: u64 = 2 * MS;
const SEGMENT_GAP_NS: u64 = MS / 2;
/// The number of segments of a flow with about a hundred packets.
pub(crate) const SEGMENTS: u64 = 64;
const SEGMENT_BYTES: u64 = 1360;
/// The number of segments in the first round (RFC 6928 section 2); each round doubles it until the
/// link is full.
const FIRST_ROUND: u64 = 10;
const PHONES: u64 = 2000;
const REQUEST_BYTES: u16 = 300;

/// Writes `flows` downloads of `segments` segments each, about three packets for two segments.
pub(crate) fn write(out: &str, flows: u64, segments: u64) -> io::Result<u64> {
    let mut out = create(out)?;
    file_header(&mut out)?;
    let mut waiting: BinaryHeap<Reverse<Planned>> = BinaryHeap::new();
    let mut packets = 0;
    let mut bytes = Vec::new();
    for flow in 0..flows {
        waiting.extend(plan(flow, segments).into_iter().map(Reverse));
        let next_flow = START_NS + (flow + 1) * FLOW_GAP_NS;
        while waiting.peek().is_some_and(|next| next.0.time < next_flow || flow + 1 == flows) {
            let Some(Reverse(planned)) = waiting.pop() else { break };
            emit(&mut out, &planned, &mut bytes)?;
            packets += 1;
        }
    }
    out.flush()?;
    Ok(packets)
}

/// A packet to be written. Packets are ordered by time, then by flow, then by number in the flow.
#[derive(PartialEq, Eq, PartialOrd, Ord)]
struct Planned {
    time: u64,
    flow: u64,
    number: u32,
    from_phone: bool,
    flags: u8,
    /// The bytes that its sender sent before it, the SYN included.
    sequence: u64,
    /// The bytes of the other side that it acknowledges.
    acknowledged: u64,
    payload_bytes: u16,
    sack: Option<(u64, u64)>,
}

/// The packets of one flow.
fn plan(flow: u64, segments: u64) -> Vec<Planned> {
    let random = scatter(flow);
    let upstream = (5 + random % 36) * MS;
    let downstream = (20 + (random >> 8) % 41) * MS;
    let mut script = Script { flow, segments, packets: Vec::new() };
    let start = START_NS + flow * FLOW_GAP_NS;
    script.add(start, true, SYN, (0, 0), 0);
    script.add(start + upstream, false, SYN | ACK, (0, 1), 0);
    let open = start + upstream + downstream;
    script.add(open, true, ACK, (1, 1), 0);
    script.add(open + 1000, true, ACK | PSH, (1, 1), REQUEST_BYTES);
    let asked = 1 + u64::from(REQUEST_BYTES);
    let lost = (random >> 16).is_multiple_of(8).then_some(20 + (random >> 24) % 20);
    let last = script.data(open + upstream, (upstream, downstream), asked, lost);
    if !(random >> 32).is_multiple_of(10) {
        let end = offset(segments);
        script.add(last + MS, false, FIN | ACK, (end, asked), 0);
        script.add(last + MS + downstream, true, FIN | ACK, (asked, end + 1), 0);
        script.add(last + MS + downstream + upstream, false, ACK, (end + 1, asked + 1), 0);
    }
    script.packets
}

struct Script {
    flow: u64,
    segments: u64,
    packets: Vec<Planned>,
}

impl Script {
    fn add(&mut self, time: u64, from_phone: bool, flags: u8, at: (u64, u64), payload_bytes: u16) {
        let (flow, number) = (self.flow, self.packets.len() as u32);
        let (sequence, acknowledged) = at;
        self.packets.push(Planned {
            time,
            flow,
            number,
            from_phone,
            flags,
            sequence,
            acknowledged,
            payload_bytes,
            sack: None,
        });
    }

    /// Adds the data and its ACKs; returns the time at which the last of them passed.
    fn data(
        &mut self,
        start: u64,
        (upstream, downstream): (u64, u64),
        asked: u64,
        lost: Option<u64>,
    ) -> u64 {
        let mut arrivals = Vec::new();
        for (time, segment) in departures(start, upstream + downstream, self.segments) {
            self.add(time, false, ACK, (offset(segment), asked), SEGMENT_BYTES as u16);
            if lost != Some(segment) {
                arrivals.push((time + downstream, segment));
            }
        }
        if let Some(lost) = lost {
            // RFC 6675 section 5: the retransmission comes after three later segments were
            // reported.
            let third = arrivals.get(lost as usize + 2).map_or(start, |(time, _)| *time);
            let again = third + upstream;
            self.add(again, false, ACK, (offset(lost), asked), SEGMENT_BYTES as u16);
            arrivals.push((again + downstream, lost));
        }
        arrivals.sort_unstable();
        self.acknowledge(&arrivals, asked, lost)
    }

    /// Adds one ACK for two segments in order (RFC 1122 section 4.2.3.2), and one for each segment
    /// out of order.
    fn acknowledge(&mut self, arrivals: &[(u64, u64)], asked: u64, lost: Option<u64>) -> u64 {
        let (mut next, mut highest, mut owed, mut last) = (0, 0, 0, 0);
        for &(time, segment) in arrivals {
            highest = highest.max(segment + 1);
            let hole = lost.filter(|lost| *lost >= next && segment > *lost);
            next = hole.unwrap_or(highest);
            owed += 1;
            if hole.is_some() || owed == 2 || next == self.segments {
                self.add(time, true, ACK, (asked, offset(next)), 0);
                owed = 0;
                if let (Some(hole), Some(packet)) = (hole, self.packets.last_mut()) {
                    packet.sack = Some((offset(hole + 1), offset(highest)));
                }
            }
            last = time;
        }
        last
    }
}

/// The times at which the segments pass the capture point for the first time.
fn departures(start: u64, round_trip: u64, segments: u64) -> Vec<(u64, u64)> {
    let full = round_trip / SEGMENT_GAP_NS;
    let (mut found, mut size, mut begun) = (Vec::new(), FIRST_ROUND, start);
    while (found.len() as u64) < segments {
        let first = found.len() as u64;
        let last = segments.min(first + size);
        found.extend((first..last).map(|it| (begun + (it - first) * SEGMENT_GAP_NS, it)));
        (size, begun) = (full.min(size * 2), begun + round_trip);
    }
    found
}

const fn offset(segment: u64) -> u64 {
    1 + segment * SEGMENT_BYTES
}

fn emit(out: &mut Out, planned: &Planned, bytes: &mut Vec<u8>) -> io::Result<()> {
    let random = scatter(planned.flow ^ 0x5eed);
    let phone = (planned.flow % PHONES) as u16 + 1;
    let phone = (
        [10, 45, (phone >> 8) as u8, phone as u8],
        20_000 + (planned.flow / PHONES % 40_000) as u16,
    );
    let server = ([203, 0, 113, (random % 250) as u8 + 1], 443);
    let ((source, source_port), (destination, destination_port)) =
        if planned.from_phone { (phone, server) } else { (server, phone) };
    let origins = (random as u32, (random >> 32) as u32);
    let (own, other) = if planned.from_phone { origins } else { (origins.1, origins.0) };
    let packet = Tcp {
        source,
        destination,
        source_port,
        destination_port,
        sequence: own.wrapping_add(planned.sequence as u32),
        acknowledgement: if planned.flags & ACK == 0 {
            0
        } else {
            other.wrapping_add(planned.acknowledged as u32)
        },
        flags: planned.flags,
        window: 2048,
        payload_bytes: planned.payload_bytes,
    };
    let wire = frame(&packet, &options(planned, other), bytes);
    record(out, planned.time, bytes, wire)
}

/// The options that Linux sends: timestamps in milliseconds; on a SYN also MSS, SACK and window
/// scale; and the SACK block that is due.
fn options(planned: &Planned, other: u32) -> Vec<u8> {
    let clock = (planned.time / MS) as u32;
    let echo = if planned.flags == SYN { 0 } else { clock - 30 };
    let mut options = match planned.flags & SYN {
        0 => vec![1, 1],
        _ => vec![2, 4, 5, 120, 1, 3, 3, 7, 4, 2],
    };
    options.extend([8, 10]);
    options.extend(clock.to_be_bytes());
    options.extend(echo.to_be_bytes());
    if let Some((left, right)) = planned.sack {
        options.extend([1, 1, 5, 10]);
        options.extend(other.wrapping_add(left as u32).to_be_bytes());
        options.extend(other.wrapping_add(right as u32).to_be_bytes());
    }
    options
}
