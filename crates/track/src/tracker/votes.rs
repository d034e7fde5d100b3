//! Counts how many flows show each capture point.

use airmile_types::Vantage;

use crate::facts::VantageSource;

/// The number of flows that show each capture point (methods A11).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct VantageVotes {
    /// Flows in which the UE side answers within a millisecond.
    pub ue: u64,
    /// Flows in which neither side answers within a millisecond, and flows in tunnels.
    pub monitor: u64,
    /// Flows in which the server side answers within a millisecond.
    pub server: u64,
    /// The number of these votes that come from data and ACKs, because no handshake showed the
    /// capture point.
    pub by_acks: u64,
}

impl VantageVotes {
    pub(super) fn count(&mut self, vantage: Vantage, source: VantageSource) {
        match vantage {
            Vantage::Ue => self.ue += 1,
            Vantage::Monitor => self.monitor += 1,
            Vantage::Server => self.server += 1,
        }
        self.by_acks += u64::from(source == VantageSource::Acks);
    }

    /// The capture point that most flows show; `None` without votes, or if there is a tie.
    pub const fn winner(&self) -> Option<Vantage> {
        let Self { ue, monitor, server, .. } = *self;
        if ue > monitor && ue > server {
            Some(Vantage::Ue)
        } else if server > monitor && server > ue {
            Some(Vantage::Server)
        } else if monitor > ue && monitor > server {
            Some(Vantage::Monitor)
        } else {
            None
        }
    }
}

/// The number of flows that shows where a phone is captured (our choice).
const ENOUGH: u64 = 4;
/// At most one in this number of votes may differ (our choice).
const ONE_IN: u64 = 10;

impl VantageVotes {
    /// Whether nearly all of the flows show that they were captured at the phone.
    pub(super) const fn are_at_the_phone(&self) -> bool {
        let Self { ue, monitor, server, .. } = *self;
        ue >= ENOUGH && (monitor + server) * ONE_IN <= ue
    }
}

impl std::ops::Add for VantageVotes {
    type Output = Self;
    fn add(self, other: Self) -> Self {
        Self {
            ue: self.ue + other.ue,
            monitor: self.monitor + other.monitor,
            server: self.server + other.server,
            by_acks: self.by_acks + other.by_acks,
        }
    }
}

impl std::ops::Sub for VantageVotes {
    type Output = Self;
    fn sub(self, other: Self) -> Self {
        Self {
            ue: self.ue.saturating_sub(other.ue),
            monitor: self.monitor.saturating_sub(other.monitor),
            server: self.server.saturating_sub(other.server),
            by_acks: self.by_acks.saturating_sub(other.by_acks),
        }
    }
}
