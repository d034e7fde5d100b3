//! One record of a capture file, whatever the format.

use airmile_types::Instant;

use crate::bytes::part;
use crate::capture::window::Window;
use crate::decode::Frame;
use crate::link_type::LinkType;

/// The largest snap length that libpcap writes or reads (pcap-int.h, MAXIMUM_SNAPLEN).
pub(crate) const LARGEST_CAPTURED: u32 = 262_144;
/// The largest frame that offload hands to a capture is half of this (Linux, GSO_MAX_SIZE 512 KiB).
pub(crate) const LARGEST_PLAUSIBLE_WIRE: u32 = 1 << 20;
/// A larger step of the clock between two records means that the clock was set, or that the bytes
/// are no record.
pub(crate) const DAY_NS: u64 = 86_400_000_000_000;

/// The place of a frame in the window, and what its record says.
#[derive(Clone, Copy)]
pub(crate) struct Record {
    pub(crate) time: Instant,
    /// Offset of the frame from the window's position.
    pub(crate) start: usize,
    pub(crate) captured: usize,
    pub(crate) wire: usize,
    /// Length of the whole record.
    pub(crate) bytes: usize,
    pub(crate) interface: u32,
    /// None when the interface's link type is refused.
    pub(crate) link: Option<LinkType>,
    pub(crate) link_number: u32,
}

impl Record {
    /// The frame, unless its link type is refused.
    #[inline]
    pub(crate) fn frame<'a>(&self, window: &'a Window) -> Option<Frame<'a>> {
        Some(Frame {
            link: self.link?,
            bytes: part(window.bytes(), self.start..self.start + self.captured),
            wire_bytes: self.wire,
            time: self.time,
            interface: self.interface,
        })
    }
}
