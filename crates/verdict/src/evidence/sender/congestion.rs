//! What is known of a congestion window that nobody sees: how much it holds at the least.

use airmile_track::Segment;
use airmile_types::{Duration, Instant, Maybe};

/// The shortest retransmission timer (methods C5).
pub(super) const LEAST_RTO: Duration = Duration::from_millis(200);

/// The time for which, beside a round trip, ProbeRTT holds the flight down (BBR's
/// `BBR.ProbeRTTDuration`).
pub(super) const PROBE_RTT: Duration = Duration::from_millis(200);
/// The number of segments to which ProbeRTT reduces the flight (BBR v1, `BBRMinPipeCwnd`).
const PROBE_SEGMENTS: i64 = 4;

/// The congestion window of one sender.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Congestion {
    /// Whether it may have been cut, by a loss or a mark (RFC 3168).
    pub(super) cut: bool,
    /// The most in flight since the last silence, or since a period of one RTO that used less.
    carried: i64,
    /// The time at which that was last in flight, and the most since then.
    reached: (Maybe<Instant>, i64),
    /// While the sender measures the path: until when, and the most in flight meanwhile.
    pub(super) probing: Option<(Instant, i64)>,
}

/// The room in a window when a packet passes, as far as it is known.
#[derive(Clone, Copy, Debug)]
pub(super) struct Room {
    /// A flight below this is below the least window that a connection begins with.
    pub(super) initial: i64,
    /// A flight up to this is below what was in flight before.
    pub(super) carried: i64,
}

impl Room {
    /// The room of a window that may have been cut.
    pub(super) const UNKNOWN: Self = Self { initial: i64::MIN, carried: i64::MIN };

    /// Whether the window holds more than a flight: it was never cut, and the flight is below the
    /// least initial window, or below what was in flight before, by more than the estimate of the
    /// loop may hide.
    #[inline]
    pub(super) const fn has_room(self, flight: i64) -> bool {
        flight < self.initial || flight <= self.carried
    }

    /// Whether a flight is below the least window that a connection begins with (RFC 5681 section
    /// 3.1), in a window that was never cut.
    #[inline]
    pub(super) const fn is_below_initial(self, flight: i64) -> bool {
        flight < self.initial
    }
}

impl Congestion {
    /// Notes data that passes, with this flight as the sender knew it.
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

    /// The most in flight since the last silence, or since a period of one RTO that used less.
    #[inline]
    pub(super) const fn carried(&self) -> i64 {
        self.carried
    }

    /// The flight that BBR's ProbeRTT keeps, where a silence that an ACK ended may have been a
    /// ProbeRTT. Nothing is sent until an ACK has brought the flight down to four segments (BBR v1)
    /// or to half of the path's capacity (v3), within about a round trip, and then that much is
    /// kept.
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
    #[inline]
    pub(super) fn probes_rtt(&self, flight: i64, now: Instant) -> bool {
        self.probing.is_some_and(|(until, most)| now <= until && flight <= most)
    }
}

/// The least initial window: two to four segments (RFC 5681 section 3.1).
pub(super) const fn least_initial_bytes(mss: i64) -> i64 {
    match mss {
        2191.. => 2 * mss,
        1096.. => 3 * mss,
        _ => 4 * mss,
    }
}
