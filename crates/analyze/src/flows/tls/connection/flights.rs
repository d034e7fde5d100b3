//! Recognises the flights of the handshake among the records, and where the flights of each side
//! end.

use airmile_types::{Direction, Parameters, PerDirection};

use super::super::greeting::Guess;
use super::super::hello::{CLIENT_HELLO, Version};
use super::super::records::{Content, Record};
use super::super::found::Kind;
use super::{Connection, by_length};

/// The greatest length of an encrypted Finished of TLS 1.2: by RFC 5246 section 7.4.9 and the
/// ciphers in use it takes 32 (ChaCha20) to 80 bytes (CBC with HMAC-SHA-384). Every ClientHello
/// takes more than 128.
const FINISHED_12_MOST: u16 = 128;
/// The length of the server's Finished in a resumed handshake of TLS 1.3, perhaps in one record
/// with EncryptedExtensions. A certificate makes the record longer (RFC 8446 section 4.4.4).
const FINISHED_RESUMED_13: std::ops::RangeInclusive<u16> = 53..=150;

impl Connection {
    /// The kind of a record; also updates what is known about the handshake.
    pub(super) fn kind(&mut self, way: Direction, record: Record, parameters: &Parameters) -> Kind {
        let client = way == self.client;
        if client {
            self.turns.header_seen();
        }
        match record.content {
            Content::Alert => Kind::Minor,
            Content::ChangeCipherSpec | Content::Handshake if *self.done.of(way) => Kind::Minor,
            Content::ChangeCipherSpec => {
                *self.change_cipher.of_mut(way) = true;
                Kind::Handshake
            }
            Content::Handshake => self.flight(way, record),
            Content::Application if client => self.client_application(record, parameters),
            Content::Application => self.server_application(record, parameters),
        }
    }

    /// Takes a handshake record in clear, or the Finished of TLS 1.2, which is the first record
    /// after its sender's ChangeCipherSpec.
    fn flight(&mut self, way: Direction, record: Record) -> Kind {
        let client = way == self.client;
        if client
            && self.server_spoke
            && record.first == Some(CLIENT_HELLO)
            && record.length > FINISHED_12_MOST
        {
            // This hello answers a HelloRetryRequest, before which either side may change ciphers.
            self.change_cipher = PerDirection::default();
            self.version = Some(Version::Tls13);
            return Kind::Handshake;
        }
        let encrypted = *self.change_cipher.of(way) && self.version != Some(Version::Tls13);
        if encrypted && record.length <= FINISHED_12_MOST {
            self.key_exchange |= self.version.is_none();
            *self.done.of_mut(way) = true;
            if client {
                self.finished_end = Some(record.end());
            }
        }
        self.key_exchange |= client && self.server_spoke;
        Kind::Handshake
    }

    fn client_application(&mut self, record: Record, parameters: &Parameters) -> Kind {
        if !*self.done.of(self.client) {
            if !self.server_spoke {
                self.early_data = true;
            } else if self.is_old() {
                // The header of the record with the Finished was not captured.
                *self.done.of_mut(self.client) = true;
                self.finished = self.last_flight.filter(|_| !self.records.of(self.client).hole);
            } else if self.is_flight_13(record, parameters) {
                return Kind::Handshake;
            }
        }
        let kind = by_length(record.bytes(), parameters);
        self.greeting.on_client(kind);
        kind
    }

    /// Whether an encrypted record of the client after the server's flight still belongs to the
    /// handshake (RFC 8446 section 4.4): perhaps EndOfEarlyData or a certificate, then the
    /// Finished.
    fn is_flight_13(&mut self, record: Record, parameters: &Parameters) -> bool {
        let length = f64::from(record.length);
        let finished =
            (parameters.finished_min_bytes..=parameters.finished_max_bytes).contains(&length);
        if finished {
            *self.done.of_mut(self.client) = true;
            self.finished_end = Some(record.end());
        } else if length > parameters.finished_max_bytes && self.early_data {
            return false;
        } else if self.records.of(self.client).gap {
            *self.done.of_mut(self.client) = true;
            return false;
        } else {
            self.finished_within = Some(record.end());
        }
        true
    }

    fn server_application(&mut self, record: Record, parameters: &Parameters) -> Kind {
        let server = self.client.reverse();
        if self.is_old() || *self.done.of(self.client) {
            *self.done.of_mut(server) = true;
        } else if !*self.done.of(server) {
            let resumed = self.early_data && FINISHED_RESUMED_13.contains(&record.length);
            *self.done.of_mut(server) = resumed;
            return Kind::Handshake;
        }
        match by_length(record.bytes(), parameters) {
            Kind::Application => self.answer(record.bytes(), parameters),
            kind => kind,
        }
    }

    /// The kind of a record of the server that may begin an answer.
    pub(super) fn answer(&mut self, bytes: i64, parameters: &Parameters) -> Kind {
        match self.greeting.take(bytes, !self.hello.without_h2, self.is_old(), parameters) {
            Guess::Settings => Kind::Minor,
            Guess::Ticket => Kind::Ticket,
            Guess::Answer => Kind::Application,
        }
    }

    /// Whether the connection uses TLS 1.2 or older: by the version or, when the ServerHello was
    /// not captured, by the flights.
    pub(super) fn is_old(&self) -> bool {
        self.version.map_or(self.key_exchange, |version| version < Version::Tls13)
    }
}
