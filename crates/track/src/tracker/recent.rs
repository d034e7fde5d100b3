//! The flows that are busy: where the flow of a packet is, without a hash of its whole key.

use airmile_read::{Packet, TcpHeader};
use airmile_types::{Address, Direction, Protocol};

use crate::facts::FlowFacts;

/// Flows at hand, each in both directions.
const PLACES: usize = 1024;

/// Slots by a few bits of addresses and ports; whoever asks looks whether the flow there is the one.
#[derive(Debug)]
pub(super) struct Recent(Box<[u32; PLACES]>);

/// The two ends of a TCP packet, as its headers give them.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Ends {
    source: (Address, u16),
    destination: (Address, u16),
}

/// The flow of a packet, found again.
#[derive(Clone, Copy, Debug)]
pub(super) struct Found {
    pub(super) slot: u32,
    pub(super) direction: Direction,
    /// All its packets outside of tunnels are routed as its first.
    pub(super) is_routed: bool,
}

impl Recent {
    pub(super) fn new() -> Self {
        Self(Box::new([u32::MAX; PLACES]))
    }

    /// The slot where the flow of these ends was last; another flow may be in it now.
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

    /// The direction in which a packet with these ends goes in this flow; `None` in one of other
    /// ends or not of TCP. In a loop, whose ends are the same, every packet is of the lower end,
    /// which is the phone.
    #[inline]
    pub(super) fn direction(&self, flow: &FlowFacts) -> Option<Direction> {
        let (ue, server) = ((flow.ue, flow.ue_port), (flow.server, flow.server_port));
        if flow.protocol != Protocol::Tcp {
            None
        } else if self.source == ue && self.destination == server {
            Some(Direction::Uplink)
        } else if self.source == server && self.destination == ue {
            Some(Direction::Downlink)
        } else {
            None
        }
    }
}
