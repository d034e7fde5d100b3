//! Reads FALCON's table, which LTESniffer writes too: 20 columns, the first of them a time.

use super::dci::Dci;
use super::rows::{is_row, whole_row};
use crate::modem::reader::{Form, Holds, ModemFormat};
use crate::modem::record::Record;
use crate::modem::report::Notes;
use crate::modem::text::{self, Bad, ByLine, Column, Line, unix_seconds};

/// The format of FALCON's table.
pub(crate) const FORMAT: ModemFormat = ModemFormat {
    title: "tables of FALCON or LTESniffer",
    endings: &[".csv", ".txt"],
    holds: Holds {
        allocations: "down, up",
        other_users: "yes",
        cell_prbs: "no",
        padding: "no",
        decoded: "no",
        handovers: "no",
        uplink_buffer: "no",
    },
    forms: &[Form { name: "falcon", is_text: true, is, open: text::open::<Falcon> }],
};

const COLUMNS: usize = 20;
const TIME: Column = Column { name: "timestamp", at: Some(0) };
const DCI: Dci = Dci(1);

fn is(first: &[u8]) -> bool {
    DCI.begins(first, COLUMNS)
}

/// Reads the table.
#[derive(Default)]
struct Falcon;

impl ByLine for Falcon {
    const NAME: &'static str = "falcon";

    fn line(&mut self, line: &Line<'_>, out: &mut Vec<Record>, notes: &mut Notes) {
        if !is_row(&line.text) {
            notes.skip("no_row");
        } else if let Err(bad) = Self::row(&line.text, out, notes) {
            text::reject(line, &bad, notes);
        }
    }
}

impl Falcon {
    fn row(line: &str, out: &mut Vec<Record>, notes: &mut Notes) -> Result<(), Bad> {
        let row = whole_row(line, COLUMNS)?;
        let time = row.read(TIME, "decimal seconds since 1970", unix_seconds)?;
        let time = time.ok_or_else(|| Bad::cell(TIME, "given"))?;
        DCI.blocks(&row, (time, DCI.subframe(&row)?), Self::NAME, out)?;
        notes.saw(time);
        *notes.understood.entry((Self::NAME, 0)).or_default() += 1;
        Ok(())
    }
}
