//! Defines the truth about a run, which the link reports while it runs: one row per TTI and
//! direction, and the rare events.

use airmile_types::{Direction, Instant};

use crate::packet::TcpFields;
use crate::tables::Mcs;

/// A receiver of the truth.
pub trait Truth {
    /// Takes the phone's part of one TTI.
    fn row(&mut self, direction: Direction, row: &Row);
    /// Takes a rare event.
    fn event(&mut self, event: &Event);
    /// Takes a measurement of a cell by the phone, once a second.
    fn measured(&mut self, _measured: &Measured) {}
    /// Takes a handover: once when it begins, and once when it has ended.
    fn handover(&mut self, _moved: &Moved) {}
}

/// Drops the truth of a link.
impl Truth for () {
    fn row(&mut self, _direction: Direction, _row: &Row) {}
    fn event(&mut self, _event: &Event) {}
}

/// The state of the phone's queue in a TTI (BT19 section 2.1.1).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum State {
    /// No data waited when the TTI began.
    Underflow,
    /// The phone was served, and some data was left.
    Active,
    /// Data waited, and the phone was not served.
    Contention,
    /// The phone was served, and its queue is now empty.
    LastActive,
}

impl State {
    /// The name of the state in tables.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Underflow => "UNDERFLOW",
            Self::Active => "ACTIVE",
            Self::Contention => "CONTENTION",
            Self::LastActive => "LAST_ACTIVE",
        }
    }
}

/// The reason why a phone with waiting data could not be served, apart from other users.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Blocked {
    /// Nothing prevented the phone from being served.
    #[default]
    No = 0,
    /// The phone is in idle mode, or being promoted.
    Rrc = 1,
    /// The phone is between two cells.
    Handover = 2,
    /// For an uplink: the phone's request or grant is on the way.
    Grant = 3,
    /// For a downlink: the phone sleeps between two wake-ups.
    Asleep = 4,
    /// The phone listens to other cells in a measurement gap.
    Gap = 5,
}

/// One TTI of one direction.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Row {
    /// The number of the TTI since the start.
    pub tti: u64,
    /// The bytes in the queue when the TTI began: at the base station, or in the modem's firmware.
    pub queue_bytes: u64,
    /// For an uplink: the bytes in the kernel's queue before the firmware.
    pub qdisc_bytes: u64,
    /// The number of PRBs of the carrier.
    pub cell_prbs: u32,
    /// The bytes that the phone would have got with all PRBs.
    pub available_bytes: u32,
    /// The number of PRBs that the phone got for new data.
    pub prbs: u32,
    /// The number of PRBs that the phone got for HARQ retransmissions.
    pub repeated_prbs: u32,
    /// The size of the transport block, in bytes.
    pub tbs_bytes: u32,
    /// The bytes of packets in the transport block; the rest is padding.
    pub served_bytes: u32,
    /// The number of PRBs of other users.
    pub other_prbs: u32,
    /// The MCS, if the rate comes from a channel.
    pub mcs: Option<Mcs>,
    /// The number of spatial layers, if the rate comes from a channel.
    pub layers: Option<u8>,
    /// The signal to interference and noise ratio at the last report of the channel, in dB, if the
    /// rate comes from a channel.
    pub sinr_db: Option<f64>,
    /// The reason why the phone could not be served.
    pub blocked: Blocked,
}

impl Row {
    /// The state of the queue.
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

/// A measurement of a cell by the phone. Values that the settings of the link do not determine are
/// `None`.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Measured {
    /// The time of the measurement.
    pub at: Instant,
    /// The physical identity of the cell.
    pub cell: u16,
    /// Whether the cell serves the phone.
    pub serving: bool,
    /// The reference signal received power (RSRP), in dBm.
    pub rsrp_dbm: Option<f64>,
    /// The reference signal received quality (RSRQ), in dB.
    pub rsrq_db: Option<f64>,
    /// The signal to interference and noise ratio, in dB; only for the serving cell.
    pub sinr_db: Option<f64>,
    /// The reported channel quality (TS 36.213 table 7.2.3-1); only for the serving cell.
    pub cqi: Option<u8>,
}

/// A handover of a connected phone.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Moved {
    /// The time at which the radio stopped.
    pub start: Instant,
    /// The time at which the radio was back; `None` while the handover lasts.
    pub end: Option<Instant>,
    /// The physical identity of the cell before the handover.
    pub from: u16,
    /// The physical identity of the cell after the handover.
    pub to: u16,
}

/// A rare event.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Event {
    /// The time of the event.
    pub at: Instant,
    /// The kind of the event.
    pub kind: EventKind,
    /// The direction of the event, if it has one.
    pub direction: Option<Direction>,
    /// The header fields of the packet, if the event is about a TCP packet.
    pub tcp: Option<TcpFields>,
    /// A number that depends on the kind: the milliseconds of a promotion or an outage, or the
    /// bytes of a queue.
    pub value: f64,
}

/// The kinds of rare events.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum EventKind {
    /// A packet waits for the phone to leave idle mode, for `value` ms.
    Promotion,
    /// The phone entered idle mode.
    Idle,
    /// A packet was dropped because the experiment requests it.
    ForcedDrop,
    /// A packet found the queue full, with `value` bytes.
    DropTail,
    /// CoDel dropped a packet that had waited for `value` ms.
    CodelDrop,
    /// CoDel marked a packet that had waited for `value` ms (RFC 3168).
    Marked,
    /// The policer of the access dropped a packet.
    Policed,
    /// A packet was lost over the air for good.
    AirLoss,
    /// A packet was lost on the wired path.
    PathLoss,
    /// A packet found the wired bottleneck's buffer full.
    PathDrop,
    /// The policer of the wired path dropped a packet.
    PathPoliced,
    /// The radio stops for `value` ms.
    HandoverStart,
    /// The radio is back.
    HandoverEnd,
    /// `value` bytes that waited at the old cell were lost.
    HandoverLoss,
}

impl EventKind {
    /// The name of the kind in tables.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Promotion => "rrc_promotion",
            Self::Idle => "rrc_idle",
            Self::ForcedDrop => "forced_drop",
            Self::DropTail => "drop_tail",
            Self::CodelDrop => "codel_drop",
            Self::Marked => "ce_mark",
            Self::Policed => "policed",
            Self::AirLoss => "air_loss",
            Self::PathLoss => "wired_loss",
            Self::PathDrop => "wired_drop_tail",
            Self::PathPoliced => "wired_policed",
            Self::HandoverStart => "handover_start",
            Self::HandoverEnd => "handover_end",
            Self::HandoverLoss => "handover_loss",
        }
    }
}
