//! Defines the records that the readers of all formats make from a modem log.

use airmile_types::{Direction, Instant};

/// One piece of information from a modem log of any format.
#[derive(Clone, Debug, PartialEq)]
pub enum Record {
    /// A transport block.
    Tti(Tti),
    /// The bandwidth of a cell in PRBs.
    CellInfo(CellInfo),
    /// A measurement of a cell.
    Cell(CellMeasurement),
    /// A step of an RRC procedure that moves the phone between cells.
    Rrc(RrcEvent),
    /// Bytes that wait in the phone for the uplink.
    Buffer(BufferStatus),
}

/// The user of an allocation. It is the subscription of a phone that has several, and 0 for a phone
/// with one; in the log of a sniffer, which sees all users of a cell, it is the RNTI.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct User(pub u32);

/// The kind of the RNTI to which an allocation was addressed (TS 36.321 section 7.1).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Rnti {
    /// C-RNTI: data of one user.
    #[default]
    C,
    /// SPS-RNTI: data of one user under semi-persistent scheduling.
    Sps,
    /// Any other RNTI: paging, system information, random access, power control.
    Other,
}

/// The modulation of a transport block.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Modulation {
    /// QPSK: 2 bits per symbol.
    Qpsk,
    /// 16QAM: 4 bits per symbol.
    Qam16,
    /// 64QAM: 6 bits per symbol.
    Qam64,
    /// 256QAM: 8 bits per symbol.
    Qam256,
}

impl Modulation {
    /// The modulation with this number of bits per symbol.
    pub const fn of_order(bits: u8) -> Option<Self> {
        match bits {
            2 => Some(Self::Qpsk),
            4 => Some(Self::Qam16),
            6 => Some(Self::Qam64),
            8 => Some(Self::Qam256),
            _ => None,
        }
    }

    /// The word for the modulation in the tables.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Qpsk => "QPSK",
            Self::Qam16 => "16QAM",
            Self::Qam64 => "64QAM",
            Self::Qam256 => "256QAM",
        }
    }
}

/// A transport block of one user in one millisecond. A millisecond with two blocks (MIMO) or
/// several carriers has several of these.
#[derive(Clone, Debug, PartialEq)]
pub struct Tti {
    /// The time at which the block was on the air, by the modem's clock.
    pub time: Instant,
    /// The number of the millisecond. A reader gives what the log counts, which may wrap, begin
    /// again, or jump at a change of the cell (LTE: `SFN * 10 + subframe`); `airmile_radio::Order`
    /// makes it a number that goes on.
    pub tti: i64,
    /// The epoch of the log: a stretch in which the numbers of milliseconds go on. Readers give 0;
    /// `airmile_radio::Order` finds it.
    pub epoch: u32,
    /// The user of the block.
    pub user: User,
    /// The kind of the RNTI to which the block was addressed.
    pub rnti: Rnti,
    /// The direction of the block.
    pub direction: Direction,
    /// Physical cell identity.
    pub cell: Option<u16>,
    /// The number of the carrier: 0 for the primary carrier, then the secondary ones.
    pub carrier: u8,
    /// The number of PRBs that were allocated in this subframe. The second block of a subframe has
    /// the same PRBs as the first, and the same number here, so the two numbers must not be added.
    pub prbs: Option<u16>,
    /// The number of PRBs of the cell, if this record contains it.
    pub prb_total: Option<u16>,
    /// The size of the block without its CRC, in bytes.
    pub tbs_bytes: Option<u32>,
    /// The number of the block among those of its subframe and carrier: 0, or 1 (MIMO).
    pub block: u8,
    /// The index of the modulation and coding scheme.
    pub mcs: Option<u8>,
    /// Modulation.
    pub modulation: Option<Modulation>,
    /// The number of spatial layers.
    pub layers: Option<u8>,
    /// The number of the HARQ process.
    pub harq: Option<u8>,
    /// Whether the block is a HARQ retransmission.
    pub retransmission: Option<bool>,
    /// Whether the block was decoded.
    pub crc_ok: Option<bool>,
    /// The bytes of padding in the block.
    pub padding_bytes: Option<u32>,
    /// The message or format from which the record comes, such as `0xB173`.
    pub source: &'static str,
}

/// A reference to the time of a record about a subframe.
#[derive(Debug)]
pub struct Subframe<'a> {
    /// The user; the time is that of this user's phone.
    pub user: User,
    /// The unwrapped number of the subframe.
    pub tti: i64,
    /// The time at which the subframe was on the air, as far as it is known.
    pub time: &'a mut Instant,
}

impl Record {
    /// The time of the record; `None` if the record is not about a subframe.
    pub const fn subframe(&mut self) -> Option<Subframe<'_>> {
        match self {
            Self::Tti(tti) => Some(tti.subframe()),
            Self::Buffer(status) => status.subframe(),
            Self::CellInfo(_) | Self::Cell(_) | Self::Rrc(_) => None,
        }
    }
}

impl BufferStatus {
    /// The time of the record; `None` if the record is not about a subframe.
    pub const fn subframe(&mut self) -> Option<Subframe<'_>> {
        match self.tti {
            Some(tti) => Some(Subframe { user: self.user, tti, time: &mut self.time }),
            None => None,
        }
    }
}

impl Tti {
    /// Whether the block carries data of a user (methods G2: only C-RNTI and SPS). Paging, system
    /// information and random access belong to no user.
    pub fn is_user_data(&self) -> bool {
        self.rnti != Rnti::Other
    }

    /// The time of the block's subframe.
    pub const fn subframe(&mut self) -> Subframe<'_> {
        Subframe { user: self.user, tti: self.tti, time: &mut self.time }
    }

    /// A downlink block of which only user and time are known; all other fields are unknown.
    pub const fn plain(time: Instant, tti: i64, user: User, source: &'static str) -> Self {
        Self {
            time,
            tti,
            epoch: 0,
            user,
            rnti: Rnti::Other,
            direction: Direction::Downlink,
            cell: None,
            carrier: 0,
            prbs: None,
            prb_total: None,
            tbs_bytes: None,
            block: 0,
            mcs: None,
            modulation: None,
            layers: None,
            harq: None,
            retransmission: None,
            crc_ok: None,
            padding_bytes: None,
            source,
        }
    }
}

/// The sources of a cell bandwidth, the most reliable first.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum PrbSource {
    /// The user gave the bandwidth with the option `--cell-prbs`.
    Option,
    /// The rows of the log contain the bandwidth.
    Record,
    /// The master information block (0xB0C1) contains the bandwidth.
    Mib,
    /// The serving-cell information (0xB0C2) contains the bandwidth.
    ServingCell,
    /// The message about the PDCCH (0xB130) contains the bandwidth.
    Pdcch,
    /// The operating system's report of physical channels contains the bandwidth, or a file in the
    /// same folder as the log.
    Beside,
    /// The greatest number of PRBs seen in one subframe, which is a lower bound of the bandwidth.
    LargestSeen,
}

impl PrbSource {
    /// The word for the source in the tables.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Option => "option",
            Self::Record => "record",
            Self::Mib => "mib",
            Self::ServingCell => "serving_cell",
            Self::Pdcch => "pdcch",
            Self::Beside => "beside",
            Self::LargestSeen => "largest_seen",
        }
    }
}

/// The bandwidth of a cell.
#[derive(Clone, Debug, PartialEq)]
pub struct CellInfo {
    /// The time at which it was logged.
    pub time: Instant,
    /// The subscription of the phone.
    pub user: User,
    /// Physical cell identity.
    pub cell: Option<u16>,
    /// Downlink EARFCN.
    pub earfcn: Option<u32>,
    /// The number of the carrier, 0 for the primary one; `None` if the message does not contain it.
    pub carrier: Option<u8>,
    /// The number of PRBs of the downlink.
    pub downlink_prbs: u16,
    /// The number of PRBs of the uplink.
    pub uplink_prbs: Option<u16>,
    /// The source of the bandwidth.
    pub source: PrbSource,
}

/// A measurement of a cell.
#[derive(Clone, Debug, PartialEq)]
pub struct CellMeasurement {
    /// The time at which it was logged.
    pub time: Instant,
    /// The subscription of the phone.
    pub user: User,
    /// Physical cell identity.
    pub cell: Option<u16>,
    /// Downlink EARFCN.
    pub earfcn: Option<u32>,
    /// The number of the carrier: 0 for the primary one.
    pub carrier: Option<u8>,
    /// Whether the cell serves the phone.
    pub serving: Option<bool>,
    /// Reference signal received power, in dBm.
    pub rsrp_dbm: Option<f64>,
    /// Reference signal received quality, in dB.
    pub rsrq_db: Option<f64>,
    /// Ratio of signal to interference and noise at the better antenna, in dB.
    pub sinr_db: Option<f64>,
    /// Received signal strength, in dBm.
    pub rssi_dbm: Option<f64>,
    /// Wideband channel quality indicator of the first codeword, as reported.
    pub cqi: Option<u8>,
    /// The message or format from which the record comes, such as `0xB173`.
    pub source: &'static str,
}

/// A step of an RRC procedure that moves a connected phone (methods G7).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum RrcStep {
    /// A reconfiguration with `mobilityControlInfo`: the handover command.
    Command,
    /// `ReconfigurationComplete`: the handover is complete, on the cell that the message names.
    Complete,
    /// `ReestablishmentRequest`: the phone has lost its cell.
    Reestablishment,
    /// A connection request, a setup or its completion; not a handover.
    Connection,
    /// The connection was released.
    Release,
    /// Any other message on this cell, which is useful if the handover command could not be read.
    Seen,
}

/// A message of an RRC procedure that moves the phone between cells.
#[derive(Clone, Debug, PartialEq)]
pub struct RrcEvent {
    /// The time at which it was logged.
    pub time: Instant,
    /// The subscription of the phone.
    pub user: User,
    /// The step that the message represents.
    pub step: RrcStep,
    /// The cell on which the message was sent.
    pub cell: Option<u16>,
    /// EARFCN of that cell.
    pub earfcn: Option<u32>,
    /// The target cell of a handover command.
    pub target_cell: Option<u16>,
    /// The EARFCN of the target cell; `None` if it is the same as before.
    pub target_earfcn: Option<u32>,
    /// Whether the message belongs to 5G.
    pub nr: bool,
}

/// Bytes that wait in the phone for the uplink.
#[derive(Clone, Debug, PartialEq)]
pub struct BufferStatus {
    /// The time of the report, by the modem's clock.
    pub time: Instant,
    /// The unwrapped number of the subframe, as in [`Tti`].
    pub tti: Option<i64>,
    /// The subscription of the phone.
    pub user: User,
    /// The logical channel group of a reported level.
    pub lcg: Option<u8>,
    /// The index of the buffer size level (TS 36.321 table 6.1.3.1-1).
    pub index: Option<u8>,
    /// The least number of bytes in the level.
    pub low_bytes: Option<u32>,
    /// The greatest number of bytes in the level; `None` for the top level, which has no limit.
    pub high_bytes: Option<u32>,
    /// The exact number of bytes that wait in all logical channels: new, retransmitted and control
    /// bytes (0xB066).
    pub firmware_queue_bytes: Option<u64>,
    /// The message or format from which the record comes, such as `0xB066`.
    pub source: &'static str,
}
