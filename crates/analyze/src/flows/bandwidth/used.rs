//! Computes how much of the link a flow used, and how much the link could have carried in the same
//! time (methods E4).
//!
//! While a packet waits, the link is busy and carries as much as it can: these bytes in this busy
//! time give its rate. In the rest of the time it could have carried bytes at the same rate. Both
//! are computed over stretches of a quarter of a second. A fast link seldom has a queue, so one
//! mean over all time with a queue would be the rate of its slow moments.

use airmile_types::{Duration, Instant, Parameters};

use super::arrival::Arrival;

/// A pause longer than this does not belong to the transfer (methods E4).
const PAUSE: Duration = Duration::from_secs(1);
/// The least busy time that gives a rate: a few HARQ retransmissions long.
const ENOUGH: Duration = Duration::from_millis(25);
/// A stretch that has less busy time after this long does not show what the link could carry.
const LONGEST: Duration = Duration::from_secs(1);

/// The three limits above which a wait counts as a queue.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(super) struct Slacks(pub(super) [Duration; 3]);

impl Slacks {
    /// The limit above which a wait is taken for a queue.
    pub(super) const fn queue(&self) -> Duration {
        self.0[1]
    }
}

/// The stretches of a flow's time on the link.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Used {
    /// The time since which the flow has been followed.
    followed: Instant,
    /// The begin of the current stretch.
    begin: Instant,
    newest: Instant,
    /// The bytes of the flow that were delivered since it has been followed.
    delivered: u64,
    bytes: u64,
    busy: [Busy; 3],
    /// The totals of all earlier stretches: bytes; seconds with known capacity and seconds without;
    /// and the capacity by each limit.
    total_bytes: f64,
    seen_s: f64,
    unseen_s: f64,
    capacity: [f64; 3],
}

/// How long there was a queue in all, and until when a queue is known.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
struct Busy {
    until: Option<Instant>,
    time: Duration,
}

impl Busy {
    fn wait(&mut self, from: Instant, to: Instant) {
        let from = self.until.map_or(from, |until| until.max(from));
        if to > from {
            self.time += to - from;
            self.until = Some(to);
        }
    }
}

impl Used {
    /// A flow of which `bytes` were delivered from `first` to `now`, and of which nothing else is
    /// known.
    pub(super) fn new(first: Instant, now: Instant, bytes: u64) -> Self {
        Self {
            followed: now,
            begin: now,
            newest: now,
            delivered: 0,
            bytes: 0,
            busy: [Busy::default(); 3],
            total_bytes: bytes as f64,
            seen_s: 0.0,
            unseen_s: (now - first).as_secs_f64(),
            capacity: [0.0; 3],
        }
    }

    /// Takes a delivery, after which `delivered` bytes of the flow itself have arrived.
    pub(super) fn on_arrival(
        &mut self,
        arrival: &Arrival,
        delivered: u64,
        slacks: Slacks,
        parameters: &Parameters,
    ) {
        let (Some(sent), Some(queued)) = (arrival.sent, arrival.queued) else { return };
        let before = std::mem::replace(&mut self.delivered, delivered);
        if sent - self.newest > PAUSE {
            self.close();
            (self.begin, self.newest) = (sent, sent);
        }
        let bytes = delivered.saturating_sub(before);
        if arrival.served < self.followed {
            self.total_bytes += bytes as f64;
        } else {
            self.bytes += bytes;
        }
        for (busy, slack) in self.busy.iter_mut().zip(slacks.0) {
            if queued > slack {
                busy.wait(sent.max(self.begin), arrival.served);
            }
        }
        self.newest = self.newest.max(arrival.served);
        let length = self.newest - self.begin;
        let enough = self.is_seen() && length.as_millis_f64() >= parameters.utilisation_window_ms;
        if enough || length >= LONGEST {
            self.close();
        }
    }

    /// The lowest, the likely and the highest share that the flow used; `None` when too little of
    /// the time shows what the link could carry.
    pub(super) fn ratios(mut self, parameters: &Parameters) -> Option<[f64; 3]> {
        self.close();
        let seconds = self.seen_s + self.unseen_s;
        if self.seen_s <= 0.0 || self.seen_s < parameters.utilisation_seen_ratio * seconds {
            return None;
        }
        let [high, likely, low] = self.capacity.map(|capacity| {
            let could = capacity * seconds / self.seen_s;
            (self.total_bytes / could).min(1.0)
        });
        Some([low.min(likely), likely, high.max(likely)])
    }

    /// Whether the capacity is known by the strictest limit too.
    fn is_seen(&self) -> bool {
        self.busy.iter().rev().all(|busy| busy.time >= ENOUGH)
    }

    fn close(&mut self) {
        let seconds = (self.newest - self.begin).as_secs_f64();
        if self.is_seen() && self.bytes > 0 {
            self.seen_s += seconds;
            for (capacity, busy) in self.capacity.iter_mut().zip(&self.busy) {
                let share = busy.time.as_secs_f64() / seconds;
                *capacity += self.bytes as f64 / share.min(1.0);
            }
        } else {
            self.unseen_s += seconds;
        }
        self.total_bytes += self.bytes as f64;
        self.bytes = 0;
        self.begin = self.newest;
        for busy in &mut self.busy {
            busy.time = Duration::ZERO;
        }
    }
}
