//! Reads 0xB067: the bytes that the phone was granted for the uplink in a window, and the bytes
//! that it used (methods G8). The blocks of 0xB064 add up to these sums.

use super::common::{subpacket_version, subpackets};
use crate::modem::diag::bits::Bytes;
use crate::modem::diag::outcome::{Misfit, Outcome, Understood};
use crate::modem::diag::packet::LogPacket;
use crate::modem::diag::proof::{Bench, Check, Proof, Standing};
use crate::modem::diag::sink::Sink;

/// The identity of the subpacket with the counters.
const STATISTICS: u8 = 11;

/// The counters of one window.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Window {
    /// Version of the subpacket.
    pub version: u8,
    /// The length of the window, in milliseconds.
    pub samples: u8,
    /// Bytes that were granted.
    pub granted_bytes: u32,
    /// Granted bytes that carried data.
    pub used_bytes: u32,
}

pub(super) const PROOF: Proof = Proof { version, standing, check };

fn version(payload: &[u8]) -> Option<u32> {
    subpacket_version(payload, STATISTICS)
}

fn standing(version: u32) -> Option<Standing> {
    Some(match version {
        1 => Standing::Published,
        2 => Standing::Sampled,
        _ => return None,
    })
}

/// Reads the message.
///
/// # Errors
/// A subpacket has an unknown version, or is shorter than its size field says.
pub fn parse(payload: &[u8]) -> Result<Vec<Window>, Misfit> {
    let mut windows = Vec::new();
    for subpacket in subpackets(Bytes(payload))? {
        let subpacket = subpacket?;
        if subpacket.id == STATISTICS {
            windows.push(window(subpacket.version, subpacket.data)?);
        }
    }
    Ok(windows)
}

/// Reads a window. Version 2 begins with the identity of the subscription's stack.
fn window(version: u8, data: Bytes<'_>) -> Result<Window, Misfit> {
    let at = match version {
        1 => 0,
        2 => 1,
        _ => return Err(Misfit::UnknownVersion(version.into())),
    };
    Ok(Window {
        version,
        samples: data.u8(at)?,
        granted_bytes: data.u32(at + 5)?,
        used_bytes: data.u32(at + 9)?,
    })
}

/// Checks that no more bytes are used than granted. The sum of granted bytes is compared with the
/// blocks at the end of the log.
fn check(packet: &LogPacket<'_>, bench: &mut Bench<'_>) -> Result<(), Misfit> {
    for window in parse(packet.payload)? {
        if window.granted_bytes > 0 {
            bench.check(Check::Sum, window.used_bytes <= window.granted_bytes);
        }
        bench.counted(window.granted_bytes);
    }
    Ok(())
}

/// Appends no record, because 0xB064 contains the blocks themselves.
pub(super) fn read(packet: &LogPacket<'_>, _sink: &mut Sink<'_>) -> Outcome {
    let windows = parse(packet.payload)?;
    Ok(Understood::verified(windows.first().map_or(0, |window| window.version)))
}
