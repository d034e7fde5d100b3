//! Recognises the flights of a handshake by their order and sizes, for captures without payload.

use airmile_types::Parameters;

/// The length of the shortest Finished of TLS 1.3 with its header.
const FINISHED_13_LEAST: i64 = 58;
/// The length of the longest Finished of TLS 1.3 with its header, after a ChangeCipherSpec record
/// of 6 bytes.
const FINISHED_13: i64 = 80;
/// The length of a ChangeCipherSpec record and the longest Finished of TLS 1.2.
const FINISHED_12: i64 = 6 + 5 + 80;

/// The current turn of the conversation: 0 the client's hello, 1 the server's flight, 2 the
/// client's second flight and everything after it, 3 the server's answers to that.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(super) struct Turns {
    turn: u8,
    bytes: u32,
    /// The number of bytes of the previous turn.
    before: u32,
    headers: bool,
}

/// What bytes without visible record headers are, guessed from their number.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct SizeGuess {
    /// The bytes end the handshake of their own direction.
    pub(super) own_done: bool,
    /// The bytes end the handshakes of both directions.
    pub(super) peer_done: bool,
    /// The bytes are too few or too many for what TLS 1.3 sends here.
    pub(super) old: bool,
    /// Application data begins after this number of bytes.
    pub(super) application: Option<i64>,
}

impl Turns {
    /// Takes new payload.
    pub(super) fn take(&mut self, client: bool, bytes: u32) {
        if client == self.turn.is_multiple_of(2) {
            self.bytes = self.bytes.saturating_add(bytes);
        } else {
            self.before = self.bytes;
            self.bytes = bytes;
            self.turn = if client { 2 } else { self.turn | 1 };
        }
    }

    /// Notes that a record header of the client was seen: the flow is TLS, whatever the sizes are.
    pub(super) const fn header_seen(&mut self) {
        self.headers = true;
    }

    /// Whether a record header of the client was seen.
    pub(super) const fn has_headers(&self) -> bool {
        self.headers
    }

    /// Whether the first flights do not fit a handshake, and no header was seen.
    pub(super) fn refuse(&self, parameters: &Parameters) -> bool {
        let (bytes, before) = (f64::from(self.bytes), f64::from(self.before));
        !self.headers
            && match self.turn {
                0 => bytes > parameters.client_hello_max_bytes,
                1 => before < parameters.client_hello_min_bytes,
                2 => before < parameters.server_flight_min_bytes,
                _ => false,
            }
    }

    /// Guesses what `bytes` are, of which `begins` begin a segment, while the flights of their
    /// direction are not complete. `answered` says whether the client's flights are complete.
    pub(super) fn guess(
        &self,
        client: bool,
        begins: bool,
        answered: bool,
        bytes: i64,
        parameters: &Parameters,
    ) -> SizeGuess {
        match (client, self.turn) {
            (true, 0) => SizeGuess::default(),
            (true, _) if !begins => SizeGuess {
                own_done: bytes <= FINISHED_12,
                old: bytes < FINISHED_13_LEAST,
                ..SizeGuess::default()
            },
            (true, _) => self.second_flight(bytes, parameters),
            (false, _) if !answered => SizeGuess::default(),
            (false, _) => {
                let flight = bytes as f64 <= parameters.second_server_flight_max_bytes;
                SizeGuess {
                    own_done: true,
                    application: (!flight).then_some(0),
                    ..SizeGuess::default()
                }
            }
        }
    }

    /// Judges the client's second flight. A Finished alone ends a handshake of TLS 1.3 or a resumed
    /// handshake. After a key exchange with a Finished, the server's Finished follows. More bytes
    /// contain a request after the Finished.
    fn second_flight(&self, bytes: i64, parameters: &Parameters) -> SizeGuess {
        let request = bytes as f64 > parameters.client_flight_max_bytes;
        SizeGuess {
            own_done: true,
            old: !request && !(FINISHED_13_LEAST..=FINISHED_13).contains(&bytes),
            peer_done: request || bytes <= FINISHED_13,
            application: request.then_some(FINISHED_13),
        }
    }
}
