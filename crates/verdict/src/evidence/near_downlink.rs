//! Finds the queue of downlink data before the phone, which is the capture point, from how long each
//! packet had waited when it passed.

use airmile_types::{Duration, Instant};

use super::bits::Mask;
use super::floor::Floor;
use super::limits::Limits;
use super::passing::{PAUSE, QueueSpan, Waited};
use super::slack::beyond_clock;
use super::standing::Standing;

/// The downlink packets of all flows of a phone, in the order of their passing.
#[derive(Clone, Debug, Default)]
pub(super) struct NearDownlink {
    /// The times at which even the quickest packets waited.
    standing: Standing,
    /// How much longer the path has become.
    floor: Floor,
    /// When the newest packet passed, and how long it had waited.
    newest: Waited,
}

airmile_types::held!(NearDownlink { standing });

impl NearDownlink {
    /// Takes a packet that passes, and how late it is by more than its clock hides; returns the time
    /// in which it waited.
    #[inline]
    pub(super) fn take(&mut self, (now, late): Waited, limits: &Limits) -> QueueSpan {
        let above = self.floor.take((now, late - beyond_clock(Duration::ZERO, limits)));
        // A packet that found nothing in the queue waited for something else.
        let wait = if above.lone { Duration::ZERO } else { above.wait };
        self.newest = (now, wait);
        let sent = now - wait.max(Duration::ZERO);
        self.standing.note(sent, wait);
        self.standing.mark(sent, wait - limits.queue_before);
        (sent, sent + wait)
    }

    /// Takes packets that passed before those taken so far, and whose waits have become known only
    /// now.
    pub(super) fn take_earlier(
        &mut self,
        packets: &[Waited],
        limits: &Limits,
        mark: impl FnMut(QueueSpan),
    ) {
        let Some((first, _)) = packets.first() else { return };
        let earlier = self.floor.earlier(*first);
        let floor = std::mem::replace(&mut self.floor, earlier);
        let newest = self.newest;
        let stretches = self.standing.begin_apart();
        packets.iter().map(|packet| self.take(*packet, limits)).for_each(mark);
        self.floor = floor;
        if self.newest.0 < newest.0 {
            self.newest = newest;
        }
        self.standing.resume(stretches);
    }

    /// How long a packet waited at least that passed at `at`, before the newest one or in series with
    /// it: a queue empties no faster than time passes. What comes after a pause may have come to an
    /// empty queue.
    pub(super) fn wait_at(&self, at: Instant) -> Duration {
        let (now, wait) = self.newest;
        if at - now <= PAUSE { wait - (now - at).abs() } else { Duration::ZERO }
    }

    /// The times at which even the quickest packets waited.
    pub(super) fn standing_at(&self, bin: i64) -> Mask {
        self.standing.at(bin)
    }
}
