//! How much later than the quickest a packet came: its one-way delay above the least, from the
//! sender's timestamp clock (RFC 7323).
//!
//! It shows the queue *before* the tap, which no RTT from the tap can (verdict notes 8). The
//! tick length must be known within the first second, while a queue may grow under the packets
//! and stretch every interval; so each nominal tick is a hypothesis that time refutes: with too
//! long a tick the least delay sinks without end. The least is kept drift-corrected: it may rise
//! by as much as two clocks drift apart.

use airmile_types::{Duration, Instant};

/// Tick lengths in use (methods E1; 0.5 and 1 s on the BSDs of the 1990s), in nanoseconds, the
/// longest first: too long a tick is refuted soon and until then understates a queue, too short a
/// one would invent it.
const NOMINAL_TICKS_NS: [f64; 7] = [1000e6, 500e6, 100e6, 10e6, 4e6, 2e6, 1e6];
/// A longer tick is too coarse to show a queue of tens of milliseconds.
const LONGEST_USABLE_NS: f64 = 20e6;
/// The least is compared over steps of this length.
const STEP: Duration = Duration::from_millis(250);
/// A least that sinks by this share of a step sinks because the tick is too long: clocks drift by
/// parts per million, and the next shorter tick is half as long.
const SINKING_RATIO: f64 = 0.3;
/// One step may sink because the first packet was late itself (a promotion, a standing queue).
const SINKING_STEPS: u8 = 2;
/// No packet is this late: one such step is enough.
const REFUTED_NS: f64 = 3e9;
/// Two crystal clocks drift apart by at most about 100 parts per million.
const DRIFT_RATIO: f64 = 100e-6;
/// A clock that stepped this far is another clock.
const CLOCK_STEP: Duration = Duration::from_secs(3600);

#[derive(Clone, Copy, Debug)]
pub(crate) struct OneWay {
    anchor: Option<Anchor>,
    /// Index of the longest tick not refuted.
    candidate: usize,
    /// Least offset by each tick; from step to step it rises by as much as two clocks may drift
    /// apart. Arrays of one kind of number, because this is worked out for every packet.
    least: [f64; NOMINAL_TICKS_NS.len()],
    /// Least offset when the step began.
    before: [f64; NOMINAL_TICKS_NS.len()],
    sinking: [u8; NOMINAL_TICKS_NS.len()],
}

impl Default for OneWay {
    fn default() -> Self {
        Self {
            anchor: None,
            candidate: 0,
            least: [f64::INFINITY; NOMINAL_TICKS_NS.len()],
            before: [0.0; NOMINAL_TICKS_NS.len()],
            sinking: [0; NOMINAL_TICKS_NS.len()],
        }
    }
}

#[derive(Clone, Copy, Debug)]
struct Anchor {
    time: Instant,
    tsval: u32,
    step_began: Instant,
}

impl OneWay {
    /// Takes a packet with its sender's timestamp; gives its delay above the least, `None` while
    /// no tick length has stood a step's test.
    pub(crate) fn excess(&mut self, tsval: u32, now: Instant) -> Option<Duration> {
        let fresh = Anchor { time: now, tsval, step_began: now };
        let anchor = *self.anchor.get_or_insert(fresh);
        let elapsed = now - anchor.time;
        if (now - anchor.step_began).abs() > CLOCK_STEP || self.candidate == NOMINAL_TICKS_NS.len()
        {
            *self = Self { anchor: Some(fresh), ..Self::default() };
            return None;
        }
        let ticks = f64::from(tsval.wrapping_sub(anchor.tsval) as i32);
        let elapsed_ns = elapsed.as_nanos() as f64;
        for (least, tick) in self.least.iter_mut().zip(NOMINAL_TICKS_NS) {
            let own = elapsed_ns - tick * ticks;
            *least = if own < *least { own } else { *least };
        }
        self.step(now);
        let tick = *NOMINAL_TICKS_NS.get(self.candidate)?;
        let least = *self.least.get(self.candidate)?;
        let offset = elapsed_ns - tick * ticks;
        // Within one tick nothing can be told: the packet may have been stamped at its end.
        (elapsed >= STEP && tick <= LONGEST_USABLE_NS)
            .then(|| Duration::from_nanos((offset - least - tick).max(0.0) as i64))
    }

    /// At the end of a step, refutes the ticks under which the least went on sinking.
    fn step(&mut self, now: Instant) {
        let Some(anchor) = &mut self.anchor else { return };
        let length = now - anchor.step_began;
        if length < STEP {
            return;
        }
        anchor.step_began = now;
        let limit = SINKING_RATIO * length.as_nanos() as f64;
        let drift = DRIFT_RATIO * length.as_nanos() as f64;
        let bounds = self.least.iter_mut().zip(&mut self.before);
        for ((least, before), (sinking, tick)) in
            bounds.zip(self.sinking.iter_mut().zip(NOMINAL_TICKS_NS))
        {
            // A long tick sinks by whole ticks.
            let sunk = *before - *least;
            if sunk > limit.max(tick) {
                let steps = if sunk > REFUTED_NS { SINKING_STEPS } else { 1 };
                *sinking = sinking.saturating_add(steps);
            }
            *least += drift;
            *before = *least;
        }
        while self.sinking.get(self.candidate).is_some_and(|steps| *steps >= SINKING_STEPS) {
            self.candidate += 1;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn feed(
        clock: &mut OneWay,
        tick_ms: i64,
        millis: std::ops::Range<i64>,
        delay_ms: impl Fn(i64) -> i64,
    ) -> Option<f64> {
        let mut last = None;
        for i in millis {
            let arrival = Instant::from_nanos((i + delay_ms(i)) * 1_000_000);
            last = clock.excess((i / tick_ms) as u32, arrival).map(Duration::as_millis_f64);
        }
        last
    }

    #[test]
    fn a_drifting_clock_is_no_queue() {
        let mut clock = OneWay::default();
        let mut worst = 0.0f64;
        for i in 0..20_000i64 {
            let sent_ns = i * 1_000_000;
            let now = Instant::from_nanos(sent_ns + sent_ns / 20_000);
            worst = worst.max(clock.excess(i as u32, now).map_or(0.0, Duration::as_millis_f64));
        }
        assert!(worst < 1.0, "50 ppm of drift looked like {worst} ms of queue");
    }

    #[test]
    fn a_queue_that_grows_from_the_first_packet_is_seen_within_its_first_two_seconds() {
        for tick in [1, 4, 10] {
            let mut clock = OneWay::default();
            // The queue grows by 0.4 s per second: arrivals are stretched 1.4 times.
            let excess = feed(&mut clock, tick, 0..2000, |i| 20 + i * 2 / 5).unwrap();
            assert!((excess - 800.0).abs() < 25.0, "tick {tick} ms: {excess} ms");
        }
    }

    #[test]
    fn a_clock_of_two_ticks_a_second_shows_no_queue() {
        let mut clock = OneWay::default();
        assert_eq!(feed(&mut clock, 500, 0..20_000, |_| 20), None);
    }

    #[test]
    fn a_late_first_packet_does_not_refute_the_tick() {
        let mut clock = OneWay::default();
        let excess =
            feed(
                &mut clock,
                1,
                0..5000,
                |i| if i == 0 { 450 } else { 20 + i64::from(i > 4900) * 80 },
            );
        assert!((excess.unwrap() - 79.0).abs() < 2.0, "{excess:?}");
    }
}
