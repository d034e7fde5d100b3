//! What a modem log tells of a phone's queue at the base station, on the capture's clock.

use std::collections::BTreeMap;
use std::sync::Arc;

use airmile_types::{Address, Direction, Instant, PerDirection};

use super::timeline::{BIN, Mask, window};

/// What modem logs tell of the phones in a capture.
#[derive(Clone, Debug, Default)]
pub struct RadioEvidence {
    phones: BTreeMap<Address, Arc<PhoneRadio>>,
}

impl RadioEvidence {
    /// Adds what is known of a phone.
    pub fn insert(&mut self, ue: Address, phone: PhoneRadio) {
        self.phones.insert(ue, Arc::new(phone));
    }

    /// Whether no modem log was given.
    pub fn is_empty(&self) -> bool {
        self.phones.is_empty()
    }

    /// What is known of a phone; `None` without a modem log of it.
    pub fn of(&self, ue: Address) -> Option<&Arc<PhoneRadio>> {
        self.phones.get(&ue)
    }
}

/// What a modem log tells of one phone.
#[derive(Clone, Debug, Default)]
pub struct PhoneRadio {
    /// When its queue before the radio was not empty, by direction of the data in it.
    pub backlogged: PerDirection<TimeSpans>,
    /// When that is known.
    pub known: PerDirection<TimeSpans>,
    /// Downlink: when it was not empty, whatever is doubtful.
    pub surely: TimeSpans,
    /// Downlink: when it may have been not empty.
    pub perhaps: TimeSpans,
    /// Downlink: when a burst of the paper's rule was open, without its last millisecond.
    pub bursts: TimeSpans,
    /// When the phone moved between cells and nothing could pass.
    pub handovers: TimeSpans,
    /// Downlink payload that passed the tap, each byte once, cumulative.
    pub volume: CumulativeBytes,
}

/// How much of a transfer's time the queue before the radio was not empty (methods G3).
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct LinkDemand {
    /// The estimate; `None` where the log knows less than nine tenths of the span.
    pub ratio: Option<f64>,
    /// Every doubtful millisecond taken for an empty queue.
    pub low: f64,
    /// Every doubtful millisecond taken for a queue.
    pub high: f64,
    /// By the burst rule; `None` as for `ratio`.
    pub bursttracker: Option<f64>,
    /// Milliseconds behind the estimate.
    pub throughput_time_ms: f64,
}

/// A span is judged when so much of it is known: the share of bytes that must be explained.
const KNOWN_RATIO: f64 = 0.9;

impl PhoneRadio {
    /// Link demand over `[from, to)`; `None` when nothing of it is known or it has no length.
    pub fn link_demand(&self, from: Instant, to: Instant) -> Option<LinkDemand> {
        let length_ms = (to - from).as_millis_f64();
        let known_ms = self.known.downlink.within_ms(from, to);
        if length_ms <= 0.0 || known_ms <= 0.0 {
            return None;
        }
        let busy_ms = self.backlogged.downlink.within_ms(from, to);
        let surely_ms = self.surely.within_ms(from, to);
        let perhaps_ms = self.perhaps.within_ms(from, to);
        let unknown_ms = length_ms - known_ms;
        let decided = known_ms >= KNOWN_RATIO * length_ms;
        Some(LinkDemand {
            ratio: decided.then_some(busy_ms / known_ms),
            low: surely_ms.min(busy_ms) / length_ms,
            high: ((perhaps_ms.max(busy_ms) + unknown_ms) / length_ms).min(1.0),
            bursttracker: decided.then(|| self.bursts.within_ms(from, to) / length_ms),
            throughput_time_ms: busy_ms,
        })
    }
}

/// Sorted spans of time that do not touch.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct TimeSpans(Vec<(Instant, Instant)>);

impl TimeSpans {
    /// The union of spans in any order.
    pub fn union(mut spans: Vec<(Instant, Instant)>) -> Self {
        spans.retain(|(from, to)| from < to);
        spans.sort_unstable();
        let mut joined: Vec<(Instant, Instant)> = Vec::with_capacity(spans.len());
        for (from, to) in spans {
            match joined.last_mut() {
                Some(last) if from <= last.1 => last.1 = last.1.max(to),
                _ => joined.push((from, to)),
            }
        }
        Self(joined)
    }

    /// The same on another clock that runs the same way.
    #[must_use]
    pub fn mapped(&self, clock: impl Fn(Instant) -> Instant) -> Self {
        Self(self.0.iter().map(|(from, to)| (clock(*from), clock(*to))).collect())
    }

    /// Milliseconds of `[from, to)` that lie in it.
    pub fn within_ms(&self, from: Instant, to: Instant) -> f64 {
        let parts = self.meeting(from, to).map(|(a, b)| (b.min(to) - a.max(from)).as_millis_f64());
        // The sum of nothing would be -0.
        parts.fold(0.0, |sum, ms| sum + ms)
    }

    /// The milliseconds of a bin that lie in it.
    pub(crate) fn at(&self, bin: i64) -> Mask {
        let start = Instant::from_nanos(bin.saturating_mul(BIN.as_nanos()));
        self.meeting(start, start + BIN).fold(0, |mask, (a, b)| mask | window(bin, a, b))
    }

    fn meeting(&self, from: Instant, to: Instant) -> impl Iterator<Item = (Instant, Instant)> {
        let first = self.0.partition_point(|(_, end)| *end <= from);
        let rest = self.0.get(first..).unwrap_or_default();
        rest.iter().copied().take_while(move |(start, _)| *start < to)
    }
}

/// Bytes up to each instant.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct CumulativeBytes(Vec<(Instant, u64)>);

impl CumulativeBytes {
    /// From packets in any order.
    pub fn of(mut packets: Vec<(Instant, u64)>) -> Self {
        packets.sort_unstable_by_key(|(time, _)| *time);
        let mut sum = 0u64;
        for (_, bytes) in &mut packets {
            sum = sum.saturating_add(*bytes);
            *bytes = sum;
        }
        Self(packets)
    }

    /// Bytes in `[from, to]`.
    pub fn within(&self, from: Instant, to: Instant) -> u64 {
        self.until(|time| time <= to).saturating_sub(self.until(|time| time < from))
    }

    fn until(&self, before: impl Fn(Instant) -> bool) -> u64 {
        let count = self.0.partition_point(|(time, _)| before(*time));
        count.checked_sub(1).and_then(|last| self.0.get(last)).map_or(0, |(_, sum)| *sum)
    }
}

/// Whether a direction of a phone is known at all in a bin, and when its queue was not empty.
#[derive(Clone, Copy, Debug)]
pub(crate) struct RadioMasks {
    pub(crate) known: Mask,
    pub(crate) backlogged: Mask,
    pub(crate) handover: Mask,
}

impl PhoneRadio {
    pub(crate) fn at(&self, direction: Direction, bin: i64) -> RadioMasks {
        RadioMasks {
            known: self.known.of(direction).at(bin),
            backlogged: self.backlogged.of(direction).at(bin),
            handover: self.handovers.at(bin),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use std::collections::BTreeSet;

    fn at(ms: i64) -> Instant {
        Instant::from_nanos(1_700_000_000_000_000_000 + ms * 1_000_000)
    }

    proptest! {
        #[test]
        fn spans_are_sets_of_milliseconds(
            spans in prop::collection::vec((0i64..3000, 0i64..400), 0..40),
            (from, length) in (0i64..3000, 0i64..500),
        ) {
            let naive: BTreeSet<i64> =
                spans.iter().flat_map(|(start, length)| *start..start + length).collect();
            let union =
                TimeSpans::union(spans.iter().map(|(a, b)| (at(*a), at(a + b))).collect());
            let expected = naive.range(from..from + length).count();
            let found = union.within_ms(at(from), at(from + length));
            prop_assert!((found - expected as f64).abs() < 1e-6);
            let bin = at(from).bin(BIN);
            let start = bin * 100 - 1_700_000_000_000;
            let in_bin = naive.range(start..start + 100).count();
            prop_assert_eq!(union.at(bin).count_ones() as usize, in_bin);
        }

        #[test]
        fn cumulative_bytes_are_sums(
            packets in prop::collection::vec((0i64..1000, 0u64..2000), 0..40),
            (from, length) in (0i64..1000, 0i64..500),
        ) {
            let expected: u64 = packets
                .iter()
                .filter(|(time, _)| (from..=from + length).contains(time))
                .map(|(_, bytes)| bytes)
                .sum();
            let sums = CumulativeBytes::of(packets.iter().map(|(t, b)| (at(*t), *b)).collect());
            prop_assert_eq!(sums.within(at(from), at(from + length)), expected);
        }
    }

    #[test]
    fn a_demand_needs_nine_tenths_of_its_span_known() {
        let mut phone = PhoneRadio::default();
        phone.known.downlink = TimeSpans::union(vec![(at(0), at(80))]);
        phone.backlogged.downlink = TimeSpans::union(vec![(at(10), at(50))]);
        phone.surely = TimeSpans::union(vec![(at(10), at(40))]);
        phone.perhaps = TimeSpans::union(vec![(at(10), at(60))]);
        let demand = phone.link_demand(at(0), at(100)).unwrap();
        assert_eq!((demand.ratio, demand.low, demand.high), (None, 0.3, 0.7));
        assert_eq!(demand.bursttracker, None, "what was not logged is no idle time");
        let demand = phone.link_demand(at(0), at(80)).unwrap();
        assert_eq!((demand.ratio, demand.bursttracker), (Some(0.5), Some(0.0)));
        assert!(demand.bursttracker.is_some_and(f64::is_sign_positive));
        assert_eq!(phone.link_demand(at(100), at(200)), None);
        assert_eq!(phone.link_demand(at(50), at(50)), None);
    }
}
