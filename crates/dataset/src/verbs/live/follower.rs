//! Follows one user of a log, and turns the user's blocks into bursts.

use airmile_radio::{Burst, BurstTracker, Milliseconds, MovingAverage, Ms, TtiScope};
use airmile_read::modem::{Tti, User};
use airmile_types::{Direction, Instant, Parameters};

use super::burst::{LiveBurst, OpenBurst};
use super::once::{Counted, Once};
use super::totals::Totals;

/// How long blocks are waited for: modems log them up to 300 ms after the transmission, and those
/// of several carriers one after the other.
const REORDER_MS: i64 = 300;

/// Whether a block is downlink data of a user.
pub(super) fn counts(tti: &Tti) -> bool {
    tti.direction == Direction::Downlink && tti.is_user_data()
}

/// The state of one user.
pub(super) struct Follower {
    user: User,
    once: Once,
    milliseconds: Milliseconds,
    /// Complete milliseconds that the burst rule takes next; empty between calls.
    ready: Vec<Ms>,
    tracker: BurstTracker,
    average: MovingAverage,
    newest: Option<Instant>,
}

impl Follower {
    pub(super) fn new(user: User, parameters: &Parameters) -> Self {
        Self {
            user,
            once: Once::default(),
            milliseconds: Milliseconds::new(TtiScope::downlink(user), REORDER_MS),
            ready: Vec::new(),
            tracker: BurstTracker::new(parameters),
            average: MovingAverage::default(),
            newest: None,
        }
    }

    pub(super) fn push(&mut self, tti: &Tti, totals: &Totals, bursts: &mut Vec<LiveBurst>) {
        self.newest = self.newest.max(Some(tti.time));
        match self.once.push(tti) {
            Counted::Now => self.count(std::slice::from_ref(tti), totals, bursts),
            Counted::Instead => {
                self.milliseconds.withdraw(tti);
                self.count(std::slice::from_ref(tti), totals, bursts);
            }
            Counted::Waited(ttis) => self.count(&ttis, totals, bursts),
            Counted::Not => {}
        }
    }

    fn count(&mut self, ttis: &[Tti], totals: &Totals, bursts: &mut Vec<LiveBurst>) {
        let total = |carrier, _| totals.of(self.user, carrier);
        for tti in ttis {
            self.milliseconds.push(tti, &total, &mut self.ready);
        }
        self.judge(bursts);
    }

    /// Notes that the log has come to this time.
    pub(super) fn passed(&mut self, time: Instant, totals: &Totals, bursts: &mut Vec<LiveBurst>) {
        let waited = self.once.passed(time);
        self.count(&waited, totals, bursts);
        let until = self.milliseconds.passed(time, &mut self.ready);
        self.judge(bursts);
        if let Some(burst) = until.and_then(|until| self.tracker.idle_until(until)) {
            bursts.push(self.reported(&burst));
        }
    }

    /// Ends the user's bursts, because the log has ended.
    pub(super) fn finish(mut self, totals: &Totals, bursts: &mut Vec<LiveBurst>) {
        let waited = self.once.settle();
        self.count(&waited, totals, bursts);
        let milliseconds = self.milliseconds.clone();
        milliseconds.finish(&mut self.ready);
        self.judge(bursts);
        if let Some(burst) = self.tracker.open() {
            bursts.push(self.reported(&burst));
        }
    }

    /// The open burst, if there is one.
    pub(super) fn open(&self) -> Option<OpenBurst> {
        self.tracker.open().map(|burst| OpenBurst {
            user: self.user.0,
            start_ns: burst.start.as_nanos(),
            end_ns: burst.end.as_nanos(),
        })
    }

    /// The time at which the user was last scheduled.
    pub(super) const fn newest(&self) -> Option<Instant> {
        self.newest
    }

    /// The number of blocks that came too late to be counted.
    pub(super) const fn late(&self) -> u64 {
        self.milliseconds.late()
    }

    fn judge(&mut self, bursts: &mut Vec<LiveBurst>) {
        for ms in std::mem::take(&mut self.ready) {
            if let Some(burst) = self.tracker.push(&ms) {
                bursts.push(self.reported(&burst));
            }
        }
    }

    fn reported(&mut self, burst: &Burst) -> LiveBurst {
        if let Some(bps) = burst.throughput_bps() {
            self.average.push(burst.throughput_time_ms() as f64, bps);
        }
        LiveBurst::new(self.user, burst, &self.average)
    }
}
