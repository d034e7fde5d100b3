//! Where the innermost IP packet of a frame is.

use super::ip::Ip;
use super::remarks::Remarks;

/// The place of a frame's innermost IP packet, as the general decoder finds it.
pub(crate) struct Located {
    pub(super) ip: Ip,
    pub(super) teid: Option<u32>,
    pub(super) remarks: Remarks,
    /// The frame is so short that padding cannot be distinguished from payload.
    pub(super) padded: bool,
    /// A layer that may belong to a tunnel was fragmented: see [`carrier`].
    pub(crate) fragmented: bool,
    /// It lies in a datagram that was put together from fragments.
    pub(crate) joined: bool,
}

impl Located {
    /// The same packet, marked as found in a datagram that was put together, within the tunnel
    /// `teid`.
    pub(crate) fn in_datagram(self, teid: Option<u32>) -> Self {
        Self { teid: self.teid.or(teid), joined: true, ..self }
    }
}
