//! Defines one record of a capture file, the same for every format.

use airmile_types::Instant;

use crate::bytes::part;
use crate::capture::window::Window;
use crate::decode::Frame;
use crate::decode::device::Access;
use crate::link_type::LinkType;

/// The largest snap length that libpcap writes or reads (pcap-int.h, MAXIMUM_SNAPLEN).
pub(crate) const LARGEST_CAPTURED: u32 = 262_144;
/// The greatest plausible length of a frame on the wire: twice the largest frame that offload
/// passes to a capture (Linux, GSO_MAX_SIZE 512 KiB).
pub(crate) const LARGEST_PLAUSIBLE_WIRE: u32 = 1 << 20;
/// If the clock steps by more than this between two records, the clock was set, or the bytes are
/// not a record.
pub(crate) const DAY_NS: u64 = 86_400_000_000_000;

/// The position of a frame in the window, and the other fields of its record.
#[derive(Clone, Copy)]
pub(crate) struct Record {
    pub(crate) time: Instant,
    /// The offset of the frame from the current position of the window.
    pub(crate) start: usize,
    pub(crate) captured: usize,
    pub(crate) wire: usize,
    /// The length of the whole record.
    pub(crate) bytes: usize,
    pub(crate) interface: u32,
    /// The link type; `None` if the link type of the interface is not read.
    pub(crate) link: Option<LinkType>,
    pub(crate) link_number: u32,
    /// The network that the interface's name shows.
    pub(crate) access: Access,
}

impl Record {
    /// The frame; `None` if its link type is not read.
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
