//! Keeps what is still to be judged about a sender's newest data. Its congestion window is judged
//! when the bin of that data is complete or read, not with every packet.

use airmile_track::{Scoreboard, Segment};
use airmile_types::{Duration, Instant, Maybe};

use super::congestion::{Congestion, Room, least_initial_bytes};
use super::counters::NEVER_CUT;
use super::sent::Sent;
use crate::evidence::limits::Limits;
use crate::evidence::timeline::BIN;

/// The newest data, and what the sender and the capture point knew when it passed.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Newest {
    time: Maybe<Instant>,
    /// The bytes that the sender knew to be in flight, this data included.
    pub(super) flight: i64,
    pub(super) acked: i64,
    pub(super) mss: i64,
    /// No full segment is shorter, whatever the sizes that have passed so far.
    least_full_bytes: u32,
    /// The bytes in flight between capture point and receiver.
    pub(super) in_flight: i64,
    loop_time: Duration,
    rtt_min: Maybe<Duration>,
    first_data: Maybe<Instant>,
    carried: i64,
    /// The time at which a loss or a mark may last have reduced the congestion window.
    cut: Maybe<Instant>,
    /// Whether nothing can have reduced it.
    uncut: bool,
    at_receiver: bool,
}

impl Newest {
    #[inline]
    pub(super) fn new(segment: &Segment<'_>, sent: &Sent, congestion: &Congestion) -> Self {
        let board = segment.own;
        Self {
            time: segment.time.into(),
            flight: sent.flight,
            acked: sent.acked,
            mss: sent.mss,
            least_full_bytes: least_full_bytes(board),
            in_flight: board.in_flight_bytes(),
            loop_time: sent.loop_time,
            rtt_min: board.rtt_min().into(),
            first_data: board.first_data().into(),
            carried: congestion.carried(),
            cut: congestion.cut,
            uncut: !congestion.cut.is_some() && sees_all(board),
            at_receiver: sent.at_receiver,
        }
    }

    /// The time at which the data passed; that of the epoch before any data.
    #[inline]
    pub(super) fn time(&self) -> Instant {
        self.last().unwrap_or_default()
    }

    /// The time at which the data passed, if any has.
    #[inline]
    pub(super) fn last(&self) -> Option<Instant> {
        self.time.get()
    }

    /// The number of bins from the last reduction of the window until this data.
    pub(super) fn bins_since_cut(&self) -> u8 {
        let bins = self.cut.get().map(|at| self.time().bin(BIN) - at.bin(BIN));
        bins.and_then(|bins| u8::try_from(bins.max(0)).ok()).unwrap_or(NEVER_CUT)
    }

    /// The length of a full segment, at the least.
    pub(super) fn full_bytes(&self) -> i64 {
        self.mss.max(self.least_full_bytes.into())
    }

    /// The round trip between capture point and sender.
    pub(super) const fn loop_time(&self) -> Duration {
        self.loop_time
    }

    /// The least round trip of the whole path, as far as it is known.
    pub(super) fn round_trip(&self) -> Duration {
        self.rtt_min.get().unwrap_or(Duration::ZERO) + self.loop_time
    }

    /// The room in a window that was never reduced. For a capture at the receiver the room is
    /// unknown, because nothing there shows what the sender had in flight.
    pub(super) fn room(&self, limits: &Limits) -> Room {
        if self.at_receiver || !self.uncut {
            return Room::UNKNOWN;
        }
        let initial = least_initial_bytes(self.mss);
        let two = 2 * self.mss;
        // If fewer than two segments separate the data in flight from the most that the flow
        // carried, there is no room, whatever the error of the estimate.
        if self.flight.saturating_add(two) > self.carried {
            return Room { initial, ..Room::UNKNOWN };
        }
        let clock = limits.ack_clock + self.loop_time.over(20);
        let round_trip = self.round_trip();
        let blurred = clock.as_secs_f64() / round_trip.as_secs_f64().max(f64::EPSILON);
        // If the round trip is unknown, the error has no bound.
        let margin = two.saturating_add((self.carried as f64 * blurred) as i64);
        Room { initial, carried: self.carried.saturating_sub(margin) }
    }

    /// Whether the window had room for more data than this.
    pub(super) fn had_room(&self, limits: &Limits) -> bool {
        self.room(limits).has_room(self.flight)
    }

    /// Whether the least initial window alone had room for more data. Some senders stay below it.
    pub(super) fn began_small(&self, limits: &Limits) -> bool {
        self.room(limits).is_below_initial(self.flight)
    }

    /// The size to which a window that was never reduced has grown at least. The window grows by
    /// half a segment in each round trip in which it stops the sender (RFC 5681 section 3.1, with
    /// every second segment acknowledged). So after twice as many round trips as segments, a sender
    /// with less in flight is not stopped by its window. Nothing is known when a loss, a mark (RFC
    /// 3168) or a retransmitted SYN may have reduced the window, or when the capture contains only
    /// a part of the flow.
    pub(super) fn grown_bytes(&self, limits: &Limits) -> i64 {
        let (Some(first), Some(least)) = (self.first_data.get(), self.rtt_min.get()) else {
            return 0;
        };
        let round_trip = least + self.loop_time;
        let round_trips = 2.0 * limits.uncut_segments;
        let age = self.time() - first;
        if !self.uncut || age.as_secs_f64() < round_trip.as_secs_f64() * round_trips {
            return 0;
        }
        (limits.uncut_segments * self.mss as f64) as i64
    }
}

/// No full segment is shorter than the default MSS, unless a shorter one was announced (RFC 9293 section
/// 3.7.1).
fn least_full_bytes(board: &Scoreboard) -> u32 {
    const DEFAULT: u32 = 536;
    board.most_payload().map_or(DEFAULT, |most| most.min(DEFAULT))
}

/// Whether the capture missed nothing of the flow, so that nothing unseen can have reduced the
/// window.
#[inline]
fn sees_all(board: &Scoreboard) -> bool {
    board.is_synchronized() && board.acked_unseen_bytes() == 0
}
