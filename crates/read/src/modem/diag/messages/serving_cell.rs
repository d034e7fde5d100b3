//! Reads 0xB193: the serving cells, as the physical layer measures them.

use super::common::{subpacket_version, subpackets};
use super::scale::{measured, rsrp_dbm, rsrq_db, rssi_dbm, snr_db};
use crate::modem::diag::bits::{Bytes, bits};
use crate::modem::diag::outcome::{Misfit, Outcome, Understood};
use crate::modem::diag::packet::LogPacket;
use crate::modem::diag::proof::{Bench, Check, Proof, Standing};
use crate::modem::diag::sink::Sink;
use crate::modem::record::{CellMeasurement, Record};

/// The identity of the subpacket with a measurement.
const SERVING_CELL: u8 = 25;

/// The greatest number of cells in a subpacket, which is its number of slots.
const MOST_CELLS: usize = 4;

/// The numbers of PRBs of carriers, and the greatest error in dB of ten times their logarithm;
/// levels have a resolution of a sixteenth of a dB.
const WIDTHS: [f64; 6] = [6.0, 15.0, 25.0, 50.0, 75.0, 100.0];
const LEVEL_DB: f64 = 0.4;

pub(super) const PROOF: Proof = Proof { version, standing, check };

fn version(payload: &[u8]) -> Option<u32> {
    subpacket_version(payload, SERVING_CELL)
}

fn standing(version: u32) -> Option<Standing> {
    let layout = LAYOUTS.iter().find(|layout| u32::from(layout.version) == version)?;
    Some(if layout.version == 66 { Standing::Published } else { Standing::Proved })
}

/// Compares the levels of a cell with each other.
fn check(packet: &LogPacket<'_>, bench: &mut Bench<'_>) -> Result<(), Misfit> {
    for carrier in parse(packet.payload)? {
        let measured = carrier.cells.iter().filter(|cell| cell.rsrp_dbm[0] > rsrp_dbm(0));
        for cell in measured {
            bench.check(Check::Level, levels_agree(cell));
        }
    }
    Ok(())
}

/// Whether the levels of a cell agree. RSRQ must be N RSRP / RSSI of the same antenna for the N
/// PRBs of a carrier. If the strength is unknown, the combined level must be that of the better
/// antenna.
fn levels_agree(cell: &Cell) -> bool {
    let better = cell.rsrp_dbm[0].max(cell.rsrp_dbm[1]);
    let Some([strength, _]) = cell.rssi_dbm else {
        return (better - cell.rsrp_dbm[2]).abs() < LEVEL_DB;
    };
    let prbs_db = cell.rsrq_db[0] - cell.rsrp_dbm[0] + strength;
    WIDTHS.iter().any(|prbs| (10.0 * prbs.log10() - prbs_db).abs() < LEVEL_DB)
}

/// A measured cell.
#[derive(Clone, Debug, PartialEq)]
pub struct Cell {
    /// Physical cell identity.
    pub pci: u16,
    /// The number of the cell: 0 for the primary one, then the secondary ones.
    pub index: u8,
    /// Whether the cell serves the phone.
    pub serving: bool,
    /// System frame number.
    pub frame: u16,
    /// Subframe of the frame, 0 to 9.
    pub subframe: u8,
    /// Reference signal received power in dBm, of each antenna and combined.
    pub rsrp_dbm: [f64; 3],
    /// Reference signal received quality in dB, of each antenna and combined.
    pub rsrq_db: [f64; 3],
    /// Received signal strength in dBm, of each antenna.
    pub rssi_dbm: Option<[f64; 2]>,
    /// Combined received signal strength in dBm.
    pub combined_rssi_dbm: Option<f64>,
    /// Signal to noise ratio in dB, of each antenna.
    pub snr_db: Option<[f64; 2]>,
    /// Projected ratio of signal to interference, in sixteenths of a dB.
    pub projected_sir: Option<i32>,
    /// Reference signal received quality after cancellation of interference, in dB.
    pub post_ic_rsrq_db: Option<f64>,
    /// Ratio of signal to interference and noise, of each antenna, in the modem's own unit.
    pub cinr: Option<[i32; 2]>,
}

/// A subpacket: the cells of one carrier.
#[derive(Clone, Debug, PartialEq)]
pub struct Carrier {
    /// Version of the subpacket.
    pub version: u8,
    /// Downlink EARFCN.
    pub earfcn: u32,
    /// The number of cells that the subpacket itself gives.
    pub announced_cells: Option<u16>,
    /// The cells, the serving one first.
    pub cells: Vec<Cell>,
}

/// Reads the message.
///
/// # Errors
/// No subpacket has a known version, or a subpacket is shorter than its size field says.
pub fn parse(payload: &[u8]) -> Result<Vec<Carrier>, Misfit> {
    let mut carriers = Vec::new();
    for subpacket in subpackets(Bytes(payload))? {
        let subpacket = subpacket?;
        if subpacket.id == SERVING_CELL {
            carriers.push(carrier(subpacket.version, subpacket.data)?);
        }
    }
    Ok(carriers)
}

/// Appends a record for each cell of the message.
pub(super) fn read(packet: &LogPacket<'_>, sink: &mut Sink<'_>) -> Outcome {
    let carriers = parse(packet.payload)?;
    for carrier in &carriers {
        for cell in &carrier.cells {
            sink.put(Record::Cell(measurement(carrier, cell, packet)));
        }
    }
    Ok(Understood::verified(carriers.first().map_or(0, |carrier| carrier.version)))
}

fn measurement(carrier: &Carrier, cell: &Cell, packet: &LogPacket<'_>) -> CellMeasurement {
    let snr = cell.snr_db.map(|[first, second]| first.max(second));
    let rssi = cell.combined_rssi_dbm.or(cell.rssi_dbm.map(|[a, b]| a.max(b)));
    CellMeasurement {
        time: packet.time,
        user: packet.user,
        cell: Some(cell.pci),
        earfcn: Some(carrier.earfcn),
        carrier: cell.serving.then_some(cell.index),
        serving: Some(cell.serving),
        rsrp_dbm: measured(cell.rsrp_dbm[2], rsrp_dbm(0)),
        rsrq_db: measured(cell.rsrq_db[2], rsrq_db(0)),
        sinr_db: snr.and_then(|db| measured(db, snr_db(0))),
        rssi_dbm: rssi.and_then(|dbm| measured(dbm, rssi_dbm(0))),
        cqi: None,
        source: "0xB193",
    }
}

fn carrier(version: u8, data: Bytes<'_>) -> Result<Carrier, Misfit> {
    let layout = LAYOUTS
        .iter()
        .find(|layout| layout.version == version)
        .ok_or(Misfit::UnknownVersion(version.into()))?;
    let announced_cells = layout.slot.map(|_| data.u16(4)).transpose()?;
    let cells = usize::from(announced_cells.unwrap_or(1));
    if cells > MOST_CELLS {
        return Err(Misfit::Lies("more cells than a subpacket has room for"));
    }
    let at = |index: usize| layout.first + index * layout.slot.unwrap_or(0);
    let cells =
        (0..cells).map(|index| layout.cell(data.from(at(index))?)).collect::<Result<_, _>>()?;
    Ok(Carrier { version, earfcn: data.u32(0)?, announced_cells, cells })
}

/// The positions of the fields of a cell. A position is a byte of a 32-bit word, the first bit and
/// the width, relative to the start of the cell.
struct Layout {
    version: u8,
    /// The offset of the first cell in the data of the subpacket, in bytes.
    first: usize,
    /// The number of bytes from one cell to the next; `None` if the version contains one cell.
    slot: Option<usize>,
    /// The position of the identity of a cell, and the bit in it that marks the serving cell.
    identity: (usize, u32),
    /// The error of the combined power in sixteenths of a dB, by which it is too low.
    combined_low: u32,
    rsrp: [Field; 3],
    rsrq: [Field; 3],
    rssi: Option<[Field; 2]>,
    combined_rssi: Option<Field>,
    snr: Option<[Field; 2]>,
    projected_sir: Option<usize>,
    cinr: Option<usize>,
}

/// A field: the byte of a 32-bit word, the first bit, and the width.
type Field = (usize, u32, u32);

/// The layouts of the versions that are read. For versions 22 and 36, the position of the combined
/// RSRQ is the one at which it equals that of the better antenna.
const LAYOUTS: [Layout; 5] = [
    Layout {
        version: 18,
        first: 4,
        slot: None,
        identity: (0, 12),
        combined_low: 0,
        rsrp: [(17, 2, 11), (21, 4, 11), (25, 4, 11)],
        rsrq: [(29, 4, 9), (33, 2, 10), (33, 12, 10)],
        rssi: Some([(37, 2, 11), (37, 13, 11)]),
        combined_rssi: None,
        snr: Some([(64, 0, 9), (64, 9, 9)]),
        projected_sir: None,
        cinr: None,
    },
    Layout {
        version: 19,
        first: 8,
        slot: Some(88),
        identity: (0, 12),
        combined_low: 0,
        rsrp: [(16, 10, 12), (20, 12, 12), (24, 12, 12)],
        rsrq: [(28, 12, 10), (32, 0, 10), (32, 20, 10)],
        rssi: Some([(36, 10, 11), (36, 21, 11)]),
        combined_rssi: Some((40, 0, 11)),
        snr: Some([(64, 0, 9), (64, 9, 9)]),
        projected_sir: Some(80),
        cinr: None,
    },
    Layout {
        version: 22,
        first: 8,
        slot: Some(120),
        identity: (0, 12),
        combined_low: 0,
        rsrp: [(16, 10, 12), (20, 12, 12), (28, 12, 12)],
        rsrq: [(32, 12, 10), (36, 0, 10), (40, 10, 10)],
        rssi: Some([(44, 10, 11), (44, 21, 11)]),
        combined_rssi: Some((52, 0, 11)),
        snr: Some([(76, 0, 9), (76, 9, 9)]),
        projected_sir: Some(96),
        cinr: Some(104),
    },
    Layout {
        version: 36,
        first: 8,
        slot: Some(128),
        identity: (0, 12),
        combined_low: 0,
        rsrp: [(16, 10, 12), (20, 12, 12), (32, 0, 12)],
        rsrq: [(36, 0, 10), (36, 20, 10), (44, 0, 10)],
        rssi: None,
        combined_rssi: None,
        snr: None,
        projected_sir: None,
        cinr: None,
    },
    Layout {
        version: 66,
        first: 8,
        slot: Some(144),
        identity: (8, 15),
        combined_low: 640,
        rsrp: [(24, 10, 12), (28, 12, 12), (40, 12, 12)],
        rsrq: [(48, 0, 10), (48, 20, 10), (56, 0, 10)],
        rssi: Some([(60, 0, 11), (60, 11, 11)]),
        combined_rssi: Some((68, 0, 11)),
        snr: None,
        projected_sir: None,
        cinr: None,
    },
];

impl Layout {
    fn cell(&self, cell: Bytes<'_>) -> Result<Cell, Misfit> {
        let (at, serving) = self.identity;
        let (identity, time) = (cell.u16(at)?, cell.u16(at + 4)?);
        let [first, second, combined] = scaled(cell, self.rsrp, rsrp_dbm)?;
        let low = rsrp_dbm(self.combined_low) - rsrp_dbm(0);
        Ok(Cell {
            pci: identity & 0x1FF,
            index: (identity >> 9 & 7) as u8,
            serving: identity >> serving & 1 == 1,
            frame: time & 0x3FF,
            subframe: (time >> 10 & 0xF) as u8,
            rsrp_dbm: [first, second, combined + low],
            rsrq_db: scaled(cell, self.rsrq, rsrq_db)?,
            rssi_dbm: self.rssi.map(|fields| scaled(cell, fields, rssi_dbm)).transpose()?,
            combined_rssi_dbm: self
                .combined_rssi
                .map(|field| scaled(cell, [field], rssi_dbm))
                .transpose()?
                .map(|[combined]| combined),
            snr_db: self.snr.map(|fields| scaled(cell, fields, snr_db)).transpose()?,
            projected_sir: self.projected_sir.map(|at| signed(cell, at)).transpose()?,
            post_ic_rsrq_db: self
                .projected_sir
                .map(|at| cell.u32(at + 4))
                .transpose()?
                .map(rsrq_db),
            cinr: self.cinr.map(|at| Ok([signed(cell, at)?, signed(cell, at + 4)?])).transpose()?,
        })
    }
}

fn scaled<const N: usize>(
    cell: Bytes<'_>,
    fields: [Field; N],
    scale: fn(u32) -> f64,
) -> Result<[f64; N], Misfit> {
    let mut values = [0.0; N];
    for (value, (byte, from, width)) in values.iter_mut().zip(fields) {
        *value = scale(bits(cell.u32(byte)?, from, width));
    }
    Ok(values)
}

fn signed(cell: Bytes<'_>, at: usize) -> Result<i32, Misfit> {
    cell.u32(at).map(u32::cast_signed)
}
