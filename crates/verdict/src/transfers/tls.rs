//! What transfers need to know of TLS; who follows the records of a flow says it.

/// What the payload of a segment is.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum TlsPart {
    /// Flights of the handshake alone, perhaps with tickets behind them.
    Handshake,
    /// Application data: a request or an answer.
    Application {
        /// Offset of its first byte in the stream (of the record's header, where the segment has
        /// it), between the segment's `start` and `end`.
        from: i64,
    },
    /// Session tickets, alerts, HTTP/2's SETTINGS, and records below `transfers.request_min_bytes`: no
    /// request and no answer begins with them.
    Minor,
    /// The flow does not speak TLS, as far as is known.
    #[default]
    NotTls,
}

/// Where the TLS handshake of a flow is, the newest segment included.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct TlsProgress {
    /// What the payload of the newest segment with payload is.
    pub part: TlsPart,
    /// The flow speaks TLS.
    pub is_tls: bool,
    /// A handshake was seen to begin and is not over: in TLS 1.3 it is with the client's Finished,
    /// in TLS 1.2 with that of both sides.
    pub is_open: bool,
}
