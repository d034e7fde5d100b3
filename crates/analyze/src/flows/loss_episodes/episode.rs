//! Follows one loss episode until all its values are known.

use airmile_track::{Scoreboard, Segment, SegmentClass};
use airmile_types::{Direction, Duration, Instant, Parameters};

use super::repeats::Repeats;
use super::row::LossEpisodeRow;
use super::rss::Outcome;

/// What is known of an episode so far.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Episode {
    pub(super) row: LossEpisodeRow,
    /// Whether a long train of duplicate ACKs ended in the episode. `Some(Some(_))` contains
    /// what was measured after the last train.
    pub(super) trained: Option<Option<Outcome>>,
    mss_bytes: u32,
    undo: Option<Undo>,
    repeats: Repeats,
}

/// Whether the sender undid the timeout (methods C4), judged by its flight within two round trips after the ACK
/// that showed the timeout to be spurious. A sender that undoes the timeout has its window again;
/// another sender sends at most its slow-start threshold (RFC 3522, RFC 5682).
#[derive(Clone, Copy, Debug, PartialEq)]
struct Undo {
    /// TSval of the retransmission.
    tsval: Option<u32>,

    /// The first offset of the retransmission, and the offset after it.
    repeat: (i64, i64),
    /// Whether nothing shows that the timeout was spurious.
    needed: bool,
    /// The highest byte sent before the timeout. Unacknowledged bytes below it may be lost, and do
    /// not count as in flight.
    recover: i64,
    within: Option<(Instant, Instant)>,
    flight_bytes: i64,
}

impl Episode {
    /// Creates an episode from the packet that shows the first sign of loss.
    pub(super) fn new(segment: &Segment<'_>, direction: Direction, board: &Scoreboard, since: Instant) -> Self {
        let row = LossEpisodeRow {
            uid: segment.flow.uid,
            direction,
            start_ns: since,
            end_ns: segment.time,
            length_ms: 0.0,
            closed: false,
            in_flight_bytes: board.in_flight_bytes(),
            lost_here: 0,
            lost_upstream: 0,
            retransmissions: 0,
            duplicate_acks: 0,
            duplicate_ack_equivalents: 0.0,
            sacked_bytes: 0,
            rtt_ms: board.srtt().map(Duration::as_millis_f64),
            rto_ms: board.srtt().map(|_| board.rto().as_millis_f64()),
            timeouts_seen: 0,
            timeout_undone: None,
            repeated_bytes: None,
            repeats: None,
            size_acked: None,
            smaller_bytes: None,
            rss_ratio: None,
            rss_loop_ratio: None,
            rss_reason: None,
            rss_start_ns: None,
            rss_end_ns: None,
            rss_long_rtt: false,
            undesired_slow_start: false,
        };
        Self { row, trained: None, mss_bytes: board.mss_bytes().max(1), undo: None, repeats: Repeats::default() }
    }

    /// Takes a packet of the sender while the episode is open.
    pub(super) fn on_sender(&mut self, segment: &Segment<'_>) {
        use SegmentClass::{Retransmission, Spurious, TailProbe, UpstreamLoss};
        let Some(class) = segment.class else { return };
        let row = &mut self.row;
        row.retransmissions += u32::from(matches!(class, Retransmission | Spurious | TailProbe | UpstreamLoss));
        row.lost_here += u32::from(class == Retransmission);
        row.lost_upstream += u32::from(class == UpstreamLoss);
        self.repeats.on_sender(segment);
        if segment.timeout {
            row.timeouts_seen += 1;
            self.undo.get_or_insert(Undo {
                tsval: segment.timestamps.map(|stamps| stamps.value),
                repeat: (segment.start, segment.end),
                needed: false,
                recover: segment.own.next(),
                within: None,
                flight_bytes: 0,
            });
        }
    }

    /// Takes a packet of the receiver while the episode is open.
    pub(super) fn on_receiver(&mut self, segment: &Segment<'_>) {
        self.row.duplicate_acks += u32::from(segment.duplicate_ack.is_some());
        self.row.sacked_bytes += segment.sacked_bytes as i64;
        self.repeats.on_receiver(segment);
        if segment.unneeded_retransmission {
            self.unneeded();
        }
    }

    /// Takes a D-SACK, which shows that retransmitted bytes had not been lost.
    pub(super) const fn unneeded(&mut self) {
        self.row.lost_here = self.row.lost_here.saturating_sub(1);
    }

    /// Checks whether a timeout is undone; continues after the end of the episode.
    pub(super) fn watch(&mut self, segment: &Segment<'_>, is_sender: bool, board: &Scoreboard) {
        let Some(undo) = &mut self.undo else { return };
        match undo.within {
            None if !is_sender && (segment.acked_bytes > 0 || segment.dsack.is_some()) => {
                undo.needed = !undo.is_spurious(segment);
                let from = segment.time + board.loop_time().unwrap_or(Duration::ZERO);
                let round_trip = board.srtt().unwrap_or_else(|| board.rto());
                undo.within = Some((from, from + round_trip.times(2)));
            }
            // A D-SACK may follow the ACK (RFC 2883 section 4).
            Some((_, to)) if !is_sender && segment.time < to => {
                undo.needed &= !undo.came_twice(segment);
            }
            Some((from, to)) if is_sender && from <= segment.time && segment.time < to => {
                let flight = board.next() - board.ack_known(segment.time).max(undo.recover);
                undo.flight_bytes = undo.flight_bytes.max(flight);
            }
            _ => {}
        }
    }

    pub(super) fn close(&mut self, now: Instant, closed: bool) {
        // The clock may have stepped back since the start.
        let end = now.max(self.row.start_ns);
        self.row.end_ns = end;
        self.row.length_ms = (end - self.row.start_ns).as_millis_f64();
        self.row.closed = closed;
    }

    pub(super) fn holds(&self, time: Instant) -> bool {
        self.row.start_ns <= time && time <= self.row.end_ns
    }

    /// Whether it is decided that the timeout was undone or not; also true when there was no
    /// timeout.
    pub(super) fn is_decided(&self, now: Instant) -> bool {
        self.undo.is_none_or(|undo| undo.within.is_some_and(|(_, to)| now >= to))
    }

    /// The complete row.
    pub(super) fn into_row(mut self, now: Instant, parameters: &Parameters) -> LossEpisodeRow {
        let decided = self.is_decided(now);
        let row = &mut self.row;
        self.repeats.write(row);
        row.duplicate_ack_equivalents = row.sacked_bytes as f64 / f64::from(self.mss_bytes);
        row.rss_reason = match self.trained {
            None => Some("no_train"),
            Some(None) => Some("joined_next"),
            Some(Some(outcome)) => outcome.fixed.reason(),
        };
        if let Some(Some(Outcome { fixed, round, spans })) = self.trained {
            row.rss_ratio = fixed.ratio();
            row.rss_loop_ratio = round.ratio();
            (row.rss_start_ns, row.rss_end_ns) = spans.unzip();
            row.undesired_slow_start = fixed.is_slow_start(parameters);
            row.rss_long_rtt = row.rtt_ms.is_some_and(|rtt_ms| rtt_ms > parameters.rss_span_ms);
        }
        let enough = parameters.undone_ratio * row.in_flight_bytes as f64;
        let undone = |undo: Undo| !undo.needed && undo.flight_bytes as f64 >= enough;
        // Without a flight before the timeout, no window can be restored.
        let known = decided && row.in_flight_bytes > 0;
        row.timeout_undone = self.undo.filter(|_| known).map(undone);
        self.row
    }
}

impl Undo {
    /// Whether the ACK shows that the timeout was spurious: it echoes a packet older than the
    /// retransmission, or reports that the retransmitted bytes arrived twice. Without timestamps
    /// and SACK, only the flight decides.
    fn is_spurious(&self, segment: &Segment<'_>) -> bool {
        let sacks = |direction| segment.flow.options(direction).is_some_and(|options| options.sack);
        let older = segment.timestamps.zip(self.tsval).map(|(stamps, value)| (stamps.echo.wrapping_sub(value) as i32) < 0);
        let may_report = sacks(segment.direction) && sacks(segment.direction.reverse());
        self.came_twice(segment) || older.unwrap_or(!may_report)
    }

    /// Whether a D-SACK reports the bytes of this retransmission, and not those of another segment.
    fn came_twice(&self, segment: &Segment<'_>) -> bool {
        segment.dsack.is_some_and(|(left, right)| left < self.repeat.1 && self.repeat.0 < right)
    }
}
