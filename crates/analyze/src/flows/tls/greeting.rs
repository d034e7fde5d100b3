//! Recognises what a server sends without a request once the handshake is complete: session tickets
//! of TLS 1.3 and the SETTINGS of HTTP/2. Both are encrypted, so they are recognised by place and
//! size.

use airmile_types::Parameters;

use super::found::Kind;

/// The greatest number of tickets: servers send one or two, four at most (RFC 8446 section 4.6.1
/// sets no limit; these are the defaults of the libraries in use).
const TICKETS_MOST: u8 = 4;

/// The state of the server's first records after the handshake.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(super) struct Greeting {
    over: bool,
    requested: bool,
    settings: bool,
    tickets: u8,
    ticket_bytes: i64,
}

/// The kind of a record of the server, guessed from its place and size.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Guess {
    Settings,
    Ticket,
    Answer,
}

impl Greeting {
    /// Creates the state of a connection whose start was not captured.
    pub(super) fn over() -> Self {
        Self { over: true, ..Self::default() }
    }

    /// Takes a record of the client after its Finished. Servers send tickets as soon as the
    /// Finished arrives, so a record that follows a later request is not a ticket.
    pub(super) fn on_client(&mut self, kind: Kind) {
        if kind == Kind::Application {
            self.over |= self.tickets > 0;
            self.requested = true;
        }
    }

    /// The kind of a record of the server by its bytes, header included. The first frame of an
    /// HTTP/2 server is SETTINGS (RFC 9113 section 3.4), and an answer of HTTP/1.1 is longer.
    pub(super) fn take(
        &mut self,
        bytes: i64,
        h2: bool,
        old: bool,
        parameters: &Parameters,
    ) -> Guess {
        if self.over {
            return Guess::Answer;
        }
        let small = bytes as f64 <= parameters.settings_max_bytes;
        if small && h2 && !self.settings {
            self.settings = true;
            return Guess::Settings;
        }
        if !old && self.is_ticket(bytes, parameters) {
            self.tickets = self.tickets.saturating_add(1);
            self.ticket_bytes = bytes;
            return Guess::Ticket;
        }
        self.over = true;
        Guess::Answer
    }

    /// Whether a small record is a ticket. Before the first request, every small record is; after
    /// it, the first one is, and those of the same length that follow.
    fn is_ticket(&self, bytes: i64, parameters: &Parameters) -> bool {
        let small = bytes as f64 <= parameters.ticket_max_bytes;
        let alike = self.tickets == 0 || bytes == self.ticket_bytes && self.tickets < TICKETS_MOST;
        small && (!self.requested || alike)
    }
}
