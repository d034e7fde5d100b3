//! Splits the rows of tables into cells, and finds columns by name.

use std::borrow::Cow;
use std::fmt;
use std::ops::RangeInclusive;

use super::number::whole;

/// A column of a table.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Column {
    /// The name of the column in messages.
    pub(crate) name: &'static str,
    /// The position of the column in a row, counted from 0; `None` if the file does not have the
    /// column.
    pub(crate) at: Option<usize>,
}

impl Column {
    /// Finds a column by its name in the header.
    pub(crate) fn named(name: &'static str, header: &[&str]) -> Self {
        Self { name, at: header.iter().position(|cell| *cell == name) }
    }
}

/// Why a row gives no record. The text never contains cells of the row.
#[derive(Debug)]
pub(crate) struct Bad(Cow<'static, str>);

impl Bad {
    pub(crate) fn new(why: impl Into<Cow<'static, str>>) -> Self {
        Self(why.into())
    }

    /// The error for a cell whose text is not what the column requires.
    pub(crate) fn cell(column: Column, expected: impl fmt::Display) -> Self {
        Self(format!("{}: not {expected}", column.name).into())
    }
}

impl fmt::Display for Bad {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

/// A row of a table, split into cells.
#[derive(Debug)]
pub(crate) struct Row<'a>(Vec<&'a str>);

impl<'a> Row<'a> {
    /// Splits a row at the separator, and removes spaces around each cell.
    pub(crate) fn split(text: &'a str, separator: char) -> Self {
        Self(text.split(separator).map(str::trim).collect())
    }

    /// A row from cells that are split already.
    pub(crate) fn of(cells: Vec<&'a str>) -> Self {
        Self(cells)
    }

    /// The cells of the row.
    pub(crate) fn cells(&self) -> &[&'a str] {
        &self.0
    }

    /// Refuses a row whose number of cells differs from the number of columns in the header.
    pub(crate) fn has(&self, columns: usize) -> Result<(), Bad> {
        match self.0.len() {
            cells if cells == columns => Ok(()),
            cells => Err(Bad::new(format!("{cells} cells in {columns} columns"))),
        }
    }

    /// The cell of a column; `None` if the file does not have the column, or the cell is empty.
    pub(crate) fn text(&self, column: Column) -> Option<&'a str> {
        self.0.get(column.at?).copied().filter(|cell| !cell.is_empty())
    }

    /// The value of a cell; `None` if the cell is empty or its column is missing.
    pub(crate) fn read<T>(
        &self,
        column: Column,
        expected: &str,
        read: impl FnOnce(&str) -> Option<T>,
    ) -> Result<Option<T>, Bad> {
        let Some(text) = self.text(column) else { return Ok(None) };
        read(text).map(Some).ok_or_else(|| Bad::cell(column, expected))
    }

    /// The whole number in a cell; `None` if the cell is empty or its column is missing.
    pub(crate) fn whole<T: TryFrom<u64>>(
        &self,
        column: Column,
        range: RangeInclusive<u64>,
    ) -> Result<Option<T>, Bad> {
        let Some(text) = self.text(column) else { return Ok(None) };
        let value = whole(text, &range).ok_or_else(|| {
            let (low, high) = range.into_inner();
            Bad::cell(column, format_args!("a whole number from {low} to {high}"))
        })?;
        Ok(Some(value))
    }

    /// The whole number in a cell that must not be empty.
    pub(crate) fn must<T: TryFrom<u64>>(
        &self,
        column: Column,
        range: RangeInclusive<u64>,
    ) -> Result<T, Bad> {
        self.whole(column, range)?.ok_or_else(|| Bad::cell(column, "given"))
    }
}
