//! Defines the kinds of boundary that begin a transfer, and the kinds of payload (methods T1).

/// What began a transfer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Boundary {
    /// An HTTP/1.x request line in clear.
    Http,
    /// An uplink packet with payload while all downlink data was acknowledged.
    Request,
    /// Payload after a silence.
    Push,
    /// The flow itself, when the capture begins in the middle of a transfer.
    Flow,
}

impl Boundary {
    pub(crate) const fn as_str(self) -> &'static str {
        match self {
            Self::Http => "http",
            Self::Request => "request",
            Self::Push => "push",
            Self::Flow => "flow",
        }
    }
}

/// What a packet's payload means to a transfer (methods T1).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Content {
    /// The flights of a TLS handshake, which are neither a request nor an answer.
    Handshake,
    /// Tickets, alerts, SETTINGS and short records. No request or answer begins with one of them,
    /// unless nothing else comes and this record may have been the answer.
    Minor,
    /// All other payload, and packets without payload.
    Data,
}
