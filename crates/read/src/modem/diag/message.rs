//! A message of the log: how it is read, and why one cannot be.

use super::layout::Proof;
use super::misfit::Outcome;
use crate::modem::diag::packet::LogPacket;
use crate::modem::diag::sink::Sink;

/// A message that is read.
pub(crate) struct Message {
    /// Log code.
    pub code: u16,
    /// The same in words, as `0xB173`.
    pub name: &'static str,
    /// How it is held against the rest of the log.
    pub(crate) proof: Option<&'static Proof>,
    /// Reads it. What it gave to the sink is taken back when it fails.
    pub read: Read,
}

/// What reads a message.
type Read = fn(packet: &LogPacket<'_>, sink: &mut Sink<'_>) -> Outcome;

pub(super) const fn plain(code: u16, name: &'static str, read: Read) -> Message {
    Message { code, name, proof: None, read }
}

pub(super) const fn proved(
    code: u16,
    name: &'static str,
    proof: &'static Proof,
    read: Read,
) -> Message {
    Message { code, name, proof: Some(proof), read }
}
