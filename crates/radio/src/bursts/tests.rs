//! Compares the rule with a simple model of it on an array of milliseconds, and tests what a stream
//! adds.

use proptest::prelude::*;

use airmile_types::Parameters;

use super::cases::{scheduled, script};
use super::{BurstTracker, bursts};
use crate::tti::Ms;

/// Start, end, number of scheduled milliseconds, whether the end was seen.
type ModelBurst = (usize, usize, u64, bool);

/// The bursts by the rule, from an array with a share for each scheduled millisecond.
fn model(shares: &[Option<f64>]) -> Vec<ModelBurst> {
    let mut found = Vec::new();
    let mut at = 0;
    while let Some(start) = (at..shares.len()).find(|i| shares[*i].is_some_and(|s| s > 0.9)) {
        let is_end = |i: &usize| {
            shares[*i].is_some_and(|share| share < 0.4)
                && shares.get(i + 1) == Some(&None)
                && shares[i + 1..].iter().any(Option::is_some)
        };
        let last = (0..shares.len()).rfind(|i| shares[*i].is_some()).unwrap();
        let closing = (start..shares.len()).find(is_end);
        let end = closing.unwrap_or(last);
        let count = shares[start..=end].iter().flatten().count() as u64;
        found.push((start, end, count, closing.is_some()));
        at = end + 1;
    }
    found
}

fn milliseconds(shares: &[Option<f64>]) -> Vec<Ms> {
    let scheduled = |(tti, share): (usize, &Option<f64>)| {
        share.map(|share| scheduled(i64::try_from(tti).unwrap(), Some(share)))
    };
    shares.iter().enumerate().filter_map(scheduled).collect()
}

fn shares() -> impl Strategy<Value = Vec<Option<f64>>> {
    let share = prop_oneof![Just(0.4), Just(0.9), 0.0..0.4, 0.4..0.9, 0.9..1.0];
    prop::collection::vec(prop::option::weighted(0.6, share), 0..60)
}

proptest! {
    #[test]
    fn bursts_are_those_of_the_model(shares in shares()) {
        let all = milliseconds(&shares);
        let (found, unclassified) = bursts(&all, &Parameters::default());
        let spans: Vec<ModelBurst> = found
            .iter()
            .map(|burst| {
                let place = |tti: i64| usize::try_from(tti).unwrap();
                (place(burst.start_tti), place(burst.end_tti), burst.scheduled_ms, burst.closed)
            })
            .collect();
        prop_assert_eq!(&spans, &model(&shares));
        let inside: u64 = found.iter().map(|burst| burst.scheduled_ms).sum();
        prop_assert_eq!(inside + unclassified, all.len() as u64);
    }

    #[test]
    fn parts_of_a_burst_add_up(shares in shares()) {
        for burst in bursts(&milliseconds(&shares), &Parameters::default()).0 {
            let sum = burst.active_ms() + burst.contention_ms();
            prop_assert_eq!(sum, burst.throughput_time_ms());
            prop_assert_eq!(burst.bytes, Some(100 * burst.active_ms()));
        }
    }
}

#[test]
fn a_stream_may_know_of_silence_before_the_next_millisecond() {
    let mut tracker = BurstTracker::new(&Parameters::default());
    for ms in script("100 60 30") {
        assert_eq!(tracker.push(&ms), None);
    }
    assert_eq!(tracker.idle_until(2), None, "that is the last scheduled one itself");
    let burst = tracker.idle_until(3).unwrap();
    assert_eq!((burst.end_tti, burst.closed, tracker.is_open()), (2, true, false));
    assert_eq!((tracker.idle_until(9), tracker.finish()), (None, None));
}

#[test]
fn silence_behind_a_large_millisecond_is_contention() {
    let mut tracker = BurstTracker::new(&Parameters::default());
    for ms in script("100 60") {
        tracker.push(&ms);
    }
    assert_eq!(tracker.idle_until(1000), None);
    assert!(tracker.is_open());
}

#[test]
fn thresholds_are_parameters() {
    let mut parameters = Parameters::default();
    parameters.set("bursts.start_ratio", 0.5).unwrap();
    parameters.set("bursts.end_ratio", 0.1).unwrap();
    let (found, _) = bursts(&script("60 20 . 5 . 1"), &parameters);
    assert_eq!((found.len(), found[0].end_tti), (1, 3));
}

#[test]
fn a_silence_beyond_the_limit_breaks_off() {
    let mut parameters = Parameters::default();
    parameters.set("bursts.log_gap_s", 0.1).unwrap();
    let (found, _) = bursts(&script("100 60 .x99 100 60 .x100 100"), &parameters);
    let ends: Vec<_> = found.iter().map(|burst| (burst.end_tti, burst.closed)).collect();
    assert_eq!(ends, [(102, false), (203, false)]);
}

#[test]
fn an_unknown_size_makes_the_volume_unknown() {
    let mut all = script("100 100 30 . 95 20 . 1");
    all[1].bytes = None;
    let (found, _) = bursts(&all, &Parameters::default());
    assert_eq!((found[0].bytes, found[0].throughput_bps()), (None, None));
    assert_eq!((found[1].bytes, found[1].throughput_bps()), (Some(100), Some(800_000.0)));
}
