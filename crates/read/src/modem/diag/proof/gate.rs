//! Holds back the packets of one layout until checks on the log prove the layout.

use std::collections::BTreeMap;

use super::check::Check;
use super::doubt::{self, Share};
use super::held::Held;
use super::layout::Standing;
use crate::modem::report::Checked;

/// The number of checks that prove a layout. One check of sizes holds by chance in less than one of
/// a hundred cases.
const ENOUGH: u64 = 8;
/// The number of checks that prove a layout at the end of a log; the chance that three hold is one
/// in a million.
const ENOUGH_AT_END: u64 = 3;

/// The greatest number of packets that wait, and of their bytes.
const MOST_HELD: usize = 4096;
const MOST_HELD_BYTES: usize = 4 << 20;

/// The number of messages of a proved layout that are all checked. After them, one in [`STRIDE`] is
/// checked, which keeps reading fast. Of other layouts every message is checked, because the records
/// that deviate are left out.
const IN_FULL: u64 = 1000;
const STRIDE: u64 = 16;

/// Whether packets wait for the proof of their layout, are read, or are refused.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum State {
    Waiting,
    Open,
    Shut,
}

/// Holds packets back until their layout is proved.
pub(super) struct Gate {
    standing: Standing,
    state: State,
    checks: BTreeMap<Check, Checked>,
    offered: u64,
    held: Vec<Held>,
    held_bytes: usize,
    refused: u64,
    /// Whether the gate was open before it was shut; records that were read until then are kept.
    read_before: bool,
}

impl Gate {
    pub(super) fn new(standing: Standing) -> Self {
        let proved = standing == Standing::Proved;
        Self {
            standing,
            state: if proved { State::Open } else { State::Waiting },
            checks: BTreeMap::new(),
            offered: 0,
            held: Vec::new(),
            held_bytes: 0,
            refused: 0,
            read_before: false,
        }
    }

    /// Whether the next message must be checked.
    pub(super) fn is_due(&mut self) -> bool {
        self.offered += 1;
        match self.state {
            State::Waiting => true,
            State::Open if self.leaves_out() => true,
            State::Open => self.offered <= IN_FULL || self.offered.is_multiple_of(STRIDE),
            State::Shut => false,
        }
    }

    pub(super) fn is_open(&self) -> bool {
        self.state == State::Open
    }

    pub(super) fn count(&mut self, check: Check, held: bool) {
        let checked = self.checks.entry(check).or_default();
        if held {
            checked.passed += 1;
        } else {
            checked.failed += 1;
        }
    }

    /// Whether records that contradict the layout are left out. A proved layout is certain, so that
    /// only its check can be wrong.
    pub(super) fn leaves_out(&self) -> bool {
        self.standing != Standing::Proved
    }

    /// Opens or shuts the gate if the checks decide; at the end of the log they must. An open gate
    /// whose layout was not proved before is shut as soon as one kind of check fails.
    pub(super) fn settle(&mut self, ended: bool) -> State {
        if self.state == State::Open && self.leaves_out() {
            let doubt = if ended { doubt::at_end } else { doubt::while_open };
            self.read_before = self.failing(doubt).is_some();
            if self.read_before {
                self.state = State::Shut;
            }
        } else if self.state == State::Waiting {
            let full = self.held.len() >= MOST_HELD || self.held_bytes >= MOST_HELD_BYTES;
            self.state = self.decide(ended || full);
            if self.state == State::Shut {
                self.refused += self.held.len() as u64;
                self.held = Vec::new();
            }
        }
        self.state
    }

    fn decide(&self, last: bool) -> State {
        let doubt = if last { doubt::at_end } else { doubt::while_waiting };
        if self.failing(doubt).is_some() {
            return State::Shut;
        }
        let enough = if last { ENOUGH_AT_END } else { ENOUGH };
        let agrees = last || self.failing(doubt::before_opening).is_none();
        if agrees && self.evidence() >= enough {
            return State::Open;
        }
        match (last, self.standing) {
            (false, _) => State::Waiting,
            (true, Standing::Sampled) => State::Open,
            (true, _) => State::Shut,
        }
    }

    /// The kind of check that fails, as `fails` decides from the number that held and of all.
    fn failing(&self, fails: fn(Share) -> bool) -> Option<(Check, Checked)> {
        let all = self.checks.iter().filter(|(check, _)| **check != Check::Counter);
        let share = |checked: &Checked| Share::new(checked.passed, checked.failed);
        all.map(|(check, checked)| (*check, *checked)).find(|(_, checked)| fails(share(checked)))
    }

    /// The number of checks that held and are evidence for the layout.
    fn evidence(&self) -> u64 {
        let evidence = self.checks.iter().filter(|(check, _)| check.is_evidence());
        evidence.map(|(_, checked)| checked.passed).sum()
    }

    pub(super) fn hold(&mut self, held: Held) {
        self.held_bytes += held.payload.len();
        self.held.push(held);
    }

    /// Removes and returns the packets that waited.
    pub(super) fn release(&mut self) -> Vec<Held> {
        std::mem::take(&mut self.held)
    }

    pub(super) fn refuse_one(&mut self) {
        self.refused += 1;
    }

    pub(super) const fn refused(&self) -> u64 {
        self.refused
    }

    pub(super) fn checks(&self) -> impl Iterator<Item = (Check, Checked)> {
        self.checks.iter().map(|(check, checked)| (*check, *checked))
    }

    /// The reason why the packets of this layout are not used.
    pub(super) fn refusal(&self) -> Option<String> {
        if self.state != State::Shut {
            return None;
        }
        // Every kind that refused a layout before the end would refuse it there.
        let refusing = self.failing(doubt::at_end);
        Some(match refusing.or_else(|| self.failing(doubt::before_opening)) {
            Some((check, Checked { passed, failed })) => {
                let all = passed + failed;
                let kept = if self.read_before { "; what was read before is kept" } else { "" };
                format!("the check {} held in {passed} of {all}{kept}", check.as_str())
            }
            None => {
                let held = self.evidence();
                format!("a layout that no log has proved, and {held} checks are too few to")
            }
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn opened(standing: Standing) -> Gate {
        let mut gate = Gate::new(standing);
        for _ in 0..ENOUGH {
            gate.count(Check::Size, true);
        }
        assert_eq!(gate.settle(false), State::Open);
        for _ in 0..20 {
            gate.count(Check::Size, false);
        }
        gate
    }

    fn at_end(standing: Standing, passed: u64, failed: u64) -> State {
        let mut gate = Gate::new(standing);
        (0..failed).for_each(|_| gate.count(Check::Size, false));
        (0..passed).for_each(|_| gate.count(Check::Size, true));
        gate.settle(true)
    }

    #[test]
    fn a_short_log_keeps_a_layout_unless_its_records_show_that_a_tenth_deviates() {
        for (passed, failed) in [(19, 3), (15, 7), (7, 2), (2, 1), (1, 0), (0, 0)] {
            assert_eq!(at_end(Standing::Sampled, passed, failed), State::Open, "{passed} {failed}");
        }
        for (passed, failed) in [(11, 11), (14, 8), (1, 2), (1, 1), (0, 1)] {
            assert_eq!(at_end(Standing::Sampled, passed, failed), State::Shut, "{passed} {failed}");
        }
        assert_eq!(at_end(Standing::Published, 2, 0), State::Shut);
    }

    #[test]
    fn the_refusal_names_the_check_that_refused() {
        // One clock in four may be chance; twelve levels are not.
        let mut gate = Gate::new(Standing::Sampled);
        (0..3).for_each(|_| gate.count(Check::Clock, true));
        gate.count(Check::Clock, false);
        (0..12).for_each(|_| gate.count(Check::Level, false));
        assert_eq!(gate.settle(true), State::Shut);
        assert_eq!(gate.refusal().unwrap_or_default(), "the check level held in 0 of 12");
    }

    #[test]
    fn a_layout_waits_while_records_at_the_start_of_a_log_deviate() {
        let mut gate = Gate::new(Standing::Sampled);
        (0..10).for_each(|_| gate.count(Check::Clock, false));
        assert_eq!(gate.settle(false), State::Waiting);
        (0..90).for_each(|_| gate.count(Check::Clock, true));
        assert_eq!(gate.settle(false), State::Open);
    }

    #[test]
    fn every_message_of_a_layout_that_leaves_records_out_is_checked() {
        let due = |standing| {
            let mut gate = opened(standing);
            (0..2 * IN_FULL).filter(|_| gate.is_due()).count() as u64
        };
        assert_eq!(due(Standing::Sampled), 2 * IN_FULL);
        assert_eq!(due(Standing::Proved), IN_FULL + IN_FULL.div_ceil(STRIDE));
    }

    #[test]
    fn an_open_layout_that_fails_later_is_shut() {
        let mut gate = opened(Standing::Sampled);
        assert_eq!(gate.settle(false), State::Shut);
        let reason = gate.refusal().unwrap_or_default();
        assert_eq!(reason, "the check size held in 8 of 28; what was read before is kept");
    }

    #[test]
    fn a_proved_layout_stays_open() {
        assert_eq!(opened(Standing::Proved).settle(false), State::Open);
    }
}
