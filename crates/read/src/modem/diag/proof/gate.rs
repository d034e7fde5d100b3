//! Holds back the packets of one layout until checks on the log prove the layout.

use std::collections::BTreeMap;

use super::check::Check;
use super::held::Held;
use super::layout::Standing;
use crate::modem::report::Checked;

/// The number of checks that prove a layout. One check of sizes holds by chance in less than one of
/// a hundred cases.
const ENOUGH: u64 = 8;
/// The number of checks that prove a layout at the end of a log; the chance that three hold is one
/// in a million.
const ENOUGH_AT_END: u64 = 3;
/// After this number of checks of one kind, that kind can fail.
const FAIR: u64 = 20;
/// The least number of checks, out of ten, that hold for a right layout. Sizes that are not in the
/// tables, and messages that were only partly logged, occur less often.
const OF_TEN: u64 = 9;

/// The greatest number of packets that wait, and of their bytes.
const MOST_HELD: usize = 4096;
const MOST_HELD_BYTES: usize = 4 << 20;

/// The number of messages that are all checked. After them, one in [`STRIDE`] is checked, which
/// keeps reading fast.
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

    /// Opens or shuts the gate if the checks decide; at the end of the log they must. An open gate
    /// whose layout was not proved before is shut as soon as one kind of check fails.
    pub(super) fn settle(&mut self, ended: bool) -> State {
        if self.state == State::Open && self.standing != Standing::Proved {
            self.read_before = self.failing(FAIR).is_some();
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
        let (enough, fair) = if last { (ENOUGH_AT_END, ENOUGH_AT_END) } else { (ENOUGH, FAIR) };
        if self.failing(fair).is_some() {
            return State::Shut;
        }
        let holds = self.failing(1).is_none();
        if holds && self.evidence() >= enough {
            return State::Open;
        }
        match (last, self.standing) {
            (false, _) => State::Waiting,
            (true, Standing::Sampled) if holds => State::Open,
            (true, _) => State::Shut,
        }
    }

    /// The kind of check that fails, among those with at least `made` checks.
    fn failing(&self, made: u64) -> Option<(Check, Checked)> {
        let fails = |checked: &Checked| {
            let all = checked.passed + checked.failed;
            all >= made && checked.passed * 10 < all * OF_TEN
        };
        let all = self.checks.iter().filter(|(check, _)| **check != Check::Counter);
        all.map(|(check, checked)| (*check, *checked)).find(|(_, checked)| fails(checked))
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
        let failing = self.failing(if self.read_before { FAIR } else { 1 });
        Some(match failing {
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
        for _ in 0..FAIR {
            gate.count(Check::Size, false);
        }
        gate
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
