//! Lists the tables of a dataset and their columns.

use airmile_radio::{BufferStatusRow, BurstRow, CellRow, HandoverRow, TtiRow};
use airmile_track::Scope;
use airmile_types::{Column, Table};
use airmile_verdict::{LimitRow, SliceRow, TransferRow};

use crate::bundle::{EventTableInfo, event_table};
use crate::coverage::CoverageRow;
use crate::flows::REGISTRY;
use crate::identity::IdentityRow;
use crate::output::FlowColumn;
use crate::sessions::{SessionRow, SilenceRow};

/// A table of the dataset.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TableInfo {
    /// Name of the table.
    pub name: &'static str,
    /// What one row describes.
    pub doc: &'static str,

    /// The columns, in order.
    pub columns: Vec<FlowColumn>,
}

/// The columns of `flows`: the identity of the flow, then the columns of each analysis.
pub fn flow_columns() -> Vec<FlowColumn> {
    let mut columns = prefixed("", IdentityRow::COLUMNS);
    for analysis in REGISTRY {
        match analysis.scope {
            Scope::Flow => columns.extend(prefixed("", analysis.columns)),
            Scope::Direction => {
                columns.extend(prefixed("ul_", analysis.columns));
                columns.extend(prefixed("dl_", analysis.columns));
            }
        }
    }
    columns.extend(prefixed("", LimitRow::COLUMNS));
    columns
}

/// The tables that are made from a modem log.
pub fn modem_tables() -> Vec<TableInfo> {
    let tables = [
        event_table::<TtiRow>(),
        event_table::<BurstRow>(),
        event_table::<CellRow>(),
        event_table::<HandoverRow>(),
        event_table::<BufferStatusRow>(),
    ];
    tables.into_iter().map(info).collect()
}

/// Every table: `flows`, `sessions`, `coverage`, the tables of the analyses in the order of the list, then the
/// tables of modem logs.
pub fn tables() -> Vec<TableInfo> {
    let flows = TableInfo {
        name: "flows",
        doc: "One row per flow (methods A4); the flows of one subscriber are in the order in which they ended.",
        columns: flow_columns(),
    };
    let events = REGISTRY.iter().filter_map(|analysis| analysis.events);
    let own = [
        event_table::<SessionRow>(),
        event_table::<SilenceRow>(),
        event_table::<CoverageRow>(),
        event_table::<TransferRow>(),
        event_table::<SliceRow>(),
    ];
    let tables = std::iter::once(flows).chain(own.into_iter().chain(events).map(info));
    tables.chain(modem_tables()).collect()
}

fn info(table: EventTableInfo) -> TableInfo {
    TableInfo { name: table.name, doc: table.doc, columns: prefixed("", table.columns) }
}

fn prefixed(prefix: &str, columns: &[Column]) -> Vec<FlowColumn> {
    columns
        .iter()
        .map(|column| FlowColumn {
            name: format!("{prefix}{}", column.name),
            unit: column.unit,
            doc: column.doc,
            cite: column.cite,
            kind: column.kind,
        })
        .collect()
}
