//! Reads 0xB064: transport blocks that the MAC layer filled, with their grants, their padding, and
//! the buffer status reports in them (methods G8).

use airmile_types::Direction;

use super::buffer_size;
use super::common::{frame, rnti, subpacket_version};
use super::mac_blocks::{self, Kind};
use super::mac_header::{self, Control, Element};
use crate::modem::clock::Aired;
use crate::modem::diag::bits::Bytes;
use crate::modem::diag::outcome::{Misfit, Outcome, Understood};
use crate::modem::diag::packet::LogPacket;
use crate::modem::diag::proof::{Bench, Check, Proof, Standing};
use crate::modem::diag::sink::Sink;
use crate::modem::record::{BufferStatus, Record, Rnti, Tti};

const KIND: Kind<Block> =
    Kind { subpacket: 8, versions: &[(1, 0), (2, 2), (3, 2), (5, 2), (7, 1)], block };

/// The blocks of a message.
pub type Blocks = mac_blocks::Blocks<Block>;

/// A transport block.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Block {
    /// The number of the carrier; `None` if the version does not contain it.
    pub carrier: Option<u8>,
    /// HARQ process.
    pub harq: u8,
    /// Kind of RNTI, as in 0xB063.
    pub rnti: u8,
    /// System frame number.
    pub frame: u16,
    /// Subframe of the frame, 0 to 9.
    pub subframe: u8,
    /// The number of bytes that were granted.
    pub grant_bytes: u16,
    /// The number of RLC PDUs in the block.
    pub pdus: u8,
    /// Bytes of padding.
    pub padding_bytes: u16,
    /// The reason for which a report was due: 0 none, 1 periodic, 2 data of a higher priority, 3
    /// robustness.
    pub bsr_event: u8,
    /// The report in the block: 0 none, 1 cancelled, 2 long, 3 short, 4 long as padding, 5 short as
    /// padding.
    pub bsr_trigger: u8,
    /// The number of bytes of the header and its control elements.
    pub header_bytes: u8,
    /// The elements of the header.
    pub elements: Vec<Element>,
}

pub(super) const PROOF: Proof = Proof { version, standing, check };

fn version(payload: &[u8]) -> Option<u32> {
    subpacket_version(payload, KIND.subpacket)
}

fn standing(version: u32) -> Option<Standing> {
    Some(match version {
        1 => Standing::Proved,
        2 => Standing::Sampled,
        3 | 5 | 7 => Standing::Published,
        _ => return None,
    })
}

/// Compares lengths in headers with sizes, blocks with those on the air, and the last subframe with
/// the time of logging.
fn check(packet: &LogPacket<'_>, bench: &mut Bench<'_>) -> Result<(), Misfit> {
    let message = parse(packet.payload)?;
    if let Some(last) = message.blocks.last() {
        bench.clock(last.frame.into(), last.subframe.into());
    }
    let blocks = message.blocks.iter().enumerate();
    for (at, block) in blocks.filter(|(_, block)| block.subframe < 10) {
        let Block { header_bytes, padding_bytes, grant_bytes, .. } = *block;
        if rnti(block.rnti) == Rnti::C {
            let sum =
                mac_blocks::adds_up(&block.elements, header_bytes, padding_bytes, grant_bytes);
            sum.into_iter().for_each(|held| bench.check_record(at, Check::Sum, held));
        }
        let count = u32::from(block.frame) * 10 + u32::from(block.subframe);
        bench.filled(count, grant_bytes.into());
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

/// Appends records of the allocation of each block, and of the buffer levels that the block
/// reports.
pub(super) fn read(packet: &LogPacket<'_>, sink: &mut Sink<'_>) -> Outcome {
    let message = parse(packet.payload)?;
    let blocks = message.blocks.iter().enumerate();
    for (_, block) in blocks.filter(|(at, _)| !packet.deviating.contains(*at)) {
        let aired = sink.aired(packet, block.frame.into(), block.subframe.into())?;
        sink.put(Record::Tti(tti(block, aired, packet)));
        levels(block).for_each(|level| sink.put(Record::Buffer(status(level, aired, packet))));
    }
    Ok(Understood::verified(message.version))
}

/// The allocation for a block. The MAC layer fills a block once; HARQ, below it, retransmits the
/// block.
fn tti(block: &Block, aired: Aired, packet: &LogPacket<'_>) -> Tti {
    Tti {
        time: aired.time,
        tti: aired.tti,
        epoch: 0,
        user: packet.user,
        rnti: rnti(block.rnti),
        direction: Direction::Uplink,
        cell: None,
        carrier: block.carrier.unwrap_or(0),
        prbs: None,
        prb_total: None,
        tbs_bytes: Some(block.grant_bytes.into()),
        block: 0,
        mcs: None,
        modulation: None,
        layers: None,
        harq: Some(block.harq),
        retransmission: Some(false),
        crc_ok: None,
        padding_bytes: Some(block.padding_bytes.into()),
        source: "0xB064",
    }
}

/// The level of a group: the group, the index of the level, and the range of bytes of the level.
type Level = (u8, u8, (u32, Option<u32>));

fn levels(block: &Block) -> impl Iterator<Item = Level> {
    let reports = block.elements.iter().filter_map(|element| element.control);
    let ranged = |(lcg, index)| Some((lcg, index, buffer_size::range(index)?));
    reports.flat_map(Control::levels).filter_map(ranged)
}

fn status((lcg, index, (low, high)): Level, aired: Aired, packet: &LogPacket<'_>) -> BufferStatus {
    BufferStatus {
        time: aired.time,
        tti: Some(aired.tti),
        user: packet.user,
        lcg: Some(lcg),
        index: Some(index),
        low_bytes: Some(low),
        high_bytes: high,
        firmware_queue_bytes: None,
        source: "0xB064",
    }
}

fn block(carrier: Option<u8>, fields: Bytes<'_>, header: Bytes<'_>) -> Result<Block, Misfit> {
    let (frame, subframe) = frame(fields.u16(2)?);
    Ok(Block {
        carrier,
        harq: fields.u8(0)?,
        rnti: fields.u8(1)?,
        frame,
        subframe,
        grant_bytes: fields.u16(4)?,
        pdus: fields.u8(6)?,
        padding_bytes: fields.u16(7)?,
        bsr_event: fields.u8(9)?,
        bsr_trigger: fields.u8(10)?,
        header_bytes: fields.u8(11)?,
        elements: mac_header::elements(header.0, Direction::Uplink),
    })
}
