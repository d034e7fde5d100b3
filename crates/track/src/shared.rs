//! What the flows of one subscriber lend to each other when they end.

use airmile_types::{Duration, PerDirection};

use crate::facts::SynOptions;
use crate::ticks::KnownTick;

/// How many clocks of one subscriber are remembered: a phone, and what is tethered to it.
const CLOCKS: usize = 8;

/// Facts that outlive a flow.
#[derive(Debug, Default)]
pub struct Shared {
    /// Tick of the UE's clock by the flow that is ending.
    pub tick: Option<KnownTick>,
    /// Whether packets of either direction of the flow that is ending were captured.
    pub seen: PerDirection<bool>,
    /// RTTs of the data of the flow that is ending.
    pub rtt: PerDirection<RttSum>,
    /// Handshakes with the server of the flow at hand, through a radio that was awake.
    pub handshakes: Vec<Duration>,
    clocks: Vec<(Stack, KnownTick)>,
}

airmile_types::held!(Shared { handshakes, clocks });

/// What distinguishes the hosts behind one address (methods B2: option layout and TTL).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Stack {
    /// Options of the SYN.
    pub options: SynOptions,
    /// TTL of the SYN at the tap: the way to the tap is the same, so it represents the initial one.
    pub hop_limit: u8,
}

/// What the samples of one direction's data come to.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct RttSum {
    /// The number of samples.
    pub count: i64,
    sum_ns: i64,
    /// The shortest of them.
    pub least: Option<Duration>,
}

impl Shared {
    /// Another flow ends.
    pub fn begin(&mut self) {
        self.tick = None;
        self.seen = PerDirection::default();
        self.rtt = PerDirection::default();
    }

    /// Remembers the clock of a host, the newest first; a fit is worth more than an agreement.
    pub fn learn(&mut self, stack: Stack, tick: KnownTick) {
        if !tick.fitted && self.clock(stack).is_some_and(|known| known.fitted) {
            return;
        }
        self.clocks.retain(|(known, _)| *known != stack);
        self.clocks.insert(0, (stack, tick));
        self.clocks.truncate(CLOCKS);
    }

    /// The clock of a host, from an earlier flow.
    pub fn clock(&self, stack: Stack) -> Option<KnownTick> {
        self.clocks.iter().find(|(known, _)| *known == stack).map(|(_, tick)| *tick)
    }
}

impl RttSum {
    /// Adds a sample.
    pub fn add(&mut self, rtt: Duration) {
        self.count += 1;
        self.sum_ns = self.sum_ns.saturating_add(rtt.as_nanos());
        if self.least.is_none_or(|least| rtt < least) {
            self.least = Some(rtt);
        }
    }

    /// Mean in milliseconds; `None` without samples.
    pub fn mean_ms(&self) -> Option<f64> {
        let least_ms = self.least?.as_millis_f64();
        // The sum of round trips of centuries, from a garbled clock, stops at its largest value.
        Some((self.sum_ns as f64 / self.count as f64 / 1e6).max(least_ms))
    }
}
