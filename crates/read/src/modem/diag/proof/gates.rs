//! Holds the gates of all layouts of a log, which decide which packets are read.

use std::collections::BTreeMap;

use super::air::Air;
use super::bench::Bench;
use super::check::{Check, Layout, Outcome};
use super::gate::{Gate, State};
use super::held::Held;
use super::layout::Proof;
use crate::modem::clock::Clocks;
use crate::modem::diag::packet::{Deviating, LogPacket};
use crate::modem::report::{Checked, Notes, Refused};

/// What to do with a packet.
pub(crate) enum Pass {
    /// Read the packet without its deviating records, after those that waited.
    Read(Vec<Held>, Deviating),
    /// Keep the packet until its layout is proved or refused.
    Hold,
    /// Skip the packet, because its layout is refused.
    Refuse,
}

impl Pass {
    /// Read the whole packet, for which no other waits.
    pub(crate) const ALL: Self = Self::Read(Vec::new(), Deviating::NONE);
}

/// The gates of a log, and what its messages report about the same subframes.
#[derive(Default)]
pub(crate) struct Gates {
    gates: BTreeMap<Layout, Gate>,
    air: Air,
    outcomes: Vec<Outcome>,
}

impl Gates {
    /// Checks a packet of the message at `index`, and returns what to do with the packet.
    pub(crate) fn offer(
        &mut self,
        index: usize,
        proof: &Proof,
        packet: &LogPacket<'_>,
        clocks: &Clocks,
    ) -> Pass {
        let version = (proof.version)(packet.payload);
        let known = version.and_then(|version| Some((version, (proof.standing)(version)?)));
        let Some((version, standing)) = known else { return Pass::ALL };
        let layout = (index, version);
        let gate = self.gates.entry(layout).or_insert_with(|| Gate::new(standing));
        let mut deviating = Deviating::NONE;
        if gate.is_due() {
            let leaves_out = gate.leaves_out();
            let sure = gate.is_open();
            let mut bench =
                Bench::new(layout, sure, packet, &mut self.air, clocks, &mut self.outcomes);
            let shape = (proof.check)(packet, &mut bench).is_ok();
            if leaves_out {
                deviating = bench.deviating();
            }
            self.outcomes.push((layout, Check::Shape, shape));
            self.apply();
        }
        let Some(gate) = self.gates.get_mut(&layout) else { return Pass::ALL };
        match gate.settle(false) {
            State::Open => Pass::Read(gate.release(), deviating),
            State::Shut => {
                gate.refuse_one();
                Pass::Refuse
            }
            State::Waiting => {
                gate.hold(Held::new(packet, deviating));
                Pass::Hold
            }
        }
    }

    /// Decides about the layouts that still wait at the end of the log; returns the packets that
    /// must be read.
    pub(crate) fn end(&mut self) -> Vec<Held> {
        self.outcomes.extend(self.air.counters());
        self.apply();
        let mut released = Vec::new();
        for gate in self.gates.values_mut() {
            if gate.settle(true) == State::Open {
                released.append(&mut gate.release());
            }
        }
        released.sort_by_key(|held| held.time);
        released
    }

    /// Writes checks and refusals to the notes; `name` gives the name of the message at an index.
    pub(crate) fn report(&self, notes: &mut Notes, name: impl Fn(usize) -> &'static str) {
        for ((index, version), gate) in &self.gates {
            let kind = (name(*index), *version);
            let checks: BTreeMap<&'static str, Checked> =
                gate.checks().map(|(check, checked)| (check.as_str(), checked)).collect();
            if let Some(reason) = gate.refusal() {
                let records = gate.refused();
                notes.refused.insert(kind, Refused { records, reason });
            }
            notes.checks.insert(kind, checks);
        }
    }

    fn apply(&mut self) {
        for (layout, check, held) in self.outcomes.drain(..) {
            if let Some(gate) = self.gates.get_mut(&layout) {
                gate.count(check, held);
            }
        }
    }
}
