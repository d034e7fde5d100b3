//! Declares rows of tables and describes their columns. Name, unit, description and source of a
//! column are written once, beside the field that holds its value. The Parquet metadata, the output
//! of `airmile schema` and the reference are generated from them.

use std::borrow::Cow;

use crate::address::Address;
use crate::cause::{Cause, CauseSource};
use crate::flow::{Direction, Protocol, Side, Vantage};
use crate::second::{Certainty, Second};
use crate::time::{Duration, Instant};

/// The type of a column's values in tables.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// A signed integer: a count, an instant in ns, or an offset.
    I64,
    /// An unsigned integer: an identifier or a port.
    U64,
    /// A 16-bit unsigned integer: a port or another short field.
    U16,
    /// A floating-point number: a duration, a rate, or a ratio.
    F64,
    /// True or false.
    Bool,
    /// A text, or a word from a fixed list.
    Utf8,
}

/// The name of a column, its type, and what its values mean.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Column {
    /// The column's name, the same in every format.
    pub name: &'static str,
    /// The unit in words, such as `bytes`, `ms` or `packets`; empty for words and flags.
    pub unit: &'static str,
    /// What the value means, in whole sentences.
    pub doc: &'static str,
    /// The section of the methods or of an RFC that defines the value.
    pub cite: &'static str,
    /// The type of the column's values.
    pub kind: Kind,
}

/// Receives the cells of one row from left to right; `None` is a null cell.
pub trait RowSink {
    /// Receives a signed integer.
    fn i64(&mut self, value: Option<i64>);
    /// Receives an unsigned integer.
    fn u64(&mut self, value: Option<u64>);
    /// Receives a 16-bit integer.
    fn u16(&mut self, value: Option<u16>);
    /// Receives a floating-point number.
    fn f64(&mut self, value: Option<f64>);
    /// Receives a flag.
    fn bool(&mut self, value: Option<bool>);
    /// Receives a text.
    fn utf8(&mut self, value: Option<&str>);
    /// Receives a word from a fixed list in the program. A sink may distinguish such words by their
    /// memory addresses, without comparing letters.
    fn word(&mut self, value: Option<&'static str>) {
        self.utf8(value);
    }
}

/// A type that is one row of a table, or some adjacent columns of a row.
pub trait Table {
    /// The columns, in the order in which `put` writes them.
    const COLUMNS: &'static [Column];
    /// Writes one cell per column.
    fn put<S: RowSink + ?Sized>(&self, sink: &mut S);
}

/// A table with one row per event.
pub trait EventTable: Table + 'static {
    /// The name of the table.
    const TABLE: &'static str;
    /// A sentence that says what one row of the table is.
    const DOC: &'static str;
}

/// A type whose values fit into one cell of a table.
pub trait Cell {
    /// The type of the column that takes such values.
    const KIND: Kind;
    /// Writes the value, or null.
    fn put<S: RowSink + ?Sized>(&self, sink: &mut S);
    /// Writes null.
    fn put_null<S: RowSink + ?Sized>(sink: &mut S);
}

impl<T: Cell> Cell for Option<T> {
    const KIND: Kind = T::KIND;
    fn put<S: RowSink + ?Sized>(&self, sink: &mut S) {
        match self {
            Some(value) => value.put(sink),
            None => T::put_null(sink),
        }
    }
    fn put_null<S: RowSink + ?Sized>(sink: &mut S) {
        T::put_null(sink);
    }
}

macro_rules! cells {
    ($($ty:ty => $kind:ident, $method:ident, |$v:ident| $value:expr;)*) => {
        $(impl Cell for $ty {
            const KIND: Kind = Kind::$kind;
            fn put<S: RowSink + ?Sized>(&self, sink: &mut S) {
                let $v = self;
                sink.$method(Some($value));
            }
            fn put_null<S: RowSink + ?Sized>(sink: &mut S) {
                sink.$method(None);
            }
        })*
    };
}

cells! {
    i64 => I64, i64, |v| *v;
    i32 => I64, i64, |v| i64::from(*v);
    u32 => I64, i64, |v| i64::from(*v);
    u64 => U64, u64, |v| *v;
    u16 => U16, u16, |v| *v;
    f64 => F64, f64, |v| *v;
    bool => Bool, bool, |v| *v;
    Instant => I64, i64, |v| v.as_nanos();
    &'static str => Utf8, word, |v| *v;
    String => Utf8, utf8, |v| v.as_str();
    Cause => Utf8, word, |v| v.as_str();
    CauseSource => Utf8, word, |v| v.as_str();
    Certainty => Utf8, word, |v| v.as_str();
    Second => Utf8, word, |v| v.as_str();
    Direction => Utf8, word, |v| v.as_str();
    Side => Utf8, word, |v| v.as_str();
    Protocol => Utf8, word, |v| v.as_str();
    Vantage => Utf8, word, |v| v.as_str();
    Address => Utf8, utf8, |v| v.text().as_str();
    Duration => F64, f64, |v| v.as_millis_f64();
}

impl Cell for Cow<'static, str> {
    const KIND: Kind = Kind::Utf8;
    fn put<S: RowSink + ?Sized>(&self, sink: &mut S) {
        match self {
            Self::Borrowed(word) => sink.word(Some(word)),
            Self::Owned(text) => sink.utf8(Some(text)),
        }
    }
    fn put_null<S: RowSink + ?Sized>(sink: &mut S) {
        sink.utf8(None);
    }
}

/// Declares the type of a row. Each field has a description, a unit and a source, and becomes a
/// column.
///
/// A [`Duration`] field is written in milliseconds, so its name ends in `_ms`. Counts are `u32` or
/// `i64` and are written as signed integers. `u64` is for identifiers.
///
/// ```
/// use airmile_types::{columns, Table};
/// columns! {
///     /// One row per example.
///     #[derive(Default)]
///     pub struct ExampleRow {
///         /// Bytes of payload.
///         #[unit("bytes")] #[cite("A5")] pub payload_bytes: i64,
///         /// Least round-trip time.
///         #[unit("ms")] #[cite("B4")] pub rtt_min_ms: Option<f64>,
///     }
/// }
/// assert_eq!(ExampleRow::COLUMNS[1].name, "rtt_min_ms");
/// assert_eq!(ExampleRow::COLUMNS[1].unit, "ms");
/// ```
#[macro_export]
macro_rules! columns {
    ($(#[doc = $table_doc:literal])+ $(#[derive($($derive:ident),*)])? pub struct $name:ident {
        $($(#[doc = $doc:literal])+ #[unit($unit:literal)] #[cite($cite:literal)] pub $field:ident : $ty:ty),* $(,)?
    }) => {
        $(#[doc = $table_doc])+
        #[derive(Clone, Debug, PartialEq)]
        $(#[derive($($derive),*)])?
        pub struct $name { $($(#[doc = $doc])+ pub $field: $ty),* }

        impl $crate::Table for $name {
            const COLUMNS: &'static [$crate::Column] = &[$($crate::Column {
                name: stringify!($field),
                unit: $unit,
                doc: concat!($($doc),+),
                cite: $cite,
                kind: <$ty as $crate::Cell>::KIND,
            }),*];
            fn put<S: $crate::RowSink + ?Sized>(&self, sink: &mut S) {
                $($crate::Cell::put(&self.$field, sink);)*
            }
        }
    };
}
