//! Defines the interface through which the engine writes its rows.

use airmile_track::FlowFacts;
use airmile_types::{EventTable, Kind, Parameters, RowSink, Table};
use airmile_verdict::LimitRow;

use crate::flows::Bundle;
use crate::identity::IdentityRow;

/// Takes rows in their final order. The crate `dataset` implements it; tests collect rows in
/// vectors.
pub trait Output {
    /// Takes one row of `flows`.
    fn flow(&mut self, row: &FlowRow<'_>);

    /// Takes the rows of a table and leaves the vector empty.
    fn rows<T: EventTable>(&mut self, rows: &mut Vec<T>);
}

/// A row of `flows`, whose cells come from all analyses of the flow.
pub struct FlowRow<'a> {
    pub(crate) identity: IdentityRow,
    pub(crate) bundle: &'a Bundle,
    pub(crate) flow: &'a FlowFacts,
    pub(crate) parameters: &'a Parameters,
    pub(crate) limited_by: LimitRow,
}

impl FlowRow<'_> {
    /// Writes one cell per column of [`crate::flow_columns`].
    pub fn put<S: RowSink + ?Sized>(&self, sink: &mut S) {
        self.identity.put(sink);
        self.bundle.put(self.flow, self.parameters, sink);
        self.limited_by.put(sink);
    }
}

/// A column of `flows`: a [`airmile_types::Column`] whose name may have a prefix.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FlowColumn {
    /// The name, with the prefix `ul_` or `dl_` when the value exists per direction.
    pub name: String,

    /// Unit of the value.
    pub unit: &'static str,

    /// Description of the value.
    pub doc: &'static str,

    /// The section that defines the value.
    pub cite: &'static str,
    /// Type of the values.
    pub kind: Kind,
}
