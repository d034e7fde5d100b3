//! Tests properties of the rows of random conversations, with random parameters within their
//! ranges.

use std::fmt::Write;

use proptest::prelude::*;

use airmile_types::{PARAMETERS, Parameter, Ports, Preset, Setting};

use super::properties::{event, pause, script};
use super::{Collected, Value, run};
use crate::contract::SIGNED;

/// Generates a parameter with a value in its range: an end, the default, or a value between.
fn setting() -> impl Strategy<Value = (Parameter, Setting)> {
    (prop::sample::select(PARAMETERS), 0..4usize, 0.0..1.0f64).prop_map(
        |(parameter, kind, share)| {
            let value = match parameter.default {
                Preset::Number(default) => number(&parameter, default, kind, share).into(),
                Preset::Ports(default) => {
                    Ports::new(default.get(kind..).unwrap_or_default()).into()
                }
            };
            (parameter, value)
        },
    )
}

fn number(parameter: &Parameter, default: f64, kind: usize, share: f64) -> f64 {
    let (least, most) = parameter.range.ends();
    let value = match kind {
        0 => least,
        1 => most,
        2 => default * 2.0 * share,
        _ => (least + 1e-12) * ((most + 1e-12) / (least + 1e-12)).powf(share),
    };
    if parameter.range.holds(value) { value } else { default }
}

/// Finds a cell that no row may have: NaN, or a negative number in a column that is never negative.
fn impossible(rows: &Collected) -> Option<String> {
    for table in &rows.tables {
        for (column, value) in table.rows.iter().flat_map(|row| table.columns.iter().zip(row)) {
            let wrong = match value {
                Value::F64(value) => !value.is_finite() || *value < 0.0,
                Value::I64(value) => *value < 0,
                _ => false,
            };
            if wrong && !SIGNED.contains(&column.as_str()) {
                return Some(format!("{}.{column} {value:?}", table.name));
            }
        }
    }
    None
}

proptest! {
    #[test]
    fn no_value_within_its_range_gives_what_cannot_be(
        vantage in prop::sample::select(vec!["ue", "monitor", "server"]),
        (tls, stamps, syn) in (any::<bool>(), any::<bool>(), any::<bool>()),
        settings in prop::collection::vec(setting(), 1..12),
        events in prop::collection::vec((pause(), event()), 1..40),
    ) {
        let mut text = String::new();
        for (parameter, value) in &settings {
            writeln!(text, "set {} = {value}", parameter.name).expect("a String takes every text");
        }
        text += &script(vantage, tls, stamps, syn, &events);
        let rows = run(&text).map_err(|error| TestCaseError::fail(format!("{error}\n{text}")))?;
        prop_assert_eq!(impossible(&rows), None, "{}", text);
    }
}
