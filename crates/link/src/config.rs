//! Defines the settings of a link, as an experiment file contains them. Every field has a default,
//! so that a file names only the fields that matter to it; an unknown name is an error.

use serde::{Deserialize, Serialize};

/// The error for settings that make no link; it names the setting at fault.
#[derive(Debug, thiserror::Error, PartialEq)]
#[error("{setting}: {problem}")]
pub struct ConfigError {
    /// The setting as written in the file, such as `downlink.rate.mbps`.
    pub setting: String,
    /// What is wrong with the setting.
    pub problem: String,
}

impl ConfigError {
    pub(crate) fn new(setting: impl Into<String>, problem: impl Into<String>) -> Self {
        Self { setting: setting.into(), problem: problem.into() }
    }
}

/// The settings of the whole link.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct LinkConfig {
    /// The seed of all random numbers; the same seed gives the same run.
    pub seed: u64,
    /// The length of a TTI in microseconds: 1000 (TS 36.211 section 4), or 500 for a 30-kHz slot.
    pub tti_us: u32,
    /// The direction towards the phone.
    pub downlink: AirConfig,
    /// The direction from the phone.
    pub uplink: AirConfig,
    /// The uplink-downlink configuration of a TDD carrier, 0 to 6 (TS 36.211 table 4.2-2): which
    /// subframes of a frame serve which direction. A special subframe carries three quarters of a
    /// downlink subframe's PRBs (TS 36.213 section 7.1.7). Without this setting, both directions
    /// are served all the time (FDD). Rates are those of a subframe that serves the direction.
    pub tdd: Option<u32>,
    /// The time between two measurement gaps, in ms: 40 or 80 (TS 36.133 table 8.1.2.1-1). In a gap
    /// of 6 ms the phone listens to other cells, and neither receives nor sends.
    pub gap_period_ms: Option<u32>,
    /// Idle mode, promotion and tail; without this setting the phone is always connected.
    pub rrc: Option<RrcConfig>,
    /// Handovers at given times.
    pub handovers: Vec<HandoverConfig>,
    /// The wired path from the server to the core.
    pub path_downlink: PathConfig,
    /// The wired path from the core to the server.
    pub path_uplink: PathConfig,
}

/// One direction of the radio.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct AirConfig {
    /// The number of PRBs of the carrier: 6 to 110 (TS 36.101 table 5.6-1 has 50 for 10 MHz).
    pub prbs: u32,
    /// The rate that the phone would get with all PRBs.
    pub rate: RateConfig,
    /// The rule that chooses which user is served.
    pub policy: Policy,
    /// The rule that divides the PRBs of one TTI.
    pub sharing: Sharing,
    /// The other users of the cell.
    pub competitors: Vec<CompetitorConfig>,
    /// The queue of the phone's data.
    pub queue: QueueConfig,
    /// The HARQ retransmissions.
    pub harq: HarqConfig,
    /// The time from transmission to delivery without HARQ retransmission, in ms: at most 10 s.
    pub air_ms: f64,
    /// The time between the instants at which the receiving modem passes on what it has, in ms: at
    /// most 10 s (0: it passes each packet on at once).
    pub aggregation_ms: f64,
    /// A limit of the subscriber's rate, where packets enter the radio: at the gateway for a
    /// downlink, in the phone for an uplink.
    pub policer: Option<PolicerConfig>,
    /// The probability that a packet with payload is lost for good although HARQ and RLC tried to
    /// deliver it.
    pub loss: f64,
    /// The numbers (from 1) of the packets with payload that are dropped on arrival.
    pub forced_drops: Vec<u64>,
    /// Scheduling requests and buffer reports; only uplinks have them.
    pub grants: Option<GrantConfig>,
}

/// The amount of data that could be sent in a TTI.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(tag = "kind", rename_all = "snake_case", deny_unknown_fields)]
pub enum RateConfig {
    /// The rate is always the same.
    Constant {
        /// The rate in Mbit/s with all PRBs.
        mbps: f64,
    },
    /// A list of rates, which begins again after its end.
    Steps {
        /// The duration of each rate, in ms.
        hold_ms: f64,
        /// The rates in Mbit/s with all PRBs.
        mbps: Vec<f64>,
    },
    /// The rate follows the channel, through CQI, MCS and transport block sizes.
    Sinr {
        /// The channel.
        sinr: SinrConfig,
        /// The number of spatial layers: 1 or 2.
        #[serde(default = "one")]
        layers: u32,
        /// Whether 256QAM is allowed. It is not modelled, so only `false` is accepted.
        #[serde(default)]
        qam256: bool,
    },
    /// A capacity trace of mahimahi: the milliseconds at which 1500 bytes can leave. The trace
    /// begins again after its end.
    Trace {
        /// The times at which 1500 bytes can leave, in ms, in ascending order.
        ms: Vec<u64>,
    },
}

/// The signal to interference and noise ratio over time, in dB.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(tag = "kind", rename_all = "snake_case", deny_unknown_fields)]
pub enum SinrConfig {
    /// The SINR is always the same.
    Constant {
        /// The SINR in dB.
        db: f64,
    },
    /// A list of values, which begins again after its end.
    Steps {
        /// The duration of each value, in ms.
        hold_ms: f64,
        /// The SINRs in dB.
        db: Vec<f64>,
    },
    /// A first-order autoregressive process around a mean.
    Ar1 {
        /// The mean in dB.
        mean_db: f64,
        /// The standard deviation in dB.
        sigma_db: f64,
        /// The time after which the correlation has fallen to 1/e, in ms.
        tau_ms: f64,
    },
    /// A measured series; each value lasts until the next point, and the series begins again after
    /// its end.
    Series {
        /// The start of each value, in ms from the first value.
        ms: Vec<f64>,
        /// The SINRs in dB.
        db: Vec<f64>,
    },
    /// A drive past several cells.
    Drive(DriveConfig),
}

/// A drive past cells along a straight road. The phone begins in the strongest cell, and is handed
/// over by event A3.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct DriveConfig {
    /// The speed of the phone in metres per second.
    pub speed_mps: f64,
    /// Whether the drive begins at a random place of the road, rather than beside a cell.
    pub anywhere: bool,
    /// The distance between cells in metres.
    pub spacing_m: f64,
    /// The distance from the road to each cell, in metres.
    pub offset_m: f64,
    /// The SINR beside a cell without other cells, in dB.
    pub best_db: f64,
    /// The standard deviation of the shadowing, in dB.
    pub shadow_db: f64,
    /// The distance after which the correlation of the shadowing has fallen to 1/e, in metres (TR
    /// 36.942: 50 m).
    pub shadow_m: f64,
    /// The correlation of the shadowing of two cells, 0 to 1 (TR 36.942: 0.5 between sites).
    pub shadow_correlation: f64,
    /// The coefficient k of the layer-3 filter of measurements, which is 2^(-k/4) of the new value
    /// (TS 36.331 section 5.5.3.2); 0 does not filter.
    pub filter_k: f64,
    /// The offset of event A3: how much stronger a neighbour must be to take over, in dB (TS 36.331
    /// section 5.5.4.4).
    pub offset_db: f64,
    /// The hysteresis of event A3, in dB: entering needs this much more, leaving this much less.
    pub hysteresis_db: f64,
    /// The time to trigger, in ms: for how long the condition of entering must hold.
    pub trigger_ms: f64,
    /// The time from the report of the phone to the handover command, in ms. A neighbour that
    /// leaves the condition within this time does not take over.
    pub prepare_ms: f64,
    /// How long a handover stops the radio, in ms.
    pub outage_ms: f64,
    /// Whether data that waits at the old cell is forwarded; otherwise it is lost.
    pub forwarding: bool,
    /// The time that every second handover adds to the wired delay, and that the others subtract
    /// again, in ms.
    pub path_change_ms: f64,
}

/// The rule that chooses which user is served.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Policy {
    /// The users are served in turn.
    RoundRobin,
    /// The user with the largest ratio of achievable rate to average throughput is served.
    ProportionalFair,
}

/// The rule that divides the PRBs of a TTI.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Sharing {
    /// The user who is chosen takes as many PRBs as it needs; the rest goes to the next user.
    OneUserFirst,
    /// All users that wait share the PRBs: equally, or by the metric of proportional fair.
    Split,
}

/// A group of other users of the cell with the same settings.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct CompetitorConfig {
    /// The number of these users.
    #[serde(default = "one")]
    pub count: u32,
    /// The rate that each would get with all PRBs.
    pub rate: RateConfig,
    /// The traffic of each user.
    pub traffic: TrafficConfig,
}

/// The traffic of a competing user.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(tag = "kind", rename_all = "snake_case", deny_unknown_fields)]
pub enum TrafficConfig {
    /// The user always has data waiting.
    Full,
    /// Packets of 1500 bytes at a mean rate, with exponentially distributed gaps.
    Poisson {
        /// The rate of the user in Mbit/s.
        mbps: f64,
    },
    /// The user has data waiting during on times; on and off times are exponentially distributed.
    OnOff {
        /// The mean length of a time with data, ms.
        on_ms: f64,
        /// The mean length of a time without data, ms.
        off_ms: f64,
    },
}

/// The settings of a queue.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct QueueConfig {
    /// The size in bytes: of the base station's queue for a downlink, of the modem firmware's queue
    /// for an uplink.
    pub bytes: u64,
    /// The rule by which the queue drops packets.
    pub discipline: Discipline,
    /// Whether CoDel marks the packets of senders that take marks (RFC 3168) instead of dropping
    /// them, in this queue and in the kernel's.
    pub ecn: bool,
    /// For an uplink: the size, in packets, of the kernel's queue before the firmware (0: no such
    /// queue).
    pub qdisc_packets: u32,
    /// For an uplink: the rule by which the kernel's queue drops packets.
    pub qdisc_discipline: Discipline,
}

/// The settings of a policer, which drops packets that come faster than a rate, apart from bursts
/// (a token bucket, RFC 2475 section 2.3.3.3).
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct PolicerConfig {
    /// The rate in Mbit/s, with IP headers.
    pub mbps: f64,
    /// The number of bytes that may come at once after a silence.
    pub burst_bytes: u64,
}

/// The rule by which a queue drops packets.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Discipline {
    /// The queue drops when it is full.
    DropTail,
    /// The queue drops when the wait stays over 5 ms for 100 ms (RFC 8289), or when it is full.
    Codel,
    /// The flows are served in turn, each with CoDel (RFC 8290). A full queue drops the first packet
    /// of the flow with the most waiting bytes.
    FqCodel,
}

/// The settings of hybrid ARQ.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct HarqConfig {
    /// The probability that a transmission is not decoded.
    pub failure: f64,
    /// The number of transmissions of a block before RLC sends the block anew.
    pub transmissions: u32,
    /// How much later RLC sends a lost block anew, in ms: at most 10 s.
    pub rlc_ms: f64,
}

/// Scheduling requests, buffer status reports and grants (TS 36.321 sections 5.4.4 and 5.4.5).
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct GrantConfig {
    /// The time between two opportunities to request a grant, in ms.
    pub request_period_ms: f64,
    /// The time from a request or a report to the grant that answers it, in ms.
    pub answer_ms: f64,
    /// The time from a grant to its transmission, in TTIs (TS 36.213 section 8: 4).
    pub delay_ttis: u32,
    /// The size of the first grant in bytes; it is given before the base station knows how much
    /// data waits.
    pub first_bytes: u32,
}

/// The settings of idle mode, promotion and tail.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct RrcConfig {
    /// The range of the time from the first packet in idle mode until it can be served, in ms; the
    /// time is uniformly distributed in it.
    pub promotion_ms: (f64, f64),
    /// The time from the last packet to idle mode, in ms.
    pub inactivity_ms: f64,
    /// The time from the last packet until the connected phone sleeps between short wake-ups, in ms
    /// (0: it never sleeps).
    pub sleep_after_ms: f64,
    /// The time between two wake-ups, in ms, for which a downlink packet may have to wait.
    pub sleep_cycle_ms: f64,
    /// How long each wake-up lasts, in ms.
    pub awake_ms: f64,
    /// Whether the phone is connected when the run begins.
    pub start_connected: bool,
}

/// A handover at a given time, or once the previous one has ended. A phone in idle mode changes its
/// cell without an outage.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct HandoverConfig {
    /// The time at which the radio stops, in ms from the start.
    pub at_ms: f64,
    /// How long the radio stops, in ms.
    pub outage_ms: f64,
    /// Whether data that waits at the old cell is forwarded; otherwise it is lost.
    #[serde(default = "yes")]
    pub forwarding: bool,
    /// The time that the handover adds to the wired delay of each direction at its end, in ms.
    #[serde(default)]
    pub path_change_ms: f64,
}

/// The settings of one direction of the wired path.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct PathConfig {
    /// The delay, in ms.
    pub delay_ms: f64,
    /// The probability that a packet with payload is lost.
    pub loss: f64,
    /// The rate of a bottleneck on the path, in Mbit/s; `None` without one.
    pub mbps: Option<f64>,
    /// The size of the bottleneck's buffer, in bytes.
    pub buffer_bytes: u64,
    /// The number of bytes that the bottleneck lets pass at once after a silence: 0 for a line, more
    /// for a shaper (a token bucket, RFC 2475 section 2.3.3.3).
    pub burst_bytes: u64,
    /// A policer before the bottleneck.
    pub policer: Option<PolicerConfig>,
}

const fn one() -> u32 {
    1
}

const fn yes() -> bool {
    true
}

impl Default for LinkConfig {
    fn default() -> Self {
        let grants = Some(GrantConfig::default());
        let queue = QueueConfig { bytes: 300_000, qdisc_packets: 1000, ..QueueConfig::default() };
        Self {
            seed: 1,
            tti_us: 1000,
            tdd: None,
            gap_period_ms: None,
            downlink: AirConfig::default(),
            uplink: AirConfig { grants, queue, ..AirConfig::default() },
            rrc: None,
            handovers: Vec::new(),
            path_downlink: PathConfig::default(),
            path_uplink: PathConfig::default(),
        }
    }
}

impl Default for AirConfig {
    fn default() -> Self {
        Self {
            prbs: 50,
            rate: RateConfig::Constant { mbps: 20.0 },
            policy: Policy::ProportionalFair,
            sharing: Sharing::OneUserFirst,
            competitors: Vec::new(),
            queue: QueueConfig::default(),
            harq: HarqConfig::default(),
            air_ms: 5.0,
            aggregation_ms: 0.0,
            policer: None,
            loss: 0.0,
            forced_drops: Vec::new(),
            grants: None,
        }
    }
}

impl Default for DriveConfig {
    fn default() -> Self {
        Self {
            speed_mps: 25.0,
            anywhere: false,
            spacing_m: 1000.0,
            offset_m: 50.0,
            best_db: 25.0,
            shadow_db: 4.0,
            shadow_m: 50.0,
            shadow_correlation: 0.5,
            filter_k: 4.0,
            offset_db: 0.0,
            hysteresis_db: 3.0,
            trigger_ms: 160.0,
            prepare_ms: 0.0,
            outage_ms: 50.0,
            forwarding: true,
            path_change_ms: 0.0,
        }
    }
}

impl Default for QueueConfig {
    fn default() -> Self {
        Self {
            bytes: 2_000_000,
            discipline: Discipline::DropTail,
            ecn: false,
            qdisc_packets: 0,
            qdisc_discipline: Discipline::DropTail,
        }
    }
}

impl Default for HarqConfig {
    /// By default a tenth of the transmissions fails, as at the usual working point (TS 36.213
    /// section 7.2.3: the CQI is chosen for it).
    fn default() -> Self {
        Self { failure: 0.1, transmissions: 4, rlc_ms: 40.0 }
    }
}

impl Default for GrantConfig {
    fn default() -> Self {
        Self { request_period_ms: 10.0, answer_ms: 4.0, delay_ttis: 4, first_bytes: 100 }
    }
}

impl Default for RrcConfig {
    /// The defaults are values of the order that studies of LTE networks of 2012 report; no clause
    /// sets them.
    fn default() -> Self {
        Self {
            promotion_ms: (200.0, 320.0),
            inactivity_ms: 11_576.0,
            sleep_after_ms: 100.0,
            sleep_cycle_ms: 40.0,
            awake_ms: 2.0,
            start_connected: false,
        }
    }
}

impl Default for PathConfig {
    fn default() -> Self {
        Self {
            delay_ms: 10.0,
            loss: 0.0,
            mbps: None,
            buffer_bytes: 100_000,
            burst_bytes: 0,
            policer: None,
        }
    }
}
