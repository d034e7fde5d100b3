//! Finds the times at which packets were sent, from the timestamps of their sender (RFC 7323).

use airmile_types::{Duration, Instant};

use super::capture::Passed;

/// The sender's clock in one flow, as a capture on the phone sees it.
#[derive(Clone, Debug, Default)]
pub(super) struct SenderClock {
    /// For each packet: its index, the time of its capture, and its timestamp counted from the
    /// first one.
    stamps: Vec<(usize, Instant, i64)>,
    last: Option<u32>,
}

/// A flow must last this long for its tick to be measured. In the list of tick lengths, neighbours
/// differ by more than a factor of 1.6, except 10/3 and 4 ms, and the growth of a queue must not
/// amount to half of that.
const MEASURED_AFTER: Duration = Duration::from_secs(1);
const WITHIN_RATIO: f64 = 1.4;

impl SenderClock {
    pub(super) fn push(&mut self, packet: usize, time: Instant, stamp: Option<u32>) {
        let Some(stamp) = stamp else { return };
        let before = self.stamps.last().map_or(0, |(_, _, ticks)| *ticks);
        let step = stamp.wrapping_sub(self.last.unwrap_or(stamp)).cast_signed();
        self.last = Some(stamp);
        self.stamps.push((packet, time, before.saturating_add(i64::from(step))));
    }

    /// The length of a tick; `None` if the flow is too short to measure it.
    pub(super) fn tick(&self) -> Option<Duration> {
        let ((_, first, from), (_, last, to)) = (self.stamps.first()?, self.stamps.last()?);
        let length = *last - *first;
        if length < MEASURED_AFTER || to <= from {
            return None;
        }
        let tick_ns = length.as_nanos() as f64 / (to - from) as f64;
        airmile_track::nearest_ns(tick_ns, WITHIN_RATIO).map(|ns| Duration::from_nanos(ns as i64))
    }

    /// Notes, for each packet, the latest time at which it would have been captured without any
    /// queue: as soon after its sending as the fastest packet. A packet is sent before the end of
    /// its tick.
    pub(super) fn apply(&self, tick: Option<Duration>, passed: &mut [Passed]) {
        let tick = tick.unwrap_or(Duration::from_millis(1));
        let delay = |time: Instant, ticks: i64| time - Instant::from_nanos(0) - tick.times(ticks);
        let Some(fastest) = self.stamps.iter().map(|(_, time, ticks)| delay(*time, *ticks)).min()
        else {
            return;
        };
        for (packet, _, ticks) in &self.stamps {
            if let Some(packet) = passed.get_mut(*packet) {
                let sent = Instant::from_nanos(0) + tick.times(*ticks);
                packet.unqueued = Some((sent + fastest + tick).min(packet.time));
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn at(us: i64) -> Instant {
        Instant::from_nanos(1_700_000_000_000_000_000 + us * 1000)
    }

    #[test]
    fn a_flow_shows_its_tick() {
        for (per_s, tick_ns) in
            [(1_000, 1_000_000), (300, 3_333_333), (250, 4_000_000), (2, 500_000_000)]
        {
            let mut clock = SenderClock::default();
            for n in 0..500i64 {
                clock.push(n as usize, at(n * 20_000), Some((n * per_s / 50) as u32));
            }
            assert_eq!(clock.tick(), Some(Duration::from_nanos(tick_ns)), "{per_s} ticks a second");
        }
    }

    #[test]
    fn a_packet_that_waited_would_have_come_earlier() {
        let (mut clock, mut passed) = (SenderClock::default(), Vec::new());
        // Packets are sent every 20 ms and take 30 ms; the third one waits 50 ms more. The
        // timestamp wraps around.
        for n in 0..100i64 {
            let time = at(n * 20_000 + 30_000 + if n == 2 { 50_000 } else { 0 });
            passed.push(Passed::new(time, 1500, 1448, false));
            let stamp = (n as u32 * 20).wrapping_add(u32::MAX - 30);
            clock.push(n as usize, time, Some(stamp));
        }
        assert_eq!(clock.tick(), Some(Duration::from_millis(1)));
        clock.apply(clock.tick(), &mut passed);
        assert_eq!(passed[2].unqueued, Some(at(2 * 20_000 + 31_000)));
        assert_eq!(passed[3].unqueued, Some(passed[3].time));
    }
}
