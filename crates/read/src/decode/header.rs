//! What the reader of a transport header gives.

use crate::packet::Transport;

/// A transport header and how far it reaches.
pub(super) struct Header {
    pub(super) transport: Transport,
    /// Bytes from the transport header's start to the payload.
    pub(super) length: usize,
    pub(super) cut: bool,
    pub(super) malformed: bool,
}

/// No header that is known, or (`cut`) not enough of it.
pub(super) const fn none(cut: bool) -> Header {
    Header { transport: Transport::None, length: 0, cut, malformed: false }
}
