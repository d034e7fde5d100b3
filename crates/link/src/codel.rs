//! Decides which packets leave a queue too late: CoDel (RFC 8289).

use airmile_types::{Duration, Instant};

/// The acceptable wait, and the interval over which it is judged (RFC 8289 section 4.4).
const TARGET: Duration = Duration::from_millis(5);
const INTERVAL: Duration = Duration::from_millis(100);
/// A packet is not late if it leaves no more than this behind it (RFC 8289 section 5.6).
const LEAST_BYTES: u64 = 1500;

/// The state of CoDel for one queue.
#[derive(Debug, Default)]
pub(crate) struct Codel {
    /// The time at which the wait will have been too long for a whole interval.
    above_until: Option<Instant>,
    dropping: bool,
    next: Option<Instant>,
    count: u32,
    count_before: u32,
}

impl Codel {
    /// Whether the first packet, which waited for `sojourn` and leaves `bytes` behind it, is
    /// dropped, or marked.
    pub(crate) fn drops(&mut self, now: Instant, sojourn: Duration, bytes: u64) -> bool {
        let late = self.is_late(now, sojourn, bytes);
        if !self.dropping {
            if late {
                self.start(now);
            }
            return late;
        }
        self.dropping = late;
        let due = late && self.next.is_some_and(|next| now >= next);
        if due {
            self.count += 1;
            self.next = self.next.map(|next| self.after(next));
        }
        due
    }

    fn is_late(&mut self, now: Instant, sojourn: Duration, bytes: u64) -> bool {
        if sojourn < TARGET || bytes <= LEAST_BYTES {
            self.above_until = None;
            return false;
        }
        now >= *self.above_until.get_or_insert(now + INTERVAL)
    }

    /// Begins to drop; continues at the earlier rate when the last dropping ended only a short
    /// while ago.
    fn start(&mut self, now: Instant) {
        self.dropping = true;
        let recent = self.next.is_some_and(|next| now - next < INTERVAL.times(16));
        let delta = self.count.saturating_sub(self.count_before);
        self.count = if recent && delta > 1 { delta } else { 1 };
        self.count_before = self.count;
        self.next = Some(self.after(now));
    }

    /// The control law: the time between drops falls with the square root of their number.
    fn after(&self, at: Instant) -> Instant {
        at + Duration::from_secs_f64(INTERVAL.as_secs_f64() / f64::from(self.count).sqrt())
    }

    #[cfg(test)]
    pub(crate) const fn is_quiet(&self) -> bool {
        self.above_until.is_none() && !self.dropping
    }
}
