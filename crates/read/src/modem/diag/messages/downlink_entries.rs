//! Reads 0xB063 version 50: transport blocks that the MAC layer received, one after another.
//!
//! The message has eight bytes (version, three reserved, number of blocks). For each block, sixteen
//! bytes and its elements follow. An element has twelve bytes, and after an element with data there
//! is a part about its RLC PDU. The bytes of that part do not give its exact length: it may have
//! one more word for each of its pieces. The start of the next block shows which length is right.

use crate::modem::diag::bits::{Bytes, bits8, bits16};
use crate::modem::diag::outcome::Misfit;

/// The version that is read.
pub(super) const VERSION: u8 = 50;

const HEADER: usize = 8;
const ENTRY: usize = 16;
const ELEMENT: usize = 12;
const WORD: usize = 4;
/// The number of bytes of a piece in the part about an RLC PDU.
const PIECE: usize = 8;
/// The greatest size of a block in bytes: twice the largest block of one layer (TS 36.213 table
/// 7.1.7.2.1-1), for two layers.
const MOST_BYTES: u32 = 2 * 12_237;
const MOST_ELEMENTS: u8 = 16;

/// A transport block.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Entry {
    /// Carrier: 0 for the primary one.
    pub carrier: u8,
    /// System frame number.
    pub frame: u16,
    /// Subframe of the frame, 0 to 9.
    pub subframe: u8,
    /// HARQ process.
    pub harq: u8,
    /// Size without the CRC, in bytes.
    pub bytes: u32,
    /// Bytes of padding.
    pub padding_bytes: u32,
    elements: u8,
}

/// Reads the message.
///
/// # Errors
/// The message has another version, or does not end with its last block.
pub fn parse(payload: &[u8]) -> Result<Vec<Entry>, Misfit> {
    let message = Bytes(payload);
    let version = message.u8(0)?;
    if version != VERSION {
        return Err(Misfit::UnknownVersion(version.into()));
    }
    let (mut at, mut entries) = (HEADER, Vec::new());
    for left in (0..message.u32(4)?).rev() {
        let entry = entry(message, at)?;
        at = end(message, at, &entry, left == 0)?;
        entries.push(entry);
    }
    if at != message.len() {
        return Err(Misfit::Lies("0xB063 of another length"));
    }
    Ok(entries)
}

fn entry(message: Bytes<'_>, at: usize) -> Result<Entry, Misfit> {
    let part = message.part(at, ENTRY)?;
    let (time, process) = (part.u32(8)?, part.u8(12)?);
    let entry = Entry {
        carrier: process & 0xF,
        frame: bits16(time, 0, 10),
        subframe: bits8(time, 10, 4),
        harq: process >> 4,
        bytes: part.u32(0)?,
        padding_bytes: part.u32(4)?,
        elements: part.u8(13)?,
    };
    let possible = (1..=MOST_BYTES).contains(&entry.bytes)
        && entry.padding_bytes <= entry.bytes
        && entry.subframe < 10
        && entry.elements <= MOST_ELEMENTS;
    if possible { Ok(entry) } else { Err(Misfit::Lies("a block that cannot be")) }
}

/// The offset at which the entry beginning at `at` ends: a position where another entry can begin,
/// or the end of the message.
fn end(message: Bytes<'_>, at: usize, entry: &Entry, last: bool) -> Result<usize, Misfit> {
    let (mut end, mut more) = (at + ENTRY, 0);
    for _ in 0..entry.elements {
        let element = message.part(end, ELEMENT)?;
        let is_data = element.u8(0)? & 1 == 0 && element.u8(8)? != 0;
        let pieces = if is_data { usize::from(element.u8(9)?) } else { 0 };
        end += ELEMENT + PIECE * pieces;
        more += pieces;
    }
    let fits = |end: &usize| {
        if last { *end == message.len() } else { self::entry(message, *end).is_ok() }
    };
    let ends = (0..=more).map(|words| end + WORD * words);
    ends.into_iter().find(fits).ok_or(Misfit::Lies("blocks that do not end where the next begins"))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The payload in SCAT's tests of this version: a block of 47 bytes with a header of data
    /// without pieces.
    #[test]
    fn a_block_of_a_phone() {
        let words: [u32; 12] =
            [0x32, 1, 47, 0, 0x25D99, 0x0004_0270, 0x5B00_0339, 0x3C2D_D3E5, 6, 0x1280, 0x100, 0];
        let payload: Vec<u8> = words.iter().flat_map(|word| word.to_le_bytes()).collect();
        let parsed = parse(&payload).expect("it is whole");
        assert_eq!((parsed[0].bytes, parsed[0].padding_bytes, parsed[0].harq), (47, 0, 7));
        assert_eq!((parsed[0].frame, parsed[0].subframe, parsed[0].elements), (409, 7, 2));
        for length in 0..payload.len() {
            assert!(parse(&payload[..length]).is_err(), "cut at {length}");
        }
    }
}
