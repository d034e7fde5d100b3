//! Reads 0xB0C1 (master information block) and 0xB0C2 (serving cell), of which the bandwidth of a
//! cell is kept. The operator and the identity of the cell are not kept.

use crate::modem::diag::bits::Bytes;
use crate::modem::diag::outcome::{Misfit, Outcome, Understood};
use crate::modem::diag::packet::LogPacket;
use crate::modem::diag::sink::Sink;
use crate::modem::record::{CellInfo, PrbSource, Record};

/// The number of PRBs of each channel bandwidth (TS 36.101 table 5.6-1).
pub(super) const PRBS: [u16; 6] = [6, 15, 25, 50, 75, 100];

/// The fields of 0xB0C1: the master information block.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Mib {
    /// Physical cell identity.
    pub pci: u16,
    /// Downlink EARFCN.
    pub earfcn: u32,
    /// System frame number.
    pub frame: u16,
    /// The number of antennas of the cell.
    pub antennas: u8,
    /// The number of PRBs of the downlink.
    pub prbs: u8,
}

/// The fields of 0xB0C2 that concern the radio.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ServingCell {
    /// Physical cell identity.
    pub pci: u16,
    /// Downlink EARFCN.
    pub earfcn: u32,
    /// Uplink EARFCN.
    pub uplink_earfcn: u32,
    /// The numbers of PRBs of the downlink and of the uplink.
    pub prbs: [u8; 2],
    /// The E-UTRA operating band; `None` if the message ends before it.
    pub band: Option<u32>,
    /// The modem's code for whether the phone may use the cell; `None` if the message ends before
    /// it.
    pub access: Option<u8>,
}

/// Reads 0xB0C1.
///
/// # Errors
/// The version is unknown, or the message is too short.
pub fn parse_mib(payload: &[u8]) -> Result<Mib, Misfit> {
    let bytes = Bytes(payload);
    // EARFCNs of version 1 have 16 bits.
    let (earfcn, rest) = match bytes.u8(0)? {
        1 => (u32::from(bytes.u16(3)?), bytes.from(5)?),
        2 | 3 => (bytes.u32(3)?, bytes.from(7)?),
        version => return Err(Misfit::UnknownVersion(version.into())),
    };
    let (frame, antennas, prbs) = (rest.u16(0)?, rest.u8(2)?, rest.u8(3)?);
    Ok(Mib { pci: bytes.u16(1)?, earfcn, frame, antennas, prbs })
}

/// Reads 0xB0C2.
///
/// # Errors
/// The version is unknown, or the message is too short.
pub fn parse_serving(payload: &[u8]) -> Result<ServingCell, Misfit> {
    let bytes = Bytes(payload);
    // EARFCNs of version 2 have 16 bits.
    let ([earfcn, uplink_earfcn], rest) = match bytes.u8(0)? {
        2 => ([bytes.u16(3)?, bytes.u16(5)?].map(u32::from), bytes.from(7)?),
        3 => ([bytes.u32(3)?, bytes.u32(7)?], bytes.from(11)?),
        version => return Err(Misfit::UnknownVersion(version.into())),
    };
    // The fields in between are the cell's identity (4 bytes), its tracking area (2) and its
    // operator (5).
    let (prbs, band, access) = ([rest.u8(0)?, rest.u8(1)?], rest.u32(8).ok(), rest.u8(17).ok());
    Ok(ServingCell { pci: bytes.u16(1)?, earfcn, uplink_earfcn, prbs, band, access })
}

/// Appends a record of the bandwidth of the cell that sent the master information block.
pub(super) fn read_mib(packet: &LogPacket<'_>, sink: &mut Sink<'_>) -> Outcome {
    let mib = parse_mib(packet.payload)?;
    put(mib.pci, mib.earfcn, (prbs(mib.prbs)?, None), PrbSource::Mib, packet, sink);
    Ok(Understood::verified(Bytes(packet.payload).u8(0)?))
}

/// Appends a record of the bandwidth of the serving cell.
pub(super) fn read_serving(packet: &LogPacket<'_>, sink: &mut Sink<'_>) -> Outcome {
    let cell = parse_serving(packet.payload)?;
    let widths = (prbs(cell.prbs[0])?, prbs(cell.prbs[1]).ok());
    put(cell.pci, cell.earfcn, widths, PrbSource::ServingCell, packet, sink);
    Ok(Understood::verified(Bytes(packet.payload).u8(0)?))
}

/// Appends a record of a bandwidth; `widths` are those of downlink and uplink, in PRBs.
fn put(
    cell: u16,
    earfcn: u32,
    widths: (u16, Option<u16>),
    source: PrbSource,
    packet: &LogPacket<'_>,
    sink: &mut Sink<'_>,
) {
    sink.put(Record::CellInfo(CellInfo {
        time: packet.time,
        user: packet.user,
        cell: Some(cell),
        earfcn: Some(earfcn),
        carrier: Some(0),
        downlink_prbs: widths.0,
        uplink_prbs: widths.1,
        source,
    }));
}

/// The number of PRBs of a bandwidth, for which the modem's code is that number.
fn prbs(count: u8) -> Result<u16, Misfit> {
    let count = u16::from(count);
    let known = PRBS.contains(&count);
    known.then_some(count).ok_or(Misfit::Lies("a bandwidth that no cell has"))
}
