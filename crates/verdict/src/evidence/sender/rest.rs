//! Keeps the times in which the congestion window regains what it held before an idle gap (methods
//! C7).

use airmile_types::{Instant, Maybe};

use super::state::Sender;
use crate::evidence::bits::Mask;

impl Sender {
    /// The milliseconds of a bin in which the congestion window regains what it held before an idle
    /// gap.
    pub(crate) fn restarts_at(&self, bin: i64) -> Mask {
        self.restarts.as_ref().map_or(0, |restarts| restarts.at(bin))
    }

    /// Marks such a time.
    #[cold]
    pub(crate) fn mark_restart(&mut self, (from, to): (Instant, Instant)) {
        self.restarts.get_or_insert_default().mark(from, to);
    }

    /// The time at which a loss or a mark may last have reduced the congestion window.
    #[inline]
    pub(crate) const fn last_cut(&self) -> Maybe<Instant> {
        self.congestion.cut
    }
}
