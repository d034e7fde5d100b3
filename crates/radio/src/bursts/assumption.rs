//! Tests whether the assumption of the burst rule holds on a trace (methods G3, "Where the rule
//! fails").
//!
//! The rule assumes that a scheduler gives a whole millisecond to one user while the queue of that
//! user is not empty, and that the last millisecond of a burst takes less than 40 % of the PRBs.
//! The trace speaks against the assumption where time counts as busy, or as idle, only because of
//! the assumption:
//!
//! * Silence within a burst after a millisecond with 40 to 90 % of the PRBs. By the assumption no
//!   such millisecond occurs while data is left, so either the queue emptied (UNDERFLOW) or the
//!   millisecond was split among users (CONTENTION).
//! * Silence within a burst for longer than `bursts.contention_max_ms`, whatever came before it.
//!   Other users are hardly ever scheduled for that long without a break.
//! * Milliseconds outside of bursts that are directly followed by another scheduled one. None of
//!   them was full although data was left, so they were split among users.
//!
//! A lone millisecond outside of bursts does not count: by the assumption it emptied the queue. But
//! no allocation shows how long its data waited before, while other users were scheduled. If most
//! milliseconds are lone, the trace cannot show whether the rule is right.
//!
//! Input: scheduled milliseconds. Output: the time that depends on the assumption, and its share of
//! the time of activity. Bias: the result is an indication and not a bound. Short silences after
//! full milliseconds count as busy, although a queue may empty in a full millisecond too. An outage
//! of the link looks like a long silence although data waits.

use airmile_types::Parameters;

use super::rule::BurstTracker;
use crate::tti::Ms;

/// Whether the burst rule can be trusted on a log.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Trust {
    /// Little time depends on the assumption.
    Holds,
    /// More time depends on the assumption than can be trusted.
    DoesNotHold,
    /// The trace does not show whether the assumption holds.
    Unknown,
}

impl Trust {
    /// All values, in the order of their declaration.
    const ALL: [Self; 3] = [Self::Holds, Self::DoesNotHold, Self::Unknown];

    /// The value that a word in the output names; `None` for any other word.
    pub fn named(word: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|trust| trust.as_str() == word)
    }

    /// The word that names the value in the output.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Holds => "holds",
            Self::DoesNotHold => "does_not_hold",
            Self::Unknown => "unknown",
        }
    }
}

/// What the log shows about the assumption of the burst rule, in milliseconds.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Assumption {
    /// Busy time by the burst rule that no evidence contradicts.
    pub busy_ms: u64,
    /// Silence in bursts after milliseconds between the two thresholds.
    pub behind_partial_ms: u64,
    /// Silence in bursts that is too long to be due to the scheduling of other users.
    pub long_silence_ms: u64,
    /// Milliseconds outside of bursts that were directly followed by another scheduled one.
    pub split_ms: u64,
    /// Milliseconds outside of bursts that were followed by silence.
    pub lone_ms: u64,
    /// Scheduled milliseconds.
    pub scheduled_ms: u64,
    /// All milliseconds except silences longer than a second outside of bursts.
    pub activity_ms: u64,
    /// The number of bursts whose end is in the log.
    pub seen_ends: u64,
    /// The number of milliseconds with 40 % or more before a long silence. Each is probably the end
    /// of a burst that the rule missed.
    pub missed_ends: u64,
    /// The largest allowed share of time that depends on the assumption, and the largest allowed
    /// share of lone milliseconds.
    undecided_max_ratio: f64,
    lone_max_ratio: f64,
}

/// A transfer ends with a second of silence (methods T1), so that no transfer waits in a longer
/// silence.
const SILENCE_MS: u64 = 1000;

/// Tests the assumption of the burst rule on the scheduled milliseconds of a trace.
pub fn assumption(milliseconds: &[Ms], parameters: &Parameters) -> Assumption {
    let mut found = Assumption {
        undecided_max_ratio: parameters.undecided_max_ratio,
        lone_max_ratio: parameters.lone_max_ratio,
        ..Assumption::default()
    };
    let mut tracker = BurstTracker::new(parameters);
    let mut last: Option<Ms> = None;
    for ms in milliseconds {
        found.scheduled_ms += 1;
        let was_open = tracker.is_open();
        let ended = tracker.push(ms);
        if let Some(last) = last.filter(|_| !ms.after_gap) {
            let silence_ms = ms.tti.abs_diff(last.tti).saturating_sub(1);
            match (was_open, ended) {
                (true, None) => found.inside(&last, silence_ms, parameters),
                (true, Some(burst)) => found.end(burst.closed, silence_ms),
                (false, _) => found.outside(&last, silence_ms, parameters),
            }
        }
        last = Some(*ms);
    }
    found
}

impl Assumption {
    /// Counts a millisecond of a burst and the silence after it.
    fn inside(&mut self, ms: &Ms, silence_ms: u64, parameters: &Parameters) {
        self.activity_ms += 1 + silence_ms;
        self.busy_ms += 1;
        let full = ms.share.is_some_and(|share| share > parameters.burst_start_ratio);
        let long = silence_ms as f64 > parameters.contention_max_ms;
        self.missed_ends += u64::from(long);
        match (long, full) {
            (true, _) => self.long_silence_ms += silence_ms,
            (false, true) => self.busy_ms += silence_ms,
            (false, false) => self.behind_partial_ms += silence_ms,
        }
    }

    /// Counts the last millisecond of a burst and the silence after it.
    fn end(&mut self, closed: bool, silence_ms: u64) {
        self.activity_ms += 1 + idle(silence_ms);
        self.seen_ends += u64::from(closed);
    }

    /// Counts a millisecond outside of bursts and the silence after it.
    fn outside(&mut self, ms: &Ms, silence_ms: u64, parameters: &Parameters) {
        self.activity_ms += 1 + idle(silence_ms);
        let large = ms.share.is_none_or(|share| share >= parameters.burst_end_ratio);
        let long = silence_ms as f64 > parameters.contention_max_ms;
        self.missed_ends += u64::from(large && long);
        match silence_ms {
            0 => self.split_ms += 1,
            _ => self.lone_ms += 1,
        }
    }

    /// The time that depends on the assumption, in milliseconds.
    pub const fn undecided_ms(&self) -> u64 {
        self.behind_partial_ms + self.long_silence_ms + self.split_ms
    }

    /// The share of `undecided_ms` in the time of activity; `None` without activity.
    pub fn undecided_ratio(&self) -> Option<f64> {
        (self.activity_ms > 0).then(|| self.undecided_ms() as f64 / self.activity_ms as f64)
    }

    /// Whether the burst rule can be trusted on this log.
    pub fn trust(&self) -> Trust {
        let lone = self.lone_ms as f64 > self.lone_max_ratio * self.scheduled_ms as f64;
        match self.undecided_ratio() {
            Some(ratio) if ratio > self.undecided_max_ratio => Trust::DoesNotHold,
            Some(_) if !lone => Trust::Holds,
            _ => Trust::Unknown,
        }
    }

    /// The result in plain words.
    pub fn sentence(&self) -> String {
        let Some(ratio) = self.undecided_ratio() else {
            return "No allocations to test the burst rule's assumption on.".to_owned();
        };
        let percent = ratio * 100.0;
        match self.trust() {
            Trust::Holds => format!(
                "The burst rule's assumption holds here: {percent:.0} % of the time hangs on it."
            ),
            Trust::DoesNotHold => format!(
                "The burst rule's assumption does not hold here: {percent:.0} % of the time hangs \
                 on it, {}.",
                self.reason()
            ),
            Trust::Unknown => "Whether the burst rule's assumption holds here is unknown: most \
                               scheduled milliseconds stand alone and are not full, and what \
                               waited before them does not show."
                .to_owned(),
        }
    }

    /// What makes up most of the undecided time.
    fn reason(&self) -> &'static str {
        let most = self.behind_partial_ms.max(self.long_silence_ms).max(self.split_ms);
        if most == self.split_ms {
            "for milliseconds are split among users, or the flow never fills one"
        } else if most == self.long_silence_ms {
            "for bursts run on through silences too long to be the turns of others"
        } else {
            "for bursts run on behind milliseconds that were neither full nor nearly empty"
        }
    }
}

/// The part of a silence that may belong to a transfer, in milliseconds.
const fn idle(silence_ms: u64) -> u64 {
    if silence_ms > SILENCE_MS { 0 } else { silence_ms }
}

#[cfg(test)]
mod tests {
    use super::super::cases::script;
    use super::*;

    fn test(text: &str) -> Assumption {
        assumption(&script(text), &Parameters::default())
    }

    #[test]
    fn full_milliseconds_with_turns_of_others_hold() {
        let found = test("100x50 .x20 100x50 20 . 100x50 10 .x900 1");
        assert_eq!((found.undecided_ms(), found.trust()), (0, Trust::Holds));
        assert_eq!((found.busy_ms, found.seen_ends, found.missed_ends), (170, 2, 0));
        assert_eq!(found.activity_ms, 50 + 20 + 51 + 1 + 51 + 900);
    }

    #[test]
    fn silence_behind_a_partial_millisecond_is_undecided() {
        let found = test("100 70 .x40 100 70 .x40 100");
        assert_eq!((found.behind_partial_ms, found.busy_ms), (80, 4));
        assert_eq!(found.trust(), Trust::DoesNotHold);
        assert!(found.sentence().contains("95 %"), "{}", found.sentence());
    }

    #[test]
    fn a_long_silence_is_undecided_even_behind_a_full_one() {
        let found = test("100x10 .x101 100 .x100 100");
        assert_eq!((found.long_silence_ms, found.missed_ends, found.busy_ms), (101, 1, 111));
    }

    #[test]
    fn split_milliseconds_never_begin_a_burst() {
        let found = test("50x20 .x5 50 30x3 .x5 30");
        assert_eq!((found.split_ms, found.lone_ms, found.busy_ms), (19 + 3, 2, 0));
        assert_eq!(found.trust(), Trust::DoesNotHold);
        assert!(found.sentence().contains("split"));
    }

    #[test]
    fn what_waits_before_lone_milliseconds_does_not_show() {
        let found = test("10 .x30 60 .x30 9 .x30 8");
        assert_eq!((found.undecided_ms(), found.lone_ms, found.trust()), (0, 3, Trust::Unknown));
        let found = test("10 .x30 60 .x30 100x50 9 .x30 8");
        assert_eq!((found.lone_ms, found.trust()), (2, Trust::Holds));
    }

    #[test]
    fn what_lies_in_a_gap_is_no_silence() {
        let found = test("100 70 | .x5000 100 20 .x3 1");
        assert_eq!((found.undecided_ms(), found.busy_ms), (0, 2));
        assert_eq!(test("100").trust(), Trust::Unknown);
    }
}
