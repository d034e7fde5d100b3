//! Checks conditions that must hold for a scoreboard after every packet, whatever the packets were.
//! The fuzz targets check them; builds without debug assertions leave them out.

use super::ranges::MOST;
use super::state::Scoreboard;

impl Scoreboard {
    /// Panics if the scoreboard contradicts itself.
    pub fn assert_sound(&self) {
        assert!(self.unacked <= self.next, "acknowledged {} of {}", self.unacked, self.next);
        assert!(self.data_end <= self.next.max(1), "data beyond the highest byte sent");
        let mut below = self.unacked;
        for range in self.ranges.iter() {
            assert!(range.start >= below, "intervals overlap or are not in order at {below}");
            assert!(range.start < range.end, "an empty interval at {}", range.start);
            below = range.end;
        }
        assert!(self.ranges.iter().count() <= MOST, "memory without bound");
        assert!(below <= self.next.max(self.unacked), "an interval beyond the highest byte sent");
        assert!(self.sacked_bytes <= self.unique_bytes, "more reported than was sent");
    }
}
