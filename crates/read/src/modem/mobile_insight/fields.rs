//! The fields of a message by their names, from JSON with its types or from XML without types.

use std::ops::RangeInclusive;

use serde_json::{Map, Value};

use crate::modem::text::{Bad, Column, whole};

/// Names and values of a message or a part of it.
#[derive(Clone, Copy)]
pub(super) struct Fields<'a>(&'a Map<String, Value>);

impl<'a> Fields<'a> {
    /// The fields of an object.
    pub(super) fn of(tree: &'a Value) -> Option<Self> {
        tree.as_object().map(Self)
    }

    /// Whether there is such a field.
    pub(super) fn has(self, name: &str) -> bool {
        self.0.contains_key(name)
    }

    /// A field that is a word.
    pub(super) fn word(self, name: &str) -> Option<&'a str> {
        self.0.get(name)?.as_str().map(str::trim).filter(|word| !word.is_empty())
    }

    /// A field that is a whole number; `None` when it is not there.
    pub(super) fn whole<T: TryFrom<u64>>(
        self,
        name: &'static str,
        range: RangeInclusive<u64>,
    ) -> Result<Option<T>, Bad> {
        let read = match self.0.get(name) {
            None | Some(Value::Null) => return Ok(None),
            Some(Value::String(text)) => whole(text.trim(), &range),
            Some(value) => {
                let value = value.as_u64().filter(|value| range.contains(value));
                value.and_then(|value| T::try_from(value).ok())
            }
        };
        let column = Column { name, at: None };
        let expected = || format!("a whole number from {} to {}", range.start(), range.end());
        read.map(Some).ok_or_else(|| Bad::cell(column, expected()))
    }

    /// A whole number that must be there.
    pub(super) fn must<T: TryFrom<u64>>(
        self,
        name: &'static str,
        range: RangeInclusive<u64>,
    ) -> Result<T, Bad> {
        self.whole(name, range)?.ok_or_else(|| Bad::cell(Column { name, at: None }, "given"))
    }

    /// A field that is a number in a range; `None` when it is not there.
    pub(super) fn number(
        self,
        name: &'static str,
        range: RangeInclusive<f64>,
    ) -> Result<Option<f64>, Bad> {
        let value = match self.0.get(name) {
            None | Some(Value::Null) => return Ok(None),
            Some(Value::String(text)) => text.trim().parse().ok(),
            Some(value) => value.as_f64(),
        };
        let expected = || format!("a number from {} to {}", range.start(), range.end());
        value
            .filter(|value| range.contains(value))
            .map(Some)
            .ok_or_else(|| Bad::cell(Column { name, at: None }, expected()))
    }

    /// The meaning of a field that is a word; `None` when it is not there.
    pub(super) fn meaning<T>(
        self,
        name: &'static str,
        read: impl FnOnce(&str) -> Option<T>,
    ) -> Result<Option<T>, Bad> {
        let Some(word) = self.word(name) else { return Ok(None) };
        let column = Column { name, at: None };
        read(word).map(Some).ok_or_else(|| Bad::cell(column, "a word that is known"))
    }

    /// The parts of a field that is a list of objects.
    pub(super) fn list(self, name: &str) -> impl Iterator<Item = Self> {
        self.0.get(name).and_then(Value::as_array).into_iter().flatten().filter_map(Self::of)
    }
}
