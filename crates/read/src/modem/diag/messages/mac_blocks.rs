//! What 0xB063 and 0xB064 have in common: subpackets of transport blocks, each with its fields and
//! its logged header.

use super::Misfit;
use super::common::subpackets;
use crate::modem::diag::bits::Bytes;

/// Bytes of a block's fields before its header; the last of them is the header's length.
const FIELDS: usize = 12;

/// The message.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Blocks<B> {
    /// Version of its subpacket.
    pub version: u8,
    /// The blocks.
    pub blocks: Vec<B>,
}

/// How the blocks of one direction are laid out.
pub(super) struct Kind<B> {
    /// Identity of the subpacket that holds them.
    pub(super) subpacket: u8,
    /// Versions of it: the blocks of the second begin with the identities of stack and cell.
    pub(super) versions: [u8; 2],
    /// Reads a block: its carrier where the version tells it, its fields, its header.
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
        let prefix = match self.versions.iter().position(|known| *known == version) {
            Some(0) => 0,
            Some(_) => 2,
            None => return Err(Misfit::UnknownVersion(version.into())),
        };
        let mut at = 1;
        for _ in 0..data.u8(0)? {
            let carrier = (prefix > 0).then(|| data.u8(at + 1)).transpose()?;
            let fields = data.part(at + prefix, FIELDS)?;
            at += prefix + FIELDS;
            let header = data.part(at, fields.u8(FIELDS - 1)?.into())?;
            at += header.len();
            out.push((self.block)(carrier, fields, header)?);
        }
        Ok(())
    }
}
