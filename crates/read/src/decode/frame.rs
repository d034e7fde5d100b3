//! Defines a frame that is not decoded yet, as the capture readers pass it to the decoders.

use airmile_types::Instant;

use crate::link_type::LinkType;

/// A frame as the capture file contains it.
#[derive(Clone, Copy, Debug)]
pub struct Frame<'a> {
    /// The link type, which determines how the frame begins.
    pub link: LinkType,
    /// The captured bytes.
    pub bytes: &'a [u8],
    /// The length of the frame on the wire in bytes, without frame check sequence.
    pub wire_bytes: usize,
    /// The time at which the frame was captured.
    pub time: Instant,
    /// The number of the interface that captured the frame.
    pub interface: u32,
}
