//! Reads 0xB97F: cells of 5G, as the phone's searcher measures them.

use crate::modem::diag::bits::{Bytes, bits};
use crate::modem::diag::outcome::{Misfit, Outcome, Understood};
use crate::modem::diag::packet::LogPacket;
use crate::modem::diag::proof::{Bench, Check, Proof, Standing};
use crate::modem::diag::sink::Sink;
use crate::modem::record::{CellMeasurement, Record};

/// The version that is read, 3.0.
const VERSION: u32 = 300;
const HEADER: usize = 20;
const CARRIER: usize = 40;
const CELL: usize = 16;
const BEAM: usize = 84;
/// The value that represents an unknown count.
const NO_COUNT: u8 = 0xFF;

/// The greatest physical cell identity and carrier number (TS 38.211 section 7.4.2.1, TS 38.101-1
/// table 5.4.2.1-1).
const MOST_PCI: u16 = 1007;
const MOST_ARFCN: u32 = 3_279_165;
/// The ranges of reported power and quality (TS 38.133 tables 10.1.6.1-1 and 10.1.11.1-1).
const RSRP_DBM: std::ops::RangeInclusive<f64> = -156.0..=-31.0;
const RSRQ_DB: std::ops::RangeInclusive<f64> = -43.0..=20.0;

/// A measured cell.
#[derive(Clone, Debug, PartialEq)]
pub struct Cell {
    /// The ARFCN of the cell's carrier.
    pub arfcn: u32,
    /// Physical cell identity.
    pub pci: u16,
    /// Whether the cell serves the phone.
    pub serving: bool,
    /// Reference signal received power, dBm.
    pub rsrp_dbm: Option<f64>,
    /// Reference signal received quality, dB.
    pub rsrq_db: Option<f64>,
}

pub(super) const PROOF: Proof = Proof { version, standing, check };

/// The major and the minor version as one number: 3.0 is 300.
fn version(payload: &[u8]) -> Option<u32> {
    let message = Bytes(payload);
    let (minor, major) = (message.u16(0).ok()?, message.u16(2).ok()?);
    Some(u32::from(major) * 100 + u32::from(minor))
}

fn standing(version: u32) -> Option<Standing> {
    (version == VERSION).then_some(Standing::Published)
}

/// Reads the message.
///
/// # Errors
/// The version is unknown, or the message does not end with its last carrier.
pub fn parse(payload: &[u8]) -> Result<Vec<Cell>, Misfit> {
    let message = Bytes(payload);
    let version = version(payload).ok_or(Misfit::Short)?;
    if version != VERSION {
        return Err(Misfit::UnknownVersion(version));
    }
    let (mut at, mut cells) = (HEADER, Vec::new());
    for _ in 0..message.u8(8)? {
        at = carrier(message, at, &mut cells)?;
    }
    if at != message.len() {
        return Err(Misfit::Lies("0xB97F of another length"));
    }
    Ok(cells)
}

/// Reads the cells of a carrier; returns the offset of the next one.
fn carrier(message: Bytes<'_>, at: usize, cells: &mut Vec<Cell>) -> Result<usize, Misfit> {
    let head = message.part(at, CARRIER)?;
    let (arfcn, id, serving) = (head.u32(0)?, head.u8(4)?, head.u16(6)?);
    let count = match (head.u8(5)?, head.u8(8)?) {
        (0 | NO_COUNT, NO_COUNT) => 0,
        (0 | NO_COUNT, index) => index,
        (count, _) => count,
    };
    let mut at = at + CARRIER;
    for _ in 0..count {
        let cell = message.part(at, CELL)?;
        let pci = cell.u16(0)?;
        cells.push(Cell {
            arfcn,
            pci,
            serving: id != NO_COUNT && pci == serving,
            rsrp_dbm: level(cell.u32(8)?),
            rsrq_db: level(cell.u32(12)?),
        });
        at += CELL + BEAM * usize::from(cell.u8(4)?);
    }
    Ok(at)
}

/// A level of 15 bits with sign, in steps of 1/128; `None` for 0, which means that it was not
/// measured.
fn level(word: u32) -> Option<f64> {
    (word != 0).then(|| f64::from(bits(word, 0, 15)) / 128.0 - 256.0)
}

/// Checks that identities and levels are in their ranges.
fn check(packet: &LogPacket<'_>, bench: &mut Bench<'_>) -> Result<(), Misfit> {
    for cell in parse(packet.payload)? {
        let levels = cell.rsrp_dbm.is_none_or(|dbm| RSRP_DBM.contains(&dbm))
            && cell.rsrq_db.is_none_or(|db| RSRQ_DB.contains(&db));
        let named = cell.pci <= MOST_PCI && cell.arfcn <= MOST_ARFCN;
        if cell.rsrp_dbm.is_some() {
            bench.check(Check::Level, levels && named);
        }
    }
    Ok(())
}

/// Appends a record for every cell.
pub(super) fn read(packet: &LogPacket<'_>, sink: &mut Sink<'_>) -> Outcome {
    for cell in parse(packet.payload)? {
        sink.put(Record::Cell(CellMeasurement {
            time: packet.time,
            user: packet.user,
            cell: Some(cell.pci),
            earfcn: Some(cell.arfcn),
            // Carriers of 5G have numbers that are independent of those of LTE.
            carrier: None,
            serving: None,
            rsrp_dbm: cell.rsrp_dbm,
            rsrq_db: cell.rsrq_db,
            sinr_db: None,
            rssi_dbm: None,
            cqi: None,
            source: "0xB97F",
        }));
    }
    Ok(Understood::verified(VERSION))
}
