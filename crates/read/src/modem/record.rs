//! The records of a modem log.

use airmile_types::{Direction, Instant};

/// One statement of a modem log, whatever its format.
#[derive(Clone, Debug, PartialEq)]
pub enum Record {
    /// A transport block.
    Tti(Tti),
    /// The PRB total of a cell.
    CellInfo(CellInfo),
    /// A measurement of a cell.
    Cell(CellMeasurement),
    /// A step of the RRC protocol that moves the phone between cells.
    Rrc(RrcEvent),
    /// Bytes that wait in the phone for the uplink.
    Buffer(BufferStatus),
}

/// The user of an allocation: the subscription of a phone that has several (0 where there is one),
/// or the RNTI in the log of a sniffer, which saw all users of a cell.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct User(pub u32);

/// The kind of RNTI that an allocation was addressed to (TS 36.321 section 7.1).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Rnti {
    /// Data of one user.
    #[default]
    C,
    /// Data of one user under semi-persistent scheduling.
    Sps,
    /// Anything else: paging, system information, random access, power control.
    Other,
}

/// Modulation of a transport block.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Modulation {
    /// 2 bits a symbol.
    Qpsk,
    /// 4 bits a symbol.
    Qam16,
    /// 6 bits a symbol.
    Qam64,
    /// 8 bits a symbol.
    Qam256,
}

impl Modulation {
    /// The modulation of that many bits a symbol.
    pub const fn of_order(bits: u8) -> Option<Self> {
        match bits {
            2 => Some(Self::Qpsk),
            4 => Some(Self::Qam16),
            6 => Some(Self::Qam64),
            8 => Some(Self::Qam256),
            _ => None,
        }
    }

    /// The word that the tables use.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Qpsk => "QPSK",
            Self::Qam16 => "16QAM",
            Self::Qam64 => "64QAM",
            Self::Qam256 => "256QAM",
        }
    }
}

/// A transport block of one user in one millisecond. A millisecond with two blocks (MIMO) or two
/// carriers has several of them.
#[derive(Clone, Debug, PartialEq)]
pub struct Tti {
    /// The time at which it was on the air, by the modem's clock.
    pub time: Instant,
    /// Subframe, unwrapped: `SFN * 10 + subframe`, plus 10240 for each wrap; each cell counts its
    /// own frames, so that at a change of cell a number is added that lets the count go on by the
    /// clock.
    pub tti: i64,
    /// The user of the block.
    pub user: User,
    /// The kind of RNTI that it was addressed to.
    pub rnti: Rnti,
    /// Its direction: downlink or uplink.
    pub direction: Direction,
    /// Physical cell identity.
    pub cell: Option<u16>,
    /// 0 for the primary carrier, then the secondary ones.
    pub carrier: u8,
    /// PRBs that were allocated in this subframe. The second block of a subframe has the same PRBs
    /// as the first and has the same number here: the numbers are not to be added.
    pub prbs: Option<u16>,
    /// PRBs of the cell, where this record has the number.
    pub prb_total: Option<u16>,
    /// Size of the block without its CRC.
    pub tbs_bytes: Option<u32>,
    /// The number of the block in the subframe and carrier: 0, or 1 (MIMO).
    pub block: u8,
    /// Modulation and coding scheme.
    pub mcs: Option<u8>,
    /// Modulation.
    pub modulation: Option<Modulation>,
    /// Spatial layers.
    pub layers: Option<u8>,
    /// HARQ process.
    pub harq: Option<u8>,
    /// Whether the block is a retransmission.
    pub retransmission: Option<bool>,
    /// Whether it was decoded.
    pub crc_ok: Option<bool>,
    /// Bytes of the block that carry nothing.
    pub padding_bytes: Option<u32>,
    /// The message or format that it comes from, as `0xB173`.
    pub source: &'static str,
}

/// The time of a record about a subframe.
#[derive(Debug)]
pub struct Subframe<'a> {
    /// The user, whose phone has the clock.
    pub user: User,
    /// Subframe, unwrapped.
    pub tti: i64,
    /// The time at which it was on the air, as far as it is known.
    pub time: &'a mut Instant,
}

impl Record {
    /// Its time, where the record is about a subframe.
    pub const fn subframe(&mut self) -> Option<Subframe<'_>> {
        match self {
            Self::Tti(tti) => Some(tti.subframe()),
            Self::Buffer(status) => status.subframe(),
            Self::CellInfo(_) | Self::Cell(_) | Self::Rrc(_) => None,
        }
    }
}

impl BufferStatus {
    /// Its time, where the record is about a subframe.
    pub const fn subframe(&mut self) -> Option<Subframe<'_>> {
        match self.tti {
            Some(tti) => Some(Subframe { user: self.user, tti, time: &mut self.time }),
            None => None,
        }
    }
}

impl Tti {
    /// Whether the block carries data of a user: paging, system information and random access
    /// belong to nobody (methods G2: only C-RNTI and SPS).
    pub fn is_user_data(&self) -> bool {
        self.rnti != Rnti::Other
    }

    /// The time of its subframe.
    pub const fn subframe(&mut self) -> Subframe<'_> {
        Subframe { user: self.user, tti: self.tti, time: &mut self.time }
    }

    /// A downlink block of which only user and time are known.
    pub const fn plain(time: Instant, tti: i64, user: User, source: &'static str) -> Self {
        Self {
            time,
            tti,
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

/// The sources of a cell bandwidth, the surest first.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum PrbSource {
    /// The option `--cell-prbs`.
    Option,
    /// The rows of the log.
    Record,
    /// The master information block (0xB0C1).
    Mib,
    /// The serving-cell information (0xB0C2).
    ServingCell,
    /// The bandwidth of the PDCCH (0xB130).
    Pdcch,
    /// The operating system's report of physical channels, or a file beside the log.
    Beside,
    /// The most PRBs seen in one subframe: a lower bound.
    LargestSeen,
}

impl PrbSource {
    /// The word that the tables use.
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

/// How wide a cell is.
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
    /// 0 for the primary carrier; `None` where the message does not say.
    pub carrier: Option<u8>,
    /// PRBs of the downlink.
    pub downlink_prbs: u16,
    /// PRBs of the uplink.
    pub uplink_prbs: Option<u16>,
    /// The source of the number.
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
    /// 0 for the primary carrier.
    pub carrier: Option<u8>,
    /// Whether the phone is served by it.
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
    /// The message or format that it comes from, as `0xB173`.
    pub source: &'static str,
}

/// Steps of the RRC protocol that move a connected phone (methods G7).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum RrcStep {
    /// A reconfiguration with `mobilityControlInfo`: the handover command.
    Command,
    /// `ReconfigurationComplete`: the handover is complete, on the cell that the message names.
    Complete,
    /// `ReestablishmentRequest`: the phone lost its cell.
    Reestablishment,
    /// A connection request, setup or its completion: no handover.
    Connection,
    /// The connection was released.
    Release,
    /// A message was sent or received on this cell; of use where the handover command could not be
    /// read.
    Seen,
}

/// A message that moves the phone between cells.
#[derive(Clone, Debug, PartialEq)]
pub struct RrcEvent {
    /// The time at which it was logged.
    pub time: Instant,
    /// The subscription of the phone.
    pub user: User,
    /// The step that the message is.
    pub step: RrcStep,
    /// Cell on which the message was sent.
    pub cell: Option<u16>,
    /// EARFCN of that cell.
    pub earfcn: Option<u32>,
    /// Target cell of a handover command.
    pub target_cell: Option<u16>,
    /// EARFCN of the target cell; `None` means the same one.
    pub target_earfcn: Option<u32>,
    /// Whether the message is one of 5G.
    pub nr: bool,
}

/// Bytes that wait in the phone for the uplink.
#[derive(Clone, Debug, PartialEq)]
pub struct BufferStatus {
    /// The time of the report, by the modem's clock.
    pub time: Instant,
    /// Subframe, unwrapped as in [`Tti`].
    pub tti: Option<i64>,
    /// The subscription of the phone.
    pub user: User,
    /// Logical channel group of a reported level.
    pub lcg: Option<u8>,
    /// Index of the level (TS 36.321 table 6.1.3.1-1).
    pub index: Option<u8>,
    /// The least number of bytes that the level means.
    pub low_bytes: Option<u32>,
    /// The most bytes that the level means; `None` for the top level, which has no limit.
    pub high_bytes: Option<u32>,
    /// Exact occupancy of all logical channels: new, repeated and control bytes (0xB066).
    pub firmware_queue_bytes: Option<u64>,
    /// The message or format that it comes from, as `0xB173`.
    pub source: &'static str,
}
