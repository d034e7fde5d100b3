//! What transfers need to know of TLS; the caller follows the records of a flow.

/// What the payload of a segment is.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum TlsPart {
    /// The flights are of the handshake only, perhaps with tickets after them.
    Handshake,
    /// Application data: a request or an answer.
    Application {
        /// The offset of its first byte in the stream (of the record's header, where the segment
        /// contains it), between the segment's `start` and `end`.
        from: i64,
    },
    /// Session tickets, alerts, HTTP/2's SETTINGS, and records below `transfers.request_min_bytes`:
    /// no request and no answer begins with them.
    Minor,
    /// The flow does not speak TLS, as far as is known.
    #[default]
    NotTls,
}

/// How far the TLS handshake of a flow has come, with the newest segment.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct TlsProgress {
    /// What the newest payload is.
    pub part: TlsPart,
    /// Whether the flow speaks TLS.
    pub is_tls: bool,
    /// Whether a handshake has begun and is not over. In TLS 1.3 it is over with the client's
    /// Finished, in TLS 1.2 with that of both sides.
    pub is_open: bool,
}
