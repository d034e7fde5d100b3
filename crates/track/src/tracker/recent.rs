//! Caches busy flows, so that the flow of a packet is found without a hash of the whole key.

use airmile_read::{Packet, TcpHeader};
use airmile_types::{Address, Direction, Protocol};

use crate::facts::FlowFacts;

/// The number of entries. A flow has one for each direction.
const PLACES: usize = 1024;

/// Slots indexed by a few bits of addresses and ports. The caller must check that the flow in the
/// slot is the right one.
#[derive(Debug)]
pub(super) struct Recent(Box<[u32; PLACES]>);

/// The two ends of a TCP packet, as its headers contain them.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Ends {
    source: (Address, u16),
    destination: (Address, u16),
}

/// The flow of a packet, as the cache found it.
#[derive(Clone, Copy, Debug)]
pub(super) struct Found {
    pub(super) slot: u32,
    pub(super) direction: Direction,
    /// Whether all packets of the flow outside tunnels have the same route as the first one.
    pub(super) is_routed: bool,
}

impl Recent {
    pub(super) fn new() -> Self {
        Self(Box::new([u32::MAX; PLACES]))
    }

    /// The slot in which the flow with these ends was last; another flow may be in it now.
    #[inline]
    #[expect(clippy::indexing_slicing, reason = "a remainder of the list's length")]
    pub(super) fn slot(&self, ends: &Ends) -> u32 {
        self.0[ends.place()]
    }

    pub(super) fn forget(&mut self) {
        self.0.fill(u32::MAX);
    }

    #[expect(clippy::indexing_slicing, reason = "a remainder of the list's length")]
    pub(super) fn remember(&mut self, ends: &Ends, slot: u32) {
        self.0[ends.place()] = slot;
    }
}

impl Ends {
    #[inline]
    pub(super) const fn of(packet: &Packet<'_>, tcp: &TcpHeader) -> Self {
        Self {
            source: (packet.source, tcp.source_port),
            destination: (packet.destination, tcp.destination_port),
        }
    }

    #[inline]
    #[expect(clippy::cast_possible_truncation, reason = "a hash")]
    fn place(&self) -> usize {
        let source = self.source.0.bits() as u32 ^ u32::from(self.source.1) << 16;
        let destination = self.destination.0.bits() as u32 ^ u32::from(self.destination.1);
        let mixed =
            (u64::from(source) << 32 | u64::from(destination)).wrapping_mul(0x9e37_79b9_7f4a_7c15);
        (mixed >> 48) as usize % PLACES
    }

    /// The direction of a packet with these ends in the given flow; `None` if the flow has other
    /// ends or is not TCP. If both ends are equal, every packet counts as sent by the lower end,
    /// which is the phone.
    #[inline]
    pub(super) fn direction(&self, flow: &FlowFacts) -> Option<Direction> {
        let (ue, server) = ((flow.ue, flow.ue_port), (flow.server, flow.server_port));
        if flow.protocol != Protocol::Tcp {
            None
        } else if self.joins(ue, server) {
            Some(Direction::Uplink)
        } else if self.joins(server, ue) {
            Some(Direction::Downlink)
        } else {
            None
        }
    }

    /// Whether these are the ends of a packet from one host to the other. The ports are compared
    /// first: they alone mostly differ between the two directions.
    #[inline]
    fn joins(&self, from: (Address, u16), to: (Address, u16)) -> bool {
        self.source.1 == from.1
            && self.destination.1 == to.1
            && self.source.0 == from.0
            && self.destination.0 == to.0
    }
}
