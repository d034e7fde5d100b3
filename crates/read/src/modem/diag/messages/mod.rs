//! The messages that are read: a line of [`MESSAGES`] and a module each.

pub(crate) mod buffer_size;
pub mod cell;
pub mod channel_state;
mod common;
pub mod downlink_blocks;
pub mod mac_blocks;
pub mod mac_header;
pub mod neighbours;
pub mod pdcch;
pub mod pdcp;
pub mod pdsch;
pub mod pdsch_stat;
pub mod radio_link;
pub mod rlc;
pub mod rrc_lte;
pub mod rrc_nr;
pub(crate) mod scale;
pub mod serving_cell;
pub mod uplink_blocks;
pub mod uplink_buffer;
pub mod uplink_shared;

use crate::modem::diag::packet::LogPacket;
use crate::modem::diag::sink::Sink;

/// Why a message gave nothing.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Misfit {
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
    Message { code: 0xb063, name: "0xB063", read: downlink_blocks::read },
    Message { code: 0xb064, name: "0xB064", read: uplink_blocks::read },
    Message { code: 0xb066, name: "0xB066", read: uplink_buffer::read },
    Message { code: 0xb082, name: "0xB082", read: rlc::read },
    Message { code: 0xb092, name: "0xB092", read: rlc::read },
    Message { code: 0xb0c0, name: "0xB0C0", read: rrc_lte::read },
    Message { code: 0xb0c1, name: "0xB0C1", read: cell::read_mib },
    Message { code: 0xb0c2, name: "0xB0C2", read: cell::read_serving },
    Message { code: 0xb126, name: pdsch::NAME, read: pdsch::read },
    Message { code: 0xb130, name: "0xB130", read: pdcch::read },
    Message { code: 0xb139, name: "0xB139", read: uplink_shared::read },
    Message { code: 0xb14e, name: "0xB14E", read: channel_state::read },
    Message { code: 0xb173, name: pdsch_stat::NAME, read: pdsch_stat::read },
    Message { code: 0xb179, name: "0xB179", read: neighbours::read },
    Message { code: 0xb18a, name: "0xB18A", read: radio_link::read },
    Message { code: 0xb193, name: "0xB193", read: serving_cell::read },
    Message { code: 0xb821, name: "0xB821", read: rrc_nr::read },
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
