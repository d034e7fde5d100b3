//! What the flows of one subscriber lend to each other when they end.

use airmile_track::SynOptions;
use airmile_types::{Duration, PerDirection};

use crate::rtt::RttSum;
use crate::tick::KnownTick;

/// How many clocks of one subscriber are remembered: a phone, and what is tethered to it.
const CLOCKS: usize = 8;

/// Facts that outlive a flow.
#[derive(Debug, Default)]
pub struct Shared {
    /// Tick of the UE's clock by the flow that is ending.
    pub(crate) tick: Option<KnownTick>,
    /// Whether packets of either direction of the flow that is ending were captured.
    pub(crate) seen: PerDirection<bool>,
    /// RTTs of the data of the flow that is ending.
    pub(crate) rtt: PerDirection<RttSum>,
    /// Handshakes with the server of the flow at hand, through a radio that was awake.
    pub(crate) handshakes: Vec<Duration>,
    clocks: Vec<(Stack, KnownTick)>,
}

airmile_types::held!(Shared { handshakes, clocks });

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
    pub(crate) fn begin(&mut self) {
        self.tick = None;
        self.seen = PerDirection::default();
        self.rtt = PerDirection::default();
    }

    /// Remembers the clock of a host, the newest first; a fit is worth more than an agreement.
    pub(crate) fn learn(&mut self, stack: Stack, tick: KnownTick) {
        if !tick.fitted && self.clock(stack).is_some_and(|known| known.fitted) {
            return;
        }
        self.clocks.retain(|(known, _)| *known != stack);
        self.clocks.insert(0, (stack, tick));
        self.clocks.truncate(CLOCKS);
    }

    /// The clock of a host, from an earlier flow.
    pub(crate) fn clock(&self, stack: Stack) -> Option<KnownTick> {
        self.clocks.iter().find(|(known, _)| *known == stack).map(|(_, tick)| *tick)
    }
}
