//! The messages that are read: a line of [`MESSAGES`] and a module each.

mod cell;
mod pdsch_stat;

use crate::modem::diag::packet::LogPacket;
use crate::modem::diag::sink::Sink;

/// Why a message gave nothing.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Misfit {
    /// Its version is not known.
    UnknownVersion(u32),
    /// It ends within what it should hold.
    Short,
    /// It contradicts itself, or what its version should look like.
    Lies(&'static str),
}

/// A message that was read: its version, and whether real logs have proved that layout.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Understood {
    pub(crate) version: u32,
    pub(crate) verified: bool,
}

impl Understood {
    /// A layout that agreed with real logs.
    pub(crate) fn verified(version: impl Into<u32>) -> Self {
        Self { version: version.into(), verified: true }
    }
}

/// What reading a message comes to.
pub(crate) type Outcome = Result<Understood, Misfit>;

/// A message that is read.
pub(crate) struct Message {
    /// Log code.
    pub(crate) code: u16,
    /// The same in words, as `0xB173`.
    pub(crate) name: &'static str,
    /// Reads it. What it gave to the sink is taken back when it fails.
    pub(crate) read: fn(packet: &LogPacket<'_>, sink: &mut Sink<'_>) -> Outcome,
}

/// Every message that is read, by code.
pub(super) static MESSAGES: &[Message] = &[
    Message { code: 0xb0c1, name: "0xB0C1", read: cell::read_mib },
    Message { code: 0xb0c2, name: "0xB0C2", read: cell::read_serving },
    Message { code: 0xb173, name: pdsch_stat::NAME, read: pdsch_stat::read },
];

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_code_stands_once_under_its_name() {
        assert!(MESSAGES.is_sorted_by(|one, next| one.code < next.code));
        for message in MESSAGES {
            assert_eq!(message.name, format!("0x{:04X}", message.code));
        }
    }
}
