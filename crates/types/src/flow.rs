//! Defines directions, sides, protocols and capture points: the small closed sets of words.

/// The direction in which a packet goes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Direction {
    /// The packet goes towards the UE.
    Downlink,
    /// The packet comes from the UE.
    Uplink,
}

impl Direction {
    /// The opposite direction.
    pub const fn reverse(self) -> Self {
        match self {
            Self::Downlink => Self::Uplink,
            Self::Uplink => Self::Downlink,
        }
    }

    /// The word for the direction in the tables.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Downlink => "downlink",
            Self::Uplink => "uplink",
        }
    }

    /// The side that sends in this direction.
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
    /// The host that the phone communicates with.
    Server,
}

impl Side {
    /// The word for the side in the tables.
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
    /// The value for packets towards the UE.
    pub downlink: T,
    /// The value for packets from the UE.
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

    /// A mutable reference to the value of one direction.
    #[inline]
    pub const fn of_mut(&mut self, direction: Direction) -> &mut T {
        match direction {
            Direction::Downlink => &mut self.downlink,
            Direction::Uplink => &mut self.uplink,
        }
    }
}

/// The transport protocol of a flow.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Protocol {
    /// TCP (RFC 9293).
    Tcp,
    /// UDP (RFC 768).
    Udp,
    /// ICMP and ICMPv6 (RFC 792 and RFC 4443).
    Icmp,
    /// Any other protocol over IP, or one whose header is missing.
    Other,
}

impl Protocol {
    /// The protocol with this IP protocol number.
    pub const fn from_number(number: u8) -> Self {
        match number {
            6 => Self::Tcp,
            17 => Self::Udp,
            1 | 58 => Self::Icmp,
            _ => Self::Other,
        }
    }

    /// The word for the protocol in the tables.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Tcp => "tcp",
            Self::Udp => "udp",
            Self::Icmp => "icmp",
            Self::Other => "other",
        }
    }
}

/// The capture point: the place where the capture was taken.
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
    /// The word for the capture point in the tables.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Ue => "ue",
            Self::Monitor => "monitor",
            Self::Server => "server",
        }
    }
}
