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

    /// Has RRC messages that may order the phone to move decoded whole from now on; only DIAG logs
    /// hold any whole.
    fn decode_rrc(&mut self, _decoder: Arc<dyn RrcDecoder>) {}

    /// Reads the next piece and appends what it tells; `false` at the end of the input.
    ///
    /// # Errors
    /// The input itself fails: what was appended before stands.
    fn read(&mut self, out: &mut Vec<Record>, notes: &mut Notes) -> io::Result<bool>;

    /// Mends what was appended by all that was read since; most formats need not.
    fn refine(&self, _records: &mut dyn Iterator<Item = Subframe<'_>>) {}
}

/// A reader of the input, with the bytes that were looked at put back.
pub(crate) type Input = Box<dyn Read + Send>;

/// Tells by the first bytes whether the input is of a format, and begins to read it.
pub(crate) struct Known {
    /// Whether these first bytes are the format's. It is asked anew when more have arrived: where
    /// they are too few to tell, the answer is no. Of text a yes stands, whatever lines follow.
    pub(crate) is: fn(first: &[u8]) -> bool,
    /// Begins to read.
    pub(crate) open: fn(input: Input) -> Box<dyn Format>,
}
