//! Decides whether the congestion window restarted after a gap (methods C7).

use airmile_types::Parameters;

/// The number of rounds after a gap that are kept: the first, and four more, one of which must show
/// growth.
pub(super) const ROUNDS: usize = 5;

/// What is known about the transfers before and after a gap.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Flights {
    /// Bytes per RTT before the gap.
    pub(super) before: u64,
    /// Bytes in each RTT after the gap; the first `seen` are valid.
    pub(super) after: [u64; ROUNDS],
    pub(super) seen: usize,
    /// The initial window.
    pub(super) initial_window: u64,
}

/// What the congestion window did after the gap.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Restart {
    /// The window was kept.
    None,
    /// The window was reduced, but is above the initial window (RFC 2861).
    Decayed,
    /// The window was set to the initial window (RFC 5681 section 4.1).
    Reset,
}

impl Restart {
    pub(super) const fn as_str(self) -> &'static str {
        match self {
            Self::None => "none",
            Self::Decayed => "decayed",
            Self::Reset => "reset",
        }
    }
}

impl Flights {
    /// What the window did; the error is the reason why that is unknown.
    pub(super) fn classify(&self, parameters: &Parameters) -> Result<Restart, &'static str> {
        let after = &self.after[..self.seen.min(ROUNDS)];
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
            true if *first as f64 <= parameters.reset_ratio * self.initial_window as f64 => Restart::Reset,
            true => Restart::Decayed,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn classify(before: u64, after: &[u64]) -> Result<Restart, &'static str> {
        let mut flights = Flights { before, initial_window: 14_600, seen: after.len(), ..Flights::default() };
        flights.after[..after.len()].copy_from_slice(after);
        flights.classify(&Parameters::default())
    }

    #[test]
    fn first_flight_and_growth_decide() {
        assert_eq!(classify(200_000, &[14_600, 29_200, 58_400, 116_800, 200_000]), Ok(Restart::Reset));
        assert_eq!(classify(200_000, &[18_250, 36_500, 73_000, 146_000, 200_000]), Ok(Restart::Reset));
        assert_eq!(classify(200_000, &[18_251, 36_502, 73_000, 146_000, 200_000]), Ok(Restart::Decayed));
        assert_eq!(classify(200_000, &[100_000, 110_000, 150_000, 200_000, 100_000]), Ok(Restart::Decayed));
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
