//! What a capture tells of a phone's downlink packets: small facts, one for each packet.

use airmile_types::{Duration, Instant, Vantage};

/// A packet to the phone at the tap.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Passed {
    /// When it passed.
    pub time: Instant,
    /// Length of the IP packet.
    pub ip_bytes: u32,
    /// Bytes of payload that had not passed before, as transfers count them.
    pub new_bytes: u32,
    /// What became of it tells that it was lost behind the tap.
    pub lost: bool,
    /// On the phone: when it would have passed at the latest, had it waited nowhere, by its
    /// sender's clock; `None` when that is not known.
    pub unqueued: Option<Instant>,
}

/// All that passed to one phone.
#[derive(Clone, Debug, PartialEq)]
pub struct CaptureFacts {
    /// Where the tap is.
    pub vantage: Vantage,
    /// Length of a tick of the senders' timestamps.
    pub tick: Duration,
    /// Packets to the phone, in order of time.
    pub passed: Vec<Passed>,
    /// When nothing was on its way between the tap and the phone's acknowledgement; not used on
    /// the phone, where what is on its way is not seen.
    pub nothing_in_flight: Vec<(Instant, Instant)>,
}

impl CaptureFacts {
    /// No packet yet.
    pub const fn new(vantage: Vantage) -> Self {
        Self {
            vantage,
            tick: Duration::from_millis(1),
            passed: Vec::new(),
            nothing_in_flight: Vec::new(),
        }
    }
}
