//! Collects the kinds of the records in a segment.

use airmile_verdict::TlsPart;

/// The role of a record in a transfer.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) enum Kind {
    #[default]
    Handshake,
    Application,
    Minor,
    /// A session ticket, recognised only by its place and size.
    Ticket,
}

/// The kinds of TLS records that a segment contains.
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

    /// The role of the segment as a whole.
    pub(super) fn part(self) -> TlsPart {
        match self.application {
            Some(from) => TlsPart::Application { from },
            None if self.handshake => TlsPart::Handshake,
            None => TlsPart::Minor,
        }
    }
}
