//! What a capture tells of a phone's packets: small facts, one for each packet.

use airmile_types::{Duration, Instant, PerDirection, Vantage};

/// A packet of the phone at the tap.
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
    /// Behind the radio: when it would have passed at the latest, had it waited nowhere, by its
    /// sender's clock; `None` when that is not known.
    pub unqueued: Option<Instant>,
    /// When its acknowledgement passed: its bytes had arrived by then.
    pub acknowledged: Option<Instant>,
    /// Its flow began when nothing was on its way.
    pub from_idle: bool,
    /// Nobody acknowledges it: a datagram, or an ACK without data.
    pub silent: bool,
}

impl Passed {
    /// A packet whose fate is not known yet.
    pub const fn new(time: Instant, ip_bytes: u32, new_bytes: u32, silent: bool) -> Self {
        let (unqueued, acknowledged) = (None, None);
        let (lost, from_idle) = (false, false);
        Self { time, ip_bytes, new_bytes, lost, unqueued, acknowledged, from_idle, silent }
    }
}

/// All that passed to and from one phone.
#[derive(Clone, Debug, PartialEq)]
pub struct PhoneCapture {
    /// Where the tap is.
    pub vantage: Vantage,
    /// Length of a tick of the senders' timestamps.
    pub tick: Duration,
    /// Packets to the phone, in order of time.
    pub passed: Vec<Passed>,
    /// Packets from the phone, in order of time.
    pub sent: Vec<Passed>,
    /// Bytes of payload that were in flight when their flow was first seen, and had passed before.
    pub unseen_bytes: PerDirection<u64>,
    /// When nothing was on its way between the tap and the phone's acknowledgement; not used on
    /// the phone, where what is on its way is not seen.
    pub nothing_in_flight: Vec<(Instant, Instant)>,
}

impl PhoneCapture {
    /// No packet yet.
    pub const fn new(vantage: Vantage) -> Self {
        Self {
            vantage,
            tick: Duration::from_millis(1),
            passed: Vec::new(),
            sent: Vec::new(),
            unseen_bytes: PerDirection { downlink: 0, uplink: 0 },
            nothing_in_flight: Vec::new(),
        }
    }

    /// Where the tap stands is known when all handshakes have been seen. What passes it has been
    /// over the radio in one direction, and in that alone the sender's clock tells since when.
    pub(crate) fn stand_at(&mut self, vantage: Vantage) {
        self.vantage = vantage;
        let (before, behind) = match vantage {
            Vantage::Ue => (&mut self.sent, &mut self.passed),
            Vantage::Monitor | Vantage::Server => (&mut self.passed, &mut self.sent),
        };
        before.iter_mut().for_each(|packet| packet.unqueued = None);
        behind.iter_mut().for_each(|packet| packet.acknowledged = Some(packet.time));
    }
}
