//! Finds the fields of a message by name, in JSON with its types or in XML without types.

use std::ops::RangeInclusive;

use serde_json::{Map, Value};

use crate::modem::text::{Bad, Column, whole};

/// The names and values of a message, or of a part of one.
#[derive(Clone, Copy)]
pub(super) struct Fields<'a>(&'a Map<String, Value>);

impl<'a> Fields<'a> {
    /// The fields of a JSON object; `None` if the value is not an object.
    pub(super) fn of(tree: &'a Value) -> Option<Self> {
        tree.as_object().map(Self)
    }

    /// Whether a field with this name is present.
    pub(super) fn has(self, name: &str) -> bool {
        self.0.contains_key(name)
    }

    /// A field that is a word; `None` if it is absent.
    pub(super) fn word(self, name: &str) -> Option<&'a str> {
        self.0.get(name)?.as_str().map(str::trim).filter(|word| !word.is_empty())
    }

    /// A field that is a whole number; `None` if it is absent.
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

    /// A field that is a whole number and must be present.
    pub(super) fn must<T: TryFrom<u64>>(
        self,
        name: &'static str,
        range: RangeInclusive<u64>,
    ) -> Result<T, Bad> {
        self.whole(name, range)?.ok_or_else(|| Bad::cell(Column { name, at: None }, "given"))
    }

    /// A field that is a number in a range; `None` if it is absent.
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

    /// The meaning of a field that is a word; `None` if it is absent.
    pub(super) fn meaning<T>(
        self,
        name: &'static str,
        read: impl FnOnce(&str) -> Option<T>,
    ) -> Result<Option<T>, Bad> {
        let Some(word) = self.word(name) else { return Ok(None) };
        let column = Column { name, at: None };
        read(word).map(Some).ok_or_else(|| Bad::cell(column, "a word that is known"))
    }

    /// The elements of a field that is a list of objects.
    pub(super) fn list(self, name: &str) -> impl Iterator<Item = Self> {
        self.0.get(name).and_then(Value::as_array).into_iter().flatten().filter_map(Self::of)
    }
}
