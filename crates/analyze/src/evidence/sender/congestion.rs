//! What is known of a congestion window that nobody sees: what it holds at the least.

use airmile_track::{Scoreboard, Segment};
use airmile_types::{Duration, Instant};

use super::application::clock;
use super::loop_of;
use crate::Parameters;
use crate::evidence::receiver_window::{is_at_receiver, round_trip};

/// BBR's `BBR.ProbeRTTDuration`: so long, and a round trip, the flight is held down.
pub(super) const PROBE_RTT: Duration = Duration::from_millis(200);
/// ... to so many segments (BBR v1, `BBRMinPipeCwnd`).
const PROBE_SEGMENTS: i64 = 4;

/// The congestion window of one sender.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Congestion {
    /// It may have been cut, by a loss or a mark (RFC 3168).
    pub(super) cut: bool,
    /// The most in flight since the last silence, or since a spell of one RTO that used less.
    carried: i64,
    /// When that was last in flight, and the most since.
    reached: Option<(Instant, i64)>,
    /// The path is measured: until when, and the most in flight meanwhile.
    pub(super) probing: Option<(Instant, i64)>,
}

impl Congestion {
    /// Data passes, with so much in flight as the sender knew.
    pub(super) fn note(&mut self, flight: i64, rested: bool, segment: &Segment<'_>) {
        let now = segment.time;
        if rested {
            self.carried = 0;
        }
        if !self.probes_rtt(flight, now) {
            self.probing = None;
        }
        let (since, most) = self.reached.unwrap_or((now, 0));
        let most = most.max(flight);
        if flight >= self.carried {
            (self.carried, self.reached) = (flight, Some((now, 0)));
        } else if now - since > segment.own.rto() {
            (self.carried, self.reached) = (most, Some((now, 0)));
        } else {
            self.reached = Some((since, most));
        }
    }

    /// Whether the window holds more than a flight: it was never cut, and the flight is below the
    /// least initial window, or below what was in flight before, by more than what the tap's estimate
    /// of the loop may hide.
    pub(super) fn has_room(
        &self,
        flight: i64,
        segment: &Segment<'_>,
        parameters: &Parameters,
    ) -> bool {
        let board = segment.own;
        let mss = i64::from(board.mss_bytes());
        let blurred = clock(loop_of(board), parameters).as_secs_f64()
            / round_trip(board).as_secs_f64().max(f64::EPSILON);
        // Without a round trip nothing bounds what the estimate may hide.
        let margin = (2 * mss).saturating_add((self.carried as f64 * blurred) as i64);
        self.is_below_initial(flight, segment)
            || (self.is_uncut(segment) && flight.saturating_add(margin) <= self.carried)
    }

    /// Whether a flight is below the least window that a connection begins with (RFC 5681 section
    /// 3.1), and that was never cut.
    pub(super) fn is_below_initial(&self, flight: i64, segment: &Segment<'_>) -> bool {
        self.is_uncut(segment) && flight < least_initial_bytes(segment.own)
    }

    /// At the receiver's end nothing tells what the sender had in flight.
    fn is_uncut(&self, segment: &Segment<'_>) -> bool {
        !self.cut && sees_all(segment.own) && !is_at_receiver(segment)
    }

    /// A window that was never cut grows by half a segment in each round trip that it holds the
    /// sender for, at the least (RFC 5681 section 3.1, with every second segment acknowledged): after
    /// twice as many round trips as segments, a sender with less in flight is not held by it. A loss,
    /// a mark (RFC 3168), or a SYN sent again may have cut it; of a flow that the tap saw a part of,
    /// nobody knows.
    pub(super) fn grown_bytes(
        &self,
        board: &Scoreboard,
        now: Instant,
        parameters: &Parameters,
    ) -> i64 {
        if self.cut || !sees_all(board) {
            return 0;
        }
        let (Some(first), Some(_)) = (board.first_data(), board.rtt_min()) else { return 0 };
        let round_trips = 2.0 * parameters.uncut_segments;
        if (now - first).as_secs_f64() < round_trip(board).as_secs_f64() * round_trips {
            return 0;
        }
        (parameters.uncut_segments * f64::from(board.mss_bytes())) as i64
    }

    /// BBR's ProbeRTT: nothing is sent until an ACK has brought the flight down to four segments (BBR
    /// v1) or to half of the path's capacity (v3), within about a round trip, and then that much is
    /// kept. Gives how much, where a silence that an ACK ended may have been one.
    pub(super) fn drains(
        &mut self,
        flight: i64,
        silence: Duration,
        segment: &Segment<'_>,
    ) -> Option<i64> {
        let board = segment.own;
        let srtt = board.srtt()?;
        let four = PROBE_SEGMENTS * i64::from(board.mss_bytes());
        let is_four = flight <= four && self.carried >= 2 * four;
        let is_half = (0.4..=0.6).contains(&(flight as f64 / self.carried as f64));
        let left = flight > i64::from(segment.payload_bytes);
        let takes_so_long = silence > srtt.over(4) && silence <= srtt.times(3).over(2);
        if !left || !takes_so_long || !(is_four || is_half) {
            return None;
        }
        let most = if is_four { four } else { self.carried * 6 / 10 };
        self.probing = Some((segment.time + PROBE_RTT + srtt, most));
        Some(most)
    }

    /// Whether a flight is what ProbeRTT leaves of it.
    pub(super) fn probes_rtt(&self, flight: i64, now: Instant) -> bool {
        self.probing.is_some_and(|(until, most)| now <= until && flight <= most)
    }
}

/// Nothing of the flow was missed, so that nothing can have cut its window unseen.
fn sees_all(board: &Scoreboard) -> bool {
    board.is_synchronized() && board.acked_unseen_bytes() == 0
}

/// RFC 5681 section 3.1: IW is two to four segments.
fn least_initial_bytes(board: &Scoreboard) -> i64 {
    let mss = i64::from(board.mss_bytes());
    match mss {
        2191.. => 2 * mss,
        1096.. => 3 * mss,
        _ => 4 * mss,
    }
}
