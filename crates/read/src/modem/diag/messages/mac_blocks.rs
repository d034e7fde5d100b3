//! Reads the parts that 0xB063 and 0xB064 share: subpackets of transport blocks, each with its
//! fields and its logged header.

use super::common::subpackets;
use super::mac_header::{Element, FIRST_CONTROL};
use crate::modem::diag::bits::Bytes;
use crate::modem::diag::outcome::Misfit;

/// The number of bytes of a block's fields before its header; the last byte is the length of the
/// header.
const FIELDS: usize = 12;

/// The blocks of a message.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Blocks<B> {
    /// The version of the subpacket.
    pub version: u8,
    /// The blocks.
    pub blocks: Vec<B>,
}

/// The layout of the blocks of one direction.
pub(super) struct Kind<B> {
    /// The identity of the subpacket with the blocks.
    pub(super) subpacket: u8,
    /// The versions of the subpacket, and the number of identities with which a block begins: none,
    /// that of the cell, or those of the stack and the cell.
    pub(super) versions: &'static [(u8, usize)],
    /// Reads a block from its carrier (if the version contains it), its fields and its header.
    pub(super) block: fn(Option<u8>, Bytes<'_>, Bytes<'_>) -> Result<B, Misfit>,
}

impl<B> Kind<B> {
    /// Reads a message.
    pub(super) fn parse(&self, payload: &[u8]) -> Result<Blocks<B>, Misfit> {
        let mut message = Blocks { version: 0, blocks: Vec::new() };
        for subpacket in subpackets(Bytes(payload))? {
            let subpacket = subpacket?;
            if subpacket.id == self.subpacket {
                message.version = subpacket.version;
                self.blocks(subpacket.version, subpacket.data, &mut message.blocks)?;
            }
        }
        Ok(message)
    }

    fn blocks(&self, version: u8, data: Bytes<'_>, out: &mut Vec<B>) -> Result<(), Misfit> {
        let known = self.versions.iter().find(|(known, _)| *known == version);
        let Some(&(_, prefix)) = known else {
            return Err(Misfit::UnknownVersion(version.into()));
        };
        let mut at = 1;
        for _ in 0..data.u8(0)? {
            let carrier = (prefix > 0).then(|| data.u8(at + prefix - 1)).transpose()?;
            let fields = data.part(at + prefix, FIELDS)?;
            at += prefix + FIELDS;
            let header = data.part(at, fields.u8(FIELDS - 1)?.into())?;
            at += header.len();
            out.push((self.block)(carrier, fields, header)?);
        }
        Ok(())
    }
}

/// Whether header, elements and padding add up to the size of a block; `None` if the header does
/// not contain all lengths.
pub(super) fn adds_up(
    elements: &[Element],
    header_bytes: u8,
    padding_bytes: u16,
    bytes: u16,
) -> Option<bool> {
    let data = elements.iter().filter(|element| element.channel < FIRST_CONTROL);
    let lengths: Option<u32> = data.map(|element| element.length.map(u32::from)).sum();
    // Data without a length extend to the end of the block, and leave no padding.
    let Some(lengths) = lengths else { return (padding_bytes > 0).then_some(false) };
    let sum = lengths + u32::from(header_bytes) + u32::from(padding_bytes);
    (!elements.is_empty()).then_some(sum == u32::from(bytes))
}
