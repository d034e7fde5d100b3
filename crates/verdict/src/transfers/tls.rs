//! Defines the state of TLS that transfers need; the caller follows the records of a flow.

/// What the payload of a segment contains.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum TlsPart {
    /// Only flights of the handshake, perhaps with tickets after them.
    Handshake,
    /// Application data, which is a request or an answer.
    Application {
        /// The offset of its first byte in the stream (of the record's header, if the segment
        /// contains the header). It lies between the segment's `start` and `end`.
        from: i64,
    },
    /// Session tickets, alerts, HTTP/2's SETTINGS, or records below `transfers.request_min_bytes`.
    /// No request and no answer begins with one of these.
    Minor,
    /// The flow does not use TLS, as far as is known.
    #[default]
    NotTls,
}

/// The progress of a flow's TLS handshake, including the newest segment.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct TlsProgress {
    /// What the newest payload contains.
    pub part: TlsPart,
    /// Whether the flow uses TLS.
    pub is_tls: bool,
    /// Whether a handshake has begun and is not complete. In TLS 1.3 the client's Finished
    /// completes it, in TLS 1.2 the Finished of both sides.
    pub is_open: bool,
}
