//! What a format of modem logs does.

use std::io::{self, Read};
use std::sync::Arc;

use crate::modem::diag::watch::Watcher;
use crate::modem::record::{Record, Subframe};
use crate::modem::report::Notes;
use crate::modem::rrc::RrcDecoder;

/// A format of modem logs: reads one piece of its input at a time.
pub(crate) trait Format: Send {
    /// Its name in reports.
    fn name(&self) -> &'static str;

    /// Shows every log packet to `watcher` from now on; only DIAG logs hold any.
    fn watch(&mut self, _watcher: Watcher) {}

    /// Lets `decoder` decode RRC messages that may be handover commands from now on; only DIAG logs
    /// hold any whole.
    fn decode_rrc(&mut self, _decoder: Arc<dyn RrcDecoder>) {}

    /// Reads the next piece and appends its records; `false` at the end of the input.
    ///
    /// # Errors
    /// The input itself fails; what was appended before remains.
    fn read(&mut self, out: &mut Vec<Record>, notes: &mut Notes) -> io::Result<bool>;

    /// Corrects the times of records by all that was read since; most formats need no correction.
    fn refine(&self, _records: &mut dyn Iterator<Item = Subframe<'_>>) {}
}

/// A reader of the input, which still gives the first bytes that were examined.
pub(crate) type Input = Box<dyn Read + Send>;

/// A format of modem logs: its description in help texts and in the guide, and its readers.
#[derive(Debug)]
pub struct ModemFormat {
    /// What it is called, as "ns-3's tables".
    pub title: &'static str,
    /// What names of its files end with, in lower case, as ".qmdl".
    pub endings: &'static [&'static str],
    /// What a log of it can hold.
    pub holds: Holds,
    /// The forms that it comes in, the surest sign first.
    pub(crate) forms: &'static [Form],
}

/// What a log can hold, each in a few words as they are in the guide: "yes", "no", "down, up".
#[derive(Clone, Copy, Debug)]
pub struct Holds {
    /// Transport blocks by the millisecond, and in which direction.
    pub allocations: &'static str,
    /// Allocations of other users of the cell.
    pub other_users: &'static str,
    /// How many PRBs the cell has.
    pub cell_prbs: &'static str,
    /// Bytes of a block that carry nothing.
    pub padding: &'static str,
    /// Whether a block was decoded, and in which direction.
    pub decoded: &'static str,
    /// Changes of the serving cell.
    pub handovers: &'static str,
    /// Bytes that wait in the phone for the uplink.
    pub uplink_buffer: &'static str,
}

/// A form of a format: how a log of it is recognised by its first bytes, and its reader.
#[derive(Debug)]
pub(crate) struct Form {
    /// The name of its fuzz target and of its sample, as "ns3".
    pub(crate) name: &'static str,
    /// Whether it is text.
    pub(crate) is_text: bool,
    /// Whether these first bytes are of this form. It is called anew when more have arrived: where
    /// they are too few to say, the answer is no. A yes for text remains, whatever lines follow.
    pub(crate) is: fn(first: &[u8]) -> bool,
    /// Begins to read.
    pub(crate) open: fn(input: Input) -> Box<dyn Format>,
}

impl ModemFormat {
    /// The names of its forms that are text.
    pub fn texts(&self) -> impl Iterator<Item = &'static str> {
        self.forms.iter().filter(|form| form.is_text).map(|form| form.name)
    }
}
