//! Reads numbers strictly, as the formats write them; the result is `None` for any other text.

use std::ops::RangeInclusive;

use airmile_types::Instant;

/// A whole number in a range; the text must consist of digits.
pub(crate) fn whole<T: TryFrom<u64>>(text: &str, range: &RangeInclusive<u64>) -> Option<T> {
    // `parse` alone also accepts a sign.
    let digits = text.bytes().all(|byte| byte.is_ascii_digit());
    let value = text.parse().ok().filter(|value| digits && range.contains(value))?;
    T::try_from(value).ok()
}

/// A decimal number in a range: digits with an optional sign and point, without an exponent, and
/// neither infinite nor NaN.
pub(crate) fn decimal(text: &str, range: &RangeInclusive<f64>) -> Option<f64> {
    // `parse` alone also accepts "nan", "inf" and "1e9".
    let plain = text.bytes().all(|byte| byte.is_ascii_digit() || matches!(byte, b'-' | b'.'));
    text.parse().ok().filter(|value| plain && range.contains(value))
}

/// A boolean, in the words that programs write.
pub(crate) fn flag(text: &str) -> Option<bool> {
    match text {
        "0" | "false" | "False" => Some(false),
        "1" | "true" | "True" => Some(true),
        _ => None,
    }
}

/// Seconds since 1970 with any number of decimals, rounded down to the nanosecond.
///
/// A floating-point number would be wrong by up to a hundred nanoseconds.
pub(crate) fn unix_seconds(text: &str) -> Option<Instant> {
    let (seconds, decimals) = text.split_once('.').unwrap_or((text, ""));
    let digits = |text: &str| text.bytes().all(|byte| byte.is_ascii_digit());
    if seconds.is_empty() || !digits(seconds) || !digits(decimals) {
        return None;
    }
    let nanos: String = decimals.chars().chain("000000000".chars()).take(9).collect();
    let seconds: i64 = seconds.parse().ok()?;
    let nanos: i64 = nanos.parse().ok()?;
    seconds.checked_mul(1_000_000_000)?.checked_add(nanos).map(Instant::from_nanos)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn seconds_keep_every_nanosecond() {
        let cases = [
            ("1795246301.879599", Some(1_795_246_301_879_599_000)),
            ("1795246301.123456789", Some(1_795_246_301_123_456_789)),
            ("1795246301.1234567899", Some(1_795_246_301_123_456_789)),
            ("0", Some(0)),
            ("12.", Some(12_000_000_000)),
            ("9223372036.854775807", Some(i64::MAX)),
            ("9223372036.854775808", None),
            ("99999999999999999999", None),
            ("-1", None),
            ("+1", None),
            ("1e9", None),
            ("1.2.3", None),
            (".5", None),
            ("", None),
        ];
        for (text, nanos) in cases {
            assert_eq!(unix_seconds(text), nanos.map(Instant::from_nanos), "{text}");
        }
    }

    #[test]
    fn decimals_are_plain_and_stay_in_their_range() {
        assert_eq!(decimal("-93.24", &(-300.0..=100.0)), Some(-93.24));
        for text in ["nan", "NaN", "inf", "-inf", "1e1", "+1", "1-1", "", "-", ".", "-301", "101"] {
            assert_eq!(decimal(text, &(-300.0..=100.0)), None, "{text}");
        }
    }

    #[test]
    fn whole_numbers_have_digits_only_and_stay_in_their_range() {
        assert_eq!(whole::<u16>("275", &(0..=275)), Some(275));
        for text in ["276", "-1", "+1", "1.0", " 1", "", "99999999999999999999999"] {
            assert_eq!(whole::<u16>(text, &(0..=275)), None, "{text}");
        }
        assert_eq!(whole::<u8>("256", &(0..=1000)), None);
    }
}
