//! Event A3: a neighbour becomes better than the serving cell by an offset (TS 36.331 sections
//! 5.5.4.1 and 5.5.4.4).
//!
//! The cell-specific offsets and those of frequencies are 0: all cells are on one frequency.

use std::collections::BTreeMap;

use airmile_types::{Duration, Instant};

/// The event, with the state of each neighbour for which a condition holds.
#[derive(Clone, Debug)]
pub(super) struct EventA3 {
    offset_db: f64,
    hysteresis_db: f64,
    trigger: Duration,
    neighbours: BTreeMap<i64, State>,
}

/// The state of a neighbour. One without a state fulfils no condition.
#[derive(Clone, Copy, Debug, PartialEq)]
enum State {
    /// The condition of entering has held for all measurements since this time.
    Entering(Instant),
    /// The neighbour is reported.
    Triggered,
    /// The neighbour is reported, and the condition of leaving has held since this time.
    Leaving(Instant),
}

impl EventA3 {
    pub(super) const fn new(offset_db: f64, hysteresis_db: f64, trigger: Duration) -> Self {
        Self { offset_db, hysteresis_db, trigger, neighbours: BTreeMap::new() }
    }

    /// Takes the filtered levels of a measurement, in dB. Returns the strongest neighbour for which
    /// the event is triggered, which the phone reports.
    pub(super) fn measure(
        &mut self,
        now: Instant,
        serving_db: f64,
        neighbours: impl Iterator<Item = (i64, f64)>,
    ) -> Option<i64> {
        let before = std::mem::take(&mut self.neighbours);
        let mut best: Option<(i64, f64)> = None;
        for (number, db) in neighbours {
            let state = self.next(before.get(&number).copied(), now, db - serving_db);
            let Some(state) = state else { continue };
            self.neighbours.insert(number, state);
            if !matches!(state, State::Entering(_)) && best.is_none_or(|(_, most)| db > most) {
                best = Some((number, db));
            }
        }
        best.map(|(number, _)| number)
    }

    /// The state of a neighbour that is stronger than the serving cell by `ahead_db`.
    fn next(&self, before: Option<State>, now: Instant, ahead_db: f64) -> Option<State> {
        let enters = ahead_db - self.hysteresis_db > self.offset_db;
        let leaves = ahead_db + self.hysteresis_db < self.offset_db;
        let lasts = |since| now - since >= self.trigger;
        match before {
            None | Some(State::Entering(_)) if enters => {
                let since = if let Some(State::Entering(since)) = before { since } else { now };
                Some(if lasts(since) { State::Triggered } else { State::Entering(since) })
            }
            None | Some(State::Entering(_)) => None,
            Some(State::Triggered | State::Leaving(_)) if !leaves => Some(State::Triggered),
            Some(state) => {
                let since = if let State::Leaving(since) = state { since } else { now };
                (!lasts(since)).then_some(State::Leaving(since))
            }
        }
    }

    /// Whether the neighbour is among those for which the event is triggered.
    pub(super) fn is_triggered(&self, number: i64) -> bool {
        let state = self.neighbours.get(&number);
        state.is_some_and(|state| !matches!(state, State::Entering(_)))
    }

    /// Forgets all neighbours, as after a handover (TS 36.331 section 5.5.6.1).
    pub(super) fn clear(&mut self) {
        self.neighbours.clear();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The numbers that are reported when neighbour 1 is ahead by these levels, one each 200 ms.
    fn reports(trigger_ms: i64, ahead_db: &[f64]) -> Vec<bool> {
        let mut event = EventA3::new(2.0, 1.0, Duration::from_millis(trigger_ms));
        let mut at = 0;
        let mut report = |ahead: &f64| {
            at += 200;
            let now = Instant::from_nanos(at * 1_000_000);
            event.measure(now, -90.0, [(1, -90.0 + ahead)].into_iter()) == Some(1)
        };
        ahead_db.iter().map(&mut report).collect()
    }

    #[test]
    fn a_neighbour_enters_above_offset_and_hysteresis_and_leaves_below_their_difference() {
        // Entering needs more than 3 dB, leaving less than 1 dB; neither condition holds in between.
        let ahead = [3.0, 3.1, 1.0, 0.9, 2.0, 3.0, 3.1];
        assert_eq!(reports(0, &ahead), [false, true, true, false, false, false, true]);
    }

    #[test]
    fn the_condition_must_hold_for_all_measurements_of_the_time_to_trigger() {
        // Once it holds at 200 ms, the time to trigger has passed at 800 ms (480 ms and more).
        assert_eq!(reports(480, &[4.0, 4.0, 4.0, 4.0]), [false, false, false, true]);
        // The measurement at 600 ms does not enter, so that the time begins anew at 800 ms.
        let ahead = [4.0, 4.0, 2.0, 4.0, 4.0, 4.0, 4.0];
        assert_eq!(reports(480, &ahead), [false, false, false, false, false, false, true]);
        // Leaving takes as long, and is forgotten when its condition fails once.
        let ahead = [4.0, 4.0, 4.0, 4.0, 0.0, 0.0, 2.0, 0.0, 0.0, 0.0, 0.0];
        assert_eq!(reports(480, &ahead)[3..], [true, true, true, true, true, true, true, false]);
    }

    #[test]
    fn the_strongest_of_several_neighbours_is_reported() {
        let mut event = EventA3::new(3.0, 0.0, Duration::from_millis(0));
        let now = Instant::from_nanos(0);
        let levels = [(1, -86.0), (2, -85.0), (3, -88.0)];
        assert_eq!(event.measure(now, -90.0, levels.into_iter()), Some(2));
        assert!(event.is_triggered(1) && event.is_triggered(2) && !event.is_triggered(3));
        event.clear();
        assert!(!event.is_triggered(2));
    }
}
