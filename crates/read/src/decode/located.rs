//! Defines the position of the innermost IP packet of a frame, which the decoders pass to each
//! other.

use super::ip::Ip;
use super::remarks::Remarks;

/// The position of a frame's innermost IP packet, as the general decoder finds it.
pub(crate) struct Located {
    pub(super) ip: Ip,
    pub(super) teid: Option<u32>,
    pub(super) remarks: Remarks,
    /// Whether the frame is so short that padding cannot be distinguished from payload.
    pub(super) padded: bool,
    /// Whether a layer that may belong to a tunnel was fragmented; see [`carrier`].
    pub(crate) fragmented: bool,
    /// Whether the packet lies in a datagram that was joined from fragments.
    pub(crate) joined: bool,
}

impl Located {
    /// Returns the packet, marked as one that lies in a joined datagram in the tunnel `teid`.
    pub(crate) fn in_datagram(self, teid: Option<u32>) -> Self {
        Self { teid: self.teid.or(teid), joined: true, ..self }
    }
}
