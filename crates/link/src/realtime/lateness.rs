//! Counts how late TTIs were by the microsecond, with the same memory for long and short runs.

use airmile_types::Duration;

/// The number of counters; the last one also counts every larger lateness.
const BUCKETS: usize = 1 << 17;

#[derive(Debug)]
pub(super) struct Lateness {
    counts: Vec<u32>,
    count: u64,
    most_us: u64,
}

impl Lateness {
    pub(super) fn new() -> Self {
        Self { counts: vec![0; BUCKETS], count: 0, most_us: 0 }
    }

    pub(super) fn add(&mut self, late: Duration) {
        let us = (late.as_nanos() / 1_000).max(0).cast_unsigned();
        if let Some(count) = self.counts.get_mut(us as usize) {
            *count += 1;
        }
        self.count += 1;
        self.most_us = self.most_us.max(us);
    }

    /// The lateness, in microseconds, that this share of all TTIs did not exceed.
    pub(super) fn us(&self, share: f64) -> u64 {
        let rank = (self.count.saturating_sub(1) as f64 * share) as u64;
        let mut below = 0;
        for (us, &count) in (0..).zip(&self.counts) {
            below += u64::from(count);
            if below > rank {
                return us;
            }
        }
        self.most_us
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ranks_are_those_of_the_sorted_list() {
        let mut lateness = Lateness::new();
        assert_eq!(lateness.us(0.99), 0);
        (1..=1_000).rev().for_each(|us| lateness.add(Duration::from_micros(us)));
        lateness.add(Duration::from_secs(3));
        assert_eq!([0.0, 0.5, 0.99].map(|share| lateness.us(share)), [1, 501, 991]);
        assert_eq!([0.9999, 1.0].map(|share| lateness.us(share)), [1_000, 3_000_000]);
    }
}
