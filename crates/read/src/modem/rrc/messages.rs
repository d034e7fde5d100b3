//! RRC messages themselves, for a whole decoder in memory.

use std::sync::mpsc::{self, Receiver};

use airmile_types::Instant;

use super::Channel;
use crate::modem::log::ModemLog;
use crate::modem::record::User;

/// An RRC message. It holds identities of the subscriber: to be decoded in memory, and neither
/// written nor printed.
pub struct RrcMessage {
    /// When it was logged.
    pub time: Instant,
    /// Whose phone.
    pub user: User,
    /// 5G.
    pub nr: bool,
    /// Logical channel.
    pub channel: Channel,
    /// Physical cell identity.
    pub pci: u16,
    /// EARFCN, or NR-ARFCN.
    pub earfcn: u32,
    /// The message in unaligned PER.
    pub message: Vec<u8>,
}

/// The RRC messages of a log, in its order. Only DIAG logs hold any.
pub struct RrcMessages {
    log: ModemLog,
    found: Receiver<RrcMessage>,
}

/// Reads the RRC messages of a log.
pub fn rrc_messages(mut log: ModemLog) -> RrcMessages {
    let (sender, found) = mpsc::channel();
    log.watch(move |packet| {
        if let Some(message) = packet.rrc() {
            // Fails when nobody iterates any more, and then nothing is lost.
            let _ = sender.send(message);
        }
    });
    RrcMessages { log, found }
}

impl Iterator for RrcMessages {
    type Item = RrcMessage;

    fn next(&mut self) -> Option<RrcMessage> {
        let mut records = Vec::new();
        loop {
            if let Ok(message) = self.found.try_recv() {
                return Some(message);
            }
            records.clear();
            if !self.log.read(&mut records) {
                return self.found.try_recv().ok();
            }
        }
    }
}
