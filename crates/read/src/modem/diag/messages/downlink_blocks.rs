//! 0xB063: transport blocks that the MAC layer received, with their padding (methods G5).

use airmile_types::Direction;

use super::common::{frame, rnti};
use super::mac_blocks::{self, Kind};
use super::mac_header::{self, Element};
use super::{Misfit, Outcome, Understood};
use crate::modem::clock::Aired;
use crate::modem::diag::bits::Bytes;
use crate::modem::diag::packet::LogPacket;
use crate::modem::diag::sink::Sink;
use crate::modem::record::{Record, Tti};

const KIND: Kind<Block> = Kind { subpacket: 7, versions: [2, 4], block };

/// The message.
pub type Blocks = mac_blocks::Blocks<Block>;

/// A block.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Block {
    /// Carrier, where the version tells it.
    pub carrier: Option<u8>,
    /// System frame number.
    pub frame: u16,
    /// Subframe.
    pub subframe: u8,
    /// Kind of RNTI: 0 C, 1 SPS, 2 P, 3 RA, 4 temporary C, 5 SI.
    pub rnti: u8,
    /// HARQ process.
    pub harq: u8,
    /// Multicast channel.
    pub multicast_channel: u8,
    /// Multicast area.
    pub area: u8,
    /// Size without the CRC.
    pub bytes: u16,
    /// RLC PDUs in it.
    pub pdus: u8,
    /// Bytes that carry nothing.
    pub padding_bytes: u16,
    /// Bytes of the header and its control elements.
    pub header_bytes: u8,
    /// The header.
    pub elements: Vec<Element>,
}

/// Reads the message.
///
/// # Errors
/// A subpacket is of an unknown version, or shorter than it says.
pub fn parse(payload: &[u8]) -> Result<Blocks, Misfit> {
    KIND.parse(payload)
}

/// Puts every block as an allocation: 0xB173 has its PRBs, this message its padding.
pub(super) fn read(packet: &LogPacket<'_>, sink: &mut Sink<'_>) -> Outcome {
    let message = parse(packet.payload)?;
    for block in &message.blocks {
        let aired = sink.aired(packet, block.frame.into(), block.subframe.into())?;
        sink.put(Record::Tti(tti(block, aired, packet)));
    }
    Ok(Understood { version: message.version.into(), verified: message.version == 2 })
}

/// The MAC layer receives what was decoded.
fn tti(block: &Block, aired: Aired, packet: &LogPacket<'_>) -> Tti {
    Tti {
        time: aired.time,
        tti: aired.tti,
        user: packet.user,
        rnti: rnti(block.rnti),
        direction: Direction::Downlink,
        cell: None,
        carrier: block.carrier.unwrap_or(0),
        prbs: None,
        prb_total: None,
        tbs_bytes: Some(block.bytes.into()),
        block: 0,
        mcs: None,
        modulation: None,
        layers: None,
        harq: Some(block.harq),
        retransmission: None,
        crc_ok: Some(true),
        padding_bytes: Some(block.padding_bytes.into()),
        source: "0xB063",
    }
}

fn block(carrier: Option<u8>, fields: Bytes<'_>, header: Bytes<'_>) -> Result<Block, Misfit> {
    let (frame, subframe) = frame(fields.u16(0)?);
    Ok(Block {
        carrier,
        frame,
        subframe,
        rnti: fields.u8(2)?,
        harq: fields.u8(3)?,
        area: fields.u8(4)?,
        multicast_channel: fields.u8(5)?,
        bytes: fields.u16(6)?,
        pdus: fields.u8(8)?,
        padding_bytes: fields.u16(9)?,
        header_bytes: fields.u8(11)?,
        elements: mac_header::elements(header.0, Direction::Downlink),
    })
}
