//! Defines what a capture shows about the packets of a phone.

use airmile_types::{Duration, Instant, PerDirection, Vantage};

/// A packet of the phone at the capture point.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Passed {
    /// The time at which the packet passed.
    pub time: Instant,
    /// The length of the IP packet in bytes.
    pub ip_bytes: u32,
    /// The bytes of payload that pass for the first time, counted as for transfers.
    pub new_bytes: u32,
    /// Whether later packets of the flow show that this packet was lost after the capture point.
    pub lost: bool,
    /// At a capture point after the radio: the latest time at which the packet would have passed
    /// without any queue, by the clock of its sender; `None` if that is not known.
    pub unqueued: Option<Instant>,
    /// The time at which an acknowledgement of the packet passed, so that its bytes had arrived;
    /// `None` if none passed.
    pub acknowledged: Option<Instant>,
    /// Whether the flow began while nothing else was in flight.
    pub from_idle: bool,
    /// Whether the packet is never acknowledged, because it is a datagram or an ACK without data.
    pub silent: bool,
}

impl Passed {
    /// A packet that is not yet known to have arrived or to be lost.
    pub const fn new(time: Instant, ip_bytes: u32, new_bytes: u32, silent: bool) -> Self {
        let (unqueued, acknowledged) = (None, None);
        let (lost, from_idle) = (false, false);
        Self { time, ip_bytes, new_bytes, lost, unqueued, acknowledged, from_idle, silent }
    }
}

/// Everything that passed to and from one phone.
#[derive(Clone, Debug, PartialEq)]
pub struct PhoneCapture {
    /// The capture point.
    pub vantage: Vantage,
    /// The length of a tick of the senders' timestamps.
    pub tick: Duration,
    /// Packets to the phone, in order of time.
    pub passed: Vec<Passed>,
    /// Packets from the phone, in order of time.
    pub sent: Vec<Passed>,
    /// The bytes of payload that had passed before their flow was first seen, and were still in
    /// flight then.
    pub unseen_bytes: PerDirection<u64>,
    /// The spans in which nothing was in flight between the capture point and the phone's
    /// acknowledgement. A capture on the phone does not use them, because it does not see packets
    /// in flight.
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

    /// Sets the capture point, which is known once all handshakes have been seen. Packets of one
    /// direction have crossed the radio before they pass it. Only for that direction does the
    /// sender's clock show how long a packet waited.
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
