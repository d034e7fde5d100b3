//! Reads 0xB126 version 163: PRBs, layers and antennas of twenty subframes, without sizes and
//! without RNTI. It is evidence for other messages about the same subframes, and gives no records.

use super::fields::ones;
use crate::modem::diag::bits::{Bytes, bits8};
use crate::modem::diag::outcome::Misfit;
use crate::modem::diag::packet::LogPacket;
use crate::modem::diag::proof::{Bench, Check};

/// The version that is read.
pub(super) const WITHOUT_SIZES: u32 = 163;

const HEADER: usize = 8;
const RECORD: usize = 48;
const RECORDS: usize = 20;

/// The fields for one subframe.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Subframe {
    /// System frame number.
    pub frame: u16,
    /// Subframe of the frame, 0 to 9.
    pub subframe: u8,
    /// The number of antenna ports of the cell.
    pub cell_antennas: u8,
    /// The number of antennas of the phone.
    pub phone_antennas: u8,
    /// Spatial layers.
    pub layers: u8,
    /// The PRBs in each of both slots, one bit each, from PRB 0 on.
    pub allocation: [u64; 2],
}

impl Subframe {
    /// The number of PRBs of the subframe.
    pub fn prbs(&self) -> u16 {
        let [first, second] = self.allocation.map(ones);
        first.max(second)
    }
}

/// Reads the message: its subframes, the oldest first.
///
/// # Errors
/// The message has another version or length.
pub fn parse(payload: &[u8]) -> Result<Vec<Subframe>, Misfit> {
    let message = Bytes(payload);
    let version = message.u8(0)?;
    if u32::from(version) != WITHOUT_SIZES {
        return Err(Misfit::UnknownVersion(version.into()));
    }
    if message.len() != HEADER + RECORDS * RECORD {
        return Err(Misfit::Lies("0xB126 of another length"));
    }
    message.records(HEADER, RECORDS, RECORD)?.map(subframe).collect()
}

fn subframe(record: Bytes<'_>) -> Result<Subframe, Misfit> {
    let (time, antennas) = (record.u16(0)?, u32::from(record.u8(2)?));
    Ok(Subframe {
        frame: time >> 4 & 0x3FF,
        subframe: (time & 0xF) as u8,
        cell_antennas: bits8(antennas, 1, 3),
        phone_antennas: bits8(antennas, 4, 2) + 1,
        layers: (record.u8(4)? & 3) + 1,
        allocation: [record.u64(8)?, record.u64(24)?],
    })
}

/// Compares the last subframe with the time of logging, and PRBs with those of other messages.
pub(super) fn check(packet: &LogPacket<'_>, bench: &mut Bench<'_>) -> Result<(), Misfit> {
    let all = parse(packet.payload)?;
    if let Some(last) = all.last() {
        bench.clock(last.frame.into(), last.subframe.into());
    }
    for subframe in all.iter().filter(|subframe| subframe.prbs() > 0 && subframe.subframe < 10) {
        bench.prbs(u32::from(subframe.frame) * 10 + u32::from(subframe.subframe), subframe.prbs());
        let [first, second] = subframe.allocation.map(u64::count_ones);
        bench.check(Check::Shape, first == second);
    }
    Ok(())
}
