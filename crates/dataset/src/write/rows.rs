//! Gathers the rows of one table, cell after cell, as an analysis writes them.

use std::ops::Range;
use std::sync::Arc;

use airmile_types::{Kind, RowSink};

use crate::error::Error;
use crate::write::words::Words;

/// The number of rows that the first row reserves memory for.
const FIRST_ROWS: usize = 64;

/// Gathers rows: the known cells one after the other, and one bit for each cell that says whether
/// it is known. Nothing is allocated before the first row.
pub(crate) struct Rows {
    kinds: Arc<[Kind]>,
    chunk: Chunk,
    /// The number of cells of the current row that have been written.
    cursor: usize,
    /// One bit for each of the last cells, at most 64, that says whether the cell is known.
    known: u64,
    misfit: bool,
}

/// Rows on their way to the columns of their table.
#[derive(Default)]
pub(crate) struct Chunk {
    pub(crate) rows: usize,
    /// One bit for each column of each row, in whole words.
    pub(crate) known: Vec<u64>,
    /// The bits of each known cell: for a text its range in `text`, for a word its number.
    pub(crate) cells: Vec<u64>,
    pub(crate) text: String,
    pub(crate) words: Words,
}

impl Chunk {
    /// The memory of the rows, in bytes.
    pub(crate) fn held_bytes(&self) -> usize {
        (self.known.capacity() + self.cells.capacity()) * 8 + self.text.capacity()
    }
}

/// The content of a cell in a text column.
pub(crate) enum Place {
    /// The number of a word in the list of words.
    Word(usize),
    /// A range of bytes in the text of the rows.
    Text(Range<usize>),
}

impl Place {
    /// The bit that marks a range in the text.
    const TEXT: u64 = 1 << 63;

    /// The place as the content of a cell. The texts of the rows in memory never exceed 2 GiB.
    pub(crate) const fn cell(&self) -> u64 {
        match self {
            Self::Word(number) => *number as u64,
            Self::Text(range) => {
                Self::TEXT | (range.start as u64) << 32 | (range.end - range.start) as u64
            }
        }
    }

    /// The place that a cell contains.
    pub(crate) const fn of(cell: u64) -> Self {
        if cell & Self::TEXT == 0 {
            return Self::Word(cell as usize);
        }
        let from = ((cell & !Self::TEXT) >> 32) as usize;
        Self::Text(from..from + (cell as u32) as usize)
    }
}

impl Chunk {
    /// Reserves memory for more rows like the first.
    fn make_room(&mut self) {
        self.known.reserve((FIRST_ROWS - 1) * self.known.len());
        self.cells.reserve((FIRST_ROWS - 1) * self.cells.len());
    }
}

impl Rows {
    /// Makes a store without rows for columns of these kinds.
    pub(crate) fn new(kinds: Arc<[Kind]>) -> Self {
        Self { kinds, chunk: Chunk::default(), cursor: 0, known: 0, misfit: false }
    }

    /// The number of rows.
    pub(crate) const fn len(&self) -> usize {
        self.chunk.rows
    }

    /// Ends a row.
    ///
    /// # Errors
    /// Fails when the cells did not match the columns: too few, too many, or of another kind.
    pub(crate) fn end_row(&mut self) -> Result<(), Error> {
        if !self.cursor.is_multiple_of(64) {
            self.chunk.known.push(self.known);
            self.known = 0;
        }
        let fits = self.cursor == self.kinds.len() && !self.misfit;
        self.cursor = 0;
        self.chunk.rows += 1;
        if self.chunk.rows == 1 {
            self.chunk.make_room();
        }
        if fits {
            Ok(())
        } else {
            Err(Error::output("a row does not fit the columns of its table"))
        }
    }

    /// The memory of the rows, in bytes.
    pub(crate) fn held_bytes(&self) -> usize {
        self.chunk.held_bytes()
    }

    /// Takes the rows out, and keeps memory for as many new rows.
    pub(crate) fn take(&mut self) -> Chunk {
        let next = Chunk {
            known: Vec::with_capacity(self.chunk.known.len()),
            cells: Vec::with_capacity(self.chunk.cells.len()),
            ..Chunk::default()
        };
        std::mem::replace(&mut self.chunk, next)
    }

    #[inline]
    fn put(&mut self, kind: Kind, cell: Option<u64>) {
        self.misfit |= self.kinds.get(self.cursor) != Some(&kind);
        if let Some(cell) = cell {
            self.known |= 1 << (self.cursor % 64);
            self.chunk.cells.push(cell);
        }
        self.cursor += 1;
        if self.cursor.is_multiple_of(64) {
            self.chunk.known.push(self.known);
            self.known = 0;
        }
    }
}

impl RowSink for Rows {
    #[inline]
    fn i64(&mut self, value: Option<i64>) {
        self.put(Kind::I64, value.map(i64::cast_unsigned));
    }
    #[inline]
    fn u64(&mut self, value: Option<u64>) {
        self.put(Kind::U64, value);
    }
    #[inline]
    fn u16(&mut self, value: Option<u16>) {
        self.put(Kind::U16, value.map(u64::from));
    }
    #[inline]
    fn f64(&mut self, value: Option<f64>) {
        self.put(Kind::F64, value.map(f64::to_bits));
    }
    #[inline]
    fn bool(&mut self, value: Option<bool>) {
        self.put(Kind::Bool, value.map(u64::from));
    }
    fn utf8(&mut self, value: Option<&str>) {
        let cell = value.map(|text| {
            let from = self.chunk.text.len();
            self.chunk.text.push_str(text);
            Place::Text(from..self.chunk.text.len()).cell()
        });
        self.put(Kind::Utf8, cell);
    }
    fn word(&mut self, value: Option<&'static str>) {
        let cell = value.map(|word| Place::Word(self.chunk.words.number(word)).cell());
        self.put(Kind::Utf8, cell);
    }
}

#[cfg(test)]
mod tests {
    use airmile_types::{Direction, Instant, Table, columns};
    use arrow_array::Array;
    use arrow_array::cast::AsArray;
    use arrow_array::types::{Float64Type, Int64Type, UInt16Type, UInt64Type};

    use super::*;
    use crate::write::columns::Columns;

    columns! {
        /// A row with one column of each kind.
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
        Rows::new(Sample::COLUMNS.iter().map(|column| column.kind).collect())
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
        let mut columns = Columns::new(&rows.kinds.clone());
        columns.append(&rows.take());
        let arrays = columns.arrays();
        assert_eq!(arrays[0].as_primitive::<Int64Type>().value(0), -1);
        assert_eq!(arrays[1].as_primitive::<UInt64Type>().value(0), u64::MAX);
        assert_eq!(arrays[2].as_primitive::<UInt16Type>().value(0), 443);
        assert_eq!(arrays[3].as_primitive::<Float64Type>().value(0), f64::INFINITY);
        assert!(!arrays[4].as_boolean().value(0));
        assert_eq!(arrays[5].as_string::<i32>().value(0), "uplink");
        assert_eq!(arrays.iter().map(|c| c.null_count()).collect::<Vec<_>>(), [0, 1, 1, 1, 1, 1]);
        assert_eq!(rows.len(), 0);
    }

    #[test]
    fn a_row_that_does_not_fit_is_an_error() {
        let mut short = rows();
        short.i64(Some(1));
        assert!(short.end_row().is_err());
        let mut wrong = rows();
        FULL.put(&mut wrong);
        wrong.cursor = 0;
        wrong.f64(Some(1.0));
        wrong.cursor = Sample::COLUMNS.len();
        assert!(wrong.end_row().is_err());
        let mut long = rows();
        FULL.put(&mut long);
        long.bool(None);
        assert!(long.end_row().is_err());
    }
}
