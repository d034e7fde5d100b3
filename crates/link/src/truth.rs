//! What really happened: one row per TTI and direction, and the rare events.

use airmile_types::{Direction, Instant};

use crate::packet::TcpFields;

/// Takes the truth down.
pub trait Truth {
    /// The phone's part of one TTI.
    fn row(&mut self, direction: Direction, row: &Row);
    /// Something rare.
    fn event(&mut self, event: &Event);
}

/// Nobody asks.
impl Truth for () {
    fn row(&mut self, _direction: Direction, _row: &Row) {}
    fn event(&mut self, _event: &Event) {}
}

/// State of the phone's queue in a TTI (BT19 section 2.1.1).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum State {
    /// Nothing waited at its start.
    Underflow,
    /// It was served, and something was left.
    Active,
    /// Something waited, and it was not served.
    Contention,
    /// It was served, and emptied.
    LastActive,
}

impl State {
    /// Its name in tables.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Underflow => "UNDERFLOW",
            Self::Active => "ACTIVE",
            Self::Contention => "CONTENTION",
            Self::LastActive => "LAST_ACTIVE",
        }
    }
}

/// Why a phone that waits could not be served, besides the turns of others.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Blocked {
    /// It could.
    #[default]
    No = 0,
    /// The phone is in idle mode, or being promoted.
    Rrc = 1,
    /// The phone is between two cells.
    Handover = 2,
    /// Uplink: its request or grant is on the way.
    Grant = 3,
    /// Downlink: it sleeps between two wake-ups.
    Asleep = 4,
}

/// One TTI of one direction.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Row {
    /// Number of the TTI since the start.
    pub tti: u64,
    /// Bytes in the queue at its start: at the base station, or in the modem's firmware.
    pub queue_bytes: u64,
    /// Uplink: bytes in the kernel's queue in front of the firmware.
    pub qdisc_bytes: u64,
    /// PRBs of the carrier.
    pub cell_prbs: u32,
    /// Bytes that the phone would have got with all of them.
    pub available_bytes: u32,
    /// PRBs it got for new data.
    pub prbs: u32,
    /// PRBs it got for repetitions.
    pub repeated_prbs: u32,
    /// Bytes of the transport block.
    pub tbs_bytes: u32,
    /// Bytes of packets in it; the rest is padding.
    pub served_bytes: u32,
    /// PRBs of other users.
    pub other_prbs: u32,
    /// MCS index, where the rate comes from a channel.
    pub mcs: Option<u8>,
    /// Spatial layers, where the rate comes from a channel.
    pub layers: Option<u8>,
    /// See [`Blocked`].
    pub blocked: Blocked,
}

impl Row {
    /// State of the queue.
    pub const fn state(&self) -> State {
        let served = self.prbs > 0 && self.served_bytes > 0;
        if self.queue_bytes == 0 {
            State::Underflow
        } else if served && self.served_bytes as u64 >= self.queue_bytes {
            State::LastActive
        } else if served || self.repeated_prbs > 0 {
            State::Active
        } else {
            State::Contention
        }
    }
}

/// Something rare.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Event {
    /// The time of the event.
    pub at: Instant,
    /// What.
    pub kind: EventKind,
    /// The direction of the event, where it has one.
    pub direction: Option<Direction>,
    /// The header fields of its packet, where the event is about a packet and that is TCP.
    pub tcp: Option<TcpFields>,
    /// Milliseconds of a promotion or an outage, bytes of a queue.
    pub value: f64,
}

/// What may happen.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum EventKind {
    /// A packet waits for the phone to leave idle mode: for this number of ms.
    Promotion,
    /// The phone went to idle mode.
    Idle,
    /// A packet was dropped because the experiment requests that.
    ForcedDrop,
    /// A packet found the queue full of this number of bytes.
    DropTail,
    /// CoDel dropped a packet that had waited for this number of ms.
    CodelDrop,
    /// A packet was lost over the air for good.
    AirLoss,
    /// A packet was lost on the wired path.
    PathLoss,
    /// A packet found the wired bottleneck's buffer full.
    PathDrop,
    /// The radio stops for this number of ms.
    HandoverStart,
    /// The radio is back.
    HandoverEnd,
    /// This number of bytes that waited at the old cell were lost.
    HandoverLoss,
}

impl EventKind {
    /// Its name in tables.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Promotion => "rrc_promotion",
            Self::Idle => "rrc_idle",
            Self::ForcedDrop => "forced_drop",
            Self::DropTail => "drop_tail",
            Self::CodelDrop => "codel_drop",
            Self::AirLoss => "air_loss",
            Self::PathLoss => "wired_loss",
            Self::PathDrop => "wired_drop_tail",
            Self::HandoverStart => "handover_start",
            Self::HandoverEnd => "handover_end",
            Self::HandoverLoss => "handover_loss",
        }
    }
}
