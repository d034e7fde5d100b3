//! Finds what each packet of the receiver shows about delivery: how many bytes have arrived, and
//! whether there was a queue behind the capture point.

use std::collections::VecDeque;

use airmile_track::{Events, Scoreboard, Segment, SegmentClass};
use airmile_types::{Direction, Duration, Instant};

use super::arrival::Arrival;
use super::link::Bearer;

/// The greatest number of retransmissions whose echo is awaited; beyond it the oldest are
/// forgotten.
const REPEATS: usize = 1024;

/// A time below the delayed-ACK timers in use: 40 ms in Linux (TCP_DELACK_MIN) and Windows, 100 ms
/// in the BSDs.
const SHORTEST_TIMER: Duration = Duration::from_millis(30);
/// The greatest lateness of the quickest ACK: one grant and one HARQ retransmission, which an
/// uplink may need for every packet (methods B2).
const QUICKEST_LATE: Duration = Duration::from_millis(20);
/// The error of an ACK's lateness, which a tick and the drift of two clocks over seconds may make
/// too small.
const LATENESS_ERROR: Duration = Duration::from_millis(2);

/// Counts the delivered bytes, during loss recovery too.
#[derive(Clone, Debug, Default, PartialEq)]
pub(super) struct Delivery {
    delivered: u64,
    /// Bytes known to have arrived above the cumulative ACK.
    beyond: u64,
    last_ack: Option<Instant>,
    /// The least RTT, after the lateness of its ACK was subtracted.
    least: Option<Duration>,
    /// The TSval of each retransmitted segment, with the last time at which it passed.
    repeats: VecDeque<(u32, Instant)>,
    /// Whether the receiver reports by SACK; a receiver that has begun to never stops.
    sacks: bool,
    /// The retransmission that was echoed last. Several segments may carry its TSval, and so
    /// several ACKs may echo it.
    echoed: Option<(u32, Instant)>,
}

airmile_types::held!(Delivery { repeats });

impl Delivery {
    /// Takes a packet of the sender, and remembers it if it is a retransmission.
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

    /// Takes a packet of the receiver that reports deliveries and came `late` by its own
    /// timestamps. Waiting in the queue of the other direction does not count for this direction.
    /// Downlink data of all flows ends at the phone, so the least RTT is the least of the bearer.
    pub(super) fn on_receiver(
        &mut self,
        segment: &Segment<'_>,
        late: Option<Duration>,
        bearer: &mut Bearer,
    ) -> Arrival {
        self.count(segment);
        let rtt = self.rtt(segment);
        let late_by = late.unwrap_or_default();
        let unsure = if late_by > QUICKEST_LATE { LATENESS_ERROR } else { Duration::ZERO };
        let taken_off = late_by + unsure + self.may_have_waited(segment);
        let least = self.least(segment, rtt, late);
        let least = match segment.direction {
            Direction::Uplink => least.map(|own| bearer.least(own, segment.time)),
            Direction::Downlink => least,
        };
        self.last_ack = Some(segment.time);
        let queued = rtt.zip(least).map(|(rtt, least)| rtt - least - taken_off);
        // Without timestamps, the ACK may have come late by as much as the data.
        let unseen = if segment.timestamps.is_some() { None } else { queued };
        let least = least.unwrap_or_default();
        let sent = rtt.map(|rtt| segment.time - rtt);
        let served = segment.time - taken_off - least;
        Arrival {
            time: segment.time,
            served: sent.map_or(served, |sent| sent.max(served)),
            uncertainty: least + taken_off + unseen.unwrap_or_default().max(Duration::ZERO),
            ticks: segment.timestamps.map(|stamp| stamp.value),
            begins: true,
            delivered: self.delivered,
            sent,
            queued,
            busy: Duration::ZERO,
        }
    }

    /// The least RTT so far: the least of the scoreboard's RTTs and of the RTTs less the lateness
    /// of their ACKs.
    fn least(
        &mut self,
        segment: &Segment<'_>,
        rtt: Option<Duration>,
        late: Option<Duration>,
    ) -> Option<Duration> {
        let whole = segment.peer.rtt_min()?;
        let on_time = rtt.zip(late).map(|(rtt, late)| (rtt - late).max(whole - QUICKEST_LATE));
        let least = on_time.map_or(whole, |on_time| on_time.min(whole)).max(Duration::ZERO);
        let least = self.least.map_or(least, |known| known.min(least));
        self.least = Some(least);
        Some(least)
    }

    /// Adds the bytes that this packet is the first to report. During recovery the cumulative ACK
    /// stalls while bytes arrive, so SACKed bytes count. Bytes that were retransmitted needlessly
    /// and D-SACKed (RFC 2883) count too, because the link carried them.
    fn count(&mut self, segment: &Segment<'_>) {
        let in_vain = segment.dsack.map_or(0, |(left, right)| (right - left).max(0) as u64);
        self.sacks = self.sacks || sack_in_use(segment);
        let arrived = if self.sacks { segment.delivered_bytes } else { self.reported_bytes(segment) };
        self.delivered += arrived + in_vain;
    }

    /// Without SACK, each duplicate ACK reports one segment (RFC 5681 section 3.2). An ACK that
    /// advances subtracts the bytes that duplicate ACKs reported before, except for the segment
    /// that filled the hole.
    fn reported_bytes(&mut self, segment: &Segment<'_>) -> u64 {
        let mss = u64::from(segment.peer.mss_bytes());
        let mut arrived = if segment.duplicate_ack.is_some() { mss } else { 0 };
        // The bytes of the hole itself have not arrived.
        let most = (segment.peer.in_flight_bytes().max(0) as u64).saturating_sub(mss) + segment.acked_bytes;
        self.beyond = (self.beyond + arrived).min(most);
        if segment.acked_bytes > 0 {
            let reported = self.beyond.min(segment.acked_bytes - segment.acked_bytes.min(mss));
            self.beyond -= reported;
            arrived += segment.acked_bytes - reported;
        }
        if !segment.peer.is_recovering() {
            self.beyond = 0;
        }
        arrived
    }

    /// The RTT of the newest byte: by methods B4; else of the newest SACKed (or, without SACK,
    /// reported) byte; else of the retransmission whose TSval an advancing ACK echoes, because the
    /// echo shows which transmission arrived.
    fn rtt(&mut self, segment: &Segment<'_>) -> Option<Duration> {
        let echoed = self.echoed(segment);
        let by_ack = segment.rtt.map(|sample| sample.rtt);
        by_ack.or(segment.sack_rtt).or(echoed.map(|sent| segment.time - sent))
    }

    fn echoed(&mut self, segment: &Segment<'_>) -> Option<Instant> {
        if self.repeats.is_empty() && self.echoed.is_none() {
            return None;
        }
        let echo = segment.timestamps.filter(|_| segment.acked_bytes > 0)?.echo;
        while let Some(&(value, time)) = self.repeats.front()
            && (echo.wrapping_sub(value) as i32) >= 0
        {
            self.echoed = Some((value, time));
            self.repeats.pop_front();
        }
        self.echoed.filter(|(value, _)| *value == echo).map(|(_, time)| time)
    }

    /// How long the receiver may have delayed the ACK of a single segment (RFC 1122 section
    /// 4.2.3.2): at most the time since the ACK before, because the segment came after that ACK was
    /// sent. An ACK that follows the data sooner than any timer runs was not delayed.
    fn may_have_waited(&self, segment: &Segment<'_>) -> Duration {
        let (Some(sample), Some(last)) = (segment.rtt, self.last_ack) else { return Duration::ZERO };
        let since = segment.time - last;
        if sample.single_segment && since >= SHORTEST_TIMER { since } else { Duration::ZERO }
    }
}

/// Whether a packet of the receiver reports deliveries at all.
#[inline]
pub(super) fn reports_delivery(segment: &Segment<'_>) -> bool {
    segment.ack.is_some() && !segment.events.any(Events::SYN.or(Events::RST))
}

fn sack_in_use(segment: &Segment<'_>) -> bool {
    let offers = |direction| segment.flow.options(direction).is_some_and(|options| options.sack);
    segment.peer.sacked_bytes() > 0 || (offers(segment.direction) && offers(segment.direction.reverse()))
}

/// The least RTT of the whole path.
pub(super) fn whole_rtt(board: &Scoreboard) -> Option<Duration> {
    Some(board.rtt_min()? + board.loop_time().unwrap_or(Duration::ZERO))
}
