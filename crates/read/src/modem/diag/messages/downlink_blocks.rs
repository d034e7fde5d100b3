//! Reads 0xB063: transport blocks that the MAC layer received, with their padding (methods G5).

use airmile_types::Direction;

use super::common::{frame, rnti, subpacket_version};
use super::downlink_entries;
use super::mac_blocks::{self, Kind};
use super::mac_header::{self, Element};
use crate::modem::clock::Aired;
use crate::modem::diag::bits::Bytes;
use crate::modem::diag::outcome::{Misfit, Outcome, Understood};
use crate::modem::diag::packet::LogPacket;
use crate::modem::diag::proof::{Bench, Check, Proof, Standing};
use crate::modem::diag::sink::Sink;
use crate::modem::record::{Record, Rnti, Tti};
use crate::modem::tbs;

const KIND: Kind<Block> = Kind { subpacket: 7, versions: &[(2, 0), (4, 2)], block };

/// The blocks of a message.
pub type Blocks = mac_blocks::Blocks<Block>;

/// A transport block.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Block {
    /// The number of the carrier; `None` if the version does not contain it.
    pub carrier: Option<u8>,
    /// System frame number.
    pub frame: u16,
    /// Subframe of the frame, 0 to 9.
    pub subframe: u8,
    /// Kind of RNTI: 0 C, 1 SPS, 2 P, 3 RA, 4 temporary C, 5 SI.
    pub rnti: u8,
    /// HARQ process.
    pub harq: u8,
    /// Multicast channel.
    pub multicast_channel: u8,
    /// Multicast area.
    pub area: u8,
    /// Size without the CRC, in bytes.
    pub bytes: u16,
    /// The number of RLC PDUs in the block.
    pub pdus: u8,
    /// Bytes of padding.
    pub padding_bytes: u16,
    /// The number of bytes of the header and its control elements.
    pub header_bytes: u8,
    /// The elements of the header.
    pub elements: Vec<Element>,
}

pub(super) const PROOF: Proof = Proof { version, standing, check };

fn version(payload: &[u8]) -> Option<u32> {
    if payload.first() == Some(&downlink_entries::VERSION) {
        return Some(downlink_entries::VERSION.into());
    }
    subpacket_version(payload, KIND.subpacket)
}

fn standing(version: u32) -> Option<Standing> {
    Some(match version {
        2 => Standing::Proved,
        4 => Standing::Sampled,
        50 => Standing::Published,
        _ => return None,
    })
}

/// Compares lengths in headers with sizes, blocks with those on the air, and the last subframe with
/// the time of logging.
fn check(packet: &LogPacket<'_>, bench: &mut Bench<'_>) -> Result<(), Misfit> {
    if version(packet.payload) == Some(downlink_entries::VERSION.into()) {
        return check_entries(packet, bench);
    }
    let message = parse(packet.payload)?;
    if let Some(last) = message.blocks.last() {
        bench.clock(last.frame.into(), last.subframe.into());
    }
    let blocks = message.blocks.iter().enumerate();
    for (at, block) in blocks.filter(|(_, block)| block.subframe < 10) {
        let Block { header_bytes, padding_bytes, bytes, .. } = *block;
        if rnti(block.rnti) == Rnti::C {
            let sum = mac_blocks::adds_up(&block.elements, header_bytes, padding_bytes, bytes);
            sum.into_iter().for_each(|held| bench.check_record(at, Check::Sum, held));
        }
        let count = u32::from(block.frame) * 10 + u32::from(block.subframe);
        bench.delivered(count, bytes.into());
    }
    Ok(())
}

/// Compares sizes with the table, blocks with those on the air, and the last subframe with the time
/// of logging.
fn check_entries(packet: &LogPacket<'_>, bench: &mut Bench<'_>) -> Result<(), Misfit> {
    let entries = downlink_entries::parse(packet.payload)?;
    if let Some(last) = entries.last() {
        bench.clock(last.frame.into(), last.subframe.into());
    }
    for entry in &entries {
        bench.check(Check::Size, tbs::is_size(entry.bytes));
        bench.delivered(u32::from(entry.frame) * 10 + u32::from(entry.subframe), entry.bytes);
    }
    Ok(())
}

/// Reads the message.
///
/// # Errors
/// A subpacket has an unknown version, or is shorter than its size field says.
pub fn parse(payload: &[u8]) -> Result<Blocks, Misfit> {
    KIND.parse(payload)
}

/// Appends a record of the allocation of each block. 0xB173 contains the PRBs of the same blocks,
/// and this message their padding.
pub(super) fn read(packet: &LogPacket<'_>, sink: &mut Sink<'_>) -> Outcome {
    if version(packet.payload) == Some(downlink_entries::VERSION.into()) {
        return read_entries(packet, sink);
    }
    let message = parse(packet.payload)?;
    let blocks = message.blocks.iter().enumerate();
    for (_, block) in blocks.filter(|(at, _)| !packet.deviating.contains(*at)) {
        let aired = sink.aired(packet, block.frame.into(), block.subframe.into())?;
        sink.put(Record::Tti(tti(block, aired, packet)));
    }
    Ok(Understood::verified(message.version))
}

/// Appends a record for each block of the version that lists blocks one by one. This version
/// contains no RNTI, and only the headers of data.
fn read_entries(packet: &LogPacket<'_>, sink: &mut Sink<'_>) -> Outcome {
    for entry in downlink_entries::parse(packet.payload)? {
        let aired = sink.aired(packet, entry.frame.into(), entry.subframe.into())?;
        sink.put(Record::Tti(Tti {
            rnti: Rnti::C,
            carrier: entry.carrier,
            tbs_bytes: Some(entry.bytes),
            harq: Some(entry.harq),
            crc_ok: Some(true),
            padding_bytes: Some(entry.padding_bytes),
            ..Tti::plain(aired.time, aired.tti, packet.user, "0xB063")
        }));
    }
    Ok(Understood::verified(downlink_entries::VERSION))
}

/// The allocation for a block; the MAC layer receives only decoded blocks.
fn tti(block: &Block, aired: Aired, packet: &LogPacket<'_>) -> Tti {
    Tti {
        time: aired.time,
        tti: aired.tti,
        epoch: 0,
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
