//! Reads OWL's table: 17 columns, with frames and without times.

use super::dci::Dci;
use super::frames::Frames;
use super::rows::{is_row, whole_row};
use crate::modem::reader::{Form, Holds, ModemFormat};
use crate::modem::record::Record;
use crate::modem::report::Notes;
use crate::modem::text::{self, Bad, ByLine, Line};

/// The format of OWL's table.
pub(crate) const FORMAT: ModemFormat = ModemFormat {
    title: "OWL's table",
    endings: &[".txt"],
    holds: Holds {
        allocations: "down, up; no clock",
        other_users: "yes",
        cell_prbs: "no",
        padding: "no",
        decoded: "no",
        handovers: "no",
        uplink_buffer: "no",
    },
    forms: &[Form { name: "owl", is_text: true, is, open: text::open::<Owl> }],
};

const COLUMNS: usize = 17;
const NO_TIME: &str = "the log has no time: it was counted from the frames, from 0 on; pauses of \
                       more than 5 s are lost";
const DCI: Dci = Dci(0);

fn is(first: &[u8]) -> bool {
    DCI.begins(first, COLUMNS)
}

/// Reads the table.
#[derive(Default)]
struct Owl {
    frames: Frames,
}

impl ByLine for Owl {
    const NAME: &'static str = "owl";

    fn line(&mut self, line: &Line<'_>, out: &mut Vec<Record>, notes: &mut Notes) {
        if !is_row(&line.text) {
            return notes.skip("no_row");
        }
        if let Err(bad) = self.row(&line.text, out, notes) {
            text::reject(line, &bad, notes);
        }
    }
}

impl Owl {
    fn row(&mut self, line: &str, out: &mut Vec<Record>, notes: &mut Notes) -> Result<(), Bad> {
        let row = whole_row(line, COLUMNS)?;
        let subframe = DCI.subframe(&row)?;
        let time = self.frames.time(subframe);
        DCI.blocks(&row, (time, subframe), Self::NAME, out)?;
        if notes.first_time.is_none() {
            notes.warn(NO_TIME);
        }
        notes.saw(time);
        *notes.understood.entry((Self::NAME, 0)).or_default() += 1;
        Ok(())
    }
}
