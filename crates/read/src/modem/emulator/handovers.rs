//! Reads the handovers of the emulated phone: `handovers.csv` in the folder of its log, with a row
//! for each handover.
//!
//! The columns are `t_start,t_end,from_cell,to_cell`; if `t_end` is empty, the handover was not
//! completed. A row becomes the records that a phone's RRC messages would give: the command, and
//! its completion.

use airmile_types::Instant;

use super::bounds::MOST_CELL;
use super::rows::{Columns, Rows};
use crate::modem::reader::Form;
use crate::modem::record::{Record, RrcEvent, RrcStep, User};
use crate::modem::text::{self, Bad, Column, Row, unix_seconds};

/// A row without one of these columns cannot be a handover.
const REQUIRED: [&str; 4] = ["t_start", "t_end", "from_cell", "to_cell"];
/// The form of the handovers in the folder of the emulated link's log.
pub(super) const FORM: Form =
    Form { name: Handovers::NAME, is_text: true, is, open: text::open::<Rows<Handovers>> };

fn is(first: &[u8]) -> bool {
    text::has_columns(first, &REQUIRED)
}

/// The columns of the file.
struct Handovers {
    count: usize,
    start: Column,
    end: Column,
    from: Column,
    to: Column,
}

impl Columns for Handovers {
    const NAME: &'static str = "emulator_handovers";

    fn of(header: &Row<'_>) -> Self {
        let find = |name| Column::named(name, header.cells());
        Self {
            count: header.cells().len(),
            start: find("t_start"),
            end: find("t_end"),
            from: find("from_cell"),
            to: find("to_cell"),
        }
    }

    fn records(&self, row: &Row<'_>) -> Result<impl Iterator<Item = (Instant, Record)>, Bad> {
        let (command, completion) = self.steps(row)?;
        let steps = [Some(command), completion].into_iter().flatten();
        Ok(steps.map(|event| (event.time, Record::Rrc(event))))
    }
}

impl Handovers {
    /// The command of a row, and its completion if there was one.
    fn steps(&self, row: &Row<'_>) -> Result<(RrcEvent, Option<RrcEvent>), Bad> {
        row.has(self.count)?;
        let time = |column| row.read(column, "decimal seconds since 1970", unix_seconds);
        let start = time(self.start)?.ok_or_else(|| Bad::cell(self.start, "given"))?;
        let end = time(self.end)?;
        if end.is_some_and(|end| end < start) {
            return Err(Bad::cell(self.end, "after t_start"));
        }
        let from = row.whole(self.from, 0..=MOST_CELL)?;
        let to = row.whole(self.to, 0..=MOST_CELL)?;
        let command = RrcEvent { target_cell: to, ..event(start, RrcStep::Command, from) };
        Ok((command, end.map(|end| event(end, RrcStep::Complete, to))))
    }
}

const fn event(time: Instant, step: RrcStep, cell: Option<u16>) -> RrcEvent {
    RrcEvent {
        time,
        user: User(0),
        step,
        cell,
        earfcn: None,
        target_cell: None,
        target_earfcn: None,
        nr: false,
    }
}
