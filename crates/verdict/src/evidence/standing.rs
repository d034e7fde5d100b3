//! Finds the standing queue: how long even the quickest packets within a few HARQ rounds waited.
//!
//! A HARQ round delays the packets of its 8 ms and leaves others on time, but a queue delays all
//! packets. So the least wait of a short period is the wait in the queue.

use airmile_types::{Duration, Instant};

use super::bits::Mask;
use super::stretch::Stretch;
use super::timeline::Timeline;

/// The length of a HARQ round (TS 36.213 section 7); the least wait is taken over three of them.
const STRETCH: Duration = Duration::from_millis(8);

/// The times at which a queue existed, found from the least wait of a stretch and of its
/// neighbours.
#[derive(Clone, Debug, Default)]
pub(super) struct Standing {
    spans: Timeline,
    /// The newest three stretches in which something was sent, the newest last.
    stretches: Stretches,
}

/// Three stretches in the order of their time.
pub(super) type Stretches = [Option<Stretch>; 3];

airmile_types::held!(Standing { spans });

impl Standing {
    /// Notes that a packet that passed the capture point at `sent` waited for `wait`, without the
    /// delay that HARQ rounds explain.
    pub(super) fn mark(&mut self, sent: Instant, wait: Duration) {
        self.spans.mark(sent, sent + wait);
    }

    /// Notes a packet that passed the capture point at `sent`, and its wait. A negative wait is
    /// smaller than a tick of the clock that measured it.
    pub(super) fn note(&mut self, sent: Instant, wait: Duration) {
        match &mut self.stretches[2] {
            Some(newest) if newest.holds(sent, STRETCH) => newest.take(sent, wait),
            _ => self.note_apart(sent, wait),
        }
    }

    /// Takes a packet that belongs to a stretch other than the newest.
    #[inline(never)]
    fn note_apart(&mut self, sent: Instant, wait: Duration) {
        let mut known = self.stretches.iter_mut().flatten();
        if let Some(stretch) = known.find(|stretch| stretch.holds(sent, STRETCH)) {
            stretch.take(sent, wait);
            return;
        }
        let [_, middle, newest] = self.stretches;
        if newest.is_none_or(|newest| newest.begin < sent) {
            self.stretches = [middle, newest, Some(Stretch::new(sent, wait, STRETCH))];
            self.settle();
        }
    }

    /// Begins to take packets that passed before those taken so far; returns the newest stretches.
    pub(super) fn begin_apart(&mut self) -> Stretches {
        std::mem::take(&mut self.stretches)
    }

    /// Goes on after the stretches that were the newest.
    pub(super) fn resume(&mut self, newest: Stretches) {
        if newest[2].is_some() {
            self.stretches = newest;
        }
    }

    pub(super) fn at(&self, bin: i64) -> Mask {
        self.spans.at(bin)
    }

    /// Judges the stretch before the newest, because both its neighbours are now known.
    fn settle(&mut self) {
        let [before, Some(settled), after] = self.stretches else { return };
        let beside = [before, after].into_iter().flatten();
        let near = beside.filter(|other| (other.begin - settled.begin).abs() == STRETCH);
        let least = near.map(|other| other.least).fold(settled.least, Duration::min);
        if least > Duration::ZERO {
            self.spans.mark(settled.first, settled.last + least);
        }
    }
}
