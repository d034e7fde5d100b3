//! The parts of a link, as an experiment's file gives them. Every field has a default, so
//! that a file names only what matters to it; unknown names are errors.

use serde::{Deserialize, Serialize};

/// A link that cannot be built, and which setting is to blame.
#[derive(Debug, thiserror::Error, PartialEq)]
#[error("{setting}: {problem}")]
pub struct ConfigError {
    /// The setting as written in the file, such as `downlink.rate.mbps`.
    pub setting: String,
    /// What is wrong with it.
    pub problem: String,
}

impl ConfigError {
    pub(crate) fn new(setting: impl Into<String>, problem: impl Into<String>) -> Self {
        Self { setting: setting.into(), problem: problem.into() }
    }
}

/// The whole link.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct LinkConfig {
    /// The same seed gives the same run.
    pub seed: u64,
    /// Length of a TTI in microseconds: 1000 (TS 36.211 section 4), or 500 for a 30-kHz slot.
    pub tti_us: u32,
    /// Towards the phone.
    pub downlink: AirConfig,
    /// The direction from the phone.
    pub uplink: AirConfig,
    /// Idle mode, promotion and tail; without it the phone is always connected.
    pub rrc: Option<RrcConfig>,
    /// Handovers at given times.
    pub handovers: Vec<HandoverConfig>,
    /// The wired path towards the core, and the one back.
    pub path_downlink: PathConfig,
    /// The wired path from the core to the server.
    pub path_uplink: PathConfig,
}

/// One direction of the radio.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct AirConfig {
    /// PRBs of the carrier: 6 to 110 (TS 36.101 table 5.6-1 has 50 for 10 MHz).
    pub prbs: u32,
    /// What the phone could get with all of them.
    pub rate: RateConfig,
    /// Who is served.
    pub policy: Policy,
    /// Whether several users are served in one TTI.
    pub sharing: Sharing,
    /// The other users of the cell.
    pub competitors: Vec<CompetitorConfig>,
    /// The phone's queue.
    pub queue: QueueConfig,
    /// Repetitions.
    pub harq: HarqConfig,
    /// The time from transmission to delivery without HARQ retransmission, ms: at most 10 s.
    pub air_ms: f64,
    /// Chance that a packet with payload is lost for good although HARQ and RLC tried.
    pub loss: f64,
    /// Numbers (from 1) of packets with payload that are dropped on arrival.
    pub forced_drops: Vec<u64>,
    /// Scheduling requests and buffer reports; only uplinks have them.
    pub grants: Option<GrantConfig>,
}

/// What could be sent in a TTI.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(tag = "kind", rename_all = "snake_case", deny_unknown_fields)]
pub enum RateConfig {
    /// Always the same.
    Constant {
        /// Mbit/s with all PRBs.
        mbps: f64,
    },
    /// A list of rates, from the first again after the last.
    Steps {
        /// How long each lasts, ms.
        hold_ms: f64,
        /// Mbit/s with all PRBs.
        mbps: Vec<f64>,
    },
    /// The capacity follows the channel, through CQI, MCS and transport block sizes.
    Sinr {
        /// The channel.
        sinr: SinrConfig,
        /// Spatial layers: 1 or 2.
        #[serde(default = "one")]
        layers: u32,
        /// 256QAM is allowed: not modelled, so that only `false` is accepted.
        #[serde(default)]
        qam256: bool,
    },
    /// A capacity trace of mahimahi: the milliseconds at which 1500 bytes can leave, from the
    /// first again after the last.
    Trace {
        /// Milliseconds, in order.
        ms: Vec<u64>,
    },
}

/// Signal to interference and noise over time, dB.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(tag = "kind", rename_all = "snake_case", deny_unknown_fields)]
pub enum SinrConfig {
    /// Always the same.
    Constant {
        /// dB.
        db: f64,
    },
    /// A list of values, from the first again after the last.
    Steps {
        /// How long each lasts, ms.
        hold_ms: f64,
        /// dB.
        db: Vec<f64>,
    },
    /// First-order autoregressive around a mean.
    Ar1 {
        /// Mean, dB.
        mean_db: f64,
        /// Standard deviation, dB.
        sigma_db: f64,
        /// The time after which the correlation has fallen to 1/e, ms.
        tau_ms: f64,
    },
    /// A measured series, held between its points, from the first again after the last.
    Series {
        /// Start of each value, ms from the first.
        ms: Vec<f64>,
        /// dB.
        db: Vec<f64>,
    },
    /// A drive past cells.
    Drive(DriveConfig),
}

/// Past cells along a straight road; the strongest serves, and changes with hysteresis.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct DriveConfig {
    /// Metres per second.
    pub speed_mps: f64,
    /// Metres between cells.
    pub spacing_m: f64,
    /// Metres from the road to each cell.
    pub offset_m: f64,
    /// SINR beside a cell, dB.
    pub best_db: f64,
    /// Standard deviation of the shadowing, dB.
    pub shadow_db: f64,
    /// Metres after which the shadowing's correlation has fallen to 1/e.
    pub shadow_m: f64,
    /// A neighbour must be stronger by this, dB (TS 36.331 section 5.5.4.4, event A3).
    pub hysteresis_db: f64,
    /// ... and for this long, ms.
    pub trigger_ms: f64,
    /// How long a handover stops the radio, ms.
    pub outage_ms: f64,
    /// What waits at the old cell is forwarded; otherwise it is lost.
    pub forwarding: bool,
    /// Added to the wired delay at every second handover and taken off at the others, ms.
    pub path_change_ms: f64,
}

/// Who is served.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Policy {
    /// The users are served in turn.
    RoundRobin,
    /// Largest achievable rate over average throughput.
    ProportionalFair,
}

/// How the PRBs of a TTI are divided.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Sharing {
    /// The user whose turn it is takes what it needs; what it leaves goes to the next.
    OneUserFirst,
    /// All users that wait share the PRBs: equally in turn, or by the metric of proportional fair.
    Split,
}

/// Other users of the cell, alike.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct CompetitorConfig {
    /// How many.
    #[serde(default = "one")]
    pub count: u32,
    /// What each could get with all PRBs.
    pub rate: RateConfig,
    /// What they want.
    pub traffic: TrafficConfig,
}

/// What a competing user wants.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(tag = "kind", rename_all = "snake_case", deny_unknown_fields)]
pub enum TrafficConfig {
    /// The user has as much data as can be carried.
    Full,
    /// Packets of 1500 bytes at a mean rate, exponentially apart.
    Poisson {
        /// Mbit/s.
        mbps: f64,
    },
    /// The user has as much data as can be carried, at times: on and off exponentially long.
    OnOff {
        /// Mean, ms.
        on_ms: f64,
        /// Mean, ms.
        off_ms: f64,
    },
}

/// A queue.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct QueueConfig {
    /// Bytes that fit: at the base station for downlinks, in the modem's firmware for uplinks.
    pub bytes: u64,
    /// What happens when it is full, or long.
    pub discipline: Discipline,
    /// Uplink: packets that fit in the kernel's queue in front of the firmware (0: none).
    pub qdisc_packets: u32,
}

/// The rule by which a queue drops.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Discipline {
    /// The queue drops when it is full.
    DropTail,
    /// The queue drops when the wait stays over 5 ms for 100 ms (RFC 8289), or when it is full.
    Codel,
}

/// Hybrid ARQ.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct HarqConfig {
    /// Chance that a transmission is not decoded.
    pub failure: f64,
    /// Transmissions of a block before RLC sends it anew.
    pub transmissions: u32,
    /// How much later RLC does, ms: at most 10 s.
    pub rlc_ms: f64,
}

/// Scheduling requests, buffer status reports and grants (TS 36.321 sections 5.4.4 and 5.4.5).
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct GrantConfig {
    /// The time between opportunities to request a grant, ms.
    pub request_period_ms: f64,
    /// The time from a request or a report to the grant that answers it, ms.
    pub answer_ms: f64,
    /// The time from a grant to its transmission, in TTIs (TS 36.213 section 8: 4).
    pub delay_ttis: u32,
    /// Bytes of the first grant, given before the base station knows how much waits.
    pub first_bytes: u32,
}

/// Idle mode, promotion and tail.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct RrcConfig {
    /// The time from the first packet in idle mode until it can be served: uniform between these,
    /// ms.
    pub promotion_ms: (f64, f64),
    /// The time from the last packet to idle mode, ms.
    pub inactivity_ms: f64,
    /// The time from the last packet to sleeping between short wake-ups while connected, ms (0:
    /// never).
    pub sleep_after_ms: f64,
    /// The time between two wake-ups, ms: what a downlink packet may wait.
    pub sleep_cycle_ms: f64,
    /// How long each lasts, ms.
    pub awake_ms: f64,
    /// The run begins connected.
    pub start_connected: bool,
}

/// A handover at a given time, or once the one before it has ended. In idle mode the phone changes
/// its cell without an outage.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct HandoverConfig {
    /// The time at which the radio stops, ms from the start.
    pub at_ms: f64,
    /// How long, ms.
    pub outage_ms: f64,
    /// What waits at the old cell is forwarded; otherwise it is lost.
    #[serde(default = "yes")]
    pub forwarding: bool,
    /// Added to the wired delay of each direction at the end, ms.
    #[serde(default)]
    pub path_change_ms: f64,
}

/// One direction of the wired path.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct PathConfig {
    /// Delay, ms.
    pub delay_ms: f64,
    /// Chance that a packet with payload is lost.
    pub loss: f64,
    /// A bottleneck in it, Mbit/s.
    pub mbps: Option<f64>,
    /// The bottleneck's buffer, bytes.
    pub buffer_bytes: u64,
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
            spacing_m: 1000.0,
            offset_m: 50.0,
            best_db: 25.0,
            shadow_db: 4.0,
            shadow_m: 50.0,
            hysteresis_db: 3.0,
            trigger_ms: 160.0,
            outage_ms: 50.0,
            forwarding: true,
            path_change_ms: 0.0,
        }
    }
}

impl Default for QueueConfig {
    fn default() -> Self {
        Self { bytes: 2_000_000, discipline: Discipline::DropTail, qdisc_packets: 0 }
    }
}

impl Default for HarqConfig {
    /// A tenth fails at the usual working point (TS 36.213 section 7.2.3: CQI is chosen for it).
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
    /// Values of the order that studies of LTE networks of 2012 report; no clause sets them.
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
        Self { delay_ms: 10.0, loss: 0.0, mbps: None, buffer_bytes: 100_000 }
    }
}
