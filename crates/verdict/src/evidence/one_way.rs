//! Measures the one-way delay of a packet above the least one: how much later the packet came than
//! the quickest packet, by the timestamp clock of its sender (RFC 7323).
//!
//! The one-way delay shows the queue *before* the capture point, which no RTT measured there can
//! show (methods T7, T8). The tick length must be known within the first second, but meanwhile a
//! queue may grow and stretch every interval between packets. Therefore each nominal tick is a
//! hypothesis that later packets can refute. If the assumed tick is too long, the least delay sinks
//! without end. If a packet echoes a timestamp whose passing is known, the packet's delay has
//! bounds; a tick is refuted within some round trips when the delays that it gives differ by more
//! or by less than the bounds allow. The least delay is corrected for drift: it may rise as fast as
//! two clocks drift apart.

use airmile_track::KNOWN_NS;
use airmile_types::{Duration, Instant};

/// The tick lengths of known stacks that are 1 ms or longer, the longest first. A tick that is too
/// long is refuted soon, and until then it understates a queue. A tick that is too short would
/// invent a queue.
const LONGEST_FIRST_NS: [f64; KNOWN_NS.len() - 1] = {
    let mut ticks = [0.0; KNOWN_NS.len() - 1];
    let mut place = 0;
    while place < ticks.len() {
        ticks[place] = KNOWN_NS[KNOWN_NS.len() - 1 - place];
        place += 1;
    }
    ticks
};
/// The number of entries at the end of the list that are 1 to 4 ms long.
const SHORT_TICKS: usize = 4;
const SHORT: u8 = (LONGEST_FIRST_NS.len() - SHORT_TICKS) as u8;
const SHORTEST: u8 = ALL_TICKS - 1;
const ALL_TICKS: u8 = LONGEST_FIRST_NS.len() as u8;
/// The longest tick in use: a longer one is too coarse to show a queue of tens of milliseconds.
const LONGEST_USABLE_NS: f64 = 20e6;
/// The length of a step; the least delay is compared from step to step.
const STEP: Duration = Duration::from_millis(250);
/// When the least delay sinks by this share of a step, the tick is too long: clocks drift only by
/// parts per million, and the next shorter tick is half as long. The one exception is 4 ms instead
/// of 10/3 ms, which sinks by less; until bounds refute it, it understates a queue by a sixth.
const SINKING_RATIO: f64 = 0.3;
/// The number of steps in which the least delay may sink because the first packet itself was late
/// (a promotion, a standing queue).
const SINKING_STEPS: u8 = 2;
/// No packet is this late: a single step that sinks this far refutes a tick.
const REFUTED_NS: f64 = 3e9;
/// How long a host may take between stamping a packet and sending it.
const JITTER_NS: f64 = 2e6;
/// The largest drift between two crystal clocks: about 100 parts per million.
const DRIFT_RATIO: f64 = 100e-6;
/// A clock that jumps this far is treated as a new clock.
const CLOCK_STEP: Duration = Duration::from_secs(3600);

#[derive(Clone, Debug)]
pub(crate) struct OneWay {
    anchor: Option<Anchor>,
    /// The index of the longest tick that has not been refuted.
    candidate: u8,
    /// The least offset for each tick. From step to step it rises by as much as two clocks may
    /// drift apart. All arrays hold floating-point numbers, because this is computed for every
    /// packet.
    least: [f64; LONGEST_FIRST_NS.len()],
    /// The least offset for each tick at the begin of the step.
    before: [f64; LONGEST_FIRST_NS.len()],
    /// The bounds of the clock offset, for a clock that has packets with bounded delay. Those of a
    /// server have bounds only at the phone.
    offsets: Option<Box<Offsets>>,
    sinking: [u8; LONGEST_FIRST_NS.len()],
    /// By how much the least of the candidate now exceeds the quickest packet, at the most.
    risen_ns: f32,
    /// Whether the bounds are ignored because no tick agrees with them. This happens when a host on
    /// the path rewrites timestamps.
    unbounded: bool,
}

const _: () = assert!(size_of::<OneWay>() <= 192, "each live flow with payload holds two");

/// The least and the greatest offset between the clocks that packets with bounded delay allow.
#[derive(Clone, Copy, Debug)]
struct Offsets {
    floor: [f64; LONGEST_FIRST_NS.len()],
    ceiling: [f64; LONGEST_FIRST_NS.len()],
}

airmile_types::held!(OneWay { offsets } Offsets {});

impl Default for Offsets {
    fn default() -> Self {
        Self {
            floor: [f64::NEG_INFINITY; LONGEST_FIRST_NS.len()],
            ceiling: [f64::INFINITY; LONGEST_FIRST_NS.len()],
        }
    }
}

/// The bounds that the echo of a packet sets to its delay.
#[derive(Clone, Copy, Debug)]
pub(crate) struct DelayBounds {
    pub(crate) longest: Duration,
    pub(crate) shortest: Duration,
}

impl Default for OneWay {
    fn default() -> Self {
        Self {
            anchor: None,
            candidate: 0,
            least: [f64::INFINITY; LONGEST_FIRST_NS.len()],
            before: [0.0; LONGEST_FIRST_NS.len()],
            offsets: None,
            sinking: [0; LONGEST_FIRST_NS.len()],
            risen_ns: 0.0,
            unbounded: false,
        }
    }
}

/// Lowers the least of each tick to the offset that this tick gives, where that offset is less.
#[inline]
fn sink<const TICKS: usize>(
    least: &mut [f64; TICKS],
    nominal: &[f64; TICKS],
    elapsed_ns: f64,
    ticks: f64,
) {
    for (least, tick) in least.iter_mut().zip(nominal) {
        let own = elapsed_ns - tick * ticks;
        *least = if own < *least { own } else { *least };
    }
}

#[derive(Clone, Copy, Debug)]
struct Anchor {
    time: Instant,
    tsval: u32,
    step_began: Instant,
}

impl Anchor {
    /// Whether `now` lies within the current step and the clock of the capture point has not gone
    /// back.
    #[inline]
    fn is_in_step(&self, now: Instant) -> bool {
        (Duration::ZERO..STEP).contains(&(now - self.step_began))
    }

    /// The number of ticks of the sender's clock since the reference timestamp.
    #[inline]
    fn ticks(&self, tsval: u32) -> f64 {
        f64::from(tsval.wrapping_sub(self.tsval) as i32)
    }
}

impl OneWay {
    /// Takes a packet with the timestamp of its sender and, where known, the bounds of its delay.
    /// Returns its delay above the least; `None` while no tick length has passed the test.
    pub(crate) fn excess(
        &mut self,
        tsval: u32,
        now: Instant,
        bounds: Option<DelayBounds>,
    ) -> Option<Duration> {
        match &self.anchor {
            Some(anchor)
                if self.candidate == SHORTEST && bounds.is_none() && anchor.is_in_step(now) =>
            {
                let (elapsed, ticks) = (now - anchor.time, anchor.ticks(tsval));
                self.sink_last::<1>(elapsed.as_nanos() as f64, ticks);
                self.above_shortest(elapsed, ticks)
            }
            _ => self.excess_of_any(tsval, now, bounds),
        }
    }

    /// Computes the delay as `excess` does, for any clock at any time.
    #[inline(never)]
    fn excess_of_any(
        &mut self,
        tsval: u32,
        now: Instant,
        bounds: Option<DelayBounds>,
    ) -> Option<Duration> {
        let fresh = Anchor { time: now, tsval, step_began: now };
        let anchor = *self.anchor.get_or_insert(fresh);
        let length = now - anchor.step_began;
        if length.abs() > CLOCK_STEP || self.candidate == ALL_TICKS {
            self.restart(fresh);
            return None;
        }
        let elapsed = now - anchor.time;
        let elapsed_ns = elapsed.as_nanos() as f64;
        let ticks = anchor.ticks(tsval);
        // A refuted tick needs no least any more, and the common clocks have short ticks.
        match self.candidate {
            ..SHORT => sink(&mut self.least, &LONGEST_FIRST_NS, elapsed_ns, ticks),
            SHORT..SHORTEST => self.sink_last::<SHORT_TICKS>(elapsed_ns, ticks),
            _ => self.sink_last::<1>(elapsed_ns, ticks),
        }
        if let Some(bounds) = bounds.filter(|_| !self.unbounded) {
            self.bound(elapsed_ns, ticks, bounds);
        }
        if length >= STEP {
            self.step(now, length);
        }
        self.above_least(elapsed, ticks)
    }

    /// Returns the delay above the least of a packet that was taken before.
    pub(crate) fn excess_of(&self, tsval: u32, at: Instant) -> Option<Duration> {
        let anchor = self.anchor?;
        self.above_least(at - anchor.time, anchor.ticks(tsval))
    }

    /// The least delay above the least of a packet that was taken just now, by the longest tick that
    /// is left: by a tick that is too long, a later packet seems to have left later than it did.
    pub(super) fn excess_at_least(&self, tsval: u32, at: Instant) -> Duration {
        let index = usize::from(self.candidate);
        let known = LONGEST_FIRST_NS.get(index).zip(self.least.get(index)).zip(self.anchor);
        known.map_or(Duration::ZERO, |((tick, least), anchor)| {
            let offset = (at - anchor.time).as_nanos() as f64 - tick * anchor.ticks(tsval);
            Duration::from_nanos((offset - least - tick).max(0.0) as i64)
        })
    }

    #[inline]
    fn sink_last<const TICKS: usize>(&mut self, elapsed_ns: f64, ticks: f64) {
        let nominal = LONGEST_FIRST_NS.last_chunk::<TICKS>();
        if let (Some(least), Some(nominal)) = (self.least.last_chunk_mut(), nominal) {
            sink(least, nominal, elapsed_ns, ticks);
        }
    }

    #[inline]
    fn above_least(&self, elapsed: Duration, ticks: f64) -> Option<Duration> {
        let tick = *LONGEST_FIRST_NS.get(usize::from(self.candidate))?;
        let least = *self.least.get(usize::from(self.candidate))?;
        // One step distinguishes two ticks; the shortest tick has no other to be distinguished
        // from.
        let tested = elapsed >= STEP || self.candidate == SHORTEST;
        let offset = elapsed.as_nanos() as f64 - tick * ticks;
        // Delays shorter than a tick cannot be distinguished: the packet may have been stamped at
        // the end of its tick.
        (tested && tick <= LONGEST_USABLE_NS)
            .then(|| Duration::from_nanos((offset - least - tick).max(0.0) as i64))
    }

    /// Returns what `above_least` returns, for the shortest tick when no other tick is left.
    #[inline]
    fn above_shortest(&self, elapsed: Duration, ticks: f64) -> Option<Duration> {
        let tick = LONGEST_FIRST_NS[SHORTEST as usize];
        let offset = elapsed.as_nanos() as f64 - tick * ticks;
        let late = (offset - self.least[SHORTEST as usize] - tick).max(0.0);
        Some(Duration::from_nanos(late as i64))
    }

    #[cold]
    fn restart(&mut self, anchor: Anchor) {
        let unbounded = self.unbounded;
        *self = Self { anchor: Some(anchor), unbounded, ..Self::default() };
    }

    /// Begins a new least at this packet, because the path has become longer.
    pub(crate) fn begin_anew(&mut self) {
        self.least = [f64::INFINITY; LONGEST_FIRST_NS.len()];
        self.before = [f64::NEG_INFINITY; LONGEST_FIRST_NS.len()];
        self.offsets = None;
        self.risen_ns = 0.0;
    }

    /// The line on which the timestamps of this clock lie, by the longest tick that is left.
    pub(super) fn line(&self) -> Option<ClockLine> {
        let index = usize::from(self.candidate);
        let Anchor { time, tsval, .. } = self.anchor?;
        let (tick_ns, least_ns) = LONGEST_FIRST_NS.get(index).zip(self.least.get(index))?;
        Some(ClockLine { time, tsval, tick_ns: *tick_ns, least_ns: *least_ns })
    }

    /// Notes that the packets so far were this late.
    pub(super) fn began_late(&mut self, late: Duration) {
        let late_ns = late.as_nanos() as f64;
        self.least.iter_mut().chain(&mut self.before).for_each(|least| *least -= late_ns);
    }

    /// The longest tick that has not been refuted.
    pub(crate) fn tick(&self) -> Duration {
        let tick = LONGEST_FIRST_NS.get(usize::from(self.candidate)).copied().unwrap_or_default();
        Duration::from_nanos(tick as i64)
    }

    /// The longest delay that this clock hides: a tick, and as much as the clocks may have drifted
    /// apart since the quickest packet came.
    pub(super) fn hidden(&self) -> Duration {
        self.tick() + Duration::from_nanos(self.risen_ns as i64)
    }

    /// Refutes the ticks for which the bounds of this packet's delay contradict those of earlier
    /// packets. Each delay is at least 0, and a timestamp may be up to one tick old.
    fn bound(&mut self, elapsed_ns: f64, ticks: f64, bounds: DelayBounds) {
        let longest_ns = bounds.longest.as_nanos() as f64;
        let shortest_ns = bounds.shortest.as_nanos() as f64;
        let Offsets { floor, ceiling } = &mut **self.offsets.get_or_insert_default();
        for (index, tick) in LONGEST_FIRST_NS.into_iter().enumerate() {
            let offset = elapsed_ns - tick * ticks;
            floor[index] = floor[index].max(offset - longest_ns);
            ceiling[index] = ceiling[index].min(offset - shortest_ns);
            let most = ceiling[index].min(self.least[index]);
            if most < floor[index] - tick - JITTER_NS {
                self.sinking[index] = SINKING_STEPS;
            }
        }
        self.next_candidate();
        self.unbounded = self.candidate == ALL_TICKS;
    }

    /// At the end of a step, refutes the ticks whose least delay went on sinking.
    #[inline(never)]
    fn step(&mut self, now: Instant, length: Duration) {
        if let Some(anchor) = &mut self.anchor {
            anchor.step_began = now;
        }
        let limit = SINKING_RATIO * length.as_nanos() as f64;
        let drift = DRIFT_RATIO * length.as_nanos() as f64;
        let index = usize::from(self.candidate);
        let sunk = self.before.get(index).zip(self.least.get(index)).map_or(0.0, |(b, l)| b - l);
        self.risen_ns = (self.risen_ns - sunk.max(0.0) as f32).max(0.0) + drift as f32;
        let bounds = self.least.iter_mut().zip(&mut self.before);
        for ((least, before), (sinking, tick)) in
            bounds.zip(self.sinking.iter_mut().zip(LONGEST_FIRST_NS))
        {
            // With a long tick, the least sinks by whole ticks.
            let sunk = *before - *least;
            if sunk > limit.max(tick) {
                let steps = if sunk > REFUTED_NS { SINKING_STEPS } else { 1 };
                *sinking = sinking.saturating_add(steps);
            }
            *least += drift;
            *before = *least;
        }
        if let Some(offsets) = &mut self.offsets {
            for (floor, ceiling) in offsets.floor.iter_mut().zip(&mut offsets.ceiling) {
                (*floor, *ceiling) = (*floor - drift, *ceiling + drift);
            }
        }
        self.next_candidate();
    }

    fn next_candidate(&mut self) {
        let refuted = self.candidate;
        while self
            .sinking
            .get(usize::from(self.candidate))
            .is_some_and(|steps| *steps >= SINKING_STEPS)
        {
            self.candidate += 1;
        }
        if self.candidate != refuted {
            // How far the least of this tick has sunk again is not known.
            let raised = self.anchor.map_or(Duration::ZERO, |it| it.step_began - it.time);
            self.risen_ns = (DRIFT_RATIO * raised.as_nanos() as f64) as f32;
        }
    }
}

/// The clock of a host as one of its flows shows it: when the quickest packet with each timestamp
/// comes.
#[derive(Clone, Copy, Debug)]
pub(super) struct ClockLine {
    time: Instant,
    tsval: u32,
    tick_ns: f64,
    least_ns: f64,
}

impl ClockLine {
    /// How late a packet of another flow came that answers one sent a round trip before; `None` if its
    /// timestamp shows another clock, by which it would have left before it was asked for, or after it
    /// came. Two clocks with independent offsets agree so by chance, with a
    /// probability of the round trip over 2^32 ms.
    pub(super) fn late(
        &self,
        (at, tsval): (Instant, u32),
        round_trip: Duration,
    ) -> Option<Duration> {
        let elapsed_ns = (at - self.time).as_nanos() as f64;
        let ticks = f64::from(tsval.wrapping_sub(self.tsval) as i32);
        let late_ns = elapsed_ns - self.tick_ns * ticks - self.least_ns;
        let drift_ns = DRIFT_RATIO * elapsed_ns.abs();
        let doubt_ns = self.tick_ns + JITTER_NS + drift_ns;
        let most_ns = round_trip.as_nanos() as f64 + doubt_ns;
        let agrees = (-doubt_ns..=most_ns).contains(&late_ns);
        agrees.then(|| Duration::from_nanos((late_ns - drift_ns).max(0.0) as i64))
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
            last = clock.excess((i / tick_ms) as u32, arrival, None).map(Duration::as_millis_f64);
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
            worst =
                worst.max(clock.excess(i as u32, now, None).map_or(0.0, Duration::as_millis_f64));
        }
        assert!(worst < 1.0, "50 ppm of drift looked like {worst} ms of queue");
    }

    #[test]
    fn a_queue_that_stands_until_the_least_has_risen_to_it_is_hidden() {
        let mut clock = OneWay::default();
        let delay_ms = |i| if (1_000..300_000).contains(&i) { 20 } else { 0 };
        let shown = feed(&mut clock, 1, 0..100_000, delay_ms).unwrap();
        assert!((shown - 9.1).abs() < 0.1, "{shown} ms of 19 are left after 100 s");
        let hidden = clock.hidden().as_millis_f64();
        assert!((hidden - 10.9).abs() < 0.1, "{hidden} ms");
        assert_eq!(feed(&mut clock, 1, 100_000..300_000, delay_ms), Some(0.0));
        let hidden = clock.hidden().as_millis_f64();
        assert!((20.0..21.1).contains(&hidden), "{hidden} ms of the queue no longer show");
        feed(&mut clock, 1, 300_000..301_000, delay_ms);
        let hidden = clock.hidden().as_millis_f64();
        assert!(hidden < 1.1, "{hidden} ms, although the queue has emptied");
    }

    #[test]
    fn a_tick_that_is_refuted_late_leaves_no_rise_of_its_own() {
        let mut clock = OneWay { candidate: 0, risen_ns: 5e6, ..OneWay::default() };
        clock.anchor = Some(Anchor {
            time: Instant::from_nanos(0),
            tsval: 0,
            step_began: Instant::from_nanos(10_000_000_000),
        });
        clock.sinking[0] = SINKING_STEPS;
        clock.next_candidate();
        assert_eq!(clock.candidate, 1);
        assert_eq!(clock.hidden() - clock.tick(), Duration::from_millis(1));
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

    /// Sends a packet each millisecond through a queue that grows by half a second per second.
    fn bounded(tick: i64, shortest_ms: impl Fn(i64) -> i64) -> (OneWay, Option<i64>) {
        let mut clock = OneWay::default();
        let mut known = None;
        for i in 0..=300i64 {
            let longest = Duration::from_millis(30 + i / 2);
            let shortest = Duration::from_millis(shortest_ms(i));
            let bounds = (i % 10 == 0).then_some(DelayBounds { longest, shortest });
            let now = Instant::from_nanos((i + 15 + i / 2) * 1_000_000);
            if clock.excess((i / tick) as u32, now, bounds).is_some() {
                known.get_or_insert(i);
            }
        }
        (clock, known)
    }

    #[test]
    fn bounds_refute_longer_ticks_within_some_round_trips() {
        for (tick, known) in [(1, 70), (4, 167), (10, 167)] {
            let (clock, since) = bounded(tick, |_| 0);
            assert_eq!(since, Some(known), "tick {tick} ms");
            let late = clock.excess_of((300 / tick) as u32, Instant::from_nanos(465_000_000));
            let late_ms = late.map(Duration::as_millis_f64).unwrap();
            assert!((late_ms - 150.0).abs() <= tick as f64 + 0.1, "tick {tick} ms: {late_ms} ms");
        }
        let (_, since) = bounded(1, |i| i / 2);
        assert_eq!(since, Some(40), "by the longer tick the queue grows less than the bounds");
    }

    #[test]
    fn a_clock_of_300_hz_shows_its_own_queue_once_bounds_refute_the_longer_tick() {
        let mut clock = OneWay::default();
        let mut last = None;
        for i in 0..=6_000i64 {
            let delay_ms = if i < 5_000 { 20 } else { 120 };
            let longest = Duration::from_millis(delay_ms + 10);
            let shortest = Duration::from_millis(delay_ms - 10);
            let now = Instant::from_nanos((i + delay_ms) * 1_000_000);
            last = clock.excess((i * 3 / 10) as u32, now, Some(DelayBounds { longest, shortest }));
        }
        let late_ms = last.map(Duration::as_millis_f64).unwrap();
        assert!((late_ms - 100.0).abs() < 5.0, "{late_ms} ms");
    }

    #[test]
    fn bounds_that_no_tick_agrees_with_are_none() {
        let mut clock = OneWay::default();
        for i in 0..2000i64 {
            let longest = Duration::from_millis(if i == 0 { 5 } else { 1000 });
            let shortest = Duration::from_millis(if i == 10 { 900 } else { 0 });
            let now = Instant::from_nanos(i * 1_000_000);
            clock.excess(i as u32, now, Some(DelayBounds { longest, shortest }));
        }
        assert!(clock.unbounded);
        let late = clock.excess(2000, Instant::from_nanos(2_050_000_000), None);
        assert_eq!(late.map(|late| late.as_millis_f64().round()), Some(49.0));
    }
}
