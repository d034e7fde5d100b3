//! What a modem log tells.

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

/// Whose allocation it is: the subscription of a phone with several (0 where there is one), or
/// the RNTI where a sniffer saw all users of a cell.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct User(pub u32);

/// The kind of RNTI that an allocation was addressed to (TS 36.321 section 7.1).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Rnti {
    /// One user's data.
    #[default]
    C,
    /// One user's data under semi-persistent scheduling.
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

    /// The word in the tables.
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
/// carriers is several of them.
#[derive(Clone, Debug, PartialEq)]
pub struct Tti {
    /// When it was on the air, by the modem's clock.
    pub time: Instant,
    /// Subframe, unwrapped: `SFN * 10 + subframe`, plus 10240 for each wrap; each cell counts its
    /// own frames, so that at a change of cell what keeps the numbers going on by the clock is
    /// added.
    pub tti: i64,
    /// Whose it is.
    pub user: User,
    /// What it was addressed to.
    pub rnti: Rnti,
    /// Which way.
    pub direction: Direction,
    /// Physical cell identity.
    pub cell: Option<u16>,
    /// 0 for the primary carrier, then the secondary ones.
    pub carrier: u8,
    /// PRBs given in this subframe. The second block of a subframe has the same PRBs as the first
    /// (they are not to be added), and both say so.
    pub prbs: Option<u16>,
    /// PRBs of the cell, where this very record says it.
    pub prb_total: Option<u16>,
    /// Size of the block without its CRC.
    pub tbs_bytes: Option<u32>,
    /// Which block of the subframe and carrier: 0, or 1 (MIMO).
    pub block: u8,
    /// Modulation and coding scheme.
    pub mcs: Option<u8>,
    /// Modulation.
    pub modulation: Option<Modulation>,
    /// Spatial layers.
    pub layers: Option<u8>,
    /// HARQ process.
    pub harq: Option<u8>,
    /// A block that was sent before.
    pub retransmission: Option<bool>,
    /// Whether it was decoded.
    pub crc_ok: Option<bool>,
    /// Bytes of the block that carry nothing.
    pub padding_bytes: Option<u32>,
    /// The message or format that told it, as `0xB173`.
    pub source: &'static str,
}

/// The time of a record that tells of a subframe.
#[derive(Debug)]
pub struct Subframe<'a> {
    /// Whose clock.
    pub user: User,
    /// Subframe, unwrapped.
    pub tti: i64,
    /// When it was on the air, as far as it is known.
    pub time: &'a mut Instant,
}

impl Record {
    /// Its time, where it tells of a subframe.
    pub const fn subframe(&mut self) -> Option<Subframe<'_>> {
        match self {
            Self::Tti(tti) => Some(tti.subframe()),
            Self::Buffer(status) => status.subframe(),
            Self::CellInfo(_) | Self::Cell(_) | Self::Rrc(_) => None,
        }
    }
}

impl BufferStatus {
    /// Its time, where it tells of a subframe.
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

    /// Its time.
    pub const fn subframe(&mut self) -> Subframe<'_> {
        Subframe { user: self.user, tti: self.tti, time: &mut self.time }
    }

    /// A downlink block of which nothing is known but whose and when.
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

/// Where a PRB total comes from, the surest first.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum PrbSource {
    /// The user said it.
    Option,
    /// Each row of the log has it.
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
    /// The word in the tables.
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
    /// When it was logged.
    pub time: Instant,
    /// Whose phone.
    pub user: User,
    /// Physical cell identity.
    pub cell: Option<u16>,
    /// Downlink EARFCN.
    pub earfcn: Option<u32>,
    /// 0 for the primary carrier; `None` where the message does not say.
    pub carrier: Option<u8>,
    /// PRBs downlink.
    pub downlink_prbs: u16,
    /// PRBs uplink.
    pub uplink_prbs: Option<u16>,
    /// What told it.
    pub source: PrbSource,
}

/// A measurement of a cell.
#[derive(Clone, Debug, PartialEq)]
pub struct CellMeasurement {
    /// When it was logged.
    pub time: Instant,
    /// Whose phone.
    pub user: User,
    /// Physical cell identity.
    pub cell: Option<u16>,
    /// Downlink EARFCN.
    pub earfcn: Option<u32>,
    /// 0 for the primary carrier.
    pub carrier: Option<u8>,
    /// Whether the phone is served by it.
    pub serving: Option<bool>,
    /// Reference signal received power.
    pub rsrp_dbm: Option<f64>,
    /// Reference signal received quality.
    pub rsrq_db: Option<f64>,
    /// Signal to interference and noise, the better antenna's.
    pub sinr_db: Option<f64>,
    /// Received signal strength.
    pub rssi_dbm: Option<f64>,
    /// Wideband channel quality indicator of the first codeword, as reported.
    pub cqi: Option<u8>,
    /// The message or format that told it.
    pub source: &'static str,
}

/// Steps of the RRC protocol that move a connected phone (methods G7).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum RrcStep {
    /// A reconfiguration with `mobilityControlInfo`: the order to move.
    Command,
    /// `ReconfigurationComplete`: done, on the cell that the message names.
    Complete,
    /// `ReestablishmentRequest`: the phone lost its cell.
    Reestablishment,
    /// A connection request, setup or its completion: no handover.
    Connection,
    /// The connection was released.
    Release,
    /// A message was sent or received on this cell; of use where the order could not be read.
    Seen,
}

/// A step between cells.
#[derive(Clone, Debug, PartialEq)]
pub struct RrcEvent {
    /// When it was logged.
    pub time: Instant,
    /// Whose phone.
    pub user: User,
    /// What happened.
    pub step: RrcStep,
    /// Cell on which the message was.
    pub cell: Option<u16>,
    /// Its EARFCN.
    pub earfcn: Option<u32>,
    /// Cell that the order names.
    pub target_cell: Option<u16>,
    /// EARFCN that the order names; `None`: the same.
    pub target_earfcn: Option<u32>,
    /// 5G.
    pub nr: bool,
}

/// Bytes that wait in the phone for the uplink.
#[derive(Clone, Debug, PartialEq)]
pub struct BufferStatus {
    /// When, by the modem's clock.
    pub time: Instant,
    /// Subframe, unwrapped as in [`Tti`].
    pub tti: Option<i64>,
    /// Whose phone.
    pub user: User,
    /// Logical channel group of a reported level.
    pub lcg: Option<u8>,
    /// Index of the level (TS 36.321 table 6.1.3.1-1).
    pub index: Option<u8>,
    /// The level means at least so many bytes.
    pub low_bytes: Option<u32>,
    /// ... and at most so many; `None` for the top level, which means "more than".
    pub high_bytes: Option<u32>,
    /// Exact occupancy of all logical channels: new, repeated and control bytes (0xB066).
    pub firmware_queue_bytes: Option<u64>,
    /// The message or format that told it.
    pub source: &'static str,
}
