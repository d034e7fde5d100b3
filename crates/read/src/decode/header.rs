//! Defines the result of reading a transport header, for the decoders of TCP, UDP and ICMP.

use crate::packet::Transport;

/// A transport header, and its length.
pub(super) struct Header {
    pub(super) transport: Transport,
    /// The length of the transport header, in bytes.
    pub(super) length: usize,
    pub(super) cut: bool,
    pub(super) malformed: bool,
}

/// The result if there is no known header, or if the snap length cut it.
pub(super) const fn none(cut: bool) -> Header {
    Header { transport: Transport::None, length: 0, cut, malformed: false }
}
