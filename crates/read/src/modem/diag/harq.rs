//! Which blocks are retransmissions.

use std::collections::BTreeMap;

use crate::modem::record::{Rnti, User};

/// A HARQ process: each carrier, and each block of a subframe, has its own.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Process {
    pub(crate) user: User,
    pub(crate) carrier: u8,
    pub(crate) block: u8,
    pub(crate) id: u8,
}

/// Two subscriptions with 8 carriers of 16 processes and two blocks have 512; a damaged log could
/// name any number.
const MOST_PROCESSES: usize = 4096;

/// The new-data indicator of the last block of each process.
#[derive(Default)]
pub(crate) struct Processes(BTreeMap<Process, bool>);

impl Processes {
    /// Whether a block is a retransmission; `None` when the block before it is not in the log.
    pub(crate) fn repeated(&mut self, of: Process, rnti: Rnti, rv: u32, ndi: bool) -> Option<bool> {
        if self.0.len() >= MOST_PROCESSES {
            self.0.clear();
        }
        let sent_before = match rnti {
            // TS 36.321 section 5.3.2.2: not toggled since the transmission before.
            Rnti::C => self.0.insert(of, ndi).map(|before| before == ndi),
            // Section 5.3.1: it is set for retransmissions under semi-persistent scheduling.
            Rnti::Sps => Some(ndi),
            Rnti::Other => return None,
        };
        // The first transmission has redundancy version 0, which holds the data themselves.
        if rv != 0 { Some(true) } else { sent_before }
    }
}
