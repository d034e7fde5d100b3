//! Decides how many records must contradict a layout before it is refused (methods G1).
//!
//! A right layout has records that contradict it: damaged ones, and ones that the check does not
//! know. A record that contradicts its layout is left out, so that it does no harm by itself; but a
//! millisecond without its record looks free. The layout is refused if the records show that more
//! than a tenth of all are lost. A wrong layout agrees by chance in less than a hundredth of the
//! checks; with one bit read at the wrong place, it agrees in about the half of them in which the
//! bit is the same.

/// The least share that agrees with a layout that is used.
const AGREES: f64 = 0.9;
/// The share that agrees with a layout of which one bit is wrong.
const ONE_BIT_WRONG: f64 = 0.5;

/// The chance of refusing a layout of which a tenth deviates: at the end of a log, and at one of
/// the many looks before it.
const ONCE: f64 = 0.01;
const OFTEN: f64 = 1e-6;

/// The number of checks that held, and of all.
#[derive(Clone, Copy, Debug)]
pub(super) struct Share {
    held: u64,
    all: u64,
}

impl Share {
    pub(super) const fn new(held: u64, failed: u64) -> Self {
        Self { held, all: held + failed }
    }

    /// Whether so few hold only with less than this chance if `share` of them should: the bound of
    /// Chernoff, exp(-n D), which is above the binomial tail.
    fn is_below(self, share: f64, chance: f64) -> bool {
        let (n, found) = (self.all as f64, self.held as f64 / self.all.max(1) as f64);
        self.all > 0 && found < share && n * divergence(found, share) > -chance.ln()
    }
}

/// Before a layout is used: less than nine in ten hold, so that it is too early to say.
pub(super) const fn before_opening(share: Share) -> bool {
    share.held * 10 < share.all * 9
}

/// While packets wait: less than half hold, beyond doubt. Waiting costs nothing, and at the start
/// of a log the first records deviate together.
pub(super) fn while_waiting(share: Share) -> bool {
    share.is_below(ONE_BIT_WRONG, OFTEN)
}

/// While packets are read: less than nine in ten hold, beyond doubt.
pub(super) fn while_open(share: Share) -> bool {
    share.is_below(AGREES, OFTEN)
}

/// When all records of the log are known: less than nine in ten hold; of a few, at most half.
pub(super) fn at_end(share: Share) -> bool {
    share.all > 0 && (2 * share.held <= share.all || share.is_below(AGREES, ONCE))
}

/// The Kullback-Leibler divergence of two shares, in nats.
fn divergence(found: f64, share: f64) -> f64 {
    let term = |a: f64, b: f64| if a > 0.0 { a * (a / b).ln() } else { 0.0 };
    term(found, share) + term(1.0 - found, 1.0 - share)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The least number of failures, of `all` checks, with which `decides` refuses.
    fn least(all: u64, decides: fn(Share) -> bool) -> Option<u64> {
        (0..=all).find(|failed| decides(Share::new(all - failed, *failed)))
    }

    #[test]
    fn the_number_that_refuses_grows_with_the_number_of_checks() {
        let of = |decides| [3, 10, 22, 100, 1000].map(|all| least(all, decides));
        assert_eq!(of(at_end), [Some(2), Some(5), Some(8), Some(21), Some(130)]);
        assert_eq!(of(while_open), [None, Some(9), Some(13), Some(29), Some(154)]);
        assert_eq!(of(while_waiting), [None, None, Some(22), Some(76), Some(583)]);
    }

    #[test]
    fn a_layout_of_which_a_tenth_deviates_is_refused_once_in_a_hundred_logs_at_most() {
        // The binomial distribution of the failures, by its recurrence.
        for all in [5_u64, 22, 100, 400] {
            let mut chance = 0.9_f64.powi(all as i32);
            let mut refused = 0.0;
            for failed in 0..=all {
                refused += if at_end(Share::new(all - failed, failed)) { chance } else { 0.0 };
                chance *= (all - failed) as f64 / (failed + 1) as f64 / 9.0;
            }
            assert!(refused < ONCE, "{all}: {refused}");
        }
    }
}
