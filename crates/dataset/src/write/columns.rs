//! Turns rows into columns, as files and record batches need them.

use std::sync::Arc;

use airmile_types::Kind;
use arrow_array::{
    ArrayRef, BooleanArray, Float64Array, Int64Array, StringArray, UInt16Array, UInt64Array,
};

use crate::write::rows::{Chunk, Place};
use crate::write::words::Words;

/// The rows of a table, column by column.
pub(crate) struct Columns {
    columns: Vec<Column>,
    rows: usize,
    cells: usize,
    text: String,
    words: Words,
}

/// One column: its known cells, and the bits that show which cells are known.
pub(crate) struct Column {
    pub(crate) kind: Kind,
    /// One bit for each row, up to the last chunk with a known cell.
    known: Vec<u64>,
    cells: Vec<u64>,
}

impl Columns {
    /// Makes empty columns of these kinds.
    pub(crate) fn new(kinds: &[Kind]) -> Self {
        let column = |kind: &Kind| Column { kind: *kind, known: Vec::new(), cells: Vec::new() };
        let columns = kinds.iter().map(column).collect();
        Self { columns, rows: 0, cells: 0, text: String::new(), words: Words::default() }
    }

    /// The number of rows.
    pub(crate) const fn rows(&self) -> usize {
        self.rows
    }

    /// The size of the rows, in bytes.
    pub(crate) fn bytes(&self) -> usize {
        self.cells * 8 + self.columns.len() * self.rows / 8 + self.text.len()
    }

    /// The memory of the columns with what they keep for other rows, in bytes.
    pub(crate) fn held_bytes(&self) -> usize {
        let column = |column: &Column| column.known.capacity() + column.cells.capacity();
        self.columns.iter().map(column).sum::<usize>() * 8 + self.text.capacity()
    }

    /// Appends rows.
    pub(crate) fn append(&mut self, chunk: &Chunk) {
        let numbers: Vec<usize> =
            chunk.words.list().iter().map(|word| self.words.number(word)).collect();
        let text = self.text.len();
        self.text.push_str(&chunk.text);
        self.cells += chunk.cells.len();
        self.make_room(chunk);
        let mut cells = chunk.cells.iter().copied();
        for row in chunk.known.chunks_exact(self.columns.len().div_ceil(64).max(1)) {
            for (known, columns) in row.iter().zip(self.columns.chunks_mut(64)) {
                for (column, cell) in bits(*known).zip(&mut cells) {
                    let Some(column) = columns.get_mut(column) else { continue };
                    let cell =
                        if column.kind == Kind::Utf8 { moved(cell, text, &numbers) } else { cell };
                    column.put(self.rows, cell);
                }
            }
            self.rows += 1;
        }
    }

    /// Reserves memory in the columns of which the chunk has a known cell: once, not for each cell.
    fn make_room(&mut self, chunk: &Chunk) {
        let words = self.columns.len().div_ceil(64).max(1);
        let rows = self.rows + chunk.rows;
        for (place, columns) in self.columns.chunks_mut(64).enumerate() {
            let known = chunk.known.iter().skip(place).step_by(words);
            for column in bits(known.fold(0, |any, known| any | known)) {
                let Some(column) = columns.get_mut(column) else { continue };
                column.known.resize(rows.div_ceil(64), 0);
                column.cells.reserve(chunk.rows);
            }
        }
    }

    /// Removes all rows and keeps their memory.
    pub(crate) fn clear(&mut self) {
        for column in &mut self.columns {
            column.known.clear();
            column.cells.clear();
        }
        self.text.clear();
        (self.rows, self.cells) = (0, 0);
    }

    /// Removes all rows and frees their memory.
    pub(crate) fn free(&mut self) {
        self.clear();
        for column in &mut self.columns {
            (column.known, column.cells) = (Vec::new(), Vec::new());
        }
        self.text = String::new();
    }

    /// The columns, in the order of the table.
    pub(crate) fn iter(&self) -> impl Iterator<Item = &Column> {
        self.columns.iter()
    }

    /// All texts that are not words, one after another; each text cell holds the range of its own
    /// text.
    pub(crate) fn text(&self) -> &str {
        &self.text
    }

    /// The words, in the order of their numbers.
    pub(crate) fn words(&self) -> &[&'static str] {
        self.words.list()
    }

    /// Arrow arrays of all rows.
    pub(crate) fn arrays(&self) -> Vec<ArrayRef> {
        self.columns.iter().map(|column| self.array(column)).collect()
    }

    fn said(&self, cell: u64) -> &str {
        let text = match Place::of(cell) {
            Place::Word(number) => self.words().get(number).copied(),
            Place::Text(range) => self.text.get(range),
        };
        text.unwrap_or_default()
    }

    fn array(&self, column: &Column) -> ArrayRef {
        let cells = column.optional(self.rows);
        match column.kind {
            Kind::I64 => Arc::new(Int64Array::from_iter(cells.map(|c| c.map(u64::cast_signed)))),
            Kind::U64 => Arc::new(UInt64Array::from_iter(cells)),
            Kind::U16 => Arc::new(UInt16Array::from_iter(cells.map(|c| c.map(|c| c as u16)))),
            Kind::F64 => Arc::new(Float64Array::from_iter(cells.map(|c| c.map(f64::from_bits)))),
            Kind::Bool => Arc::new(BooleanArray::from_iter(cells.map(|c| c.map(|c| c != 0)))),
            Kind::Utf8 => {
                Arc::new(StringArray::from_iter(cells.map(|c| c.map(|cell| self.said(cell)))))
            }
        }
    }
}

impl Column {
    /// The known cells.
    pub(crate) fn cells(&self) -> &[u64] {
        &self.cells
    }

    /// Adds the definition level of each cell: 1 when it is known. It is fast for long runs,
    /// because most columns are all known or all unknown for long.
    pub(crate) fn levels(&self, rows: usize, levels: &mut Vec<i16>) {
        for word in 0..rows.div_ceil(64) {
            let known = self.known.get(word).copied().unwrap_or_default();
            let cells = (rows - word * 64).min(64);
            match known {
                0 | u64::MAX => levels.extend(std::iter::repeat_n((known & 1) as i16, cells)),
                _ => levels.extend((0..cells).map(|cell| (known >> cell & 1) as i16)),
            }
        }
    }

    /// For each row, whether its cell is known.
    fn known(&self, rows: usize) -> impl Iterator<Item = bool> {
        let word = |row: usize| self.known.get(row / 64).copied().unwrap_or_default();
        (0..rows).map(move |row| word(row) >> (row % 64) & 1 == 1)
    }

    fn optional(&self, rows: usize) -> impl Iterator<Item = Option<u64>> {
        let mut cells = self.cells.iter().copied();
        self.known(rows).map(move |known| if known { cells.next() } else { None })
    }

    #[inline]
    fn put(&mut self, row: usize, cell: u64) {
        if let Some(word) = self.known.get_mut(row / 64) {
            *word |= 1 << (row % 64);
        }
        self.cells.push(cell);
    }
}

/// The positions of the bits that are set.
fn bits(mut word: u64) -> impl Iterator<Item = usize> {
    std::iter::from_fn(move || {
        let place = word.trailing_zeros();
        word &= word.wrapping_sub(1);
        (place < 64).then_some(place as usize)
    })
}

/// A cell of a text column, adjusted to the text and the numbers of words that are there already.
fn moved(cell: u64, text: usize, numbers: &[usize]) -> u64 {
    match Place::of(cell) {
        Place::Word(number) => Place::Word(numbers.get(number).copied().unwrap_or_default()),
        Place::Text(range) => Place::Text(text + range.start..text + range.end),
    }
    .cell()
}

#[cfg(test)]
mod tests {
    use airmile_types::RowSink;
    use arrow_array::cast::AsArray;
    use arrow_array::types::Int64Type;

    use super::*;
    use crate::write::rows::Rows;

    /// Makes a chunk with more columns than one word has bits, and with a text after each number.
    fn chunk(rows: std::ops::Range<i64>) -> (Vec<Kind>, Chunk) {
        let kinds = [Kind::I64, Kind::Utf8].repeat(40);
        let mut gathered = Rows::new(kinds.clone().into());
        for row in rows {
            for column in 0..40 {
                gathered.i64((row % (column + 1) == 0).then_some(row * 100 + column));
                match (row + column) % 3 {
                    0 => gathered.utf8(Some(&format!("text {row}"))),
                    1 => gathered.word(Some(["odd", "even"][(row % 2) as usize])),
                    _ => gathered.utf8(None),
                }
            }
            gathered.end_row().unwrap();
        }
        (kinds, gathered.take())
    }

    #[test]
    fn a_level_says_of_each_row_whether_its_cell_is_known() {
        let (kinds, _) = chunk(0..0);
        let mut columns = Columns::new(&kinds);
        for rows in [0..1, 1..64, 64..65, 65..200, 200..256, 256..300] {
            columns.append(&chunk(rows).1);
            for column in columns.iter() {
                let mut levels = Vec::new();
                column.levels(columns.rows(), &mut levels);
                let known: Vec<i16> = column.known(columns.rows()).map(i16::from).collect();
                assert_eq!(levels, known);
            }
        }
        assert_eq!(columns.iter().count(), kinds.len());
    }

    #[test]
    fn cells_stand_in_their_rows_and_columns_whatever_the_chunks() {
        let (kinds, first) = chunk(0..70);
        let mut columns = Columns::new(&kinds);
        columns.append(&first);
        columns.append(&chunk(70..131).1);
        assert_eq!(columns.rows(), 131);
        let arrays = columns.arrays();
        for (column, pair) in arrays.chunks(2).enumerate() {
            let column = column as i64;
            let numbers = pair[0].as_primitive::<Int64Type>();
            let texts = pair[1].as_string::<i32>();
            for (row, (number, text)) in (0..).zip(numbers.iter().zip(texts)) {
                assert_eq!(number, (row % (column + 1) == 0).then_some(row * 100 + column));
                let expected = match (row + column) % 3 {
                    0 => Some(format!("text {row}")),
                    1 => Some(["odd", "even"][(row % 2) as usize].to_owned()),
                    _ => None,
                };
                assert_eq!(text.map(str::to_owned), expected);
            }
        }
    }
}
