//! What the records of a segment are.

use airmile_verdict::TlsPart;

/// What a record is to a transfer.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) enum Kind {
    #[default]
    Handshake,
    Application,
    Minor,
    /// A session ticket by its place and size alone.
    Ticket,
}

/// What a segment holds, in pieces.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Found {
    handshake: bool,
    ticket: bool,
    application: Option<i64>,
}

impl Found {
    /// Adds a piece that begins at an offset.
    pub(super) fn add(&mut self, kind: Kind, from: i64) {
        match kind {
            Kind::Handshake => self.handshake = true,
            Kind::Application => self.application = self.application.or(Some(from)),
            Kind::Ticket => self.ticket = true,
            Kind::Minor => {}
        }
    }

    /// What the whole of it is.
    pub(super) fn part(self) -> TlsPart {
        match self.application {
            Some(from) => TlsPart::Application { from },
            None if self.handshake => TlsPart::Handshake,
            None => TlsPart::Minor,
        }
    }
}
