//! Decides which offsets two clocks may have that measured the same time (methods G9).

use airmile_types::Duration;

/// The greatest difference between two clocks that were set (our choice): local time is at most 14 h
/// from UTC (UTC+14, Line Islands), and one hour is left for what a phone without network time is
/// wrong by.
pub(super) const MOST: Duration = Duration::from_secs(15 * 3_600);
/// The epochs from which clocks count until they are set: Unix time, and GPS time (1980-01-06), in
/// nanoseconds since 1970.
const EPOCHS: [i64; 2] = [0, Duration::from_secs(315_964_800).as_nanos()];
/// A clock that shows the first year after its epoch was not set (our choice): no phone runs for a
/// year without a restart and without hearing a network's time.
const YEAR: i64 = Duration::from_secs(365 * 86_400).as_nanos();

/// The offsets within `domain` that two clocks may have, which show `log` and `captured` when the
/// recordings begin; `None` if there is none.
pub(super) fn possible(domain: (i64, i64), log: i64, captured: i64) -> Option<(i64, i64)> {
    if is_unset(log) || is_unset(captured) {
        return Some(domain);
    }
    let most = MOST.as_nanos();
    let range = (domain.0.max(-most), domain.1.min(most));
    (range.0 <= range.1).then_some(range)
}

/// Whether a clock was never set, so that its date means nothing.
fn is_unset(shown: i64) -> bool {
    EPOCHS.iter().any(|epoch| (0..YEAR).contains(&shown.saturating_sub(*epoch)))
}

#[cfg(test)]
mod tests {
    use super::*;

    const HOUR: i64 = Duration::from_secs(3_600).as_nanos();
    const NOW: i64 = 1_700_000_000_000_000_000;

    #[test]
    fn clocks_that_were_set_differ_by_hours() {
        let wide = (i64::MIN, i64::MAX);
        assert_eq!(possible(wide, NOW, NOW), Some((-15 * HOUR, 15 * HOUR)));
        assert_eq!(possible((-HOUR, 20 * HOUR), NOW, NOW), Some((-HOUR, 15 * HOUR)));
        assert_eq!(possible((16 * HOUR, 17 * HOUR), NOW, NOW), None);
    }

    #[test]
    fn a_clock_in_its_first_year_was_not_set() {
        let domain = (NOW - HOUR, NOW);
        for epoch in EPOCHS {
            assert_eq!(possible(domain, epoch + HOUR, NOW), Some(domain));
            assert_eq!(possible(domain, NOW, epoch), Some(domain));
            assert_eq!(possible(domain, epoch + YEAR, NOW), None);
        }
    }
}
