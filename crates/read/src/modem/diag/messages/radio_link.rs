//! Reads 0xB18A: the phone's monitoring of the radio link (TS 36.133 section 7.6).

use crate::modem::diag::bits::Bytes;
use crate::modem::diag::outcome::{Misfit, Outcome, Understood};
use crate::modem::diag::packet::LogPacket;
use crate::modem::diag::sink::Sink;

const VERSION: u8 = 1;
const RECORD: usize = 12;

/// One evaluation of the link.
#[derive(Clone, Debug, PartialEq)]
pub struct Evaluation {
    /// System frame number.
    pub frame: u16,
    /// Subframe of the frame, 0 to 9.
    pub subframe: u8,
    /// Block error rate of a hypothetical PDCCH for out-of-sync, from 0 to 1.
    pub out_of_sync_bler: f64,
    /// Block error rate of a hypothetical PDCCH for in-sync, from 0 to 1.
    pub in_sync_bler: f64,
    /// The number of consecutive evaluations that were out of sync.
    pub out_of_sync: u8,
    /// The number of consecutive evaluations that were in sync.
    pub in_sync: u8,
    /// Whether the timer T310 runs, so that the phone will soon declare the link lost.
    pub t310: u8,
}

/// Reads the message.
///
/// # Errors
/// The version is unknown, or the message is shorter than its number of records says.
pub fn parse(payload: &[u8]) -> Result<Vec<Evaluation>, Misfit> {
    let view = Bytes(payload);
    match view.u8(0)? {
        VERSION => view.records(4, view.u8(3)?.into(), RECORD)?.map(evaluation).collect(),
        version => Err(Misfit::UnknownVersion(version.into())),
    }
}

/// Appends no record, because no table has rows for the monitoring of the radio link.
pub(super) fn read(packet: &LogPacket<'_>, _sink: &mut Sink<'_>) -> Outcome {
    parse(packet.payload).map(|_| Understood::verified(VERSION))
}

fn evaluation(view: Bytes<'_>) -> Result<Evaluation, Misfit> {
    let (time, counts) = (view.u16(0)?, view.u16(6)?);
    let rate = |raw: u16| f64::from(raw) / 32768.0;
    Ok(Evaluation {
        frame: time & 0x3FF,
        subframe: (time >> 10 & 0xF) as u8,
        out_of_sync_bler: rate(view.u16(2)?),
        in_sync_bler: rate(view.u16(4)?),
        out_of_sync: (counts & 0x1F) as u8,
        in_sync: (counts >> 5 & 0x1F) as u8,
        t310: view.u8(8)?,
    })
}
