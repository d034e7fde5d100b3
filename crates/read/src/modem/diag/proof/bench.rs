//! Compares messages with the rest of the log.

use super::air::{Air, Grant, Said, WRAP};
use super::check::{Check, Layout, Outcome};
use crate::modem::clock::Clocks;
use crate::modem::diag::packet::{Deviating, LogPacket};

/// The number of subframes from grant to transmission in FDD (TS 36.213 section 8).
pub(crate) const GRANT_DELAY: u32 = 4;

/// Compares one message with the rest of the log.
pub(crate) struct Bench<'a> {
    layout: Layout,
    /// Whether the layout of the message is proved.
    sure: bool,
    packet: &'a LogPacket<'a>,
    air: &'a mut Air,
    clocks: &'a Clocks,
    outcomes: &'a mut Vec<Outcome>,
    deviating: Deviating,
}

impl<'a> Bench<'a> {
    pub(super) const fn new(
        layout: Layout,
        sure: bool,
        packet: &'a LogPacket<'a>,
        air: &'a mut Air,
        clocks: &'a Clocks,
        outcomes: &'a mut Vec<Outcome>,
    ) -> Self {
        Self { layout, sure, packet, air, clocks, outcomes, deviating: Deviating::NONE }
    }

    /// The records of the message that contradict themselves.
    pub(super) const fn deviating(&self) -> Deviating {
        self.deviating
    }

    /// Counts a check of one record of this message by its own fields. A record that fails it is left
    /// out, if the layout is not proved. Other checks do not show which of two messages is wrong.
    pub(crate) fn check_record(&mut self, record: usize, check: Check, held: bool) {
        self.check(check, held);
        if !held {
            self.deviating.add(record);
        }
    }

    /// Counts a check of this message's layout.
    pub(crate) fn check(&mut self, check: Check, held: bool) {
        self.outcomes.push((self.layout, check, held));
    }

    /// Checks that a subframe was on the air shortly before it was logged. A subframe that is out
    /// of range fails the check. Nothing is checked while no phase is known.
    pub(crate) fn clock(&mut self, frame: u32, subframe: u32) {
        if frame > 1023 || subframe > 9 {
            return self.check(Check::Clock, false);
        }
        let count = i64::from(frame * 10 + subframe);
        if let Some(usual) = self.clocks.usual(self.packet.user, self.packet.time, count) {
            self.check(Check::Clock, usual);
        }
    }

    /// Notes a downlink block on the air.
    pub(crate) fn received(&mut self, count: u32, bytes: Option<u32>, prbs: u16) {
        let said = self.said((bytes, prbs));
        self.air.down.add(self.packet.user, count, said);
    }

    /// Whether a downlink block may be the retransmission of one that was noted before.
    pub(crate) fn was_received(&self, count: u32, bytes: u32) -> bool {
        self.air.was_received(self.packet.user, count, self.packet.time, bytes)
    }

    /// Compares the PRBs of a subframe with those that other messages report.
    pub(crate) fn prbs(&mut self, count: u32, prbs: u16) {
        let Some(said) = self.air.down.get(self.packet.user, count, self.packet.time) else {
            return;
        };
        let held = said.what.iter().any(|(_, known)| *known == prbs);
        let (by, sure) = (said.by, said.sure);
        self.against(Check::Prbs, held, by, sure);
    }

    /// Compares a downlink block of the MAC layer with the blocks on the air.
    pub(crate) fn delivered(&mut self, count: u32, bytes: u32) {
        let Some(said) = self.air.down.get(self.packet.user, count, self.packet.time) else {
            return;
        };
        let held = said.what.iter().any(|(size, _)| *size == Some(bytes));
        if !held && said.what.iter().any(|(size, _)| size.is_none()) {
            return;
        }
        let (by, sure) = (said.by, said.sure);
        self.against(Check::Mac, held, by, sure);
    }

    /// Notes an uplink block that was sent, and compares it with its grant if the grant is known.
    /// The bytes are `None` if the block contradicts itself.
    pub(crate) fn sent(&mut self, count: u32, bytes: Option<u32>, grant: Option<Grant>) {
        let (user, time) = (self.packet.user, self.packet.time);
        if let (Some(said), Some(grant)) = (self.air.grants.get(user, count, time), grant) {
            let (held, by, sure) = (said.what.contains(&grant), said.by, said.sure);
            self.against(Check::Grant, held, by, sure);
        }
        let said = self.said(bytes);
        self.air.up.add(user, count, said);
    }

    /// Notes a grant for the subframe in which it is used.
    pub(crate) fn granted(&mut self, count: u32, grant: Grant) {
        let said = self.said(grant);
        self.air.grants.add(self.packet.user, (count + GRANT_DELAY) % WRAP, said);
    }

    /// Compares an uplink block of the MAC layer with the blocks that were sent. Older modems log
    /// such a block with the subframe of its grant. A difference counts only against the subframe
    /// that the modem logs: the log may lack the block of that one and hold the block of the other.
    pub(crate) fn filled(&mut self, count: u32, bytes: u32) {
        self.air.granted(self.layout, bytes.into());
        let (user, time) = (self.packet.user, self.packet.time);
        let found = [count, count + GRANT_DELAY].map(|at| self.air.up.get(user, at, time));
        let delays = self.air.delays.entry(self.layout).or_default();
        let mut held = None;
        for (at, said) in found.iter().enumerate() {
            if let Some(said) = said.filter(|said| said.what.contains(&Some(bytes))) {
                delays.agreed(at);
                held = held.or(Some((said.by, said.sure)));
            }
        }
        if let Some((by, sure)) = held {
            return self.against(Check::Mac, true, by, sure);
        }
        let usual = delays.usual();
        let differs = found.into_iter().enumerate().find_map(|(at, said)| {
            said.filter(|said| usual.is_none_or(|usual| at == usual) && !said.what.contains(&None))
        });
        if let Some(&Said { by, sure, .. }) = differs {
            self.against(Check::Mac, false, by, sure);
        }
    }

    /// Notes the bytes that the modem counted in a window.
    pub(crate) fn counted(&mut self, bytes: u32) {
        self.air.counted(self.layout, bytes.into());
    }

    /// Counts a comparison of two messages. Agreement counts for both messages. A difference counts
    /// against a message only if the layout of the other one is proved.
    fn against(&mut self, check: Check, held: bool, by: Layout, sure: bool) {
        if held || sure {
            self.outcomes.push((self.layout, check, held));
        }
        if held || self.sure {
            self.outcomes.push((by, check, held));
        }
    }

    const fn said<T>(&self, what: T) -> Said<T> {
        Said::new(self.packet.time, self.layout, self.sure, what)
    }
}
