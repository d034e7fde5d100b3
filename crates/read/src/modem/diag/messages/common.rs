//! Reads the parts that several messages share.

use crate::modem::diag::bits::Bytes;
use crate::modem::diag::outcome::Misfit;
use crate::modem::record::Rnti;

/// A part of a message that has its own kind, version and size.
pub(super) struct Subpacket<'a> {
    pub(super) id: u8,
    pub(super) version: u8,
    /// The bytes after the header of four bytes.
    pub(super) data: Bytes<'a>,
}

/// The subpackets of a message that begins with its version and the number of its subpackets.
pub(super) fn subpackets(
    message: Bytes<'_>,
) -> Result<impl Iterator<Item = Result<Subpacket<'_>, Misfit>>, Misfit> {
    let mut at = 4;
    let mut next = move || {
        let size = usize::from(message.u16(at + 2)?);
        let length = size.checked_sub(4).ok_or(Misfit::Lies("a subpacket below its header"))?;
        let data = message.part(at + 4, length)?;
        let subpacket = Subpacket { id: message.u8(at)?, version: message.u8(at + 1)?, data };
        at += size;
        Ok(subpacket)
    };
    Ok((0..message.u8(1)?).map(move |_| next()))
}

/// The frame and the subframe in the word with which most samples begin: bits 4-13 and 0-3.
pub(super) fn frame(word: u16) -> (u16, u8) {
    (word >> 4 & 0x3FF, (word & 0xF) as u8)
}

/// The kind of RNTI for the modem's code.
#[inline]
pub(super) const fn rnti(kind: u8) -> Rnti {
    match kind {
        0 => Rnti::C,
        1 => Rnti::Sps,
        _ => Rnti::Other,
    }
}

/// The version of the first subpacket with the identity `id` in a message.
pub(super) fn subpacket_version(payload: &[u8], id: u8) -> Option<u32> {
    let found = subpackets(Bytes(payload)).ok()?.flatten().find(|subpacket| subpacket.id == id);
    found.map(|subpacket| subpacket.version.into())
}
