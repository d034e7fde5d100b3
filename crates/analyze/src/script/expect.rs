//! Compares a cell with the value that a page expects.

use std::fmt;

use super::line::span;
use super::number::number;
use super::rows::Value;
use super::wire::EPOCH;

/// The relative difference below which two floating-point numbers are equal. It allows for the
/// error of printing and reading numbers, not for an error of measurement.
const PRINTED: f64 = 1e-9;

/// Whether `value` matches `expected`: `null`, `*` (anything), `@T` (the instant T of the script),
/// `X ± Y`, a number, a flag, or a text. Fails when `expected` is none of these.
pub(super) fn holds(value: &Value, expected: &str) -> Result<bool, String> {
    if let Some(time) = expected.strip_prefix('@') {
        let instant = EPOCH + span(time)?;
        return Ok(*value == Value::I64(instant.as_nanos()));
    }
    if let Some((centre, width)) = expected.split_once('±') {
        let (centre, width): (f64, f64) = (number(centre.trim())?, number(width.trim())?);
        return Ok(value.number().is_some_and(|value| (value - centre).abs() <= width));
    }
    Ok(match (expected, value) {
        ("*", _) => true,
        ("null", value) => *value == Value::Null,
        (text, Value::Text(value)) => text.trim_matches('"') == value,
        (text, Value::Bool(value)) => text.parse() == Ok(*value),
        (text, value) => match (value.number(), text.parse::<f64>()) {
            (Some(value), Ok(text)) => {
                value == text || (value - text).abs() <= PRINTED * text.abs()
            }
            _ => false,
        },
    })
}

impl Value {
    fn number(&self) -> Option<f64> {
        match self {
            Self::I64(value) => Some(*value as f64),
            Self::U64(value) => Some(*value as f64),
            Self::F64(value) => Some(*value),
            Self::Null | Self::Bool(_) | Self::Text(_) => None,
        }
    }
}

impl fmt::Display for Value {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Null => f.write_str("null"),
            Self::I64(value) => value.fmt(f),
            Self::U64(value) => value.fmt(f),
            Self::F64(value) => value.fmt(f),
            Self::Bool(value) => value.fmt(f),
            Self::Text(value) => value.fmt(f),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn null_is_not_zero() {
        assert_eq!(holds(&Value::Null, "0"), Ok(false));
        assert_eq!(holds(&Value::F64(0.0), "null"), Ok(false));
        assert_eq!(holds(&Value::Null, "0 ± 1"), Ok(false));
    }

    #[test]
    fn tolerance_is_inclusive() {
        assert_eq!(holds(&Value::F64(50.5), "50 ± 0.5"), Ok(true));
        assert_eq!(holds(&Value::F64(50.51), "50 ± 0.5"), Ok(false));
        assert!(holds(&Value::F64(1.0), "x ± 1").is_err());
    }
}
