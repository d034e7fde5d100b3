//! Whether messages are what their layouts say, tested on the log at hand (docs/guide/modem-logs.md
//! lists layouts and checks).
//!
//! A version number does not promise a layout: makers change one without the other. So what a
//! message says is held against what must be true: sizes against the tables of TS 36.213, blocks
//! of the MAC layer against blocks on the air, grants against what was sent, subframes against the
//! log's time. Packets of a layout wait ([`Gate`]) until enough of it held, and are refused where
//! it does not.

mod air;
mod bench;
mod gate;

use std::collections::BTreeMap;

use airmile_types::Instant;

use self::air::Air;
pub(crate) use self::air::Grant;
pub(crate) use self::bench::Bench;
use self::gate::{Gate, State};
use super::messages::{MESSAGES, Misfit};
use super::packet::LogPacket;
use crate::modem::clock::Clocks;
use crate::modem::record::User;
use crate::modem::report::{Checked, Notes, Refused};

/// What is held against what.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Check {
    /// Length and ranges are those of the layout.
    Shape,
    /// Size against MCS or modulation and PRBs (TS 36.213 tables 7.1.7.2.1-1, 7.1.7.1-1, 8.6.1-1).
    Size,
    /// PRBs against those that another message tells of the subframe.
    Prbs,
    /// Header, elements and padding of a MAC PDU against its size (TS 36.321 section 6.1.2).
    Sum,
    /// Blocks of the MAC layer against those on the air.
    Mac,
    /// Grants against what was sent four subframes later (TS 36.213 section 8).
    Grant,
    /// Sums against the modem's own counters.
    Counter,
    /// Subframe against the time of the log.
    Clock,
    /// Lengths that follow from the carrier's width (TS 36.212 section 5.3.3.1, TS 36.213 section 7.2.1).
    Width,
    /// Levels against one another: RSRQ = N RSRP / RSSI (TS 36.214 section 5.1.3), and the better
    /// antenna's as the combined one.
    Level,
}

impl Check {
    /// The word in tables and reports.
    const fn as_str(self) -> &'static str {
        match self {
            Self::Shape => "shape",
            Self::Size => "size",
            Self::Prbs => "prbs",
            Self::Sum => "sum",
            Self::Mac => "mac",
            Self::Grant => "grant",
            Self::Counter => "counter",
            Self::Clock => "clock",
            Self::Width => "width",
            Self::Level => "level",
        }
    }

    /// Whether that it held speaks for a layout: many bytes have a shape by chance, and a sum is
    /// one alone.
    const fn is_telling(self) -> bool {
        !matches!(self, Self::Shape | Self::Counter)
    }
}

/// What was known of a layout before.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Standing {
    /// Another decoder said the same of real logs, field by field: it is used, and a check that
    /// fails is told.
    Proved,
    /// Its checks held on real logs: it is used until they fail.
    Sampled,
    /// It was published, and no log here has it: it is used where its checks hold.
    Published,
}

/// How a message is proved.
pub(crate) struct Proof {
    /// The version that names its layout.
    pub(crate) version: fn(payload: &[u8]) -> Option<u32>,
    /// What is known of a version; `None`: its layout is not known.
    pub(crate) standing: fn(version: u32) -> Option<Standing>,
    /// Holds what a message says against the rest.
    pub(crate) check: fn(packet: &LogPacket<'_>, bench: &mut Bench<'_>) -> Result<(), Misfit>,
}

/// The version that most messages begin with.
pub(crate) fn first_byte(payload: &[u8]) -> Option<u32> {
    payload.first().map(|byte| u32::from(*byte))
}

/// A layout: index into [`MESSAGES`], and version.
pub(super) type Layout = (usize, u32);

/// A check of a layout, and whether it held.
type Outcome = (Layout, Check, bool);

/// A packet that waits for its layout to be proved.
pub(super) struct Held {
    code: u16,
    time: Instant,
    user: User,
    payload: Vec<u8>,
}

impl Held {
    fn new(packet: &LogPacket<'_>) -> Self {
        let LogPacket { code, time, user, payload } = *packet;
        Self { code, time, user, payload: payload.to_vec() }
    }

    /// The packet.
    pub(super) fn packet(&self) -> LogPacket<'_> {
        LogPacket { code: self.code, time: self.time, user: self.user, payload: &self.payload }
    }
}

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
    outcomes: Vec<Outcome>,
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
