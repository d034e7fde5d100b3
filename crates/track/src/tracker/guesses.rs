//! Counts by what the phone of a flow was guessed (methods A2).

/// What a guess at the phone of a flow rests on.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Guess {
    ClientPort,
    Received,
    PhoneBefore,
    FirstPacket,
    HigherPort,
}

/// The numbers of flows whose phone was guessed.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Guesses {
    /// The phone is the end with a port that systems give to clients.
    pub client_port: u64,
    /// The phone is the end that received more in such flows before.
    pub received: u64,
    /// The phone is the end that is the phone of another connection.
    pub phone_before: u64,
    /// The phone is the receiver of a first packet that is full, or the sender of one that only
    /// acknowledges.
    pub first_packet: u64,
    /// The phone is the end with the higher port, or the first sender if both ports are equal.
    pub higher_port: u64,
}

impl Guesses {
    /// The number of all these flows.
    pub const fn all(&self) -> u64 {
        self.client_port + self.received + self.phone_before + self.first_packet + self.higher_port
    }

    pub(super) const fn add(&mut self, guess: Guess) {
        let number = match guess {
            Guess::ClientPort => &mut self.client_port,
            Guess::Received => &mut self.received,
            Guess::PhoneBefore => &mut self.phone_before,
            Guess::FirstPacket => &mut self.first_packet,
            Guess::HigherPort => &mut self.higher_port,
        };
        *number += 1;
    }
}
