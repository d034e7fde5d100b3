//! How much of the link a large flow used that had it for itself (methods E4).

use airmile_track::{FlowFacts, Segment};
use airmile_types::{Duration, Instant};

use crate::Parameters;

/// A pause longer than this is no part of the transfer (methods E4).
const PAUSE: Duration = Duration::from_secs(1);

/// Downlink payload of the subscriber beside the flow, and the flow's own pauses.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Beside {
    /// What the other flows had carried at the flow's first payload, and at its newest.
    at_first: Option<u64>,
    newest: u64,
    paused: Duration,
}

/// What the flow carried downlink.
#[derive(Clone, Copy, Debug)]
pub(super) struct Carried {
    pub(super) first: Instant,
    pub(super) last: Instant,
    pub(super) payload_bytes: u64,
    pub(super) unique_bytes: u64,
}

/// Both ratios, or why there are none.
pub(super) type Used = Result<Ratios, &'static str>;

#[derive(Clone, Copy, Debug)]
pub(super) struct Ratios {
    /// LTE13's: all payload over first to last packet.
    pub(super) paper: f64,
    /// New payload over the time of its transfer without pauses.
    pub(super) transfer: f64,
}

impl Beside {
    /// A downlink packet with payload.
    pub(super) fn on_payload(&mut self, segment: &Segment<'_>) {
        let own = segment.own.payload_bytes().saturating_sub(u64::from(segment.payload_bytes));
        self.newest = segment.ue.payload_bytes.downlink.wrapping_sub(own);
        self.at_first.get_or_insert(self.newest);
        self.paused += segment.since_last_data.filter(|gap| *gap > PAUSE).unwrap_or(Duration::ZERO);
    }

    /// Whether no other flow of the subscriber had downlink payload meanwhile.
    fn is_alone(&self) -> bool {
        self.at_first == Some(self.newest)
    }

    /// The ratios of a flow that could have had `bandwidth_bps`.
    pub(super) fn used(
        &self,
        flow: &FlowFacts,
        carried: Option<Carried>,
        bandwidth_bps: Option<f64>,
        parameters: &Parameters,
    ) -> Used {
        let large = |carried: &Carried| {
            carried.payload_bytes as f64 > parameters.large_bytes
                && (carried.last - carried.first).as_secs_f64() > parameters.large_s
        };
        let carried = carried.filter(large).ok_or("not_large")?;
        if !self.is_alone() {
            return Err("shared");
        }
        let bandwidth_bps = bandwidth_bps.ok_or("no_sample")?;
        let ratio = |bytes: u64, time: Duration| bytes as f64 * 8.0 / time.as_secs_f64() / bandwidth_bps;
        Ok(Ratios {
            paper: ratio(carried.payload_bytes, flow.end - flow.start),
            transfer: ratio(carried.unique_bytes, carried.last - carried.first - self.paused),
        })
    }
}
