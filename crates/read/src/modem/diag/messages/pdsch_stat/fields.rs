//! Reads the fields of a record of 0xB173.

use super::layout::{HEADER, Layout, SLOTS};
use crate::modem::diag::bits::{Bytes, bits, bits8};
use crate::modem::diag::outcome::Misfit;

/// The number of PRBs of the widest carrier (TS 36.101 table 5.6-1).
const MOST_PRBS: u8 = 110;

/// A subframe of a carrier.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Subframe {
    /// The fields that the blocks of the subframe share.
    pub head: Head,
    /// The blocks of the subframe.
    pub blocks: Vec<Block>,
    /// Multicast channel.
    pub multicast_channel: u8,
    /// Multicast area.
    pub area: u8,
}

/// The fields that the blocks of a subframe share.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Head {
    /// System frame number.
    pub frame: u16,
    /// Subframe of the frame, 0 to 9.
    pub subframe: u8,
    /// The number of PRBs in the subframe; `None` if the version does not contain it.
    pub prbs: Option<u8>,
    /// Spatial layers.
    pub layers: u8,
    /// The number of transport blocks in the subframe.
    pub blocks: u8,
    /// The number of the carrier: 0 for the primary one.
    pub carrier: u8,
    /// The modem's code for cancellation of interference from other cells; 0 is off.
    pub interference_cancelled: u8,
}

/// A transport block.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Block {
    /// HARQ process.
    pub harq: u8,
    /// Redundancy version.
    pub redundancy: u8,
    /// The new-data indicator, which each new block of a process inverts.
    pub new_data: bool,
    /// Whether the block was decoded.
    pub crc_ok: bool,
    /// The kind of RNTI: 0 C, 1 SPS, 2 P, 3 RA, 4 temporary C, 5 SI, 6 and 7 power control.
    pub rnti: u8,
    /// The number of the block in the subframe: 0, or 1 (MIMO).
    pub index: u8,
    /// Whether the block was received again although it had been decoded.
    pub discarded: bool,
    /// Whether the block was decoded together with earlier transmissions.
    pub recombined: bool,
    /// The size in bytes as logged; it includes the CRC in some versions.
    pub logged_bytes: u16,
    /// Modulation and coding scheme.
    pub mcs: u8,
    /// The number of PRBs of the block; 0 if only those of the subframe are known.
    pub prbs: u8,
    /// The number of bits per symbol; `None` if the version does not contain it.
    pub modulation_order: Option<u8>,
}

/// Reads the message.
///
/// # Errors
/// The version is unknown, or the message contradicts the layout of its version.
pub fn parse(payload: &[u8]) -> Result<Vec<Subframe>, Misfit> {
    let (layout, records) = records(Bytes(payload))?;
    records.map(|record| subframe(record, &layout)).collect()
}

fn subframe(record: Bytes<'_>, layout: &Layout) -> Result<Subframe, Misfit> {
    let head = Head::read(record, layout)?;
    Ok(Subframe {
        head,
        blocks: blocks(record, &head, layout)?.collect::<Result<_, _>>()?,
        multicast_channel: record.u8(layout.broadcast())?,
        area: record.u8(layout.broadcast() + 1)?,
    })
}

/// The records of a message, and the layout of its version.
#[inline]
pub(super) fn records(
    bytes: Bytes<'_>,
) -> Result<(Layout, impl Iterator<Item = Bytes<'_>>), Misfit> {
    let version = bytes.u8(0)?;
    let unknown = Misfit::UnknownVersion(version.into());
    let layout = Layout::of(version).ok_or(unknown)?;
    let (count, size) = (usize::from(bytes.u8(1)?), layout.record());
    if bytes.len() != HEADER + count * size {
        let lies = Misfit::Lies("0xB173 of another length");
        return Err(if layout.verified { lies } else { unknown });
    }
    Ok((layout, bytes.records(HEADER, count, size)?))
}

/// The blocks of a record, in those slots that are used.
#[inline]
pub(super) fn blocks<'a>(
    record: Bytes<'a>,
    head: &'a Head,
    layout: &'a Layout,
) -> Result<impl Iterator<Item = Result<Block, Misfit>> + use<'a>, Misfit> {
    let slots = record.records(layout.head, SLOTS, layout.slot)?;
    Ok(slots.take(head.blocks.into()).map(|slot| {
        let block = Block::read(slot, layout)?;
        if block.mcs > 31 || head.prbs_of(&block).is_some_and(|prbs| prbs > MOST_PRBS) {
            return Err(Misfit::Lies("0xB173 with an MCS or PRBs that cannot be"));
        }
        Ok(block)
    }))
}

impl Head {
    #[inline]
    pub(super) fn read(record: Bytes<'_>, layout: &Layout) -> Result<Self, Misfit> {
        let time = record.u16(0)?;
        let shift = usize::from(!layout.no_prbs);
        let (blocks, carrier) = (record.u8(3 + shift)?, record.u8(4 + shift)?);
        if usize::from(blocks) > SLOTS {
            return Err(Misfit::Lies("0xB173 with more than two blocks in a subframe"));
        }
        Ok(Self {
            frame: time >> 4,
            subframe: (time & 0xF) as u8,
            prbs: if layout.no_prbs { None } else { Some(record.u8(2)?) },
            layers: record.u8(2 + shift)?,
            blocks,
            carrier: carrier & 7,
            interference_cancelled: carrier >> 3 & 0xF,
        })
    }

    /// The number of PRBs of a block: its own, or that of the subframe if the block has none.
    #[inline]
    pub(super) fn prbs_of(&self, block: &Block) -> Option<u8> {
        if block.prbs == 0 { self.prbs } else { Some(block.prbs) }
    }
}

impl Block {
    #[inline]
    fn read(slot: Bytes<'_>, layout: &Layout) -> Result<Self, Misfit> {
        let (first, second) = (u32::from(slot.u8(0)?), u32::from(slot.u8(1)?));
        let size = layout.size;
        Ok(Self {
            harq: bits8(first, 0, 4),
            redundancy: bits8(first, 4, 2),
            new_data: bits(first, 6, 1) == 1,
            crc_ok: bits(first, 7, 1) == 1,
            rnti: bits8(second, 0, 4),
            index: bits8(second, 4, 1),
            discarded: bits(second, 5, 1) == 1,
            recombined: bits(second, 6, 1) == 1,
            logged_bytes: slot.u16(size)?,
            mcs: slot.u8(size + 2)?,
            prbs: slot.u8(size + 3)?,
            modulation_order: layout.modulation.then(|| slot.u8(size + 4)).transpose()?,
        })
    }
}
