//! Rows to Arrow record batches.

use std::sync::Arc;

use airmile_types::RowSink;
use arrow_array::builder::{
    BooleanBuilder, Float64Builder, Int64Builder, StringBuilder, UInt16Builder, UInt64Builder,
};
use arrow_array::{Array, ArrayRef, RecordBatch};
use arrow_schema::{ArrowError, DataType, SchemaRef};

/// Gathers rows, cell by cell, into a record batch.
pub(crate) struct Rows {
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
    pub(crate) fn new(schema: SchemaRef) -> Result<Self, ArrowError> {
        let cells = schema.fields().iter().map(|field| Cells::new(field.data_type()));
        let cells = cells.collect::<Result<_, _>>()?;
        Ok(Self { schema, cells, cursor: 0, len: 0, misfit: false })
    }

    /// How many rows there are.
    pub(crate) const fn len(&self) -> usize {
        self.len
    }

    /// Whether there is none.
    pub(crate) const fn is_empty(&self) -> bool {
        self.len == 0
    }

    /// Ends a row.
    ///
    /// # Errors
    /// When its cells were not those of the columns: too few, too many, or of another type.
    pub(crate) fn end_row(&mut self) -> Result<(), ArrowError> {
        let complete = self.cursor == self.cells.len() && !self.misfit;
        self.cursor = 0;
        self.len += 1;
        if complete { Ok(()) } else { Err(self.misfit_error()) }
    }

    /// Takes the rows out.
    ///
    /// # Errors
    /// When a row did not fit its columns.
    pub(crate) fn take(&mut self) -> Result<RecordBatch, ArrowError> {
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
            DataType::Int64 => Self::I64(Int64Builder::with_capacity(0)),
            DataType::UInt64 => Self::U64(UInt64Builder::with_capacity(0)),
            DataType::UInt16 => Self::U16(UInt16Builder::with_capacity(0)),
            DataType::Float64 => Self::F64(Float64Builder::with_capacity(0)),
            DataType::Boolean => Self::Bool(BooleanBuilder::with_capacity(0)),
            DataType::Utf8 => Self::Utf8(StringBuilder::with_capacity(0, 0)),
            other => return Err(ArrowError::SchemaError(format!("no column is {other}"))),
        })
    }

    /// The cells so far. The next ones, most often as many, find room.
    fn finish(&mut self) -> ArrayRef {
        macro_rules! taken {
            ($cells:ident, $builder:ident) => {{
                let array = $cells.finish();
                *$cells = $builder::with_capacity(array.len());
                Arc::new(array)
            }};
        }
        match self {
            Self::I64(cells) => taken!(cells, Int64Builder),
            Self::U64(cells) => taken!(cells, UInt64Builder),
            Self::U16(cells) => taken!(cells, UInt16Builder),
            Self::F64(cells) => taken!(cells, Float64Builder),
            Self::Bool(cells) => taken!(cells, BooleanBuilder),
            Self::Utf8(cells) => {
                let array = cells.finish();
                *cells = StringBuilder::with_capacity(array.len(), array.value_data().len());
                Arc::new(array)
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use airmile_types::{Direction, Instant, Table, columns};
    use arrow_array::cast::AsArray;
    use arrow_array::types::{Float64Type, Int64Type, UInt16Type, UInt64Type};
    use arrow_schema::{Field, Schema};

    use super::*;

    columns! {
        /// One of each kind.
        pub struct Sample {
            /// An instant.
            #[unit("ns")] #[cite("A5")] pub time_ns: Instant,
            /// An identifier.
            #[unit("")] #[cite("A5")] pub uid: Option<u64>,
            /// A port.
            #[unit("")] #[cite("A5")] pub port: Option<u16>,
            /// A ratio.
            #[unit("")] #[cite("A5")] pub ratio: Option<f64>,
            /// A flag.
            #[unit("")] #[cite("A5")] pub flag: Option<bool>,
            /// A word.
            #[unit("")] #[cite("A5")] pub direction: Option<Direction>,
        }
    }

    fn rows() -> Rows {
        let types = [
            DataType::Int64,
            DataType::UInt64,
            DataType::UInt16,
            DataType::Float64,
            DataType::Boolean,
            DataType::Utf8,
        ];
        let named = Sample::COLUMNS.iter().zip(types);
        let fields: Vec<Field> = named.map(|(c, t)| Field::new(c.name, t, true)).collect();
        Rows::new(Arc::new(Schema::new(fields))).unwrap()
    }

    const FULL: Sample = Sample {
        time_ns: Instant::from_nanos(-1),
        uid: Some(u64::MAX),
        port: Some(443),
        ratio: Some(f64::INFINITY),
        flag: Some(false),
        direction: Some(Direction::Uplink),
    };

    #[test]
    fn values_and_nulls_survive() {
        let mut rows = rows();
        let unknown =
            Sample { uid: None, port: None, ratio: None, flag: None, direction: None, ..FULL };
        for row in [FULL, unknown] {
            row.put(&mut rows);
            rows.end_row().unwrap();
        }
        let batch = rows.take().unwrap();
        assert_eq!(batch.column(0).as_primitive::<Int64Type>().value(0), -1);
        assert_eq!(batch.column(1).as_primitive::<UInt64Type>().value(0), u64::MAX);
        assert_eq!(batch.column(2).as_primitive::<UInt16Type>().value(0), 443);
        assert_eq!(batch.column(3).as_primitive::<Float64Type>().value(0), f64::INFINITY);
        assert!(!batch.column(4).as_boolean().value(0));
        assert_eq!(batch.column(5).as_string::<i32>().value(0), "uplink");
        assert_eq!(
            batch.columns().iter().map(|c| c.null_count()).collect::<Vec<_>>(),
            [0, 1, 1, 1, 1, 1]
        );
        assert!(rows.is_empty());
    }

    #[test]
    fn a_row_that_does_not_fit_is_an_error() {
        let mut short = rows();
        short.i64(Some(1));
        assert!(short.end_row().is_err());
        let mut wrong = rows();
        wrong.f64(Some(1.0));
        assert!(wrong.end_row().is_err());
        let mut long = rows();
        FULL.put(&mut long);
        long.bool(None);
        assert!(long.end_row().is_err());
    }
}
