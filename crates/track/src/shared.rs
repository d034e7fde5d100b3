//! Keeps the facts that a flow leaves for other flows of the same subscriber when it ends.

use airmile_types::{Duration, PerDirection};

use crate::facts::SynOptions;
use crate::ticks::KnownTick;

/// The number of timestamp clocks remembered for one subscriber: those of the phone and of tethered
/// hosts.
const CLOCKS: usize = 8;

/// Facts of a subscriber that outlive one flow.
#[derive(Debug, Default)]
pub struct Shared {
    /// The tick of the UE's timestamp clock, as measured on the flow that is ending.
    pub tick: Option<KnownTick>,
    /// Whether the capture has packets of the flow that is ending, by direction.
    pub seen: PerDirection<bool>,
    /// The payload of the flow that is ending, counted once per sequence number.
    pub unique_bytes: PerDirection<i64>,
    /// The data RTTs of the flow that is ending.
    pub rtt: PerDirection<RttSum>,
    /// Durations of earlier handshakes with the same server while the radio was already on.
    pub handshakes: Vec<Duration>,
    clocks: Vec<(Stack, KnownTick)>,
}

airmile_types::held!(Shared { handshakes, clocks });

/// What distinguishes the hosts behind one address: the layout of the SYN's options, and the TTL
/// (methods B2).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Stack {
    /// The options of the SYN.
    pub options: SynOptions,
    /// The TTL of the SYN at the capture point. All hosts have the same path to it, so this TTL
    /// represents the initial one.
    pub hop_limit: u8,
}

/// Summary of the RTT samples of one direction's data.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct RttSum {
    /// The number of samples.
    pub count: i64,
    sum_ns: i64,
    /// The shortest sample.
    pub least: Option<Duration>,
}

impl Shared {
    /// Clears the facts of the previous flow, because another flow ends.
    pub fn begin(&mut self) {
        self.tick = None;
        self.seen = PerDirection::default();
        self.unique_bytes = PerDirection::default();
        self.rtt = PerDirection::default();
    }

    /// Remembers the clock of a host as the newest one. A fitted tick is not replaced by one that
    /// was not fitted.
    pub fn learn(&mut self, stack: Stack, tick: KnownTick) {
        if !tick.fitted && self.clock(stack).is_some_and(|known| known.fitted) {
            return;
        }
        self.clocks.retain(|(known, _)| *known != stack);
        self.clocks.insert(0, (stack, tick));
        self.clocks.truncate(CLOCKS);
    }

    /// The clock of a host, as an earlier flow showed it.
    pub fn clock(&self, stack: Stack) -> Option<KnownTick> {
        self.clocks.iter().find(|(known, _)| *known == stack).map(|(_, tick)| *tick)
    }
}

impl RttSum {
    /// Adds one sample.
    pub fn add(&mut self, rtt: Duration) {
        self.count += 1;
        self.sum_ns = self.sum_ns.saturating_add(rtt.as_nanos());
        if self.least.is_none_or(|least| rtt < least) {
            self.least = Some(rtt);
        }
    }

    /// The mean of the samples in milliseconds; `None` without samples.
    pub fn mean_ms(&self) -> Option<f64> {
        let least_ms = self.least?.as_millis_f64();
        // A damaged clock gives round trips of centuries, and their sum stops at its largest value.
        Some((self.sum_ns as f64 / self.count as f64 / 1e6).max(least_ms))
    }
}
