//! A frame before it is decoded.

use airmile_types::Instant;

use crate::link_type::LinkType;

/// A frame as a capture file gives it.
#[derive(Clone, Copy, Debug)]
pub struct Frame<'a> {
    /// The link type, which says how the frame begins.
    pub link: LinkType,
    /// The captured bytes.
    pub bytes: &'a [u8],
    /// Its length on the wire, in bytes, without frame check sequence.
    pub wire_bytes: usize,
    /// The time at which it was captured.
    pub time: Instant,
    /// The interface it came from.
    pub interface: u32,
}
