//! Keeps a packet that waits for the proof of its layout.

use airmile_types::Instant;

use crate::modem::diag::packet::{Deviating, LogPacket};
use crate::modem::record::User;

/// A packet that waits until its layout is proved, with its own copy of the bytes.
pub(crate) struct Held {
    code: u16,
    pub(super) time: Instant,
    user: User,
    pub(super) payload: Vec<u8>,
    deviating: Deviating,
}

impl Held {
    pub(super) fn new(packet: &LogPacket<'_>, deviating: Deviating) -> Self {
        let LogPacket { code, time, user, payload, .. } = *packet;
        Self { code, time, user, payload: payload.to_vec(), deviating }
    }

    /// The packet.
    pub(crate) fn packet(&self) -> LogPacket<'_> {
        let Self { code, time, user, deviating, .. } = *self;
        LogPacket { code, time, user, payload: &self.payload, deviating }
    }
}
