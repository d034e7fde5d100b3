//! Lists the messages that are read; each has a line in [`MESSAGES`] and a module.

pub(crate) mod buffer_size;
pub mod cell;
pub mod channel_state;
mod common;
pub mod downlink_blocks;
pub mod downlink_entries;
pub mod grants;
pub mod mac_blocks;
pub mod mac_header;
pub mod neighbours;
pub mod nr_cells;
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
pub mod uplink_counters;
pub mod uplink_shared;

pub use crate::modem::diag::outcome::Misfit;

use crate::modem::diag::outcome::Outcome;
use crate::modem::diag::packet::LogPacket;
use crate::modem::diag::proof::Proof;
use crate::modem::diag::sink::Sink;

/// A message that is read.
pub(crate) struct Message {
    /// Log code.
    pub(crate) code: u16,
    /// The log code as text, such as `0xB173`.
    pub(crate) name: &'static str,
    /// How the message is compared with the rest of the log; `None` if it is not.
    pub(crate) proof: Option<&'static Proof>,
    /// The function that reads the message. If it fails, the records that it has put are removed.
    pub(crate) read: Read,
}

/// All messages that are read, by log code.
pub(super) static MESSAGES: &[Message] = &[
    proved(0xb063, "0xB063", &downlink_blocks::PROOF, downlink_blocks::read),
    proved(0xb064, "0xB064", &uplink_blocks::PROOF, uplink_blocks::read),
    plain(0xb066, "0xB066", uplink_buffer::read),
    proved(0xb067, "0xB067", &uplink_counters::PROOF, uplink_counters::read),
    plain(0xb082, "0xB082", rlc::read),
    plain(0xb092, "0xB092", rlc::read),
    plain(0xb0c0, "0xB0C0", rrc_lte::read),
    plain(0xb0c1, "0xB0C1", cell::read_mib),
    plain(0xb0c2, "0xB0C2", cell::read_serving),
    proved(0xb126, pdsch::NAME, &pdsch::PROOF, pdsch::read),
    proved(0xb130, "0xB130", &pdcch::PROOF, pdcch::read),
    proved(0xb139, "0xB139", &uplink_shared::PROOF, uplink_shared::read),
    proved(0xb14e, "0xB14E", &channel_state::PROOF, channel_state::read),
    proved(0xb16c, "0xB16C", &grants::PROOF, grants::read),
    proved(0xb173, pdsch_stat::NAME, &pdsch_stat::PROOF, pdsch_stat::read),
    plain(0xb179, "0xB179", neighbours::read),
    plain(0xb18a, "0xB18A", radio_link::read),
    proved(0xb193, "0xB193", &serving_cell::PROOF, serving_cell::read),
    plain(0xb821, "0xB821", rrc_nr::read),
    proved(0xb97f, "0xB97F", &nr_cells::PROOF, nr_cells::read),
];

/// A function that reads a message.
type Read = fn(packet: &LogPacket<'_>, sink: &mut Sink<'_>) -> Outcome;

const fn plain(code: u16, name: &'static str, read: Read) -> Message {
    Message { code, name, proof: None, read }
}

const fn proved(code: u16, name: &'static str, proof: &'static Proof, read: Read) -> Message {
    Message { code, name, proof: Some(proof), read }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_code_is_listed_once_under_its_name() {
        assert!(MESSAGES.is_sorted_by(|one, next| one.code < next.code));
        for message in MESSAGES {
            assert_eq!(message.name, format!("0x{:04X}", message.code));
        }
    }
}
