//! Reads 0xB0A3 and 0xB0B3: ciphered PDUs of PDCP that were received and sent. 32 bytes of each
//! subpacket are most likely the cipher keys; they are skipped and never kept.

use super::common::{frame, subpackets};
use crate::modem::diag::bits::Bytes;
use crate::modem::diag::outcome::Misfit;

/// The identity of the subpacket with the PDUs.
const CIPHERED: u8 = 195;

/// The number of bytes that are most likely two keys.
const KEYS: usize = 32;

/// The number of bytes of a PDU's fields before its logged bytes.
const FIELDS: usize = 13;

/// PDUs with the same ciphering.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Ciphered {
    /// Algorithm of signalling bearers.
    pub signalling_algorithm: u8,
    /// Algorithm of data bearers.
    pub data_algorithm: u8,
    /// The PDUs.
    pub pdus: Vec<Pdu>,
}

/// A PDU.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Pdu {
    /// Index of the bearer's configuration.
    pub index: u8,
    /// Number of the bearer.
    pub bearer: u8,
    /// Size in bytes.
    pub bytes: u16,
    /// The number of bytes of the PDU that were logged.
    pub logged_bytes: u16,
    /// System frame number.
    pub frame: u16,
    /// Subframe of the frame, 0 to 9.
    pub subframe: u8,
    /// COUNT: hyper frame number and sequence number.
    pub count: u32,
}

/// Reads the message.
///
/// # Errors
/// A subpacket has an unknown version, or is shorter than its size field says.
pub fn parse(payload: &[u8]) -> Result<Vec<Ciphered>, Misfit> {
    let mut found = Vec::new();
    for subpacket in subpackets(Bytes(payload))? {
        let subpacket = subpacket?;
        if subpacket.id == CIPHERED {
            found.push(ciphered(subpacket.version, subpacket.data)?);
        }
    }
    Ok(found)
}

fn ciphered(version: u8, data: Bytes<'_>) -> Result<Ciphered, Misfit> {
    let size = match version {
        1 => FIELDS - 1,
        24 | 26 => FIELDS,
        version => return Err(Misfit::UnknownVersion(version.into())),
    };
    let mut pdus = Vec::new();
    let mut at = KEYS + 4;
    for _ in 0..data.u16(KEYS + 2)? {
        let fields = data.part(at, size)?;
        pdus.push(pdu(fields)?);
        at += size + usize::from(fields.u16(4)?);
    }
    Ok(Ciphered { signalling_algorithm: data.u8(KEYS)?, data_algorithm: data.u8(KEYS + 1)?, pdus })
}

fn pdu(fields: Bytes<'_>) -> Result<Pdu, Misfit> {
    let bearer = fields.u16(0)?;
    let (frame, subframe) = frame(fields.u16(6)?);
    Ok(Pdu {
        index: (bearer & 0x3F) as u8,
        bearer: (bearer >> 9 & 0x1F) as u8,
        bytes: fields.u16(2)?,
        logged_bytes: fields.u16(4)?,
        frame,
        subframe,
        count: fields.u32(8)?,
    })
}
