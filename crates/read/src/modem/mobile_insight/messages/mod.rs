//! Lists the messages that are read, by their names in MobileInsight.

mod cells;
mod context;
mod downlink;
mod rrc;
mod uplink;

pub(super) use context::{Context, Memory};

use super::fields::Fields;
use crate::modem::text::Bad;

/// A function that reads a message and returns its version.
type Read = fn(Fields<'_>, &mut Context<'_>) -> Result<u32, Bad>;

/// A message that is read.
pub(super) struct Message {
    /// The name of the message in MobileInsight.
    pub(super) name: &'static str,
    /// The log code.
    pub(super) code: &'static str,
    pub(super) read: Read,
}

/// All messages that are read.
pub(super) const MESSAGES: &[Message] = &[
    Message { name: "LTE_PHY_PDSCH_Stat_Indication", code: "0xB173", read: downlink::stat },
    Message { name: "LTE_PHY_PDSCH_Packet", code: "0xB126", read: downlink::demapper },
    Message { name: "LTE_MAC_DL_Transport_Block", code: "0xB063", read: downlink::mac },
    Message { name: "LTE_PHY_PDCCH_Decoding_Result", code: "0xB130", read: cells::pdcch },
    Message { name: "LTE_PHY_Serv_Cell_Measurement", code: "0xB193", read: cells::serving },
    Message {
        name: "LTE_PHY_Connected_Mode_Intra_Freq_Meas",
        code: "0xB179",
        read: cells::neighbours,
    },
    Message { name: "LTE_PHY_PUSCH_CSF", code: "0xB14E", read: cells::channel_state },
    Message { name: "LTE_RRC_MIB_Packet", code: "0xB0C1", read: cells::mib },
    Message { name: "LTE_RRC_Serv_Cell_Info", code: "0xB0C2", read: cells::serving_cell },
    Message { name: "LTE_MAC_UL_Transport_Block", code: "0xB064", read: uplink::mac },
    Message { name: "LTE_MAC_UL_Buffer_Status_Internal", code: "0xB066", read: uplink::buffer },
    Message { name: "LTE_RRC_OTA_Packet", code: "0xB0C0", read: rrc::lte },
    Message { name: "5G_NR_RRC_OTA_Packet", code: "0xB821", read: rrc::nr },
];
