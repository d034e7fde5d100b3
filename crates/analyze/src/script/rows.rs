//! Keeps rows in memory for comparisons.

use airmile_types::{Column, EventTable, RowSink, Table};

use crate::contract::{flow_fault, row_fault};
use crate::{FlowRow, Output, flow_columns};

/// One cell.
#[derive(Clone, Debug, PartialEq)]
pub enum Value {
    /// The value is unknown.
    Null,
    /// A signed number.
    I64(i64),
    /// An identifier.
    U64(u64),
    /// A floating-point number.
    F64(f64),
    /// A flag.
    Bool(bool),
    /// A text.
    Text(String),
}

/// A table with its rows.
#[derive(Clone, Debug, PartialEq)]
pub struct Rows {
    /// Name of the table.
    pub name: &'static str,

    /// Names of the columns.
    pub columns: Vec<String>,

    /// The rows, in order.
    pub rows: Vec<Vec<Value>>,
}

/// An [`Output`] that keeps all rows.
#[derive(Clone, Debug, PartialEq)]
pub struct Collected {
    pub(super) tables: Vec<Rows>,
}

impl Default for Collected {
    fn default() -> Self {
        let columns = flow_columns().into_iter().map(|column| column.name).collect();
        Self { tables: vec![Rows { name: "flows", columns, rows: Vec::new() }] }
    }
}

impl Collected {
    /// The table of this name; `None` when it has no rows (`flows` always exists).
    pub fn table(&self, name: &str) -> Option<&Rows> {
        self.tables.iter().find(|table| table.name == name)
    }

    fn table_mut(&mut self, name: &'static str, columns: &[Column]) -> &mut Rows {
        let at = self.tables.iter().position(|table| table.name == name).unwrap_or_else(|| {
            let columns = columns.iter().map(|column| column.name.to_owned()).collect();
            self.tables.push(Rows { name, columns, rows: Vec::new() });
            self.tables.len() - 1
        });
        &mut self.tables[at]
    }
}

impl Rows {
    /// The cell in a row and in the column of this name.
    pub fn cell(&self, row: usize, column: &str) -> Option<&Value> {
        let at = self.columns.iter().position(|name| name == column)?;
        self.rows.get(row)?.get(at)
    }
}

impl Output for Collected {
    fn flow(&mut self, row: &FlowRow<'_>) {
        assert_eq!(flow_fault(row), None, "no row of `flows` may be so");
        let mut cells = Cells::default();
        row.put(&mut cells);
        self.table_mut("flows", &[]).rows.push(cells.0);
    }

    fn rows<T: EventTable>(&mut self, rows: &mut Vec<T>) {
        let table = self.table_mut(T::TABLE, <T as Table>::COLUMNS);
        for row in rows.drain(..) {
            assert_eq!(row_fault(&row), None, "no row may be so");
            let mut cells = Cells::default();
            row.put(&mut cells);
            table.rows.push(cells.0);
        }
    }
}

#[derive(Default)]
struct Cells(Vec<Value>);

impl Cells {
    fn push(&mut self, value: Option<Value>) {
        self.0.push(value.unwrap_or(Value::Null));
    }
}

impl RowSink for Cells {
    fn i64(&mut self, value: Option<i64>) {
        self.push(value.map(Value::I64));
    }
    fn u64(&mut self, value: Option<u64>) {
        self.push(value.map(Value::U64));
    }
    fn u16(&mut self, value: Option<u16>) {
        self.push(value.map(|value| Value::I64(value.into())));
    }
    fn f64(&mut self, value: Option<f64>) {
        self.push(value.map(Value::F64));
    }
    fn bool(&mut self, value: Option<bool>) {
        self.push(value.map(Value::Bool));
    }
    fn utf8(&mut self, value: Option<&str>) {
        self.push(value.map(|value| Value::Text(value.to_owned())));
    }
}
