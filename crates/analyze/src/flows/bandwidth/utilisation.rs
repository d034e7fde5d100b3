//! Computes how much of the link a large flow used while it had the link to itself (methods E4).

use airmile_track::{FlowFacts, Segment};
use airmile_types::{Instant, Parameters};

use super::used::Used;

/// Downlink payload of the subscriber's other flows.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(super) struct Beside {
    /// The payload that other flows had carried at the flow's first payload, and at its newest.
    at_first: Option<u64>,
    newest: u64,
}

/// The payload that the flow carried in the downlink.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Carried {
    pub(super) first: Instant,
    pub(super) last: Instant,
    pub(super) payload_bytes: u64,
}

/// The values of the utilisation columns.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(super) struct Utilisation {
    /// The delivered bytes as a share of what the link could have carried in the same time.
    pub(super) ratio: Option<f64>,
    pub(super) low: Option<f64>,
    pub(super) high: Option<f64>,
    /// LTE13's utilisation: all payload divided by the time from first to last packet, as a share
    /// of the mean bandwidth.
    pub(super) paper: Option<f64>,
    /// Why `ratio` is unknown.
    pub(super) reason: Option<&'static str>,
}

impl Beside {
    /// Takes a downlink packet with payload.
    #[inline]
    pub(super) fn on_payload(&mut self, segment: &Segment<'_>) {
        let own = segment.own.payload_bytes().saturating_sub(u64::from(segment.payload_bytes));
        self.newest = segment.ue.payload_bytes.downlink.wrapping_sub(own);
        if self.at_first.is_none() {
            self.at_first = Some(self.newest);
        }
    }

    /// Whether no other flow of the subscriber had downlink payload during the flow.
    fn is_alone(&self) -> bool {
        self.at_first == Some(self.newest)
    }

    /// The ratios of a flow whose use of the link is `used` and whose mean bandwidth is
    /// `bandwidth_bps`.
    pub(super) fn utilisation(
        &self,
        flow: &FlowFacts,
        (carried, used): (Option<Carried>, Option<&Used>),
        bandwidth_bps: Option<f64>,
        parameters: &Parameters,
    ) -> Utilisation {
        let none = |reason| Utilisation { reason: Some(reason), ..Utilisation::default() };
        let large = |carried: &Carried| {
            carried.payload_bytes as f64 > parameters.large_bytes
                && (carried.last - carried.first).as_secs_f64() > parameters.large_s
        };
        let Some(carried) = carried.filter(large) else { return none("not_large") };
        if !self.is_alone() {
            return none("shared");
        }
        let bps = carried.payload_bytes as f64 * 8.0 / (flow.end - flow.start).as_secs_f64();
        let paper = bandwidth_bps.map(|bandwidth_bps| bps / bandwidth_bps);
        let Some([low, ratio, high]) = used.and_then(|used| used.ratios(parameters)) else {
            return Utilisation { paper, ..none("unseen") };
        };
        let is_certain = high - low <= parameters.utilisation_range_ratio;
        Utilisation {
            ratio: is_certain.then_some(ratio),
            low: is_certain.then_some(low),
            high: is_certain.then_some(high),
            paper,
            reason: (!is_certain).then_some("uncertain"),
        }
    }
}
