#![doc = include_str!("handovers.md")]

mod cell;
mod measured;
mod signalled;
#[cfg(test)]
mod tests;

use std::collections::BTreeSet;

use airmile_read::modem::{CellMeasurement, RrcEvent, User};

use crate::log::HandoverRow;

/// The completed handovers and the re-establishments, in the order of time. Events and measurements
/// must be in the order of their logs, one log after the other, and on one clock. Each user is
/// treated separately.
pub fn handovers(events: &[RrcEvent], cells: &[CellMeasurement]) -> Vec<HandoverRow> {
    let mut rows = signalled::rows(events);
    let signalled: BTreeSet<User> = events.iter().map(|event| event.user).collect();
    rows.extend(measured::rows(cells.iter().filter(|cell| !signalled.contains(&cell.user))));
    rows.sort_by_key(|row| (row.start_ns, row.user));
    rows
}
