//! What each packet of the receiver tells of delivery: how much has arrived, and whether a queue
//! stood behind it.

use std::collections::VecDeque;

use airmile_read::TcpFlags;
use airmile_track::{Scoreboard, Segment, SegmentClass};
use airmile_types::{Duration, Instant};

use crate::Parameters;

/// Repeats whose echo is awaited; beyond it the oldest are forgotten.
const REPEATS: usize = 1024;

/// Keeps account of delivered bytes, through loss recovery too.
#[derive(Debug, Default)]
pub(super) struct Delivery {
    delivered: u64,
    /// Bytes known to have arrived above the cumulative ACK.
    beyond: u64,
    last_ack: Option<Instant>,
    /// TSval of segments that were sent again, each with the last time it passed.
    repeats: VecDeque<(u32, Instant)>,
    /// The one that was echoed last; several segments, and so several ACKs, may carry it.
    echoed: Option<(u32, Instant)>,
}

/// One packet of the receiver.
#[derive(Clone, Copy, Debug)]
pub(super) struct Arrival {
    /// When it passed the tap.
    pub(super) time: Instant,
    /// The receiver's clock.
    pub(super) ticks: Option<u32>,
    /// All bytes delivered so far; with those of the subscriber's other flows, once joined.
    pub(super) delivered: u64,
    /// When the newest byte that it tells of had passed the tap.
    pub(super) sent: Option<Instant>,
    /// How long that byte stood in a queue: its RTT above the least one; `None` when its RTT is
    /// unknown.
    pub(super) queued: Option<Duration>,
    /// Payload of the subscriber's flows that are not measured, so far.
    pub(super) beside: u64,
}

impl Delivery {
    /// A packet of the sender: remembers repeats.
    pub(super) fn on_sender(&mut self, segment: &Segment<'_>) {
        use SegmentClass::{Retransmission, Spurious, UpstreamLoss};
        let repeated = matches!(segment.class, Some(Retransmission | Spurious | UpstreamLoss));
        let Some(stamp) = segment.timestamps.filter(|_| repeated) else { return };
        if let Some(newest) = self.repeats.back_mut().filter(|newest| newest.0 == stamp.value) {
            newest.1 = segment.time;
            return;
        }
        if self.repeats.len() == REPEATS {
            self.repeats.pop_front();
        }
        self.repeats.push_back((stamp.value, segment.time));
    }

    /// A packet of the receiver, which itself came `late` by its timestamps: what stands in the
    /// queue of the other direction is not held against this one's.
    pub(super) fn on_receiver(
        &mut self,
        segment: &Segment<'_>,
        late: Option<Duration>,
    ) -> Option<Arrival> {
        segment.ack?;
        if segment.flags.any(TcpFlags::SYN | TcpFlags::RST) {
            return None;
        }
        self.count(segment);
        let rtt = self.rtt(segment);
        let queued = rtt.and_then(|rtt| Some(rtt - segment.peer.rtt_min()?));
        let late = late.unwrap_or(Duration::ZERO);
        let queued = queued.map(|queued| queued - self.may_have_waited(segment) - late);
        self.last_ack = Some(segment.time);
        Some(Arrival {
            time: segment.time,
            ticks: segment.timestamps.map(|stamp| stamp.value),
            delivered: self.delivered,
            sent: rtt.map(|rtt| segment.time - rtt),
            queued,
            beside: 0,
        })
    }

    /// Adds what this packet is the first to tell of. In recovery the cumulative ACK stalls while
    /// bytes arrive: what is SACKed counts, and what is sent again in vain and D-SACKed (RFC 2883)
    /// counts too, because the link carried it. Without SACK each duplicate ACK stands for one
    /// segment (RFC 5681 section 3.2), and an ACK that advances takes back what they told before,
    /// but for the segment that filled the hole.
    fn count(&mut self, segment: &Segment<'_>) {
        let mss = u64::from(segment.peer.mss_bytes());
        let mut arrived = segment.sacked_bytes;
        if arrived == 0 && segment.duplicate_ack.is_some() && !sack_in_use(segment) {
            arrived = mss;
        }
        // The hole itself has not arrived.
        let most = (segment.peer.in_flight_bytes().max(0) as u64).saturating_sub(mss) + segment.acked_bytes;
        self.beyond = (self.beyond + arrived).min(most);
        if segment.acked_bytes > 0 {
            let told = self.beyond.min(segment.acked_bytes - segment.acked_bytes.min(mss));
            self.beyond -= told;
            arrived += segment.acked_bytes - told;
        }
        if !segment.peer.is_recovering() {
            self.beyond = 0;
        }
        let in_vain = segment.dsack.map_or(0, |(left, right)| (right - left).max(0) as u64);
        self.delivered += arrived + in_vain;
    }

    /// RTT of the newest byte: methods B4, else the newest SACKed (or, without SACK, told of), else
    /// of the repeat whose TSval an advancing ACK echoes: the echo tells which transmission came.
    fn rtt(&mut self, segment: &Segment<'_>) -> Option<Duration> {
        let echoed = self.echoed(segment);
        let by_ack = segment.rtt.map(|sample| sample.rtt);
        by_ack.or(segment.sack_rtt).or(echoed.map(|sent| segment.time - sent))
    }

    fn echoed(&mut self, segment: &Segment<'_>) -> Option<Instant> {
        let echo = segment.timestamps.filter(|_| segment.acked_bytes > 0)?.echo;
        while let Some(&(value, time)) = self.repeats.front()
            && (echo.wrapping_sub(value) as i32) >= 0
        {
            self.echoed = Some((value, time));
            self.repeats.pop_front();
        }
        self.echoed.filter(|(value, _)| *value == echo).map(|(_, time)| time)
    }

    /// The ACK of a single segment may have been delayed at the receiver (RFC 1122 section
    /// 4.2.3.2), at most since the ACK before it: the segment came after that one was sent.
    fn may_have_waited(&self, segment: &Segment<'_>) -> Duration {
        let delayed = segment.rtt.is_some_and(|sample| sample.single_segment);
        self.last_ack.filter(|_| delayed).map_or(Duration::ZERO, |last| segment.time - last)
    }
}

fn sack_in_use(segment: &Segment<'_>) -> bool {
    let offers = |direction| segment.flow.options(direction).is_some_and(|options| options.sack);
    segment.peer.sacked_bytes() > 0 || (offers(segment.direction) && offers(segment.direction.reverse()))
}

/// The least RTT of the whole path.
pub(super) fn whole_rtt(board: &Scoreboard) -> Option<Duration> {
    Some(board.rtt_min()? + board.loop_time().unwrap_or(Duration::ZERO))
}

/// Time between two samples of one estimator.
pub(super) fn spacing(parameters: &Parameters) -> Duration {
    Duration::from_secs_f64(parameters.sample_spacing_ms / 1e3)
}
