//! 0xB063: transport blocks that the MAC layer received, with their padding (methods G5).

use airmile_types::Direction;

use super::common::{frame, rnti, subpackets};
use super::mac_header::{self, Element};
use super::{Misfit, Outcome, Understood};
use crate::modem::clock::Aired;
use crate::modem::diag::bits::Bytes;
use crate::modem::diag::packet::LogPacket;
use crate::modem::diag::sink::Sink;
use crate::modem::record::{Record, Tti};

/// Identity of the subpacket that holds the blocks.
const TRANSPORT_BLOCKS: u8 = 7;

/// Bytes of a block's fields before its header.
const FIELDS: usize = 12;

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

/// The message.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Blocks {
    /// Version of its subpacket.
    pub version: u8,
    /// The blocks.
    pub blocks: Vec<Block>,
}

/// Reads the message.
///
/// # Errors
/// A subpacket is of an unknown version, or shorter than it says.
pub fn parse(payload: &[u8]) -> Result<Blocks, Misfit> {
    let mut message = Blocks::default();
    for subpacket in subpackets(Bytes(payload))? {
        let subpacket = subpacket?;
        if subpacket.id == TRANSPORT_BLOCKS {
            message.version = subpacket.version;
            blocks(subpacket.version, subpacket.data, &mut message.blocks)?;
        }
    }
    Ok(message)
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

fn blocks(version: u8, data: Bytes<'_>, out: &mut Vec<Block>) -> Result<(), Misfit> {
    // From version 4 on, the identities of stack and cell stand first.
    let prefix = match version {
        2 => 0,
        4 => 2,
        version => return Err(Misfit::UnknownVersion(version.into())),
    };
    let mut at = 1;
    for _ in 0..data.u8(0)? {
        let carrier = (prefix > 0).then(|| data.u8(at + 1)).transpose()?;
        let fields = data.part(at + prefix, FIELDS)?;
        at += prefix + FIELDS;
        let header = data.part(at, fields.u8(11)?.into())?;
        at += header.len();
        out.push(block(carrier, fields, header)?);
    }
    Ok(())
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
