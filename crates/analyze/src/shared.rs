//! What the flows of one subscriber lend to each other when they end.

use airmile_track::SynOptions;

use crate::tick::Tick;

/// How many clocks of one subscriber are remembered: a phone, and what is tethered to it.
const CLOCKS: usize = 8;

/// Facts that outlive a flow.
#[derive(Debug, Default)]
pub struct Shared {
    /// Tick of the UE's clock by the flow that is ending.
    pub(crate) tick: Option<Tick>,
    clocks: Vec<(Stack, Tick)>,
}

/// What tells the hosts behind one address apart (methods B2: option layout and TTL).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Stack {
    /// Options of the SYN.
    pub(crate) options: SynOptions,
    /// TTL of the SYN at the tap: the way to the tap is the same, so it stands for the initial one.
    pub(crate) hop_limit: u8,
}

impl Shared {
    /// Another flow ends.
    pub(crate) const fn begin(&mut self) {
        self.tick = None;
    }

    /// Remembers the clock of a host, the newest first.
    pub(crate) fn learn(&mut self, stack: Stack, tick: Tick) {
        self.clocks.retain(|(known, _)| *known != stack);
        self.clocks.insert(0, (stack, tick));
        self.clocks.truncate(CLOCKS);
    }

    /// The clock of a host, from an earlier flow.
    pub(crate) fn clock(&self, stack: Stack) -> Option<Tick> {
        self.clocks.iter().find(|(known, _)| *known == stack).map(|(_, tick)| *tick)
    }
}
