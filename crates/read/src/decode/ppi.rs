//! Reads the header of Per-Packet Information (LINKTYPE_PPI; CACE Technologies, PPI Packet Header
//! format 1.0.7): version, flags, length of the header with all its fields, and the link type of
//! the frame that follows. The numbers are little-endian.

use super::skip::Skip;
use crate::bytes::chunk;

/// The length of the header without fields.
const LEAST: u32 = 8;

/// The length of the header, and the link type of the frame that follows.
pub(super) fn inner(frame: &[u8]) -> Result<(u32, u32), Skip> {
    let [version, _, low, high, dlt @ ..] = chunk::<8>(frame, 0).ok_or(Skip::Cut)?;
    let length = u32::from(u16::from_le_bytes([*low, *high]));
    match version {
        0 if length >= LEAST => Ok((length, u32::from_le_bytes(*dlt))),
        _ => Err(Skip::LinkHeader),
    }
}
