
// Tests may index: a panic is a failure of the test.
#![cfg_attr(not(test), warn(clippy::indexing_slicing, clippy::cast_possible_truncation))]
#![doc = include_str!("tls.md")]

mod by_size;
mod connection;
mod found;
mod greeting;
mod handshake;
mod hello;
mod http_host;
mod name;
mod opening;
mod records;
#[cfg(test)]
mod tests;

use std::borrow::Cow;
use std::sync::Arc;

use airmile_track::{Analysis, Events, FlowFacts, NoEvents, Scope, Segment};
use airmile_types::{Direction, Duration, Parameters, columns};
use airmile_verdict::TlsProgress;

use connection::Connection;
use hello::ClientHello;
use handshake::TlsHandshake;
use name::Name;

columns! {
    /// The TLS handshake of a flow, and the server's name.
    #[derive(Default)]
    pub struct TlsRow {
        /// Time from the first byte of the ClientHello to the last byte of the client's Finished,
        /// both as they pass the capture point. In a full handshake of TLS 1.2, the server's
        /// Finished follows one round trip later. Null without TLS, or when one of the two was not
        /// captured as a record.
        #[unit("ms")] #[cite("T1, RFC 8446 section 4.4.4")] pub tls_handshake_ms: Option<f64>,
        /// Version that the ServerHello chooses: 1.3, 1.2, 1.1, 1.0 or ssl3; null without TLS, or
        /// when the ServerHello was not captured.
        #[unit("")] #[cite("RFC 8446 section 4.2.1")] pub tls_version: Option<&'static str>,
        /// Application protocol that the ServerHello chooses (ALPN), such as h2; null in TLS 1.3,
        /// which encrypts it, without ALPN, and when the ServerHello was not captured.
        #[unit("")] #[cite("F1, RFC 7301 section 3.2")] pub alpn: Option<String>,
        /// Application protocols that the ClientHello offers, in its order, joined by commas; null
        /// without ALPN, and when they were not captured.
        #[unit("")] #[cite("F1, RFC 7301 section 3.1")] pub alpn_offered: Option<String>,
        /// Name of the server, in lower case: the name in the ClientHello, else the one in the
        /// first cleartext HTTP request, else the one in the phone's newest DNS answer with the
        /// server's address; null when none of them has a name.
        #[unit("")] #[cite("RFC 6066 section 3, RFC 9110 section 7.2, RFC 1035")] pub server_name: Option<String>,
    }
}

/// Follows the handshake of a flow and remembers the name of the server.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct Tls {
    handshake: TlsHandshake,
    /// The name from HTTP or DNS.
    name: Name,
}

airmile_types::held!(Tls { handshake, name });

impl Analysis for Tls {
    const NAME: &'static str = "tls";
    const PAGE: &'static str = include_str!("tls.md");
    const SCOPE: Scope = Scope::Flow;
    const WANTS: Events = Events::PAYLOAD;
    type Row = TlsRow;
    type Event = NoEvents;

    #[inline(always)]
    fn on_segment(
        &mut self,
        segment: &Segment<'_>,
        parameters: &Parameters,
        _: &mut Vec<NoEvents>,
    ) {
        self.handshake.take(segment, parameters);
        if !self.name.is_known()
            && segment.payload_bytes > 0
            && segment.direction == handshake::client(segment.flow)
        {
            self.name.take(segment);
        }
    }

    fn row(&self, _: &FlowFacts, _: Direction, _: &Parameters) -> TlsRow {
        let connection = self.handshake.connection();
        let whole = connection.and_then(Connection::length);
        let hello = connection.map(Connection::hello);
        TlsRow {
            tls_handshake_ms: whole.map(Duration::as_millis_f64),
            tls_version: connection.and_then(Connection::version),
            alpn: connection.and_then(Connection::protocol).map(str::to_owned),
            alpn_offered: hello.as_ref().and_then(|hello| hello.protocols.as_deref()).map(str::to_owned),
            server_name: self.server_name(hello.as_deref()),
        }
    }
}

impl Tls {
    /// The progress of the handshake, including the newest segment.
    pub(crate) const fn progress(&self) -> &TlsProgress {
        self.handshake.progress()
    }

    /// Takes the name for which DNS gave the phone the server's address; called before the flow's
    /// payload.
    pub(crate) fn note_name(&mut self, name: Option<Arc<str>>) {
        self.name.note(name);
    }

    /// The name in the ClientHello, else the name in a request, else the name from DNS.
    fn server_name(&self, hello: Option<&ClientHello>) -> Option<String> {
        let hello = hello.and_then(|hello| hello.server_name.as_deref());
        hello.map(str::to_owned).or_else(|| self.name.get().map(Cow::into_owned))
    }
}
