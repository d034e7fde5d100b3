//! Defines the position of the innermost IP packet of a frame, which the decoders pass to each
//! other.

use super::ip::Ip;
use super::remarks::Remarks;
use crate::packet::Fragment;

/// The position of a frame's innermost IP packet, as the general decoder finds it.
pub(crate) struct Located {
    pub(super) ip: Ip,
    pub(super) teid: Option<u32>,
    pub(super) remarks: Remarks,
    /// Whether the frame is so short that padding cannot be distinguished from payload.
    pub(super) padded: bool,
    /// Whether a layer was fragmented that TCP or a tunnel may have; see [`carrier`].
    pub(crate) fragmented: bool,
    /// Whether the packet lies in a datagram that was joined from fragments.
    pub(crate) joined: bool,
}

impl Located {
    /// Returns the packet, marked as one that lies in a joined datagram in the tunnel `teid`, with
    /// what was noticed about the tunnel of the fragment `part`.
    pub(crate) fn in_datagram(mut self, teid: Option<u32>, part: &Self) -> Self {
        self.remarks.add(Remarks::TUNNEL, part.remarks.count(Remarks::TUNNEL) == 1);
        Self { teid: self.teid.or(teid), joined: true, ..self }
    }

    /// Returns the packet, marked as a TCP segment that came in fragments.
    pub(crate) fn of_segment(mut self) -> Self {
        self.ip.fragment = Fragment::Joined;
        self
    }
}
