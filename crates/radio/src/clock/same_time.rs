//! Decides which offsets two clocks may have that measured the same time (methods G9).

use airmile_types::Duration;

/// The greatest difference between two clocks that were set (our choice): local time is at most 14 h
/// from UTC (UTC+14, Line Islands), and one hour is left for what a phone without network time is
/// wrong by.
pub(super) const MOST: Duration = Duration::from_secs(15 * 3_600);
/// The first time that files of a FAT file system can have: 1980-01-01.
const FAT: i64 = Duration::from_secs(315_532_800).as_nanos();
/// The epoch of GPS time: 1980-01-06.
const GPS: i64 = Duration::from_secs(315_964_800).as_nanos();
/// The times from which clocks count until they are set, in nanoseconds since 1970, the epoch of
/// Unix time.
const EPOCHS: [i64; 3] = [0, FAT, GPS];
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
    // In local time, west of Greenwich, it begins before its epoch.
    let first = -MOST.as_nanos();
    EPOCHS.iter().any(|epoch| (first..YEAR).contains(&shown.saturating_sub(*epoch)))
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
        }
        for last in [0, GPS] {
            assert_eq!(possible(domain, last + YEAR, NOW), None);
        }
    }

    #[test]
    fn a_clock_that_was_not_set_shows_local_time() {
        let domain = (NOW - HOUR, NOW);
        for epoch in EPOCHS {
            assert_eq!(possible(domain, epoch - 7 * HOUR, NOW), Some(domain));
        }
        for first in [0, FAT] {
            assert_eq!(possible(domain, first - 16 * HOUR, NOW), None);
        }
    }
}
