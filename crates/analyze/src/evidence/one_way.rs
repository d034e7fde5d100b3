//! How much later than the quickest a packet came: its one-way delay above the least, from the
//! sender's timestamp clock (RFC 7323).
//!
//! It shows the queue *before* the tap, which no RTT from the tap can (verdict notes 8). The
//! least is kept drift-corrected: it may rise by as much as two clocks drift apart.

use airmile_types::{Duration, Instant};

/// Tick lengths in use (methods E1), in nanoseconds.
const NOMINAL_TICKS: [f64; 5] = [1e6, 2e6, 4e6, 10e6, 100e6];
/// A measured tick within this of a nominal one is taken for it: the drift is parts per million,
/// the rest is queueing over a short span.
const NEAR: f64 = 0.25;
/// Before this much time the tick length is not known.
const SPAN_MIN: Duration = Duration::from_millis(300);
/// After it the tick length is settled.
const SPAN_SETTLED: Duration = Duration::from_secs(3);
/// Two crystal clocks drift apart by at most about 100 parts per million.
const DRIFT_RATIO: f64 = 100e-6;

#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct OneWay {
    anchor: Option<(Instant, u32)>,
    tick_ns: Option<f64>,
    settled: bool,
    /// Least offset and when it was seen.
    least: Option<(f64, Instant)>,
}

impl OneWay {
    /// Takes a packet with its sender's timestamp; gives its delay above the least, `None` while
    /// the tick length is unknown.
    pub(crate) fn excess(&mut self, tsval: u32, now: Instant) -> Option<Duration> {
        let (start, first) = *self.anchor.get_or_insert((now, tsval));
        let elapsed = now - start;
        let ticks = f64::from(tsval.wrapping_sub(first) as i32);
        self.settle(elapsed, ticks);
        let tick = self.tick_ns?;
        let offset = elapsed.as_nanos() as f64 - tick * ticks;
        let least = self.least_at(now).map_or(offset, |least| least.min(offset));
        if offset <= least {
            self.least = Some((offset, now));
        }
        // Within one tick nothing can be told: the packet may have been stamped at its end.
        Some(Duration::from_nanos((offset - least - tick).max(0.0) as i64))
    }

    fn least_at(&self, now: Instant) -> Option<f64> {
        let (least, seen) = self.least?;
        Some(least + DRIFT_RATIO * (now - seen).as_nanos().max(0) as f64)
    }

    /// Finds the tick length; a change of mind before it has settled starts the least anew.
    fn settle(&mut self, elapsed: Duration, ticks: f64) {
        if self.settled || elapsed < SPAN_MIN || ticks < 1.0 {
            return;
        }
        let measured = elapsed.as_nanos() as f64 / ticks;
        let nominal = NOMINAL_TICKS.into_iter().find(|n| (measured / n - 1.0).abs() < NEAR);
        if nominal.is_some() && nominal != self.tick_ns {
            self.tick_ns = nominal;
            self.least = None;
        }
        self.settled = elapsed >= SPAN_SETTLED && self.tick_ns.is_some();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_queue_before_the_tap_is_seen_and_a_drifting_clock_is_not() {
        let mut clock = OneWay::default();
        let mut worst = 0.0f64;
        for i in 0..20_000i64 {
            let sent_ns = i * 1_000_000;
            let now = Instant::from_nanos(sent_ns + sent_ns / 20_000);
            worst = worst.max(clock.excess(i as u32, now).map_or(0.0, Duration::as_millis_f64));
        }
        assert!(worst < 1.0, "50 ppm of drift looked like {worst} ms of queue");
        let late = clock.excess(20_000, Instant::from_nanos(20_000 * 1_000_050 + 80_000_000));
        assert!((late.unwrap().as_millis_f64() - 79.0).abs() < 1.5);
    }
}
