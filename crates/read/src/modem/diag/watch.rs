//! Gives access to each log packet and to its records. A comparison of layouts with other decoders
//! needs more fields of a message than records have.

use airmile_types::Instant;

use super::messages::{self, Misfit, rrc_lte, rrc_nr};
use super::packet::LogPacket;
use crate::modem::record::{Record, User};

/// The log codes of RRC messages.
const RRC_LTE: u16 = 0xB0C0;
const RRC_NR: u16 = 0xB821;

/// A function that is called with every log packet.
pub(crate) type Watcher = Box<dyn FnMut(&Watched<'_>) + Send>;

/// A log packet, and the records that were read from it.
pub struct Watched<'a> {
    /// The log code.
    pub code: u16,
    /// The time at which the packet was logged.
    pub time: Instant,
    /// The subscription of the phone.
    pub user: User,
    /// The number of bytes after the header.
    pub bytes: usize,
    /// The version of the message, which is its first byte.
    pub version: Option<u8>,
    /// The records that were read from the packet.
    pub records: &'a [Record],
    payload: &'a [u8],
}

impl<'a> Watched<'a> {
    pub(super) const fn new(packet: &LogPacket<'a>, records: &'a [Record]) -> Self {
        let LogPacket { code, time, user, payload, .. } = *packet;
        Self {
            code,
            time,
            user,
            bytes: payload.len(),
            version: payload.first().copied(),
            records,
            payload,
        }
    }

    /// All fields of the message that are read; `None` for kinds that are only counted.
    ///
    /// # Errors
    /// The version of the message is not known, or the message contradicts the layout of its
    /// version.
    pub fn fields(&self) -> Option<Result<Fields, Misfit>> {
        Fields::read(self.code, self.payload)
    }
}

/// A message with all of its fields that are read.
#[derive(Clone, Debug, PartialEq)]
pub enum Fields {
    /// The fields of 0xB063.
    DownlinkBlocks(messages::downlink_blocks::Blocks),
    /// The fields of 0xB064.
    UplinkBlocks(messages::uplink_blocks::Blocks),
    /// The fields of 0xB066.
    UplinkBuffer(messages::uplink_buffer::UplinkBuffer),
    /// The fields of 0xB082 and 0xB092.
    Rlc(Vec<messages::rlc::Bearer>),
    /// The fields of 0xB0A3 and 0xB0B3, without the keys.
    Pdcp(Vec<messages::pdcp::Ciphered>),
    /// The header of 0xB0C0, without the RRC message.
    RrcLte(messages::rrc_lte::Header),
    /// The fields of 0xB0C1.
    Mib(messages::cell::Mib),
    /// The fields of 0xB0C2, without the operator and the identity of the cell.
    ServingCell(messages::cell::ServingCell),
    /// The fields of 0xB126.
    Demapped(messages::pdsch::Demapped),
    /// The fields of 0xB130.
    ControlChannel(messages::pdcch::ControlChannel),
    /// The fields of 0xB139.
    UplinkShared(messages::uplink_shared::UplinkShared),
    /// The fields of 0xB14E.
    ChannelState(messages::channel_state::ChannelState),
    /// The fields of 0xB173.
    SharedChannel(Vec<messages::pdsch_stat::Subframe>),
    /// The fields of 0xB179.
    Neighbours(messages::neighbours::Neighbours),
    /// The fields of 0xB18A.
    RadioLink(Vec<messages::radio_link::Evaluation>),
    /// The fields of 0xB193.
    ServingCells(Vec<messages::serving_cell::Carrier>),
    /// The header of 0xB821, without the RRC message.
    RrcNr(messages::rrc_nr::Header),
}

impl Fields {
    fn read(code: u16, payload: &[u8]) -> Option<Result<Self, Misfit>> {
        Some(match code {
            0xB063 => messages::downlink_blocks::parse(payload).map(Self::DownlinkBlocks),
            0xB064 => messages::uplink_blocks::parse(payload).map(Self::UplinkBlocks),
            0xB066 => messages::uplink_buffer::parse(payload).map(Self::UplinkBuffer),
            0xB082 => messages::rlc::parse_received(payload).map(Self::Rlc),
            0xB092 => messages::rlc::parse_sent(payload).map(Self::Rlc),
            0xB0A3 | 0xB0B3 => messages::pdcp::parse(payload).map(Self::Pdcp),
            RRC_LTE => rrc_lte::parse(payload).map(Self::RrcLte),
            0xB0C1 => messages::cell::parse_mib(payload).map(Self::Mib),
            0xB0C2 => messages::cell::parse_serving(payload).map(Self::ServingCell),
            0xB126 => messages::pdsch::parse(payload).map(Self::Demapped),
            0xB130 => messages::pdcch::parse(payload).map(Self::ControlChannel),
            0xB139 => messages::uplink_shared::parse(payload).map(Self::UplinkShared),
            0xB14E => messages::channel_state::parse(payload).map(Self::ChannelState),
            0xB173 => messages::pdsch_stat::parse(payload).map(Self::SharedChannel),
            0xB179 => messages::neighbours::parse(payload).map(Self::Neighbours),
            0xB18A => messages::radio_link::parse(payload).map(Self::RadioLink),
            0xB193 => messages::serving_cell::parse(payload).map(Self::ServingCells),
            RRC_NR => rrc_nr::parse(payload).map(Self::RrcNr),
            _ => return None,
        })
    }
}
