//! Estimates the congestion window, which no packet shows: how many bytes it allows at least.

use airmile_track::{Scoreboard, Segment};
use airmile_types::{Duration, Instant, Maybe};

/// The shortest retransmission timer (methods C5).
pub(super) const LEAST_RTO: Duration = Duration::from_millis(200);

/// How long ProbeRTT keeps the flight low, at least (BBR's `BBR.ProbeRTTDuration`).
const PROBE_RTT: Duration = Duration::from_millis(200);
/// The number of segments to which ProbeRTT reduces the flight (BBR v1, `BBRMinPipeCwnd`).
const PROBE_SEGMENTS: i64 = 4;

/// The congestion window of one sender.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Congestion {
    /// The time at which a loss or a mark (RFC 3168) may last have reduced the window.
    pub(super) cut: Maybe<Instant>,
    /// The most bytes in flight since the last silence, or since the last period of one RTO with
    /// less in flight.
    carried: i64,
    /// The time at which that many bytes were last in flight, and the most in flight since then.
    reached: (Maybe<Instant>, i64),
    /// While the sender measures the path: the end of the measurement, and the most in flight until
    /// then.
    pub(super) probing: Option<(Instant, i64)>,
}

/// The room in the congestion window when a packet passes, as far as it is known.
#[derive(Clone, Copy, Debug)]
pub(super) struct Room {
    /// A flight below this number of bytes is smaller than the least initial window of a
    /// connection.
    pub(super) initial: i64,
    /// A flight of up to this number of bytes is smaller than an earlier flight was.
    pub(super) carried: i64,
}

impl Room {
    /// The room of a window that may have been reduced: none is known.
    pub(super) const UNKNOWN: Self = Self { initial: i64::MIN, carried: i64::MIN };

    /// Whether the window allows more than this flight. That is so when the window was never
    /// reduced, and the flight is smaller than the least initial window or than an earlier flight,
    /// by more than the error of the estimated round trip can hide.
    #[inline]
    pub(super) const fn has_room(self, flight: i64) -> bool {
        flight < self.initial || flight <= self.carried
    }

    /// Whether a flight is smaller than the least initial window of a connection (RFC 5681 section
    /// 3.1), in a window that was never reduced.
    #[inline]
    pub(super) const fn is_below_initial(self, flight: i64) -> bool {
        flight < self.initial
    }
}

impl Congestion {
    /// Notes data that passes; `flight` is what the sender knew to be in flight.
    #[inline]
    pub(super) fn note(&mut self, flight: i64, rested: bool, segment: &Segment<'_>) {
        let now = segment.time;
        if rested {
            self.carried = 0;
        }
        if self.probing.is_some() && !self.probes_rtt(flight, now) {
            self.probing = None;
        }
        if flight >= self.carried {
            (self.carried, self.reached) = (flight, (now.into(), 0));
            return;
        }
        let (since, most) = (self.reached.0.get().unwrap_or(now), self.reached.1);
        let most = most.max(flight);
        if now - since > LEAST_RTO && now - since > segment.own.rto() {
            (self.carried, self.reached) = (most, (now.into(), 0));
        } else {
            self.reached = (since.into(), most);
        }
    }

    /// The most bytes in flight since the last silence, or since the last period of one RTO with
    /// less in flight.
    #[inline]
    pub(super) const fn carried(&self) -> i64 {
        self.carried
    }

    /// The flight that BBR's ProbeRTT keeps, when a silence that an ACK ended may have been a
    /// ProbeRTT. In ProbeRTT the sender sends nothing until ACKs have reduced the flight to four
    /// segments (BBR v1) or to half of the path's capacity (v3), which takes about a round trip. It
    /// then keeps that flight.
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
        // The ACKs of the last data of ProbeRTT come a round trip later.
        self.probing = Some((segment.time + probe_rtt(board) + srtt, most));
        Some(most)
    }

    /// Whether a flight is as small as ProbeRTT keeps it.
    #[inline]
    pub(super) fn probes_rtt(&self, flight: i64, now: Instant) -> bool {
        self.probing.is_some_and(|(until, most)| now <= until && flight <= most)
    }
}

/// How long ProbeRTT keeps the flight low: for 0.2 s, and for a round trip
/// (draft-cardwell-iccrg-bbr-congestion-control-00 section 4.3.5).
pub(super) fn probe_rtt(board: &Scoreboard) -> Duration {
    board.srtt().unwrap_or_default().max(PROBE_RTT)
}

/// The least initial window: two to four segments (RFC 5681 section 3.1).
pub(super) const fn least_initial_bytes(mss: i64) -> i64 {
    match mss {
        2191.. => 2 * mss,
        1096.. => 3 * mss,
        _ => 4 * mss,
    }
}
