//! Finds out which blocks are HARQ retransmissions.

use std::collections::BTreeMap;

use crate::modem::record::{Rnti, User};

/// The identity of a HARQ process; each carrier and each block of a subframe has its own processes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Process {
    pub(crate) user: User,
    pub(crate) carrier: u8,
    pub(crate) block: u8,
    pub(crate) id: u8,
}

/// The greatest number of processes that are remembered. Two subscriptions with 8 carriers, 16
/// processes and two blocks have 512, but a damaged log could contain any number.
const MOST_PROCESSES: usize = 4096;

/// The new-data indicator of the last block of each process.
#[derive(Default)]
pub(crate) struct Processes(BTreeMap<Process, bool>);

impl Processes {
    /// Whether a block is a retransmission; `None` if the previous block of the process is not in
    /// the log.
    pub(crate) fn repeated(&mut self, of: Process, rnti: Rnti, rv: u32, ndi: bool) -> Option<bool> {
        if self.0.len() >= MOST_PROCESSES {
            self.0.clear();
        }
        let sent_before = match rnti {
            // The indicator was not toggled since the previous transmission (TS 36.321 section
            // 5.3.2.2).
            Rnti::C => self.0.insert(of, ndi).map(|before| before == ndi),
            // Under semi-persistent scheduling the indicator is set for retransmissions (section
            // 5.3.1).
            Rnti::Sps => Some(ndi),
            Rnti::Other => return None,
        };
        // The first transmission has redundancy version 0, which contains the data themselves.
        if rv != 0 { Some(true) } else { sent_before }
    }
}
