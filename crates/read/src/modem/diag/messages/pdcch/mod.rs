//! Reads 0xB130: the phone's search for control messages. Only the bandwidth of the carrier becomes
//! a record; the blocks that the messages announce are in 0xB173 and 0xB126.

mod check;
mod fields;
mod layout;

pub use fields::{ControlChannel, Hypothesis, More, Search, parse};

use self::check::check;
use self::layout::{HEADER, HYPOTHESIS, RECORD_HEAD, SLOTS};
use super::cell::PRBS;
use crate::modem::diag::bits::{Bytes, bits, bits8};
use crate::modem::diag::outcome::{Misfit, Outcome, Understood};
use crate::modem::diag::packet::LogPacket;
use crate::modem::diag::proof::{Proof, Standing, first_byte};
use crate::modem::diag::sink::Sink;
use crate::modem::record::{CellInfo, PrbSource, Record};

pub(super) const PROOF: Proof = Proof { version: first_byte, standing, check };

fn standing(version: u32) -> Option<Standing> {
    Some(match version {
        101 => Standing::Proved,
        121 => Standing::Sampled,
        43 | 123 => Standing::Published,
        _ => return None,
    })
}

/// Appends a record of the carrier's bandwidth if it is new. There are thousands of these messages
/// a second, so no other field is read here.
pub(super) fn read(packet: &LogPacket<'_>, sink: &mut Sink<'_>) -> Outcome {
    let bytes = Bytes(packet.payload);
    let version = bytes.u8(0)?;
    match version {
        101 | 121 | 123 => read_one(bytes, packet, sink)?,
        43 => read_43(bytes, packet, sink)?,
        _ => return Err(Misfit::UnknownVersion(version.into())),
    }
    Ok(Understood::verified(version))
}

/// Reads a version with one subframe.
fn read_one(bytes: Bytes<'_>, packet: &LogPacket<'_>, sink: &mut Sink<'_>) -> Result<(), Misfit> {
    let word = bytes.u32(1)?;
    let count = usize::from(bytes.u8(7)?);
    let mut found = bytes.records(HEADER, count, HYPOTHESIS)?.map(succeeded);
    sink.aired(packet, bits(word, 4, 10), bits(word, 0, 4))?;
    if found.any(|found| found == Ok(true)) {
        bandwidth(bits(word, 14, 3), carrier(bytes, 6)?, packet, sink)?;
    }
    Ok(())
}

/// Reads the version with several subframes.
fn read_43(bytes: Bytes<'_>, packet: &LogPacket<'_>, sink: &mut Sink<'_>) -> Result<(), Misfit> {
    let word = bytes.u32(1)?;
    let count = bits(word, 0, 4) as usize;
    let size = RECORD_HEAD + SLOTS * HYPOTHESIS;
    if bytes.len() != HEADER + count * size {
        return Err(Misfit::Lies("0xB130 of another length"));
    }
    let mut found = false;
    for record in bytes.records(HEADER, count, size)? {
        let hypotheses = bits(record.u16(2)?.into(), 3, 8) as usize;
        let mut slots = record.records(RECORD_HEAD, hypotheses.min(SLOTS), HYPOTHESIS)?;
        found |= slots.any(|slot| succeeded(slot) == Ok(true));
    }
    if found {
        bandwidth(bits(word, 18, 4), carrier(bytes, 7)?, packet, sink)?;
    }
    Ok(())
}

/// Whether the phone accepted the hypothesis as a message. Logs contain the codes 1 (format 0), 3
/// (1A) and 6 (2); the codes of other formats are in between, and 8 is the first code of a failure.
fn succeeded(hypothesis: Bytes<'_>) -> Result<bool, Misfit> {
    Ok((1..8).contains(&bits(hypothesis.u32(16)?, 0, 11)))
}

/// The number of the carrier: the upper half of a byte whose position differs between versions.
fn carrier(bytes: Bytes<'_>, at: usize) -> Result<u8, Misfit> {
    Ok(bits8(bytes.u8(at)?.into(), 4, 4))
}

fn bandwidth(
    code: u32,
    carrier: u8,
    packet: &LogPacket<'_>,
    sink: &mut Sink<'_>,
) -> Result<(), Misfit> {
    let unknown = Misfit::Lies("a bandwidth that no cell has");
    let prbs = *PRBS.get(code as usize).ok_or(unknown)?;
    // Hundreds of messages a second report the same bandwidth.
    if sink.is_news(packet, carrier, prbs) {
        sink.put(Record::CellInfo(CellInfo {
            time: packet.time,
            user: packet.user,
            cell: None,
            earfcn: None,
            carrier: Some(carrier),
            downlink_prbs: prbs,
            uplink_prbs: None,
            source: PrbSource::Pdcch,
        }));
    }
    Ok(())
}
