//! Measures R_ss: the throughput in the second span after the last duplicate ACK, divided by the
//! throughput in the first span.

use airmile_track::Scoreboard;
use airmile_types::{Duration, Instant, Parameters};

/// A measurement after one duplicate ACK; each further duplicate ACK of the episode begins a new
/// measurement.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Probe {
    /// Time of the duplicate ACK.
    pub(super) since: Instant,
    /// The time at which the data that the sender sends in answer begins to pass the capture point;
    /// `None` when the round trip to the sender is unknown.
    from: Option<Instant>,
    fixed: Spans,
    /// The measurement in spans of one smoothed RTT (methods T8); `None` when the RTT is unknown.
    round: Option<Spans>,
}

/// The payload in two consecutive spans.
#[derive(Clone, Copy, Debug, PartialEq)]
struct Spans {
    length: Duration,
    bytes: [u64; 2],
}

/// What a measurement found.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Outcome {
    /// R_ss over the two spans of a fixed length.
    pub(super) fixed: Rss,
    /// R_ss over two spans of one smoothed RTT (methods T8).
    pub(super) round: Rss,
    /// The begin of the first and the end of the second span of a fixed length; `None` when the round
    /// trip to the sender is unknown.
    pub(super) spans: Option<(Instant, Instant)>,
}

/// The throughput in one span divided by that in the span before.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum Rss {
    /// The ratio; +inf when only the second span had payload.
    Ratio(f64),
    /// Neither span had payload, so there is nothing to compare.
    Silent,
    /// The capture or the flow ended, or another episode began, within the spans.
    Cut,
    /// The round trip from the capture point to the sender, or the RTT, is unknown.
    LoopUnknown,
}

impl Rss {
    /// R_ss, or `None` if it could not be measured.
    pub(super) const fn ratio(self) -> Option<f64> {
        if let Self::Ratio(ratio) = self { Some(ratio) } else { None }
    }

    /// Whether the sender was in slow start: the ratio exceeds `loss_episodes.rss_min_ratio`.
    pub(super) fn is_slow_start(self, parameters: &Parameters) -> bool {
        self.ratio().is_some_and(|ratio| ratio > parameters.rss_min_ratio)
    }

    /// Why there is no ratio; `None` when there is one.
    pub(super) const fn reason(self) -> Option<&'static str> {
        match self {
            Self::Ratio(_) => None,
            Self::Silent => Some("nothing_sent"),
            Self::Cut => Some("cut"),
            Self::LoopUnknown => Some("loop_unknown"),
        }
    }
}

impl Probe {
    /// Creates a measurement at a duplicate ACK; `board` is the scoreboard of the data.
    pub(super) fn new(now: Instant, board: &Scoreboard, parameters: &Parameters) -> Self {
        let shift = if parameters.rss_shift == 0.0 { Some(Duration::ZERO) } else { board.loop_time() };
        let length = Duration::from_secs_f64(parameters.rss_span_ms / 1e3);
        Self {
            since: now,
            from: shift.map(|shift| now + shift),
            fixed: Spans { length, bytes: [0; 2] },
            round: board.srtt().map(|length| Spans { length, bytes: [0; 2] }),
        }
    }

    /// Takes payload of the sender; retransmissions count too (methods C4).
    pub(super) fn on_payload(&mut self, now: Instant, bytes: u32) {
        let Some(from) = self.from else { return };
        self.fixed.add(now - from, bytes);
        if let Some(round) = &mut self.round {
            round.add(now - from, bytes);
        }
    }

    /// Whether every span is over.
    pub(super) fn is_over(&self, now: Instant) -> bool {
        let longest = self.round.map_or(self.fixed.length, |round| round.length.max(self.fixed.length));
        self.from.is_none_or(|from| now - from >= longest.times(2))
    }

    /// What the measurement found until `now`.
    pub(super) fn outcome(&self, now: Instant) -> Outcome {
        let Some(from) = self.from else {
            return Outcome { fixed: Rss::LoopUnknown, round: Rss::LoopUnknown, spans: None };
        };
        let of = |spans: &Spans| spans.outcome(now - from);
        Outcome {
            fixed: of(&self.fixed),
            round: self.round.as_ref().map_or(Rss::LoopUnknown, of),
            spans: Some((from, from + self.fixed.length.times(2))),
        }
    }
}

impl Spans {
    fn add(&mut self, age: Duration, bytes: u32) {
        if age < Duration::ZERO {
            return;
        }
        if age < self.length {
            self.bytes[0] += u64::from(bytes);
        } else if age < self.length.times(2) {
            self.bytes[1] += u64::from(bytes);
        }
    }

    fn outcome(&self, age: Duration) -> Rss {
        if age < self.length.times(2) {
            return Rss::Cut;
        }
        match self.bytes {
            [0, 0] => Rss::Silent,
            // The spans are equally long, so the ratio of throughputs is the ratio of bytes.
            [first, second] => Rss::Ratio(second as f64 / first as f64),
        }
    }
}
