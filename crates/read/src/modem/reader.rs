//! Defines the interface that each format of modem logs implements.

use std::io::{self, Read};
use std::sync::Arc;

use crate::modem::diag::watch::Watcher;
use crate::modem::record::{Record, Subframe};
use crate::modem::report::Notes;
use crate::modem::rrc::RrcDecoder;

/// A reader of one format, which reads one piece of its input at a time.
pub(crate) trait Format: Send {
    /// The name of the format in reports.
    fn name(&self) -> &'static str;

    /// Passes every log packet to `watcher` from now on; only DIAG logs contain log packets.
    fn watch(&mut self, _watcher: Watcher) {}

    /// Uses `decoder` for RRC messages that may be handover commands, from now on; only DIAG logs
    /// contain whole messages.
    fn decode_rrc(&mut self, _decoder: Arc<dyn RrcDecoder>) {}

    /// Whether the program that writes the format writes further files beside the log.
    fn has_files_beside(&self) -> bool {
        false
    }

    /// Reads the next piece, and appends its records to `out`; returns `false` at the end of the
    /// input.
    ///
    /// # Errors
    /// The input fails; records that were appended before are kept.
    fn read(&mut self, out: &mut Vec<Record>, notes: &mut Notes) -> io::Result<bool>;

    /// Corrects the times of earlier records with what was read since; most formats need no
    /// correction.
    fn refine(&self, _records: &mut dyn Iterator<Item = Subframe<'_>>) {}
}

/// A reader of the input that gives the first bytes again although they were examined.
pub(crate) type Input = Box<dyn Read + Send>;

/// A format of modem logs: its description in help texts and in the guide, and its forms.
#[derive(Debug)]
pub struct ModemFormat {
    /// The name of the format, such as "ns-3's tables".
    pub title: &'static str,
    /// The endings of its file names in lower case, such as ".qmdl".
    pub endings: &'static [&'static str],
    /// What a log of this format can contain.
    pub holds: Holds,
    /// The forms of the format, the most reliably recognised first.
    pub(crate) forms: &'static [Form],
}

/// What a log can contain; each is a few words as in the guide: "yes", "no", "down, up".
#[derive(Clone, Copy, Debug)]
pub struct Holds {
    /// Transport blocks in each millisecond, and in which directions.
    pub allocations: &'static str,
    /// Allocations of other users of the cell.
    pub other_users: &'static str,
    /// The number of PRBs of the cell.
    pub cell_prbs: &'static str,
    /// The padding in a block.
    pub padding: &'static str,
    /// Whether a block was decoded, and in which directions that is known.
    pub decoded: &'static str,
    /// Changes of the serving cell.
    pub handovers: &'static str,
    /// Bytes that wait in the phone for the uplink.
    pub uplink_buffer: &'static str,
}

/// A form of a format: how the first bytes show it, and its reader.
#[derive(Debug)]
pub(crate) struct Form {
    /// The name of the form's fuzz target and of its sample, such as "ns3".
    pub(crate) name: &'static str,
    /// Whether the form is text.
    pub(crate) is_text: bool,
    /// Whether these first bytes have this form. It is called again when more bytes have arrived.
    /// If the bytes are too few to decide, the result is `false`. Once it is `true` for a text
    /// form, it stays `true` whatever lines follow.
    pub(crate) is: fn(first: &[u8]) -> bool,
    /// Opens a reader of this form.
    pub(crate) open: fn(input: Input) -> Box<dyn Format>,
}

impl ModemFormat {
    /// The names of the forms that are text.
    pub fn texts(&self) -> impl Iterator<Item = &'static str> {
        self.forms.iter().filter(|form| form.is_text).map(|form| form.name)
    }
}
