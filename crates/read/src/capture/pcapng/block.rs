//! Defines the kinds of blocks in pcapng, and reads the beginning of a block.

use crate::bytes::{Order, chunk};

pub(super) const SECTION_HEADER: u32 = 0x0a0d_0d0a;

pub(super) const INTERFACE_DESCRIPTION: u32 = 1;

pub(super) const OBSOLETE_PACKET: u32 = 2;

pub(super) const SIMPLE_PACKET: u32 = 3;

pub(super) const NAME_RESOLUTION: u32 = 4;

pub(super) const INTERFACE_STATISTICS: u32 = 5;

pub(super) const ENHANCED_PACKET: u32 = 6;

const BYTE_ORDER_MAGIC: u32 = 0x1a2b_3c4d;

/// The first two fields of a block: its type, and its length in bytes.
#[derive(Clone, Copy)]
pub(super) struct Block {
    pub(super) kind: u32,
    pub(super) bytes: usize,
}

impl Block {
    pub(super) const fn is_packet(self) -> bool {
        matches!(self.kind, OBSOLETE_PACKET | SIMPLE_PACKET | ENHANCED_PACKET)
    }
}

/// The byte order of the first section if a file with these first bytes is a pcapng file; `None`
/// otherwise.
pub(crate) fn section_order(first: &[u8]) -> Option<Order> {
    let magic = u32::from_be_bytes(*chunk::<4>(first, 0)?);
    let mark = *chunk::<4>(first, 8)?;
    match magic {
        SECTION_HEADER if u32::from_le_bytes(mark) == BYTE_ORDER_MAGIC => Some(Order::Little),
        SECTION_HEADER if u32::from_be_bytes(mark) == BYTE_ORDER_MAGIC => Some(Order::Big),
        _ => None,
    }
}
