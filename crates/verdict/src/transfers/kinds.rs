//! What begins a transfer, and what a packet's payload is to it (methods T1).

/// What began a transfer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Boundary {
    /// A request line of HTTP/1.x in clear.
    Http,
    /// An uplink packet with payload while everything was acknowledged.
    Request,
    /// Payload after a silence.
    Push,
    /// The flow itself, which the capture meets in mid-transfer.
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

/// What a packet's payload is to a transfer (methods T1).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Content {
    /// The flights of a TLS handshake, which are neither a request nor an answer.
    Handshake,
    /// Tickets, alerts, SETTINGS and short records. No request or answer begins with them, unless
    /// nothing else comes and this one may have been the answer.
    Minor,
    /// Everything else, and no payload at all.
    Data,
}
