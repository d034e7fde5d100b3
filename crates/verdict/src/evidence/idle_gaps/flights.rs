//! Decides whether the congestion window restarted after a gap (methods C7).

use airmile_types::Parameters;

/// The number of rounds after a gap that are kept: the first, and four more, one of which must show
/// growth.
pub(super) const ROUNDS: usize = 5;

/// The bytes that a sender sent per round trip before a gap and after it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Flights {
    /// Bytes per RTT before the gap.
    before: u64,
    /// Bytes in each RTT after the gap; the first `seen` are valid.
    after: [u64; ROUNDS],
    seen: usize,
    /// The initial window.
    initial_window: u64,
}

/// What the congestion window did after the gap.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Restart {
    /// The window was kept.
    None,
    /// The window was reduced, but is above the initial window (RFC 2861).
    Decayed,
    /// The window was set to the initial window (RFC 5681 section 4.1).
    Reset,
}

impl Restart {
    /// The word in the tables.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::None => "none",
            Self::Decayed => "decayed",
            Self::Reset => "reset",
        }
    }
}

impl Flights {
    pub(super) const fn new(before: u64, initial_window: u64) -> Self {
        Self { before, after: [0; ROUNDS], seen: 0, initial_window }
    }

    /// The largest of the last four flights before the gap; 0 if the sender had sent nothing.
    pub const fn before(&self) -> u64 {
        self.before
    }

    /// The flight in a round trip after the gap, counted from 0; `None` if the transfer was over.
    pub fn after(&self, round: usize) -> Option<u64> {
        self.after.get(..self.seen)?.get(round).copied()
    }

    /// The initial window that the first flight is compared with, in bytes.
    pub const fn initial_window(&self) -> u64 {
        self.initial_window
    }

    pub(super) const fn seen(&self) -> usize {
        self.seen
    }

    pub(super) fn add(&mut self, bytes: u64) {
        if let Some(slot) = self.after.get_mut(self.seen) {
            *slot = bytes;
            self.seen += 1;
        }
    }

    /// These flights with one more, which is still in progress.
    pub(super) fn with(mut self, bytes: u64) -> Self {
        self.add(bytes);
        self
    }

    /// What the window did; the error is the reason why that is unknown.
    ///
    /// # Errors
    /// `nothing_before`, `nothing_after`, or `short_transfer`: fewer bytes after the gap than in the
    /// flight before.
    pub fn classify(&self, parameters: &Parameters) -> Result<Restart, &'static str> {
        let after = self.after.get(..self.seen).unwrap_or_default();
        let [first, next @ ..] = after else { return Err("nothing_after") };
        if self.before == 0 {
            return Err("nothing_before");
        }
        // The transfer ended within these rounds, because the sender had no more to send.
        if self.seen < ROUNDS && after.iter().sum::<u64>() < self.before {
            return Err("short_transfer");
        }
        let small = *first <= self.initial_window.max(self.before / 2);
        let growth = parameters.restart_growth_ratio * *first as f64;
        let grows = next.iter().any(|bytes| *bytes as f64 >= growth);
        Ok(match small && grows {
            false => Restart::None,
            true if *first as f64 <= parameters.reset_ratio * self.initial_window as f64 => {
                Restart::Reset
            }
            true => Restart::Decayed,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn classify(before: u64, after: &[u64]) -> Result<Restart, &'static str> {
        let mut flights =
            Flights { before, initial_window: 14_600, seen: after.len(), ..Flights::default() };
        flights.after[..after.len()].copy_from_slice(after);
        flights.classify(&Parameters::default())
    }

    #[test]
    fn first_flight_and_growth_decide() {
        assert_eq!(
            classify(200_000, &[14_600, 29_200, 58_400, 116_800, 200_000]),
            Ok(Restart::Reset)
        );
        assert_eq!(
            classify(200_000, &[18_250, 36_500, 73_000, 146_000, 200_000]),
            Ok(Restart::Reset)
        );
        assert_eq!(
            classify(200_000, &[18_251, 36_502, 73_000, 146_000, 200_000]),
            Ok(Restart::Decayed)
        );
        assert_eq!(
            classify(200_000, &[100_000, 110_000, 150_000, 200_000, 100_000]),
            Ok(Restart::Decayed)
        );
        assert_eq!(classify(200_000, &[100_001, 200_002, 200_000, 200_000, 0]), Ok(Restart::None));
        assert_eq!(classify(200_000, &[14_600, 29_199, 29_199, 29_199, 29_199]), Ok(Restart::None));
        // The bytes per RTT need not grow in every RTT.
        assert_eq!(classify(200_000, &[14_600, 8_000, 20_000, 12_000, 29_200]), Ok(Restart::Reset));
    }

    #[test]
    fn too_little_after_the_gap_is_not_classified() {
        assert_eq!(classify(200_000, &[14_600, 29_200]), Err("short_transfer"));
        assert_eq!(classify(40_000, &[14_600, 29_200]), Ok(Restart::Reset));
        assert_eq!(classify(200_000, &[]), Err("nothing_after"));
        assert_eq!(classify(0, &[14_600, 29_200]), Err("nothing_before"));
    }
}
