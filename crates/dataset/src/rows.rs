//! Rows to Arrow record batches.

use std::sync::Arc;

use airmile_types::RowSink;
use arrow_array::builder::{
    BooleanBuilder, Float64Builder, Int64Builder, StringBuilder, UInt16Builder, UInt64Builder,
};
use arrow_array::{ArrayRef, RecordBatch};
use arrow_schema::{ArrowError, DataType, SchemaRef};

/// Gathers rows, cell by cell, into a record batch.
pub struct Rows {
    schema: SchemaRef,
    cells: Vec<Cells>,
    cursor: usize,
    len: usize,
    misfit: bool,
}

impl Rows {
    /// No rows of that schema.
    ///
    /// # Errors
    /// [`ArrowError::SchemaError`] for a type that no column has.
    pub fn new(schema: SchemaRef) -> Result<Self, ArrowError> {
        let cells = schema.fields().iter().map(|field| Cells::new(field.data_type()));
        let cells = cells.collect::<Result<_, _>>()?;
        Ok(Self { schema, cells, cursor: 0, len: 0, misfit: false })
    }

    /// How many rows there are.
    pub const fn len(&self) -> usize {
        self.len
    }

    /// Whether there is none.
    pub const fn is_empty(&self) -> bool {
        self.len == 0
    }

    /// Ends a row.
    ///
    /// # Errors
    /// When its cells were not those of the columns: too few, too many, or of another type.
    pub fn end_row(&mut self) -> Result<(), ArrowError> {
        let complete = self.cursor == self.cells.len() && !self.misfit;
        self.cursor = 0;
        self.len += 1;
        if complete { Ok(()) } else { Err(self.misfit_error()) }
    }

    /// Takes the rows out.
    ///
    /// # Errors
    /// When a row did not fit its columns.
    pub fn take(&mut self) -> Result<RecordBatch, ArrowError> {
        self.len = 0;
        let arrays = self.cells.iter_mut().map(Cells::finish).collect();
        RecordBatch::try_new(self.schema.clone(), arrays)
    }

    fn misfit_error(&self) -> ArrowError {
        let names: Vec<&str> = self.schema.fields().iter().map(|f| f.name().as_str()).collect();
        ArrowError::InvalidArgumentError(format!("a row does not fit the columns {names:?}"))
    }

    fn next(&mut self) -> Option<&mut Cells> {
        let cells = self.cells.get_mut(self.cursor);
        self.cursor += 1;
        cells
    }
}

macro_rules! sink {
    ($($method:ident($ty:ty) => $kind:ident),* $(,)?) => {
        impl RowSink for Rows {
            $(fn $method(&mut self, value: Option<$ty>) {
                match self.next() {
                    Some(Cells::$kind(cells)) => cells.append_option(value),
                    _ => self.misfit = true,
                }
            })*
        }
    };
}

sink! {
    i64(i64) => I64,
    u64(u64) => U64,
    u16(u16) => U16,
    f64(f64) => F64,
    bool(bool) => Bool,
    utf8(&str) => Utf8,
}

enum Cells {
    I64(Int64Builder),
    U64(UInt64Builder),
    U16(UInt16Builder),
    F64(Float64Builder),
    Bool(BooleanBuilder),
    Utf8(StringBuilder),
}

impl Cells {
    fn new(data_type: &DataType) -> Result<Self, ArrowError> {
        Ok(match data_type {
            DataType::Int64 => Self::I64(Int64Builder::new()),
            DataType::UInt64 => Self::U64(UInt64Builder::new()),
            DataType::UInt16 => Self::U16(UInt16Builder::new()),
            DataType::Float64 => Self::F64(Float64Builder::new()),
            DataType::Boolean => Self::Bool(BooleanBuilder::new()),
            DataType::Utf8 => Self::Utf8(StringBuilder::new()),
            other => return Err(ArrowError::SchemaError(format!("no column is {other}"))),
        })
    }

    fn finish(&mut self) -> ArrayRef {
        match self {
            Self::I64(cells) => Arc::new(cells.finish()),
            Self::U64(cells) => Arc::new(cells.finish()),
            Self::U16(cells) => Arc::new(cells.finish()),
            Self::F64(cells) => Arc::new(cells.finish()),
            Self::Bool(cells) => Arc::new(cells.finish()),
            Self::Utf8(cells) => Arc::new(cells.finish()),
        }
    }
}
