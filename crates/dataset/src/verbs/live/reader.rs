//! Reads the log on a thread of its own. The thread is separate because a modem may be silent for
//! long, and a thread that waits for it does not notice Ctrl-C.

use std::sync::mpsc::{Receiver, RecvTimeoutError, SyncSender, TryRecvError, sync_channel};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread;
use std::time::Duration as Wait;

use airmile_read::modem::{ModemLog, ModemReport, Record};
use airmile_read::{Source, expand};
use airmile_types::Instant;

use crate::error::Error;
use crate::verbs::sources::no_inputs;

/// The greatest number of waiting pieces; when the caller takes none, the log must wait.
const WAITING: usize = 256;

/// Pieces without records also advance the log's time, but only one in this number is reported.
const REPORTED: u32 = 16;

/// A message of the reading thread.
pub(super) enum Piece {
    /// Records, and the newest time of the log after them.
    Records(Vec<Record>, Option<Instant>),
    /// The log cannot be opened, for this reason.
    Failed(Error),
    Over,
}

type Shared = Arc<Mutex<Option<ModemReport>>>;

/// The receiving end of the reading thread.
pub(super) struct Reader {
    pieces: Receiver<Piece>,
    report: Shared,
    gone: bool,
}

impl Reader {
    /// Starts to read. The thread ends with the log, or when nobody takes its pieces any more.
    pub(super) fn begin(path: &str) -> Result<Self, Error> {
        let source = source(path)?;
        let report = Shared::default();
        let (sender, pieces) = sync_channel(WAITING);
        let shared = Arc::clone(&report);
        thread::Builder::new()
            .name("airmile-modem".to_owned())
            .spawn(move || read(&source, &sender, &shared))
            .map_err(|error| Error::output(format!("no thread to read with: {error}")))?;
        Ok(Self { pieces, report, gone: false })
    }

    /// Waits for a piece, and takes with it the pieces that are there already, up to `most`.
    pub(super) fn take(&mut self, wait: Wait, most: usize) -> Vec<Piece> {
        let mut pieces = Vec::new();
        match self.pieces.recv_timeout(wait) {
            Ok(first) => pieces.push(first),
            Err(RecvTimeoutError::Timeout) => {}
            Err(RecvTimeoutError::Disconnected) => self.gone = true,
        }
        while !pieces.is_empty() && pieces.len() < most {
            match self.pieces.try_recv() {
                Ok(piece) => pieces.push(piece),
                Err(TryRecvError::Empty) => break,
                Err(TryRecvError::Disconnected) => {
                    self.gone = true;
                    break;
                }
            }
        }
        pieces
    }

    /// Whether the thread has ended and all its pieces were taken.
    pub(super) const fn gone(&self) -> bool {
        self.gone
    }

    /// The report on the log so far; `None` before the log is open.
    pub(super) fn report(&self) -> Option<ModemReport> {
        self.report.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }
}

/// The log with this path, which is not read as a pattern.
fn source(path: &str) -> Result<Source, Error> {
    if path == "-" {
        let sources = expand(&[path]).map_err(|error| no_inputs(&error))?;
        return sources.into_iter().next().ok_or_else(|| Error::usage("no log given"));
    }
    Ok(Source::file(path))
}

fn read(source: &Source, sender: &SyncSender<Piece>, report: &Shared) {
    let mut log = match ModemLog::open(source) {
        Ok(log) => log,
        Err(error) => {
            // When nobody waits for the message any more, nobody needs it.
            let _ = sender.send(Piece::Failed(no_inputs(&error)));
            return;
        }
    };
    let (mut more, mut barren) = (true, 0);
    while more {
        let mut records = Vec::new();
        more = log.read(&mut records);
        barren = if records.is_empty() { barren + 1 } else { 0 };
        if more && barren % REPORTED != 0 {
            continue;
        }
        let now = log.report();
        let newest = now.notes.last_time;
        *report.lock().unwrap_or_else(PoisonError::into_inner) = Some(now);
        if sender.send(Piece::Records(records, newest)).is_err() {
            return;
        }
    }
    let _ = sender.send(Piece::Over);
}
