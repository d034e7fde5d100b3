//! Reads the fields of 0xB126.

use crate::modem::diag::bits::{Bytes, bits, bits8, bits16};
use crate::modem::diag::outcome::Misfit;

/// The fields for one subframe of a carrier.
#[derive(Clone, Debug, PartialEq)]
pub struct Demapped {
    /// Version of the message.
    pub version: u8,
    /// Physical cell identity.
    pub pci: u16,
    /// System frame number.
    pub frame: u16,
    /// Subframe of the frame, 0 to 9.
    pub subframe: u8,
    /// The RNTI.
    pub rnti: u16,
    /// The kind of RNTI, as in 0xB173.
    pub rnti_kind: u8,
    /// The number of antennas of the cell; `None` for a code that represents no number.
    pub cell_antennas: Option<u8>,
    /// The number of antennas of the phone.
    pub phone_antennas: u8,
    /// Spatial layers.
    pub layers: u8,
    /// The PRBs in each of both slots, as 128 bits from PRB 0 on.
    pub allocation: [[u64; 2]; 2],
    /// How the blocks were precoded.
    pub precoding: Precoding,
    /// Both blocks.
    pub blocks: [Block; 2],
    /// Ratio of the power of data to that of reference signals.
    pub traffic_to_pilot: f64,
    /// The number of the carrier: 0 for the primary one.
    pub carrier: u8,
}

/// How blocks were precoded.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Precoding {
    /// The modem's code for precoding by subband; 0 is one matrix for all subbands.
    pub by_subband: u8,
    /// Precoding matrix indicator.
    pub pmi: u8,
    /// The scheme: 1 single port, 2 transmit diversity, 3 and 4 spatial multiplexing (open and
    /// closed loop), 5 multi-user, 6 closed loop of rank 1, 7 and 8 beamforming.
    pub scheme: u8,
}

/// A transport block.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Block {
    /// The size of the block without its CRC, in bits; 0 if the block is not used.
    pub bits: u16,
    /// The number of bits per symbol.
    pub modulation_order: u8,
}

impl Demapped {
    /// The number of PRBs in the subframe. It is the same in both slots (TS 36.211 section 6.2.3: a
    /// virtual resource block has one physical block in each slot).
    pub fn prbs(&self) -> u16 {
        let slot = |[low, high]: [u64; 2]| ones(low) + ones(high);
        slot(self.allocation[0]).max(slot(self.allocation[1]))
    }
}

/// The number of PRBs in a map, which is the number of its set bits.
#[expect(clippy::cast_possible_truncation, reason = "a word of 64 bits has at most 64 ones")]
pub(super) const fn ones(map: u64) -> u16 {
    map.count_ones() as u16
}

/// Reads the message.
///
/// # Errors
/// The version is unknown, or the message has another length.
pub fn parse(payload: &[u8]) -> Result<Demapped, Misfit> {
    let bytes = Bytes(payload);
    let version = bytes.u8(0)?;
    let layout = match version {
        23 | 28 => OLDER,
        122 | 123 => NEWER,
        _ => return Err(Misfit::UnknownVersion(version.into())),
    };
    if bytes.len() != layout.length {
        return Err(Misfit::Lies("0xB126 of another length"));
    }
    let (time, antennas) = (u32::from(bytes.u16(2)?), u32::from(bytes.u16(6)?));
    let cell_antennas = bits(antennas, layout.cell_antennas, 2);
    let (ratio, ratio_width) = layout.ratio;
    Ok(Demapped {
        version,
        pci: u16::from(bytes.u8(1)?) | bits16(time, 0, 1) << 8,
        frame: bits16(time, 5, 10),
        subframe: bits8(time, 1, 4),
        rnti: bytes.u16(4)?,
        rnti_kind: bits8(antennas, 0, 4),
        cell_antennas: (cell_antennas < 3).then_some(1 << cell_antennas),
        phone_antennas: 1 << bits(antennas, layout.phone_antennas.0, layout.phone_antennas.1),
        layers: bits8(antennas, layout.layers, 2) + 1,
        allocation: [slot(bytes, 8)?, slot(bytes, 24)?],
        precoding: (layout.precoding)(bytes, antennas)?,
        blocks: [block(bytes, 44, &layout)?, block(bytes, 48, &layout)?],
        traffic_to_pilot: f64::from(bits(bytes.u16(46)?.into(), ratio, ratio_width)) / 256.0,
        carrier: bits8(bytes.u16(50)?.into(), layout.carrier, 4),
    })
}

/// The positions that differ between versions: bytes, and first bits in their words.
struct Layout {
    length: usize,
    cell_antennas: u32,
    phone_antennas: (u32, u32),
    layers: u32,
    precoding: fn(bytes: Bytes<'_>, antennas: u32) -> Result<Precoding, Misfit>,
    modulation: u32,
    ratio: (u32, u32),
    carrier: u32,
}

/// The layout of versions 23 and 28.
const OLDER: Layout = Layout {
    length: 56,
    cell_antennas: 8,
    phone_antennas: (10, 1),
    layers: 14,
    precoding,
    modulation: 1,
    ratio: (3, 12),
    carrier: 9,
};

/// The layout of versions 122 and 123, in which twelve bytes after the blocks contain the modem's
/// own modes.
const NEWER: Layout = Layout {
    length: 64,
    cell_antennas: 6,
    phone_antennas: (8, 2),
    layers: 12,
    precoding: newer_precoding,
    modulation: 2,
    ratio: (4, 12),
    carrier: 6,
};

fn slot(bytes: Bytes<'_>, at: usize) -> Result<[u64; 2], Misfit> {
    Ok([bytes.u64(at)?, bytes.u64(at + 8)?])
}

fn precoding(bytes: Bytes<'_>, _antennas: u32) -> Result<Precoding, Misfit> {
    let (matrix, scheme) = (u32::from(bytes.u8(40)?), bytes.u8(41)? & 0xF);
    Ok(Precoding { by_subband: bits8(matrix, 1, 2), pmi: bits8(matrix, 4, 4), scheme })
}

fn newer_precoding(bytes: Bytes<'_>, antennas: u32) -> Result<Precoding, Misfit> {
    let word = u32::from(bytes.u16(40)?);
    let by_subband = bits8(antennas, 15, 1);
    Ok(Precoding { by_subband, pmi: bits8(word, 2, 4), scheme: bits8(word, 6, 4) })
}

fn block(bytes: Bytes<'_>, at: usize, layout: &Layout) -> Result<Block, Misfit> {
    let order = bits8(bytes.u16(at + 2)?.into(), layout.modulation, 2) * 2 + 2;
    Ok(Block { bits: bytes.u16(at)?, modulation_order: order })
}
