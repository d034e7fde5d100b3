//! Fits a straight line below all points (TSval, time of passing); its slope is the length of the
//! tick (methods E1).

use airmile_track::{Tick, of_phones_ns};
use airmile_types::{Duration, Instant};

/// The greatest number of vertices of the hull that are kept. A hull of n random points has about
/// log n of them, so the limit affects only inputs that were made to grow the hull.
const VERTICES: usize = 64;
/// This number of packets in a row with an older TSval show that a clock was set back, not that
/// packets are out of order.
const SET_BACK: u8 = 16;
/// A step of the capture point's clock: it is larger than any time by which packets are logged out
/// of order.
const STEP: Duration = Duration::from_millis(10);
/// The largest mean delay of the packets above the line, as a share of the fitted time. If the
/// delay is larger, the points are not on a line (a corrupt TSval, a clock that jumped forward).
const SCATTER: f64 = 0.25;

/// A line over few packets agrees with a known tick when it is this close to it, as a ratio; the
/// nearest two known ticks differ by a fifth.
const AGREES: f64 = 0.15;

/// Fits the tick of one sender's timestamp clock in bounded memory.
///
/// Every packet lies on the line of its sender's clock or, because of its delay, above it. So the
/// line is fitted **below** the points. Of all such lines, the fit takes the one with the least
/// mean distance to the points: the edge of their lower convex hull below their mean TSval.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct TickFit {
    current: Option<Stretch>,
    /// The longest stretch before a clock, the sender's or the capture point's, was set back.
    longest: Option<Tick>,
    set_back: u8,
}

/// The packets of a time in which both clocks ran forward.
#[derive(Clone, Debug, PartialEq)]
struct Stretch {
    began: Instant,
    newest: Instant,
    newest_value: u32,
    newest_ticks: i64,
    /// The lower convex hull, left to right, as ticks and nanoseconds since the first packet.
    hull: Vec<(i64, i64)>,
    packets: u64,
    ticks_sum: f64,
    time_sum: f64,
}

airmile_types::held!(TickFit { current } Stretch { hull });

impl TickFit {
    /// Takes the TSval of a packet that passed at `time`. Wrap-around of the TSval (RFC 7323
    /// section 5.5) is handled. Packets out of order lie far above the line and are left out.
    pub(crate) fn push(&mut self, time: Instant, value: u32) {
        let Some(stretch) = &mut self.current else {
            self.current = Some(Stretch::new(time, value));
            return;
        };
        let ticks = value.wrapping_sub(stretch.newest_value) as i32;
        if ticks >= 0 && stretch.newest <= time {
            self.set_back = 0;
            stretch.newest = time;
            stretch.push(time, value, ticks.into());
        } else {
            self.push_back(time, value, ticks);
        }
    }

    /// Takes a packet that comes before the newest one, by either clock.
    #[cold]
    fn push_back(&mut self, time: Instant, value: u32, ticks: i32) {
        let Some(stretch) = &mut self.current else { return };
        self.set_back = if ticks < 0 { self.set_back.saturating_add(1) } else { 0 };
        if self.set_back >= SET_BACK || time + STEP < stretch.newest {
            self.longest = self.tick();
            self.current = Some(Stretch::new(time, value));
            self.set_back = 0;
        } else if ticks >= 0 {
            stretch.push(time, value, ticks.into());
        }
    }

    /// Whether the packets of the fit may span `least`; cheaper to compute than [`Self::tick`].
    pub(crate) fn may_span(&self, least: Duration) -> bool {
        let current = self.current.as_ref().is_some_and(|s| s.newest - s.began >= least);
        current || self.longest.is_some_and(|tick| tick.span >= least)
    }

    /// The tick of a flow that is too short for a fit: the only known tick that agrees with all
    /// packets from `since` on, when each packet may pass up to `jitter` later than another.
    pub(crate) fn agreed(&self, since: Instant, jitter: Duration) -> Option<Tick> {
        let stretch = self.current.as_ref().filter(|_| self.longest.is_none())?;
        let packets = stretch.since(since);
        let mut agreeing = of_phones_ns().filter(|ns| agrees(packets, *ns, jitter));
        let fitted_ns = agreeing.next().filter(|_| agreeing.next().is_none())?;
        let (first, last) = (packets.first()?, packets.last()?);
        let line_ns = (last.1 - first.1) as f64 / (last.0 - first.0).max(1) as f64;
        let span = Duration::from_nanos(last.1 - first.1);
        let is_near = (line_ns / fitted_ns - 1.0).abs() <= AGREES;
        is_near.then_some(Tick { fitted_ns, span, packets: stretch.packets })
    }

    /// The tick so far; `None` while the clock has not moved, or when its points are not on a line.
    pub(crate) fn tick(&self) -> Option<Tick> {
        let current = self.current.as_ref().and_then(Stretch::tick);
        match (current, self.longest) {
            (Some(current), Some(longest)) if longest.span > current.span => Some(longest),
            (current, longest) => current.or(longest),
        }
    }
}

impl Stretch {
    fn new(time: Instant, value: u32) -> Self {
        Self {
            began: time,
            newest: time,
            newest_value: value,
            newest_ticks: 0,
            hull: hull_from((0, 0)),
            packets: 1,
            ticks_sum: 0.0,
            time_sum: 0.0,
        }
    }

    /// Takes a packet whose TSval is `ticks` after the newest.
    #[inline(always)]
    fn push(&mut self, time: Instant, value: u32, ticks: i64) {
        self.newest_value = value;
        self.newest_ticks += ticks;
        let point = (self.newest_ticks, (time - self.began).as_nanos());
        self.packets += 1;
        self.ticks_sum += point.0 as f64;
        self.time_sum += point.1 as f64;
        // The newest tick is always a vertex. Of the packets with that tick, only the earliest can
        // touch the line.
        if ticks == 0 {
            if self.hull.last().is_some_and(|last| last.1 <= point.1) {
                return;
            }
            self.hull.pop();
        }
        self.extend(point);
    }

    /// The vertices of the quickest packets that passed from `time` on.
    fn since(&self, time: Instant) -> &[(i64, i64)] {
        let from = (time - self.began).as_nanos();
        let first = self.hull.partition_point(|vertex| vertex.1 < from);
        self.hull.get(first..).unwrap_or_default()
    }

    fn extend(&mut self, point: (i64, i64)) {
        while let [.., a, b] = self.hull[..]
            && !turns_up(a, b, point)
        {
            self.hull.pop();
        }
        if self.hull.len() == VERTICES {
            self.hull.remove(VERTICES / 2);
        }
        self.hull.push(point);
    }

    fn tick(&self) -> Option<Tick> {
        let mean = self.ticks_sum / self.packets as f64;
        let right = self.hull.partition_point(|vertex| (vertex.0 as f64) < mean).max(1);
        let (a, b) = (self.hull.get(right - 1)?, self.hull.get(right)?);
        let fitted_ns = (b.1 - a.1) as f64 / (b.0 - a.0) as f64;
        let span = self.newest - self.began;
        let line_at_mean = a.1 as f64 + (mean - a.0 as f64) * fitted_ns;
        let scatter = self.time_sum / self.packets as f64 - line_at_mean;
        let is_line = fitted_ns > 0.0 && scatter <= SCATTER * span.as_nanos() as f64;
        is_line.then_some(Tick { fitted_ns, span, packets: self.packets })
    }
}

/// Whether, by this tick, no packet came later than another by more than `jitter`. Times within one
/// tick cannot be distinguished.
fn agrees(packets: &[(i64, i64)], tick_ns: f64, jitter: Duration) -> bool {
    let late = packets.iter().map(|(ticks, time)| *time as f64 - *ticks as f64 * tick_ns);
    let (least, most) = late.fold((f64::INFINITY, f64::NEG_INFINITY), |(least, most), late| {
        (least.min(late), most.max(late))
    });
    most - least <= tick_ns + jitter.as_nanos() as f64
}

/// A new hull, with memory for as many vertices as hulls mostly have; a flow of some seconds has
/// half of them.
fn hull_from(point: (i64, i64)) -> Vec<(i64, i64)> {
    let mut hull = Vec::with_capacity(16);
    hull.push(point);
    hull
}

/// Whether the path from `a` over `b` to `c` bends upwards, so that `b` belongs to the hull.
#[inline]
fn turns_up(a: (i64, i64), b: (i64, i64), c: (i64, i64)) -> bool {
    let (to_b, to_c) = ((b.0 - a.0, b.1 - a.1), (c.0 - a.0, c.1 - a.1));
    match (to_b.0.checked_mul(to_c.1), to_b.1.checked_mul(to_c.0)) {
        (Some(over), Some(under)) => over > under,
        _ => turns_up_widely(to_b, to_c),
    }
}

/// Computes the same as [`turns_up`] when a product does not fit, which takes hours of a fast
/// clock.
#[cold]
fn turns_up_widely(to_b: (i64, i64), to_c: (i64, i64)) -> bool {
    i128::from(to_b.0) * i128::from(to_c.1) > i128::from(to_b.1) * i128::from(to_c.0)
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    /// Fits `packets` packets, one every `every_us`, whose clock ticks each `tick_ns` from `first`;
    /// packet i is `delay_us(i)` late.
    fn fit(tick_ns: i64, first: u32, packets: i64, every_us: i64, delay_us: impl Fn(i64) -> i64) -> TickFit {
        let mut fit = TickFit::default();
        let mut rows: Vec<(i64, u32)> = (0..packets)
            .map(|i| {
                let sent = i * every_us * 1_000;
                (sent + delay_us(i) * 1_000, first.wrapping_add((sent / tick_ns) as u32))
            })
            .collect();
        rows.sort_unstable();
        for (time, value) in rows {
            fit.push(Instant::from_nanos(1_700_000_000_000_000_000 + time), value);
        }
        fit
    }

    fn error(fit: &TickFit, tick_ns: i64) -> f64 {
        (fit.tick().unwrap().fitted_ns / tick_ns as f64 - 1.0).abs()
    }

    #[test]
    fn wrap_around_is_followed() {
        let fit = fit(1_000_000, u32::MAX - 1500, 1000, 3_000, |_| 0);
        assert!(error(&fit, 1_000_000) < 1e-3);
    }

    #[test]
    fn a_clock_that_stands_or_runs_back_has_no_tick() {
        let mut still = TickFit::default();
        let mut back = TickFit::default();
        for i in 0..5000 {
            let time = Instant::from_nanos(i * 1_000_000);
            still.push(time, 7);
            back.push(time, 1_000_000 - i as u32);
        }
        assert_eq!(still.tick(), None);
        assert_eq!(back.tick(), None);
    }

    #[test]
    fn the_longest_stretch_survives_a_clock_that_is_set() {
        let mut fit = fit(10_000_000, 5_000_000, 4000, 1_000, |_| 0);
        for i in 0..1000 {
            fit.push(Instant::from_nanos(1_700_000_004_000_000_000 + i * 1_000_000), i as u32 / 10);
        }
        assert!(error(&fit, 10_000_000) < 1e-3);
        assert!(fit.tick().unwrap().span >= Duration::from_millis(3990));
    }

    #[test]
    fn one_wild_value_gives_no_tick_rather_than_a_wrong_one() {
        let mut fit = fit(1_000_000, 0, 4000, 1_000, |_| 0);
        fit.push(Instant::from_nanos(1_700_000_004_100_000_000), 2_000_000_000);
        assert_eq!(fit.tick(), None);
    }

    proptest! {
        /// The delays are those of an uplink: a grant cycle of 10 ms, 8 ms more for one packet in
        /// ten, and now and then a queue. Every third packet has none of them, to within a few
        /// ticks.
        #[test]
        fn delay_does_not_move_the_tick(seed in 0_u64..1000, ten in any::<bool>(), first in any::<u32>()) {
            let tick = if ten { 10_000_000 } else { 1_000_000 };
            let noise = |i: i64| {
                let mixed = (i as u64 + 1).wrapping_mul(0x9e37_79b9_7f4a_7c15).wrapping_add(seed.wrapping_mul(0xbf58_476d_1ce4_e5b9));
                let mixed = (mixed ^ mixed >> 31).wrapping_mul(0x94d0_49bb_1331_11eb) >> 40;
                let queue = if (i / 400) % 5 == 3 { 200_000 } else { 0 };
                queue + (mixed % 10_000) as i64 + if mixed % 10 == 0 { 8_000 } else { 0 }
            };
            let fit = fit(tick, first, 2000, 2_000, noise);
            prop_assert!(error(&fit, tick) < 1e-3, "{:?}", fit.tick());
        }

        /// Methods B2: with jitter the tick may be unknown, but is never a wrong one.
        #[test]
        fn a_short_flow_agrees_on_its_own_tick_or_on_none(
            index in 0_usize..4, first in any::<u32>(), every_us in 1_000_i64..30_000,
            delays_us in prop::collection::vec(0_i64..20_000, 2..40),
        ) {
            let tick_ns = of_phones_ns().nth(index).unwrap() as i64;
            let delay = |i: i64| delays_us[i as usize % delays_us.len()];
            let fit = fit(tick_ns, first, delays_us.len() as i64, every_us, delay);
            let began = Instant::from_nanos(1_700_000_000_000_000_000);
            let agreed = fit.agreed(began, Duration::from_millis(20));
            prop_assert!(agreed.is_none_or(|tick| (tick.fitted_ns - tick_ns as f64).abs() < 1.0), "{agreed:?}");
        }

        #[test]
        fn the_hull_stays_bounded(values in prop::collection::vec((0_i64..1_000_000, 0_u32..100_000), 0..2000)) {
            let mut fit = TickFit::default();
            for (time, value) in values {
                fit.push(Instant::from_nanos(time), value);
            }
            prop_assert!(fit.current.is_none_or(|s| s.hull.len() <= VERTICES));
        }
    }
}
