//! Whether messages are what their layouts say, tested on the log at hand (docs/guide/modem-logs.md
//! lists layouts and checks).
//!
//! A version number does not promise a layout: makers change one without the other. So what a
//! message says is held against what must be true: sizes against the tables of TS 36.213, blocks
//! of the MAC layer against blocks on the air, grants against what was sent, subframes against the
//! log's time. Packets of a layout wait ([`Gate`]) until enough of it held, and are refused where
//! it does not.

mod gate;
mod held;

use std::collections::BTreeMap;

use self::gate::{Gate, State};
use super::air::Air;
use super::bench::Bench;
use super::check::{Check, CheckOutcome, Layout};
use super::layout::Proof;
use super::messages::MESSAGES;
use super::packet::LogPacket;
use crate::modem::clock::Clocks;
use crate::modem::report::{Checked, Notes, Refused};
use held::Held;

/// What is to become of a packet.
pub(super) enum Pass {
    /// It is read, after those that waited.
    Read(Vec<Held>),
    /// It waits.
    Hold,
    /// It is not used.
    Refuse,
}

/// Every layout that the log has, and what its messages say of each other.
#[derive(Default)]
pub(super) struct Gates {
    gates: BTreeMap<Layout, Gate>,
    air: Air,
    outcomes: Vec<CheckOutcome>,
}

impl Gates {
    /// Tests a packet of the message at `index`, and says what is to become of it.
    pub(super) fn offer(
        &mut self,
        index: usize,
        proof: &Proof,
        packet: &LogPacket<'_>,
        clocks: &Clocks,
    ) -> Pass {
        let version = (proof.version)(packet.payload);
        let known = version.and_then(|version| Some((version, (proof.standing)(version)?)));
        let Some((version, standing)) = known else { return Pass::Read(Vec::new()) };
        let layout = (index, version);
        let gate = self.gates.entry(layout).or_insert_with(|| Gate::new(standing));
        if gate.is_due() {
            let sure = gate.is_open();
            let mut bench =
                Bench::new(layout, sure, packet, &mut self.air, clocks, &mut self.outcomes);
            let shape = (proof.check)(packet, &mut bench).is_ok();
            self.outcomes.push((layout, Check::Shape, shape));
            self.apply();
        }
        let Some(gate) = self.gates.get_mut(&layout) else { return Pass::Read(Vec::new()) };
        match gate.settle(false) {
            State::Open => Pass::Read(gate.release()),
            State::Shut => {
                gate.refuse_one();
                Pass::Refuse
            }
            State::Waiting => {
                gate.hold(Held::new(packet));
                Pass::Hold
            }
        }
    }

    /// Settles what still waits at the end of the log: the packets that are to be read.
    pub(super) fn end(&mut self) -> Vec<Held> {
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

    /// Writes checks and refusals into the notes.
    pub(super) fn report(&self, notes: &mut Notes) {
        let name = |index: usize| MESSAGES.get(index).map_or("", |message| message.name);
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
