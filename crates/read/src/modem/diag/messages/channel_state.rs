//! Reads 0xB14E: the channel state that the phone reported on the PUSCH.

use super::common::frame;
use crate::modem::diag::bits::{Bytes, bits8};
use crate::modem::diag::outcome::{Misfit, Outcome, Understood};
use crate::modem::diag::packet::LogPacket;
use crate::modem::diag::proof::{Bench, Check, Proof, Standing, first_byte};
use crate::modem::diag::sink::Sink;
use crate::modem::record::{CellMeasurement, Record};

/// Versions that are read.
const VERSIONS: [u8; 3] = [42, 101, 102];

/// The first version in which rank and carrier have the positions that are read here.
const WITH_RANK: u8 = 101;

/// The size of a subband in PRBs and the number of subbands, by bandwidth of the carrier (TS 36.213
/// table 7.2.1-3): 15, 25, 50, 75 and 100 PRBs.
const SUBBANDS: [(u8, u8); 5] = [(4, 4), (4, 7), (6, 9), (8, 10), (8, 13)];
/// The least size in PRBs of a subband that the cell configures; subbands that a phone chooses are
/// smaller (table 7.2.1-5).
const LEAST_HIGHER_LAYER: u8 = 4;

pub(super) const PROOF: Proof = Proof { version: first_byte, standing, check };

fn standing(version: u32) -> Option<Standing> {
    Some(match version {
        42 | 101 => Standing::Proved,
        102 => Standing::Sampled,
        _ => return None,
    })
}

/// Compares the subbands with the bandwidths of carriers, and the subframe with the time of
/// logging.
fn check(packet: &LogPacket<'_>, bench: &mut Bench<'_>) -> Result<(), Misfit> {
    let message = parse(packet.payload)?;
    bench.clock(message.frame.into(), message.subframe.into());
    if message.subband_prbs >= LEAST_HIGHER_LAYER {
        let subbands = (message.subband_prbs, message.subbands);
        bench.check(Check::Width, SUBBANDS.contains(&subbands));
    }
    Ok(())
}

/// The fields of the message.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ChannelState {
    /// Version of the message.
    pub version: u8,
    /// System frame number of the report.
    pub frame: u16,
    /// Subframe of the report, 0 to 9.
    pub subframe: u8,
    /// The number of layers that the phone requests; `None` if the version does not contain it.
    pub rank: Option<u8>,
    /// The number of subbands in the report.
    pub subbands: u8,
    /// Wideband channel quality indicators of both codewords.
    pub cqi: [u8; 2],
    /// The size of a subband in PRBs.
    pub subband_prbs: u8,
    /// Wideband precoding matrix indicator.
    pub pmi: u8,
    /// Transmission mode.
    pub mode: u8,
    /// The number of the carrier: 0 for the primary one.
    pub carrier: u8,
}

/// Reads the message.
///
/// # Errors
/// The version is unknown, or the message is too short.
pub fn parse(payload: &[u8]) -> Result<ChannelState, Misfit> {
    let view = Bytes(payload);
    let version = view.u8(0)?;
    if !VERSIONS.contains(&version) {
        return Err(Misfit::UnknownVersion(version.into()));
    }
    let (frame, subframe) = frame(view.u16(1)?);
    let word = view.u32(4)?;
    let field = |low, width| bits8(word, low, width);
    let rank = (version >= WITH_RANK).then(|| Ok((view.u8(3)? >> 2 & 63) + 1)).transpose()?;
    Ok(ChannelState {
        version,
        frame,
        subframe,
        rank,
        subbands: field(0, 5),
        cqi: [field(5, 4), field(9, 4)],
        subband_prbs: field(13, 7),
        pmi: field(20, 4),
        mode: field(28, 4),
        carrier: view.u8(35)? & 0xF,
    })
}

/// Appends a record of the channel quality, without a cell, because the message does not name it.
pub(super) fn read(packet: &LogPacket<'_>, sink: &mut Sink<'_>) -> Outcome {
    let message = parse(packet.payload)?;
    sink.put(Record::Cell(CellMeasurement {
        time: packet.time,
        user: packet.user,
        cell: None,
        earfcn: None,
        carrier: Some(message.carrier),
        serving: Some(true),
        rsrp_dbm: None,
        rsrq_db: None,
        sinr_db: None,
        rssi_dbm: None,
        cqi: Some(message.cqi[0]),
        source: "0xB14E",
    }));
    Ok(Understood::verified(message.version))
}
