//! Reads dates and times of day in UTC.

use airmile_types::Instant;

use super::number::{unix_seconds, whole};

const MONTHS: [&str; 12] =
    ["Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"];

/// The instant of a date and a time of day: a date such as `2016-03-23` or `2017 Feb  9`, then a
/// time such as `01:02:03.456` with any number of decimals.
pub(crate) fn calendar(text: &str) -> Option<Instant> {
    let parts: Vec<&str> = text.split_whitespace().collect();
    let (year, month, day, time) = match *parts.as_slice() {
        [date, time] => {
            let mut parts = date.split('-');
            let (year, month, day) = (parts.next()?, parts.next()?, parts.next()?);
            (year, whole(month, &(1..=12))?, day, time)
        }
        [year, month, day, time] => {
            let month = MONTHS.iter().zip(1..).find(|(name, _)| **name == month)?.1;
            (year, month, day, time)
        }
        _ => return None,
    };
    let days = days(whole(year, &(1970..=2261))?, month, whole(day, &(1..=31))?);
    let (hours, rest) = time.split_once(':')?;
    let (minutes, seconds) = rest.split_once(':')?;
    let hours: i64 = whole(hours, &(0..=23))?;
    let minutes: i64 = whole(minutes, &(0..=59))?;
    // Second 60 is a leap second.
    let seconds = unix_seconds(seconds).filter(|s| s.as_nanos() < 61_000_000_000)?.as_nanos();
    let whole_minutes = (days * 24 + hours) * 60 + minutes;
    Some(Instant::from_nanos(whole_minutes * 60_000_000_000 + seconds))
}

/// The days from 1970-01-01 in the Gregorian calendar. The year starts in March here, so that the
/// leap day is its last day.
fn days(year: i64, month: i64, day: i64) -> i64 {
    let from_march = (month + 9) % 12;
    let year = year - from_march / 10;
    let of_year = (from_march * 306 + 5) / 10 + day - 1;
    year * 365 + year / 4 - year / 100 + year / 400 + of_year - 719_468
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn both_ways_of_writing_a_date_give_its_instant() {
        let cases = [
            ("1970-01-01 00:00:00", Some(0)),
            ("2016-03-23 21:55:49.116788", Some(1_458_770_149_116_788_000)),
            ("2017 Feb  9  01:02:03.456", Some(1_486_602_123_456_000_000)),
            ("2000-02-29 12:00:00", Some(951_825_600_000_000_000)),
            ("2023 Jun  8  21:16:02.785", Some(1_686_258_962_785_000_000)),
            ("2016-13-23 21:55:49", None),
            ("2016-03-23 24:55:49", None),
            ("2016-03-23", None),
            ("2016-03-23 21:55", None),
            ("2017 Foo 9 01:02:03", None),
            ("99999-01-01 00:00:00", None),
            ("", None),
        ];
        for (text, nanos) in cases {
            assert_eq!(calendar(text), nanos.map(Instant::from_nanos), "{text}");
        }
    }
}
