//! Finds handovers in measurements, for logs without RRC messages (methods G7).

use std::collections::BTreeMap;

use airmile_read::modem::{CellMeasurement, User};

use super::cell::Cell;
use crate::log::HandoverRow;

/// The changes of the serving cell of each user.
pub(super) fn rows<'a>(cells: impl Iterator<Item = &'a CellMeasurement>) -> Vec<HandoverRow> {
    let mut users: BTreeMap<User, Vec<&CellMeasurement>> = BTreeMap::new();
    for cell in cells.filter(|cell| is_primary(cell)) {
        users.entry(cell.user).or_default().push(cell);
    }
    users.into_values().flat_map(changes).collect()
}

/// Whether the measurement is of the primary serving cell and contains the cell's identity.
fn is_primary(cell: &CellMeasurement) -> bool {
    cell.serving == Some(true) && cell.carrier.unwrap_or(0) == 0 && cell.cell.is_some()
}

fn changes(cells: Vec<&CellMeasurement>) -> Vec<HandoverRow> {
    of_one_source(cells)
        .windows(2)
        .filter_map(|pair| match pair {
            // If the time goes back, another log begins.
            [before, after] if before.time > after.time => None,
            [before, after] if place(before).differs(place(after)) => Some(change(before, after)),
            _ => None,
        })
        .collect()
}

/// The measurements from the kind of message with the most of them. Messages of different kinds
/// notice a change at different times, and together would report it twice.
fn of_one_source(mut cells: Vec<&CellMeasurement>) -> Vec<&CellMeasurement> {
    let mut counts: BTreeMap<&str, usize> = BTreeMap::new();
    for cell in &cells {
        *counts.entry(cell.source).or_default() += 1;
    }
    let most = counts.into_iter().max_by_key(|(_, count)| *count).map(|(source, _)| source);
    cells.retain(|cell| Some(cell.source) == most);
    cells
}

fn place(cell: &CellMeasurement) -> Cell {
    Cell { pci: cell.cell, earfcn: cell.earfcn }
}

fn change(before: &CellMeasurement, after: &CellMeasurement) -> HandoverRow {
    HandoverRow {
        user: after.user.0.into(),
        start_ns: before.time,
        end_ns: Some(after.time),
        from_cell: before.cell.map(i64::from),
        from_earfcn: before.earfcn.map(i64::from),
        to_cell: after.cell.map(i64::from),
        to_earfcn: after.earfcn.map(i64::from),
        kind: "handover",
        source: "serving_cell",
    }
}
