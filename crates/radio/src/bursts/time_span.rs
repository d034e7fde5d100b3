//! Computes Throughput Time and MAC throughput of the bursts in a time span (methods G3).

use airmile_types::{Duration, Instant};

use super::burst::Burst;
use crate::tti::Ms;

/// A time span that includes its begin but not its end.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct TimeSpan {
    /// The begin; for a transfer, the time of its first byte.
    pub from: Instant,
    /// The end; for a transfer, the time of its last byte.
    pub until: Instant,
}

impl TimeSpan {
    /// The length in milliseconds.
    pub fn length_ms(&self) -> f64 {
        self.length().as_millis_f64()
    }

    fn length(&self) -> Duration {
        (self.until - self.from).max(Duration::ZERO)
    }

    fn holds(&self, time: Instant) -> bool {
        self.from <= time && time < self.until
    }

    /// The part of a burst's Throughput Time that lies in the span, in milliseconds. A burst that
    /// lies completely in the span counts by its subframe numbers, which are exact. A burst that
    /// reaches beyond the span counts by the clock of the log.
    fn part_of(&self, burst: &Burst) -> f64 {
        let clipped = Self { from: self.from.max(burst.start), until: self.until.min(burst.end) };
        if clipped == (Self { from: burst.start, until: burst.end }) {
            return burst.throughput_time_ms() as f64;
        }
        clipped.length_ms()
    }
}

/// The ACTIVE and CONTENTION milliseconds of these bursts within a span.
pub fn throughput_time_ms(bursts: &[Burst], span: TimeSpan) -> f64 {
    // `sum()` of an empty list would give -0.
    bursts.iter().fold(0.0, |sum, burst| sum + span.part_of(burst))
}

/// The decoded bytes divided by Throughput Time, in bit/s, both without the last millisecond of
/// each burst. `None` if there is no Throughput Time, or if the size of a block is not known.
pub fn mac_throughput_bps(milliseconds: &[Ms], bursts: &[Burst], span: TimeSpan) -> Option<f64> {
    let mut bytes: u64 = 0;
    for burst in bursts {
        let from = milliseconds.partition_point(|ms| ms.tti < burst.start_tti);
        let within = |ms: &&Ms| ms.tti < burst.end_tti;
        for ms in milliseconds.iter().skip(from).take_while(within) {
            if span.holds(ms.time) {
                bytes = bytes.saturating_add(ms.bytes?);
            }
        }
    }
    rate_bps(bytes, throughput_time_ms(bursts, span))
}

fn rate_bps(bytes: u64, time_ms: f64) -> Option<f64> {
    (time_ms > 0.0).then(|| bytes as f64 * 8e3 / time_ms)
}

#[cfg(test)]
mod tests {
    use super::super::bursts;
    use super::super::cases::script;
    use super::*;
    use airmile_types::Parameters;

    fn span(from_ms: i64, until_ms: i64) -> TimeSpan {
        let at = |ms: i64| Instant::from_nanos(ms * 1_000_000);
        TimeSpan { from: at(from_ms), until: at(until_ms) }
    }

    /// Two bursts: from 2 to 6 ms, and from 10 to 14 ms.
    fn example() -> (Vec<Ms>, Vec<Burst>) {
        let all = script(". . 100 . 50 . 30 . . . 95:300 . . . 20:7 . 1");
        let found = bursts(&all, &Parameters::default()).0;
        (all, found)
    }

    #[test]
    fn bursts_are_clipped_to_the_span() {
        let (_, found) = example();
        assert_eq!(throughput_time_ms(&found, span(0, 20)), 8.0);
        assert_eq!(throughput_time_ms(&found, span(4, 12)), 4.0);
        assert_eq!(throughput_time_ms(&found, span(7, 9)), 0.0);
        assert_eq!(throughput_time_ms(&found, span(3, 5)), 2.0);
        assert_eq!(throughput_time_ms(&found, span(9, 3)), 0.0);
        assert!(throughput_time_ms(&[], span(0, 20)).is_sign_positive());
    }

    #[test]
    fn a_whole_burst_counts_by_its_subframes() {
        let (_, mut found) = example();
        let late = Duration::from_micros(700);
        found[0].end = found[0].end + late;
        assert_eq!(throughput_time_ms(&found, span(0, 9)), 4.0);
    }

    #[test]
    fn rates_are_over_throughput_time() {
        let (all, found) = example();
        assert_eq!(mac_throughput_bps(&all, &found, span(0, 20)), Some(500_000.0));
        assert_eq!(mac_throughput_bps(&all, &found, span(9, 20)), Some(600_000.0));
        assert_eq!(mac_throughput_bps(&all, &found, span(7, 9)), None);
    }

    #[test]
    fn an_unknown_size_within_leaves_the_rate_unknown() {
        let (mut all, found) = example();
        all[0].bytes = None;
        assert_eq!(mac_throughput_bps(&all, &found, span(0, 20)), None);
        assert_eq!(mac_throughput_bps(&all, &found, span(9, 20)), Some(600_000.0));
    }
}
