//! Finds handovers in RRC messages (methods G7).

use std::collections::BTreeMap;

use airmile_read::modem::{RrcEvent, RrcStep, User};
use airmile_types::{Duration, Instant};

use super::cell::Cell;
use crate::log::HandoverRow;

/// The handovers and re-establishments of all users.
pub(super) fn rows(events: &[RrcEvent]) -> Vec<HandoverRow> {
    // The 5G cell of an LTE connection has messages and handovers of its own.
    let mut connections: BTreeMap<(User, bool), Connection> = BTreeMap::new();
    let mut rows = Vec::new();
    for event in events {
        connections.entry((event.user, event.nr)).or_default().take(event, &mut rows);
    }
    for ((user, _), mut connection) in connections {
        connection.end(user, &mut rows);
    }
    rows
}

/// If the time goes back by more than this, which exceeds the disorder of a log, another log with
/// another connection begins.
const BACKWARDS: Duration = Duration::from_millis(100);

/// The state of one phone's connection to the radio network.
#[derive(Default)]
struct Connection {
    /// The last message on a cell, while the phone is connected.
    last: Option<Place>,
    /// The handover or re-establishment in progress.
    moving: Option<Moving>,
    /// Whether the log contains the beginning of this 5G connection. A 5G cell that only
    /// accompanies LTE has no such beginning.
    begun: bool,
    /// The time at which the newest message was logged.
    latest: Option<Instant>,
}

#[derive(Clone, Copy)]
struct Place {
    time: Instant,
    cell: Cell,
}

enum Moving {
    /// A handover command, and the cell that the command names.
    Handover { from: Place, target: Option<Cell> },
    /// A request for re-establishment after the phone lost its cell.
    Reestablishment { asked: Place, lost: Option<Cell> },
}

impl Connection {
    fn take(&mut self, event: &RrcEvent, rows: &mut Vec<HandoverRow>) {
        let cell = Cell { pci: event.cell, earfcn: event.earfcn };
        let here = Place { time: event.time, cell };
        if self.latest.is_some_and(|latest| event.time + BACKWARDS < latest) {
            self.end(event.user, rows);
        }
        self.latest = Some(event.time);
        match event.step {
            RrcStep::Connection => {
                self.end(event.user, rows);
                self.begun = true;
            }
            RrcStep::Release => {
                self.end(event.user, rows);
                self.begun = false;
                return;
            }
            RrcStep::Command => self.command(event, here),
            RrcStep::Reestablishment => self.lose(event.user, here, rows),
            RrcStep::Complete => self.complete(event, here, rows),
            RrcStep::Seen => {}
        }
        self.last = Some(here);
    }

    /// Ends the connection, and reports a re-establishment that was in progress.
    fn end(&mut self, user: User, rows: &mut Vec<HandoverRow>) {
        if let Some(Moving::Reestablishment { asked, lost }) = self.moving.take() {
            rows.push(reestablished(user, asked, lost, None));
        }
        self.last = None;
    }

    fn command(&mut self, event: &RrcEvent, from: Place) {
        // A 5G handover command names the frequency of the SSB (TS 38.331 absoluteFrequencySSB).
        // The header of the log may contain another frequency, so only the cell identity shows the
        // target.
        let earfcn = event.target_earfcn.or(event.earfcn).filter(|_| !event.nr);
        let target = event.target_cell.map(|pci| Cell { pci: Some(pci), earfcn });
        self.moving = Some(Moving::Handover { from, target });
    }

    fn lose(&mut self, user: User, asked: Place, rows: &mut Vec<HandoverRow>) {
        let lost = match &self.moving {
            // The handover failed; the phone sends its request from any cell that it can reach.
            Some(Moving::Handover { from, .. }) => Some(from.cell),
            _ => self.last.map(|last| last.cell),
        };
        self.end(user, rows);
        self.moving = Some(Moving::Reestablishment { asked, lost });
    }

    fn complete(&mut self, event: &RrcEvent, here: Place, rows: &mut Vec<HandoverRow>) {
        match self.moving.take() {
            Some(Moving::Handover { target: Some(target), from }) if target.differs(here.cell) => {
                // This message completes an earlier reconfiguration.
                self.moving = Some(Moving::Handover { from, target: Some(target) });
            }
            Some(Moving::Handover { from, .. }) => rows.push(moved(event.user, from, here)),
            Some(Moving::Reestablishment { asked, lost }) => {
                rows.push(reestablished(event.user, asked, lost, Some(here)));
            }
            None => rows.extend(self.unseen_command(event, here)),
        }
    }

    /// A handover whose command is not in the log or could not be read. A connected phone completes
    /// a reconfiguration on another cell, and only a command moves the phone there (TS 36.331
    /// section 5.3.5.4).
    fn unseen_command(&self, event: &RrcEvent, here: Place) -> Option<HandoverRow> {
        let last = self.last.filter(|last| last.cell.differs(here.cell))?;
        (!event.nr || self.begun).then(|| moved(event.user, last, here))
    }
}

fn moved(user: User, from: Place, to: Place) -> HandoverRow {
    row(user, "handover", from.time, Some(from.cell), Some(to))
}

fn reestablished(user: User, asked: Place, lost: Option<Cell>, done: Option<Place>) -> HandoverRow {
    // The cell of the request is known even if the re-establishment is never completed.
    let row = row(user, "reestablishment", asked.time, lost, done);
    let to = done.map_or(asked.cell, |done| done.cell);
    HandoverRow { to_cell: to.pci.map(i64::from), to_earfcn: to.earfcn.map(i64::from), ..row }
}

fn row(
    user: User,
    kind: &'static str,
    start: Instant,
    from: Option<Cell>,
    to: Option<Place>,
) -> HandoverRow {
    let pci = |cell: Cell| cell.pci.map(i64::from);
    let earfcn = |cell: Cell| cell.earfcn.map(i64::from);
    HandoverRow {
        user: user.0.into(),
        start_ns: start,
        end_ns: to.map(|to| to.time),
        from_cell: from.and_then(pci),
        from_earfcn: from.and_then(earfcn),
        to_cell: to.and_then(|to| pci(to.cell)),
        to_earfcn: to.and_then(|to| earfcn(to.cell)),
        kind,
        source: "rrc",
    }
}
