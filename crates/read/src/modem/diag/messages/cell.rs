//! 0xB0C1 (master information block) and 0xB0C2 (serving cell): how wide a cell is. Who the
//! operator is and where the cell stands is not kept.

use super::{Misfit, Outcome, Understood};
use crate::modem::diag::bits::Bytes;
use crate::modem::diag::packet::LogPacket;
use crate::modem::diag::sink::Sink;
use crate::modem::record::{CellInfo, PrbSource, Record};

/// PRBs of the channel bandwidths (TS 36.101 table 5.6-1).
pub(super) const PRBS: [u16; 6] = [6, 15, 25, 50, 75, 100];

/// Reads 0xB0C1: cell, EARFCN (16 bits wide in version 1), frame, antennas, PRBs.
pub(super) fn read_mib(packet: &LogPacket<'_>, sink: &mut Sink<'_>) -> Outcome {
    let bytes = Bytes(packet.payload);
    let version = bytes.u8(0)?;
    let (earfcn, rest) = match version {
        1 => (u32::from(bytes.u16(3)?), bytes.from(5)?),
        2 | 3 => (bytes.u32(3)?, bytes.from(7)?),
        _ => return Err(Misfit::UnknownVersion(version.into())),
    };
    let prbs = prbs(rest.u8(3)?)?;
    let info = Info { cell: bytes.u16(1)?, earfcn, prbs, uplink: None, source: PrbSource::Mib };
    info.put(packet, sink);
    Ok(Understood::verified(version))
}

/// Reads 0xB0C2: cell, both EARFCNs (16 bits wide in version 2), PRBs of both directions.
pub(super) fn read_serving(packet: &LogPacket<'_>, sink: &mut Sink<'_>) -> Outcome {
    let bytes = Bytes(packet.payload);
    let version = bytes.u8(0)?;
    let (earfcn, rest) = match version {
        2 => (u32::from(bytes.u16(3)?), bytes.from(7)?),
        3 => (bytes.u32(3)?, bytes.from(11)?),
        _ => return Err(Misfit::UnknownVersion(version.into())),
    };
    let (down, up) = (prbs(rest.u8(0)?)?, prbs(rest.u8(1)?).ok());
    let source = PrbSource::ServingCell;
    let info = Info { cell: bytes.u16(1)?, earfcn, prbs: down, uplink: up, source };
    info.put(packet, sink);
    Ok(Understood::verified(version))
}

struct Info {
    cell: u16,
    earfcn: u32,
    prbs: u16,
    uplink: Option<u16>,
    source: PrbSource,
}

impl Info {
    fn put(self, packet: &LogPacket<'_>, sink: &mut Sink<'_>) {
        sink.put(Record::CellInfo(CellInfo {
            time: packet.time,
            user: packet.user,
            cell: Some(self.cell),
            earfcn: Some(self.earfcn),
            carrier: Some(0),
            downlink_prbs: self.prbs,
            uplink_prbs: self.uplink,
            source: self.source,
        }));
    }
}

/// The byte for the bandwidth is the count itself.
fn prbs(count: u8) -> Result<u16, Misfit> {
    let count = u16::from(count);
    let known = PRBS.contains(&count);
    known.then_some(count).ok_or(Misfit::Lies("a bandwidth that no cell has"))
}
