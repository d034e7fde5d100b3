//! Keeps a packet that waits for the proof of its layout.

use airmile_types::Instant;

use crate::modem::diag::packet::LogPacket;
use crate::modem::record::User;

/// A packet that waits until its layout is proved, with its own copy of the bytes.
pub(crate) struct Held {
    code: u16,
    pub(super) time: Instant,
    user: User,
    pub(super) payload: Vec<u8>,
}

impl Held {
    pub(super) fn new(packet: &LogPacket<'_>) -> Self {
        let LogPacket { code, time, user, payload } = *packet;
        Self { code, time, user, payload: payload.to_vec() }
    }

    /// The packet.
    pub(crate) fn packet(&self) -> LogPacket<'_> {
        LogPacket { code: self.code, time: self.time, user: self.user, payload: &self.payload }
    }
}
