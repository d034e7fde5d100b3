//! Reads 0xB179: the measurements by a connected phone of its cell and of other cells on the same
//! frequency.

use super::scale::{self, rsrp_dbm, rsrq_db};
use crate::modem::diag::bits::Bytes;
use crate::modem::diag::outcome::{Misfit, Outcome, Understood};
use crate::modem::diag::packet::LogPacket;
use crate::modem::diag::sink::Sink;
use crate::modem::record::{CellMeasurement, Record};

/// The only version that is read; samples proved its layout.
const VERSION: u8 = 4;

/// The offset of the neighbours in the message, in bytes.
const NEIGHBOURS: usize = 28;
const NEIGHBOUR: usize = 12;
const DETECTED: usize = 16;

/// A measured cell.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Measured {
    /// Physical cell identity.
    pub pci: u16,
    /// Reference signal received power, dBm.
    pub rsrp_dbm: f64,
    /// Reference signal received quality, dB.
    pub rsrq_db: f64,
}

/// A cell that was found but not measured.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Detected {
    /// Physical cell identity.
    pub pci: u16,
    /// Correlation of the secondary synchronisation signal.
    pub correlation: u32,
    /// Time of the cell in the modem's unit.
    pub reference_time: u64,
}

/// The fields of the message.
#[derive(Clone, Debug, PartialEq)]
pub struct Neighbours {
    /// The number of the serving cell: 0 for the primary one.
    pub index: u8,
    /// Downlink EARFCN of all these cells.
    pub earfcn: u32,
    /// The frame number times ten plus the subframe.
    pub subframe: u16,
    /// The serving cell.
    pub serving: Measured,
    /// The neighbours of the serving cell that were measured.
    pub neighbours: Vec<Measured>,
    /// Cells that were found but not measured.
    pub detected: Vec<Detected>,
}

/// Reads the message.
///
/// # Errors
/// The version is unknown, or the message is shorter than its counts say.
pub fn parse(payload: &[u8]) -> Result<Neighbours, Misfit> {
    let view = Bytes(payload);
    let version = view.u8(0)?;
    if version != VERSION {
        return Err(Misfit::UnknownVersion(version.into()));
    }
    let neighbours = usize::from(view.u8(24)?);
    let detected = NEIGHBOURS + neighbours * NEIGHBOUR;
    Ok(Neighbours {
        index: view.u8(4)?,
        earfcn: view.u32(8)?,
        subframe: view.u16(14)?,
        serving: measured(view.u16(12)?, signed(view, 16)?, signed(view, 20)?),
        neighbours: view
            .records(NEIGHBOURS, neighbours, NEIGHBOUR)?
            .map(neighbour)
            .collect::<Result<_, _>>()?,
        detected: view
            .records(detected, view.u8(25)?.into(), DETECTED)?
            .map(found)
            .collect::<Result<_, _>>()?,
    })
}

/// Appends a record for every cell; a cell that was only detected has no values.
pub(super) fn read(packet: &LogPacket<'_>, sink: &mut Sink<'_>) -> Outcome {
    let message = parse(packet.payload)?;
    let mut put = |pci, values: Option<&Measured>, serving: bool| {
        sink.put(Record::Cell(CellMeasurement {
            time: packet.time,
            user: packet.user,
            cell: Some(pci),
            earfcn: Some(message.earfcn),
            carrier: serving.then_some(message.index),
            serving: Some(serving),
            rsrp_dbm: values.and_then(|values| scale::measured(values.rsrp_dbm, rsrp_dbm(0))),
            rsrq_db: values.and_then(|values| scale::measured(values.rsrq_db, rsrq_db(0))),
            sinr_db: None,
            rssi_dbm: None,
            cqi: None,
            source: "0xB179",
        }));
    };
    put(message.serving.pci, Some(&message.serving), true);
    message.neighbours.iter().for_each(|cell| put(cell.pci, Some(cell), false));
    let measured = |pci| message.neighbours.iter().any(|cell| cell.pci == pci);
    let detected = message.detected.iter().filter(|cell| !measured(cell.pci));
    detected.for_each(|cell| put(cell.pci, None, false));
    Ok(Understood::verified(VERSION))
}

fn neighbour(view: Bytes<'_>) -> Result<Measured, Misfit> {
    Ok(measured(view.u16(0)?, signed(view, 2)?, signed(view, 6)?))
}

fn found(view: Bytes<'_>) -> Result<Detected, Misfit> {
    let time = u64::from(view.u32(12)?) << 32 | u64::from(view.u32(8)?);
    Ok(Detected { pci: view.u16(0)?, correlation: view.u32(4)?, reference_time: time })
}

fn measured(pci: u16, rsrp: i16, rsrq: i16) -> Measured {
    Measured { pci, rsrp_dbm: rsrp_dbm(rsrp), rsrq_db: rsrq_db(rsrq) }
}

fn signed(view: Bytes<'_>, at: usize) -> Result<i16, Misfit> {
    view.u16(at).map(u16::cast_signed)
}
