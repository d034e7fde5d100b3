//! Makes the byte curves of one direction: the bytes that the log served, and the bytes that the
//! capture shows before and after the radio.

use airmile_types::Duration;

use super::curve::Curve;
use crate::queue::Passed;
use crate::queue::PhoneCapture;
use crate::tti::Ms;

/// The byte curves of one direction.
#[derive(Clone, Debug)]
pub(super) struct ByteCurves {
    /// The least and the greatest number of packet bytes that the blocks carried, by the modem's
    /// clock.
    pub(super) least: Curve,
    pub(super) most: Curve,
    /// The bytes that may have reached the radio, including the headers of the air interface.
    pub(super) came: Curve,
    /// The bytes that have certainly left the radio, by the capture's clock.
    pub(super) gone: Curve,
    /// The bytes known to have crossed the radio, at the time when that became known.
    pub(super) over: Curve,
    /// The bytes known to have crossed the radio, at the time when they arrived at the radio.
    pub(super) over_came: Curve,
    /// Whether all bytes that pass the capture point have crossed the radio.
    behind: bool,
}

/// The greatest size of the headers of PDCP, RLC and MAC in bytes, for a packet in one segment: 3 +
/// 5 + 3 (TS 36.323 section 6.2, TS 36.322 section 6.2.1, TS 36.321 section 6.1.2).
const PACKET_HEADERS: u64 = 11;
/// The size in bytes of the header of a further segment and of other contents of a block (a BSR, a
/// timing advance). For small blocks, which contain little else, it is at most one part in
/// `HEADERS_PART` of the block.
const BLOCK_HEADERS: u64 = 8;
const HEADERS_PART: u64 = 32;
/// More bytes than any block contains; used for a block whose size is not in the log.
const LARGEST_BLOCK: u64 = 200_000;
/// The longest time that a packet may wait: deep buffers of cells hold several seconds (LTE13
/// section 4).
const LONGEST_QUEUE: i64 = Duration::from_secs(5).as_nanos();
/// The longest time that even the fastest packet of a flow may take over the radio: decoding, three
/// HARQ rounds of 8 ms (TS 36.213 section 7), and in the uplink a request for a grant (TS 36.331:
/// every 40 ms).
const FASTEST: i64 = Duration::from_millis(28).as_nanos();
const REQUEST: i64 = Duration::from_millis(40).as_nanos();
/// The largest drift between two clocks, in parts per million. Two crystals differ by up to 100
/// ppm; twice that is allowed (our choice).
pub(super) const MOST_PPM: f64 = 200.0;

impl ByteCurves {
    /// The curves of the downlink; `None` without blocks or packets.
    pub(super) fn downlink(log: &[Ms], capture: &PhoneCapture) -> Option<Self> {
        Self::of(log, &capture.passed, capture.unseen_bytes.downlink, FASTEST, true)
    }

    /// The curves of the uplink; `None` without blocks or packets. Grants are larger than the
    /// waiting data, so a grant whose padding is not known does not certainly carry anything.
    pub(super) fn uplink(log: &[Ms], capture: &PhoneCapture) -> Option<Self> {
        let fastest = FASTEST + REQUEST;
        Self::of(log, &capture.sent, capture.unseen_bytes.uplink, fastest, false)
    }

    /// The number of steps of all curves, which is the cost of one examination.
    pub(super) const fn steps(&self) -> usize {
        self.least.steps() + self.most.steps() + self.came.steps() + self.over.steps()
    }

    fn of(log: &[Ms], packets: &[Passed], unseen: u64, fastest: i64, fits: bool) -> Option<Self> {
        let first = packets.first()?.time.as_nanos();
        log.first()?;
        let padded = log.iter().any(|ms| ms.padding_bytes.is_some());
        let at = |ms: &Ms| ms.time.as_nanos();
        let least = log.iter().map(|ms| (at(ms), least(ms, padded, fits)));
        let most = log.iter().map(|ms| (at(ms), most(ms)));
        let entered = |packet: &Passed| entered(packet, first, fastest);
        let with_headers = |packet: &Passed| u64::from(packet.ip_bytes) + PACKET_HEADERS;
        let bytes = |packet: &Passed| u64::from(packet.ip_bytes);
        let left = |packet: &Passed| {
            let known = packet.acknowledged.map(|time| time.as_nanos());
            known.unwrap_or_else(|| packet.time.as_nanos().saturating_add(LONGEST_QUEUE))
        };
        let over = || packets.iter().filter(|packet| packet.acknowledged.is_some());
        let unseen_came = (first, unseen);
        let unseen_gone = (first.saturating_add(LONGEST_QUEUE), unseen);
        let came = packets.iter().map(|packet| (entered(packet), with_headers(packet)));
        let gone = packets.iter().map(|packet| (left(packet), bytes(packet)));
        Some(Self {
            least: Curve::of(least.collect()),
            most: Curve::of(most.collect()),
            came: Curve::of(came.chain([unseen_came]).collect()),
            gone: Curve::of(gone.chain([unseen_gone]).collect()),
            over: Curve::of(over().map(|packet| (left(packet), bytes(packet))).collect()),
            over_came: Curve::of(over().map(|packet| (entered(packet), bytes(packet))).collect()),
            behind: packets.iter().all(|packet| packet.acknowledged == Some(packet.time)),
        })
    }

    /// The bytes that the radio certainly carried between two times of the capture's clock.
    pub(super) fn carried(&self, from: i64, to: i64) -> u64 {
        if self.behind {
            return self.over.within(from, to);
        }
        let over = self.over.by(to).saturating_sub(self.over_came.by(from));
        // Datagrams are never acknowledged.
        if over > 0 { over } else { self.came.within(from, to) }
    }
}

/// The earliest time at which a packet reached the radio.
fn entered(packet: &Passed, first: i64, fastest: i64) -> i64 {
    let time = packet.time.as_nanos();
    let Some(acknowledged) = packet.acknowledged else { return time };
    match packet.unqueued {
        // Even the fastest packet of a flow that begins on a busy link may have waited.
        Some(unqueued) if packet.from_idle => {
            let drifted = time.abs_diff(first) as f64 * MOST_PPM * 1e-6;
            unqueued.as_nanos().saturating_sub(fastest).saturating_sub(drifted as i64)
        }
        // The packet has crossed the radio, and nothing shows how long it had waited before.
        _ if acknowledged == packet.time => time.saturating_sub(LONGEST_QUEUE),
        _ => time,
    }
}

/// The bytes that a millisecond certainly carried. If the log shows no padding, a block that is not
/// followed by another may be padded.
fn least(ms: &Ms, padded: bool, fits: bool) -> u64 {
    let filled = match (ms.bytes, ms.padding_bytes) {
        (Some(bytes), Some(padding)) => bytes.saturating_sub(padding),
        (Some(bytes), None) if !padded && fits => bytes,
        _ => 0,
    };
    filled - BLOCK_HEADERS.min(filled / HEADERS_PART)
}

/// The greatest number of bytes that a millisecond carried: all blocks that were sent for the first
/// time, whether decoded or not.
fn most(ms: &Ms) -> u64 {
    if ms.retransmission == Some(true) {
        return 0;
    }
    let failed = if ms.retransmission == Some(false) { ms.failed_bytes } else { 0 };
    let Some(bytes) = ms.bytes else { return LARGEST_BLOCK };
    bytes.saturating_add(failed).saturating_sub(ms.padding_bytes.unwrap_or(0))
}
