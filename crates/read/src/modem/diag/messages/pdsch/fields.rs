//! All that 0xB126 says.

use crate::modem::diag::bits::{Bytes, bits};
use crate::modem::diag::messages::Misfit;

const LENGTH: usize = 56;

/// A subframe of a carrier.
#[derive(Clone, Debug, PartialEq)]
pub struct Demapped {
    /// Version of the message.
    pub version: u8,
    /// Physical cell identity.
    pub pci: u16,
    /// System frame number.
    pub frame: u16,
    /// Subframe.
    pub subframe: u8,
    /// The RNTI itself.
    pub rnti: u16,
    /// Kind of RNTI, as in 0xB173.
    pub rnti_kind: u8,
    /// Antennas of the cell; `None` for a code that stands for none.
    pub cell_antennas: Option<u8>,
    /// Antennas of the phone.
    pub phone_antennas: u8,
    /// Spatial layers.
    pub layers: u8,
    /// PRBs of both slots: 128 bits each, from PRB 0 on.
    pub allocation: [[u64; 2]; 2],
    /// How the blocks were precoded, in the versions whose words are known.
    pub precoding: Option<Precoding>,
    /// Both blocks.
    pub blocks: [Block; 2],
    /// Power of the data over that of the reference signals.
    pub traffic_to_pilot: f64,
    /// Carrier: 0 for the primary one.
    pub carrier: u8,
}

/// How blocks were precoded.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Precoding {
    /// The modem's code for a matrix of its own for each subband: 0 is one for all.
    pub by_subband: u8,
    /// Precoding matrix indicator.
    pub pmi: u8,
    /// 1 single port, 2 transmit diversity, 3 and 4 spatial multiplexing (open, closed loop),
    /// 5 multi-user, 6 closed loop of rank 1, 7 and 8 beamforming.
    pub scheme: u8,
}

/// A transport block.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Block {
    /// Its size without the CRC; 0 where it is not used.
    pub bits: u16,
    /// Bits of a symbol.
    pub modulation_order: u8,
}

impl Demapped {
    /// PRBs of the subframe: those of a slot, as many in both (TS 36.211 section 6.2.3: a pair of
    /// virtual resource blocks, one in each slot).
    pub fn prbs(&self) -> u32 {
        let slot = |[low, high]: [u64; 2]| low.count_ones() + high.count_ones();
        slot(self.allocation[0]).max(slot(self.allocation[1]))
    }
}

/// Reads the message.
///
/// # Errors
/// The version is unknown, or the message is of another length.
pub fn parse(payload: &[u8]) -> Result<Demapped, Misfit> {
    let bytes = Bytes(payload);
    let version = bytes.u8(0)?;
    // Versions 122 and 123 have the words of RNTI and antennas the other way round, and another
    // word for the precoding.
    let (rnti, antennas, precoded) = match version {
        23 | 28 => (4, 6, true),
        122 | 123 => (6, 4, false),
        _ => return Err(Misfit::UnknownVersion(version.into())),
    };
    if bytes.len() != LENGTH {
        return Err(Misfit::Lies("0xB126 of another length"));
    }
    let (time, antennas) = (u32::from(bytes.u16(2)?), u32::from(bytes.u16(antennas)?));
    let cell_antennas = bits(antennas, 8, 2);
    Ok(Demapped {
        version,
        pci: u16::from(bytes.u8(1)?) | (bits(time, 0, 1) << 8) as u16,
        frame: bits(time, 5, 10) as u16,
        subframe: bits(time, 1, 4) as u8,
        rnti: bytes.u16(rnti)?,
        rnti_kind: bits(antennas, 0, 4) as u8,
        cell_antennas: (cell_antennas < 3).then_some(1 << cell_antennas),
        phone_antennas: 1 << bits(antennas, 10, 1),
        layers: bits(antennas, 14, 2) as u8 + 1,
        allocation: [slot(bytes, 8)?, slot(bytes, 24)?],
        precoding: precoded.then(|| precoding(bytes)).transpose()?,
        blocks: [block(bytes, 44)?, block(bytes, 48)?],
        traffic_to_pilot: f64::from(bits(bytes.u16(46)?.into(), 3, 12)) / 256.0,
        carrier: bits(bytes.u16(50)?.into(), 9, 4) as u8,
    })
}

fn slot(bytes: Bytes<'_>, at: usize) -> Result<[u64; 2], Misfit> {
    Ok([bytes.u64(at)?, bytes.u64(at + 8)?])
}

fn precoding(bytes: Bytes<'_>) -> Result<Precoding, Misfit> {
    let (matrix, scheme) = (u32::from(bytes.u8(40)?), bytes.u8(41)? & 0xF);
    Ok(Precoding { by_subband: bits(matrix, 1, 2) as u8, pmi: bits(matrix, 4, 4) as u8, scheme })
}

fn block(bytes: Bytes<'_>, at: usize) -> Result<Block, Misfit> {
    let modulation_order = bits(bytes.u16(at + 2)?.into(), 1, 2) as u8 * 2 + 2;
    Ok(Block { bits: bytes.u16(at)?, modulation_order })
}
