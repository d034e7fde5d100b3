//! Defines the entry `verdict` of the manifest.

use std::collections::BTreeMap;

use airmile_types::{Cause, Direction};
use serde::Serialize;

use super::class::Class;
use super::facts::{FlowSums, by_name_of_causes, median};
use super::failed::FailedSums;
use super::rates::Rates;
use super::sums::Sums;
use super::totals::FlowTotals;

/// The version of the layout of `verdict`. A reader that does not know the version adds up the
/// tables instead.
const SCHEMA: u32 = 6;

const NS_PER_S: f64 = 1e9;

/// The sums from which a verdict is computed, or the reason why only the tables contain them.
#[derive(Clone, Debug, Serialize)]
pub struct VerdictReport {
    /// The version of the layout of this entry.
    pub schema: u32,
    /// Why `sums` is null; null when the sums are present.
    pub reason: Option<&'static str>,
    /// The sums over the dataset; null when `reason` says why.
    pub sums: Option<SumsReport>,
}

/// The sums over all flows, and over their transfers (methods T1): those of 1 KB or more, and beside
/// them the smaller ones.
#[derive(Clone, Debug, Serialize)]
pub struct SumsReport {
    /// Counts over the flows.
    pub totals: FlowTotals,
    /// Connections that never opened, and look-ups that failed or were repeated, by kind:
    /// unanswered, refused, lookup_unanswered, lookup_repeated, no_such_name, lookup_failed.
    pub failed: BTreeMap<&'static str, FailedSums>,
    /// The sums over the transfers of 1 KB or more.
    #[serde(flatten)]
    pub larger: ClassSums,
    /// The sums over the smaller transfers; null when there are none.
    pub small_calls: Option<SmallCallSums>,
    /// The share of the transfers' time in which the link had data of them to send; null without a
    /// modem log.
    pub link_demand_ratio: Option<f64>,
}

/// The sums over one class of transfers.
#[derive(Clone, Debug, Serialize)]
pub struct ClassSums {
    /// The time in which a phone had at least one of the transfers, in ns, summed over all phones.
    pub active_ns: i128,
    /// The time of the transfers by cause, in ns.
    pub time_ns: BTreeMap<&'static str, i128>,
    /// The time of the transfers by cause with its other possible causes, in ns; the keys are causes
    /// with commas between them, of which the first is that of the slices.
    pub named_ns: BTreeMap<String, i128>,
    /// The part of the transfers' time that belongs to data from the phone, by cause, in ns.
    pub uplink_ns: BTreeMap<&'static str, i128>,
    /// The undetermined time by reason, in ns.
    pub reasons_ns: BTreeMap<&'static str, i128>,
    /// The kinds of evidence that decided the causes: tcp, modem, both.
    pub sources: Vec<&'static str>,
    /// Rates by direction: downlink, uplink.
    pub rates: BTreeMap<&'static str, RateSums>,
    /// The number of flows with such a transfer.
    pub judged_flows: u64,
    /// The heaviest and slowest flows with such a transfer.
    pub flows: Vec<FlowSums>,
}

/// The sums over small calls.
#[derive(Clone, Debug, Serialize)]
pub struct SmallCallSums {
    /// The number of small calls.
    pub calls: u64,
    /// The median time of a small call, from request to last byte, in seconds.
    pub median_s: Option<f64>,
    /// What holds for every class of transfers.
    #[serde(flatten)]
    pub class: ClassSums,
}

/// The rate that the transfers of a direction used, and the rate that the link could have carried.
#[derive(Clone, Copy, Debug, Serialize)]
pub struct RateSums {
    /// The payload of the judged transfers, in bytes; null when there are none.
    pub bytes: Option<i128>,
    /// The time in which the link was the bottleneck, in ns; null when it never was.
    pub link_ns: Option<i128>,
    /// The payload, in bytes, of the judged transfers that are long and large enough to show a
    /// rate.
    pub rated_bytes: i128,
    /// The part of `rated_bytes` that arrived, in bytes.
    pub delivered_bytes: i128,
    /// The time, in ns, in which a phone had one of these transfers, or data of one in a queue.
    pub busy_ns: i128,
    /// The rate that the link could have carried, as its queues show it; null when none shows it.
    pub available_bps: Option<f64>,
    /// The number of windows of a quarter of a second that show this rate, counted up to four; null
    /// when none does.
    pub windows: Option<u64>,
}

impl VerdictReport {
    /// The report of the sums of all shards; `c_rule` is true when the estimator of LTE13 is in
    /// force.
    pub(crate) fn new(sums: Sums, c_rule: bool) -> Self {
        let reason = sums.given_up;
        let sums = reason.is_none().then(|| SumsReport::new(sums, c_rule));
        Self { schema: SCHEMA, reason, sums }
    }
}

impl SumsReport {
    fn new(sums: Sums, c_rule: bool) -> Self {
        let source = if c_rule { "c_rule" } else { "queue_evident" };
        let small = sums.small.transfers > 0;
        Self {
            totals: sums.totals.finish(),
            failed: sums.failed.finish(),
            larger: ClassSums::new(sums.larger, &sums.rates, source),
            small_calls: small.then(|| SmallCallSums::new(sums.small, &sums.rates, source)),
            link_demand_ratio: sums.rates.link_demand_ratio(),
        }
    }
}

impl ClassSums {
    fn new(class: Class, rates: &Rates, source: &str) -> Self {
        let (available, windows) = (rates.available_bps(source), rates.windows(source));
        let rate = |way: Direction| {
            let rates = RateSums {
                link_ns: *rates.link_ns.of(way),
                available_bps: *available.of(way),
                windows: *windows.of(way),
                ..RateSums::new(&class, way)
            };
            (way.as_str(), rates)
        };
        Self {
            active_ns: class.active_ns(),
            time_ns: by_key(&class.time_ns),
            named_ns: by_name_of_causes(&class.named_ns),
            uplink_ns: by_key(&class.uplink_ns),
            reasons_ns: class.reasons_ns.clone(),
            sources: class.sources.iter().map(|source| source.as_str()).collect(),
            rates: [Direction::Downlink, Direction::Uplink].map(rate).into(),
            judged_flows: class.flows,
            flows: class.top(),
        }
    }
}

fn by_key(time: &BTreeMap<Cause, i128>) -> BTreeMap<&'static str, i128> {
    time.iter().map(|(cause, ns)| (cause.as_str(), *ns)).collect()
}

impl SmallCallSums {
    fn new(class: Class, rates: &Rates, source: &str) -> Self {
        let lengths = class.lengths_ns.iter().map(|ns| *ns as f64);
        let median_s = median(lengths).map(|ns| ns / NS_PER_S);
        let calls = class.transfers;
        Self { calls, median_s, class: ClassSums::new(class, rates, source) }
    }
}

impl RateSums {
    fn new(class: &Class, way: Direction) -> Self {
        let used = class.used.of(way);
        Self {
            bytes: *class.bytes.of(way),
            link_ns: None,
            rated_bytes: used.rated_bytes,
            delivered_bytes: used.delivered_bytes,
            busy_ns: used.busy_ns(),
            available_bps: None,
            windows: None,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one_shard_that_gave_up_leaves_all_to_the_tables() {
        let mut part = Sums::default();
        part.give_up("too much");
        let mut sums = Sums::default();
        sums.merge(part);
        sums.merge(Sums::default());
        let report = VerdictReport::new(sums, false);
        assert_eq!((report.reason, report.sums.is_some()), (Some("too much"), false));
    }

    #[test]
    fn of_no_flow_nothing_is_unknown_but_rates() {
        let report = VerdictReport::new(Sums::default(), false);
        let sums = report.sums.unwrap();
        assert_eq!(
            (sums.totals.flows, sums.larger.judged_flows, sums.larger.flows.len()),
            (0, 0, 0)
        );
        assert!(sums.small_calls.is_none());
        assert!(sums.larger.rates.values().all(|rate| rate.available_bps.is_none()));
    }
}
