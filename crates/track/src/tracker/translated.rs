//! Finds connections that a phone records twice because it translates them (464XLAT, RFC 6877).
//!
//! In an IPv6-only network, IPv4 applications get an address that only the phone uses (RFC 7335),
//! and the phone translates their packets into IPv6. A capture of all the phone's interfaces then
//! contains each packet in both forms. The form that was seen first is kept. The other form is left
//! out, because it would count every byte twice (methods A10). The two forms have different
//! subscribers, so this is found before the work is divided by subscriber.

use airmile_read::{Packet, TcpHeader, Timestamps};
use airmile_types::{Duration, Instant};

use super::generations::Generations;
use super::key::FlowKey;

/// The two records of a packet are at most this far apart (methods A10).
const TOGETHER: Duration = Duration::from_millis(5);
/// The number of SYNs remembered: more than a phone sends within `TOGETHER`.
const RECENT: usize = 16;

/// The connections that the phone records twice because it translates their packets.
#[derive(Debug, Default)]
pub(super) struct Translated {
    recent: [Option<Syn>; RECENT],
    next: usize,
    /// The second copies of connections, which are left out.
    copies: Generations<FlowKey, ()>,
    packets: u64,
}

/// The fields of a SYN that both forms have in common.
#[derive(Clone, Copy, Debug)]
struct Syn {
    time: Instant,
    ip_version: u8,
    ports: (u16, u16),
    numbers: (u32, u32),
    timestamps: Option<Timestamps>,
}

impl Translated {
    /// Whether no connection is left out.
    #[inline]
    pub(super) fn is_empty(&self) -> bool {
        self.copies.is_empty()
    }

    /// The bytes of what is remembered.
    pub(super) fn held_bytes(&self) -> usize {
        self.copies.held_bytes()
    }

    /// Whether this TCP packet is left out.
    pub(super) fn leaves_out(&mut self, packet: &Packet<'_>) -> bool {
        if self.is_empty() {
            return false;
        }
        let copy = self.copies.get(&FlowKey::of(packet)).is_some();
        self.packets += u64::from(copy);
        copy
    }

    /// Notes a SYN, and finds out whether it is another form of an earlier SYN.
    pub(super) fn note(&mut self, packet: &Packet<'_>, tcp: &TcpHeader) {
        let syn = Syn {
            time: packet.time,
            ip_version: packet.ip_version,
            ports: (tcp.source_port, tcp.destination_port),
            numbers: (tcp.sequence, tcp.acknowledgement),
            timestamps: tcp.options.timestamps,
        };
        let key = FlowKey::of(packet);
        if self.copies.has(&key) {
            return;
        }
        if self.recent.iter().flatten().any(|other| other.is_twin(&syn)) {
            self.copies.insert(key, ());
        } else if let Some(slot) = self.recent.get_mut(self.next % RECENT) {
            *slot = Some(syn);
            self.next = self.next.wrapping_add(1);
        }
    }

    /// The number of packets left out so far.
    pub(super) const fn packets(&self) -> u64 {
        self.packets
    }
}

impl Syn {
    fn is_twin(&self, other: &Self) -> bool {
        self.ip_version != other.ip_version
            && self.ports == other.ports
            && self.numbers == other.numbers
            && self.timestamps == other.timestamps
            && (other.time - self.time).abs() <= TOGETHER
    }
}
