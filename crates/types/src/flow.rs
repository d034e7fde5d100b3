//! Directions, sides, protocols and vantages: the small closed sets.

/// The direction in which a packet goes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Direction {
    /// Towards the UE.
    Downlink,
    /// The packet comes from the UE.
    Uplink,
}

impl Direction {
    /// The other way.
    pub const fn reverse(self) -> Self {
        match self {
            Self::Downlink => Self::Uplink,
            Self::Uplink => Self::Downlink,
        }
    }

    /// The word in the tables.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Downlink => "downlink",
            Self::Uplink => "uplink",
        }
    }

    /// Who sends in this direction.
    pub const fn sender(self) -> Side {
        match self {
            Self::Downlink => Side::Server,
            Self::Uplink => Side::Ue,
        }
    }
}

/// One of the two ends of a flow.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Side {
    /// The phone.
    Ue,
    /// What it talks to.
    Server,
}

impl Side {
    /// The word in the tables.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Ue => "ue",
            Self::Server => "server",
        }
    }
}

/// A pair of values, one per direction.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct PerDirection<T> {
    /// Towards the UE.
    pub downlink: T,
    /// The value of packets from the UE.
    pub uplink: T,
}

impl<T> PerDirection<T> {
    /// The value of one direction.
    #[inline]
    pub const fn of(&self, direction: Direction) -> &T {
        match direction {
            Direction::Downlink => &self.downlink,
            Direction::Uplink => &self.uplink,
        }
    }

    /// The value of one direction, to change it.
    #[inline]
    pub const fn of_mut(&mut self, direction: Direction) -> &mut T {
        match direction {
            Direction::Downlink => &mut self.downlink,
            Direction::Uplink => &mut self.uplink,
        }
    }
}

/// Transport protocol of a flow.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Protocol {
    /// RFC 9293.
    Tcp,
    /// RFC 768.
    Udp,
    /// RFC 792 and RFC 4443.
    Icmp,
    /// Anything else over IP.
    Other,
}

impl Protocol {
    /// Gives the protocol with an IP protocol number.
    pub const fn from_number(number: u8) -> Self {
        match number {
            6 => Self::Tcp,
            17 => Self::Udp,
            1 | 58 => Self::Icmp,
            _ => Self::Other,
        }
    }

    /// The word in the tables.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Tcp => "tcp",
            Self::Udp => "udp",
            Self::Icmp => "icmp",
            Self::Other => "other",
        }
    }
}

/// The place where the capture was taken.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Vantage {
    /// The capture was taken on the phone.
    Ue,
    /// The capture was taken between the radio access network and the gateway.
    Monitor,
    /// The capture was taken on the server.
    Server,
}

impl Vantage {
    /// The word in the tables.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Ue => "ue",
            Self::Monitor => "monitor",
            Self::Server => "server",
        }
    }
}
