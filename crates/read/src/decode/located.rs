//! Where the innermost IP packet of a frame is.

use super::ip::Ip;
use super::remarks::Remarks;

/// Where the innermost IP packet of a frame is, reached by the general way.
pub(crate) struct Located {
    pub(super) ip: Ip,
    pub(super) teid: Option<u32>,
    pub(super) remarks: Remarks,
    /// The frame is so short that padding cannot be told from payload.
    pub(super) padded: bool,
    /// A layer that may be a tunnel's was fragmented: see [`carrier`].
    pub(crate) fragmented: bool,
    /// It lies in a datagram that was put together from fragments.
    pub(crate) joined: bool,
}

impl Located {
    /// As found in a datagram that was put together, with a tunnel around it.
    pub(crate) fn in_datagram(self, teid: Option<u32>) -> Self {
        Self { teid: self.teid.or(teid), joined: true, ..self }
    }
}
