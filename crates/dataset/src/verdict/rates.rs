//! Computes, with whole numbers, the rate that the link could have carried, and the link demand.
//!
//! The mean of rates over time is a quotient of two sums. To make both sums exact, a rate counts in
//! whole bits per second, a share in billionths, and a length in ns.

use std::collections::BTreeSet;

use airmile_analyze::BandwidthSampleRow;
use airmile_types::PerDirection;
use airmile_verdict::{SliceRow, TransferSummary};

use super::cells::{Cells, at};
use super::live::length_ns;
use super::totals::add;

/// The estimators of the bandwidth (methods E2).
const SOURCES: [&str; 2] = ["queue_evident", "c_rule"];

/// The number of billionths in a share of one.
pub(super) const WHOLE: f64 = 1e9;

const NS_PER_S: f64 = 1e9;

/// The rates and lengths of the whole capture, whichever transfers are judged.
#[derive(Clone, Debug, Default)]
pub(super) struct Rates {
    /// The mean of the downlink estimates of flows, by estimator.
    flows: [Mean; SOURCES.len()],
    /// The mean of the samples, by direction and estimator.
    samples: PerDirection<[Mean; SOURCES.len()]>,
    /// The windows with a sample, by direction and estimator.
    windows: PerDirection<[Windows; SOURCES.len()]>,
    /// The share of time in which the link had data of a transfer to send, in billionths.
    demand: Mean,
    /// The time of transfers in which the link was the bottleneck, in ns; `None` when it never was.
    pub(super) link_ns: PerDirection<Option<i128>>,
}

/// The length of the windows of methods E4, in ns.
const WINDOW_NS: i64 = 250_000_000;

/// The number up to which windows are counted (`python/airmile/answers/verdict/_sums`).
const MOST_WINDOWS: usize = 4;

/// A set of windows of 250 ms, by their numbers.
type Windows = BTreeSet<i64>;

/// A mean over spans of time, weighted by their lengths.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Mean {
    sum: i128,
    weight: i128,
}

impl Rates {
    /// Adds a flow that has ended.
    pub(super) fn add_flow(&mut self, cells: &Cells) {
        let ends = [at!("dl_first_payload_ns"), at!("dl_last_payload_ns")];
        let [Some(first), Some(last)] = ends.map(|at| cells.number(at)) else { return };
        let rate = cells.real(at!("bandwidth_bps")).filter(|rate| *rate > 0.0);
        let source = cells.text(at!("bandwidth_source")).and_then(place);
        let length = i128::from(last) - i128::from(first);
        let Some((rate, source)) = rate.zip(source).filter(|_| length > 0) else { return };
        if let Some(mean) = self.flows.get_mut(source) {
            mean.add(rate, length);
        }
    }

    /// Adds a bandwidth sample.
    pub(super) fn add_sample(&mut self, row: &BandwidthSampleRow) {
        let length = whole(row.span_s * NS_PER_S);
        let Some(source) = place(row.source).filter(|_| row.span_s > 0.0) else { return };
        let mean = self.samples.of_mut(row.direction).get_mut(source);
        if let Some(mean) = mean.filter(|_| row.bandwidth_bps.is_finite()) {
            mean.add(row.bandwidth_bps, length);
        }
        if let Some(windows) = self.windows.of_mut(row.direction).get_mut(source) {
            add_window(windows, row.time_ns.as_nanos() / WINDOW_NS);
        }
    }

    /// Adds a transfer.
    pub(super) fn add_transfer(&mut self, row: &TransferSummary) {
        let Some((ratio, first)) = row.link_demand_ratio.zip(row.first_byte_ns) else { return };
        let length = i128::from(row.end_ns.as_nanos()) - i128::from(first.as_nanos());
        if length > 0 {
            self.demand.add(ratio * WHOLE, length);
        }
    }

    /// Adds a slice.
    pub(super) fn add_slice(&mut self, row: &SliceRow) {
        if row.transfer_id.is_some() && row.cause.is_link() {
            let length = length_ns(row.start_ns.as_nanos(), row.end_ns.as_nanos());
            add(self.link_ns.of_mut(row.direction), Some(length));
        }
    }

    /// Adds the sums of another shard.
    pub(super) fn merge(&mut self, other: &Self) {
        merge(&mut self.flows, &other.flows);
        merge(&mut self.samples.downlink, &other.samples.downlink);
        merge(&mut self.samples.uplink, &other.samples.uplink);
        merge_windows(&mut self.windows.downlink, &other.windows.downlink);
        merge_windows(&mut self.windows.uplink, &other.windows.uplink);
        merge(std::slice::from_mut(&mut self.demand), &[other.demand]);
        add(&mut self.link_ns.downlink, other.link_ns.downlink);
        add(&mut self.link_ns.uplink, other.link_ns.uplink);
    }

    /// The rate that the link could carry: for the downlink, from the flows that have an estimate
    /// by this estimator; otherwise, for each direction, from its samples.
    pub(super) fn available_bps(&self, source: &str) -> PerDirection<Option<f64>> {
        let of = |means: &[Mean; 2]| means.get(place(source)?)?.value();
        PerDirection {
            downlink: of(&self.flows).or_else(|| of(&self.samples.downlink)),
            uplink: of(&self.samples.uplink),
        }
    }

    /// The number of windows with a sample of this estimator; `None` when there is none.
    pub(super) fn windows(&self, source: &str) -> PerDirection<Option<u64>> {
        let count = |windows: &[Windows; 2]| Some(windows.get(place(source)?)?.len() as u64);
        let of = |windows| count(windows).filter(|count| *count > 0);
        PerDirection { downlink: of(&self.windows.downlink), uplink: of(&self.windows.uplink) }
    }

    /// The share of the transfers' time in which the link had data of them to send.
    pub(super) fn link_demand_ratio(&self) -> Option<f64> {
        self.demand.value().map(|billionths| billionths / WHOLE)
    }
}

impl Mean {
    pub(super) fn add(&mut self, value: f64, weight: i128) {
        self.sum = self.sum.saturating_add(whole(value).saturating_mul(weight));
        self.weight += weight;
    }

    /// Adds a whole number to the sum, without a weight of its own.
    pub(super) const fn add_part(&mut self, part: i128) {
        self.sum = self.sum.saturating_add(part);
    }

    pub(super) fn value(self) -> Option<f64> {
        (self.weight > 0).then(|| self.sum as f64 / self.weight as f64)
    }
}

fn merge(means: &mut [Mean], others: &[Mean]) {
    for (mean, other) in means.iter_mut().zip(others) {
        mean.sum = mean.sum.saturating_add(other.sum);
        mean.weight += other.weight;
    }
}

fn merge_windows(windows: &mut [Windows], others: &[Windows]) {
    for (known, more) in windows.iter_mut().zip(others) {
        more.iter().for_each(|window| add_window(known, *window));
    }
}

fn add_window(windows: &mut Windows, window: i64) {
    if windows.len() < MOST_WINDOWS {
        windows.insert(window);
    }
}

fn whole(value: f64) -> i128 {
    value.round() as i128
}

fn place(source: &str) -> Option<usize> {
    SOURCES.iter().position(|known| *known == source)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_mean_weighs_by_length_and_is_unknown_without_any() {
        let mut mean = Mean::default();
        assert_eq!(mean.value(), None);
        mean.add(10e6, 3);
        mean.add(2e6, 1);
        assert_eq!(mean.value(), Some(8e6));
    }
}
