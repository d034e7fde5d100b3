//! Reads 0xB16C: uplink grants in each subframe, and the number of downlink assignments. The
//! message is evidence for the blocks of 0xB139, and gives no records.

use crate::modem::diag::bits::{Bytes, bits, bits8, bits16};
use crate::modem::diag::outcome::{Misfit, Outcome, Understood};
use crate::modem::diag::packet::LogPacket;
use crate::modem::diag::proof::{Bench, Grant, Proof, Standing, first_byte};
use crate::modem::diag::sink::Sink;

/// The version that is read.
const VERSION: u8 = 50;
const HEADER: usize = 4;
const HEAD: usize = 4;
const GRANT: usize = 16;
const ASSIGNMENT: usize = 8;

/// A subframe of the control channel.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Subframe {
    /// System frame number.
    pub frame: u16,
    /// Subframe of the frame, 0 to 9.
    pub subframe: u8,
    /// Uplink grants: the first PRB and the number of PRBs of each.
    pub grants: Vec<(u8, u8)>,
    /// The number of downlink assignments.
    pub assignments: u8,
}

pub(super) const PROOF: Proof = Proof { version: first_byte, standing, check };

fn standing(version: u32) -> Option<Standing> {
    (version == u32::from(VERSION)).then_some(Standing::Published)
}

/// Reads the message.
///
/// # Errors
/// The version is unknown, or the message does not end with its last subframe.
pub fn parse(payload: &[u8]) -> Result<Vec<Subframe>, Misfit> {
    let message = Bytes(payload);
    let version = message.u8(0)?;
    if version != VERSION {
        return Err(Misfit::UnknownVersion(version.into()));
    }
    let count = bits(message.u16(1)?.into(), 6, 6);
    let (mut at, mut subframes) = (HEADER, Vec::new());
    for _ in 0..count {
        let word = message.u32(at)?;
        let (grants, assignments) = (bits(word, 14, 2) as usize, bits8(word, 17, 3));
        let given = message.records(at + HEAD, grants, GRANT)?.map(grant);
        let grants_end = at + HEAD + grants * GRANT;
        subframes.push(Subframe {
            frame: bits16(word, 0, 10),
            subframe: bits8(word, 10, 4),
            grants: given.collect::<Result<_, _>>()?,
            assignments,
        });
        at = grants_end + usize::from(assignments) * ASSIGNMENT;
    }
    if at != message.len() {
        return Err(Misfit::Lies("0xB16C of another length"));
    }
    Ok(subframes)
}

fn grant(record: Bytes<'_>) -> Result<(u8, u8), Misfit> {
    let (start, prbs) = (record.u32(5)?, record.u32(6)?);
    Ok((bits8(start, 3, 7), bits8(prbs, 2, 7)))
}

/// Compares the last subframe with the time of logging, and keeps grants for comparison with the
/// blocks that use them.
fn check(packet: &LogPacket<'_>, bench: &mut Bench<'_>) -> Result<(), Misfit> {
    let subframes = parse(packet.payload)?;
    if let Some(last) = subframes.last() {
        bench.clock(last.frame.into(), last.subframe.into());
    }
    for subframe in subframes.iter().filter(|subframe| subframe.subframe < 10) {
        for &(start, prbs) in &subframe.grants {
            let count = u32::from(subframe.frame) * 10 + u32::from(subframe.subframe);
            bench.granted(count, Grant { start, prbs });
        }
    }
    Ok(())
}

/// Appends no record, because 0xB139 contains the blocks for which the grants were used.
pub(super) fn read(packet: &LogPacket<'_>, _sink: &mut Sink<'_>) -> Outcome {
    parse(packet.payload).map(|_| Understood::verified(VERSION))
}
