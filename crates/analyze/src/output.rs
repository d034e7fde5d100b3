//! Where rows go.

use airmile_types::{Kind, RowSink};

use crate::EventTable;

/// Takes rows in their final order. `dataset` implements it; tests collect into vectors.
pub trait Output {
    /// One row of `flows`: `write` puts one cell per column of [`crate::flow_columns`].
    fn flow(&mut self, write: &dyn Fn(&mut dyn RowSink));

    /// Rows of a table; the vector is left empty.
    fn rows<T: EventTable>(&mut self, rows: &mut Vec<T>);
}

/// A column of `flows`: as [`airmile_types::Column`], with its prefix in the name.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FlowColumn {
    /// Name, with `ul_` or `dl_` where it is per direction.
    pub name: String,
    /// Unit in words.
    pub unit: &'static str,
    /// What the value is.
    pub doc: &'static str,
    /// The section that defines it.
    pub cite: &'static str,
    /// Type of the values.
    pub kind: Kind,
}
