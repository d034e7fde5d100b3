//! What a capture shows of the packets of a phone.

use airmile_types::{Duration, Instant, PerDirection, Vantage};

/// A packet of the phone at the capture point.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Passed {
    /// The time at which the packet passed.
    pub time: Instant,
    /// The length of the IP packet.
    pub ip_bytes: u32,
    /// The bytes of payload that had not passed before, as transfers count them.
    pub new_bytes: u32,
    /// Whether the later packets of the flow show that this one was lost after the capture point.
    pub lost: bool,
    /// At a capture point after the radio: the latest time at which the packet would have passed if
    /// it had waited nowhere, by the clock of its sender; `None` when that is not known.
    pub unqueued: Option<Instant>,
    /// The time at which the acknowledgement of the packet passed: its bytes had arrived by then.
    pub acknowledged: Option<Instant>,
    /// Whether the flow began when nothing else was in flight.
    pub from_idle: bool,
    /// Whether nobody acknowledges the packet: a datagram, or an ACK without data.
    pub silent: bool,
}

impl Passed {
    /// A packet of which it is not known yet whether it arrived.
    pub const fn new(time: Instant, ip_bytes: u32, new_bytes: u32, silent: bool) -> Self {
        let (unqueued, acknowledged) = (None, None);
        let (lost, from_idle) = (false, false);
        Self { time, ip_bytes, new_bytes, lost, unqueued, acknowledged, from_idle, silent }
    }
}

/// Everything that passed to and from one phone.
#[derive(Clone, Debug, PartialEq)]
pub struct PhoneCapture {
    /// The place of the capture point.
    pub vantage: Vantage,
    /// The length of a tick of the senders' timestamps.
    pub tick: Duration,
    /// Packets to the phone, in order of time.
    pub passed: Vec<Passed>,
    /// Packets from the phone, in order of time.
    pub sent: Vec<Passed>,
    /// The bytes of payload that were in flight when their flow was first seen, and had passed
    /// before.
    pub unseen_bytes: PerDirection<u64>,
    /// The times when nothing was in flight between the capture point and the phone's
    /// acknowledgement. It is not used at the phone, where packets in flight are not seen.
    pub nothing_in_flight: Vec<(Instant, Instant)>,
}

impl PhoneCapture {
    /// A capture without packets.
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

    /// Sets the capture point, which is known when all handshakes have been seen. What passes it
    /// has crossed the radio in one direction, and only in that direction the sender's clock shows
    /// since when a packet waited.
    pub(crate) fn set_vantage(&mut self, vantage: Vantage) {
        self.vantage = vantage;
        let (before, behind) = match vantage {
            Vantage::Ue => (&mut self.sent, &mut self.passed),
            Vantage::Monitor | Vantage::Server => (&mut self.passed, &mut self.sent),
        };
        before.iter_mut().for_each(|packet| packet.unqueued = None);
        behind.iter_mut().for_each(|packet| packet.acknowledged = Some(packet.time));
    }
}
