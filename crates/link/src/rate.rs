//! Computes how much a user could send in a TTI: a given amount, an amount from a trace, or one
//! from the channel through CQI, MCS and transport block sizes.

use airmile_types::{Duration, Instant};

use crate::bounds::{is_rate, is_step};
use crate::config::{ConfigError, RateConfig};
use crate::handover::Handover;
use crate::heard::{Heard, HeardCell};
use crate::random::Random;
use crate::sinr::Sinr;
use crate::tables::{self, Mcs, McsTable};
use crate::trace::CapacityTrace;

/// The time between two reports of the channel by the phone; our choice (TS 36.213 section 7.2.2
/// allows 2 to 160 ms).
const CQI_PERIOD: Duration = Duration::from_millis(5);

/// The SINR from which each CQI is reported, in dB. A tenth of the blocks of that CQI fails there
/// in LTE simulators; these are engineering values in common use, which no clause sets.
const CQI_FROM_DB: [f64; 15] =
    [-6.7, -4.7, -2.3, 0.2, 2.4, 4.3, 5.9, 8.1, 10.3, 11.7, 14.1, 16.3, 18.7, 21.0, 22.7];

/// How much a user could send in one TTI.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum Capacity {
    /// This number of bytes with all PRBs, and in proportion with fewer.
    Plain { bytes: u32 },
    /// The transport blocks of one MCS.
    Coded { mcs: Mcs, layers: u32 },
}

impl Capacity {
    /// The bytes of a transport block on `prbs` of `all` PRBs.
    pub(crate) fn bytes(self, prbs: u32, all: u32) -> u32 {
        match self {
            Self::Plain { bytes } => {
                (u64::from(bytes) * u64::from(prbs) / u64::from(all.max(1))) as u32
            }
            // TS 36.213 section 7.1.7.2.2: up to half of the table's width, two layers carry the
            // block of twice the PRBs. Beyond it, the clause's own table is within 2 % of twice the
            // block.
            Self::Coded { mcs, layers: 2 } if 2 * prbs <= tables::MOST_PRBS => {
                tables::tbs_bits(mcs.i_tbs, 2 * prbs) / 8
            }
            Self::Coded { mcs, layers } => layers * (tables::tbs_bits(mcs.i_tbs, prbs) / 8),
        }
    }

    /// The least number of PRBs whose block has room for `bytes`; all PRBs when none has.
    pub(crate) fn prbs_for(self, bytes: u64, all: u32) -> u32 {
        if bytes >= u64::from(self.bytes(all, all)) {
            return all;
        }
        if let Self::Plain { bytes: most } = self {
            // `bytes` is less than `most`, so `most` is not 0. This line inverts `bytes(prbs)`,
            // which rounds down.
            return (bytes * u64::from(all)).div_ceil(u64::from(most)).max(1) as u32;
        }
        let (mut low, mut high) = (0, all);
        while low + 1 < high {
            let middle = low.midpoint(high);
            if u64::from(self.bytes(middle, all)) >= bytes {
                high = middle;
            } else {
                low = middle;
            }
        }
        high
    }

    /// The MCS and the number of layers.
    pub(crate) fn mcs(self) -> Option<(Mcs, u8)> {
        match self {
            Self::Plain { .. } => None,
            Self::Coded { mcs, layers } => Some((mcs, layers as u8)),
        }
    }
}

/// The source of the capacity.
#[derive(Clone, Debug)]
pub(crate) enum Rate {
    Constant { bytes: f64, carried: f64 },
    Steps { hold: Duration, bytes: Vec<f64>, carried: f64 },
    Trace { trace: CapacityTrace, tti: Duration },
    Channel(Channel),
}

/// A channel that the phone reports and the base station adapts to.
#[derive(Clone, Debug)]
pub(crate) struct Channel {
    sinr: Sinr,
    layers: u32,
    /// The MCS of each CQI.
    adapted: Vec<Mcs>,
    reported: Option<Reported>,
}

/// The newest report of a channel.
#[derive(Clone, Copy, Debug)]
struct Reported {
    at: Instant,
    sinr_db: f64,
    /// 0 means out of range (TS 36.213 table 7.2.3-1): no block would be decoded.
    cqi: u8,
}

impl Rate {
    pub(crate) fn new(
        config: &RateConfig,
        uplink: bool,
        tti: Duration,
        name: &str,
    ) -> Result<Self, ConfigError> {
        let wrong = |setting: &str, problem: &str| {
            Err(ConfigError::new(format!("{name}.rate.{setting}"), problem))
        };
        let bytes = |mbps: f64| mbps * 1e6 / 8.0 * tti.as_secs_f64();
        Ok(match config {
            RateConfig::Constant { mbps } if is_rate(*mbps) => {
                Self::Constant { bytes: bytes(*mbps), carried: 0.0 }
            }
            RateConfig::Constant { .. } => return wrong("mbps", "a rate is 0 to 10000 Mbit/s"),
            RateConfig::Steps { hold_ms, mbps } => {
                if mbps.is_empty() || !mbps.iter().copied().all(is_rate) || !is_step(*hold_ms) {
                    return wrong("mbps", "steps need rates of 0 to 10000 and a hold_ms above 0");
                }
                let hold = Duration::from_secs_f64(hold_ms / 1e3);
                let bytes = mbps.iter().copied().map(bytes).collect();
                Self::Steps { hold, bytes, carried: 0.0 }
            }
            RateConfig::Trace { ms } => match CapacityTrace::new(ms.clone()) {
                Ok(trace) => Self::Trace { trace, tti },
                Err(error) => return wrong("ms", &error.problem),
            },
            RateConfig::Sinr { layers, .. } if !(1..=2).contains(layers) => {
                return wrong("layers", "1 or 2");
            }
            RateConfig::Sinr { qam256: true, .. } => {
                return wrong(
                    "qam256",
                    "256QAM is not modelled: its CQIs (TS 36.213 table 7.2.3-2) are not known here; \
                     leave it out, or give the rates as a trace or steps",
                );
            }
            RateConfig::Sinr { sinr, layers, .. } => {
                let table = if uplink { McsTable::Uplink64 } else { McsTable::Downlink64 };
                Self::Channel(Channel {
                    sinr: Sinr::new(sinr, name)?,
                    layers: *layers,
                    adapted: tables::cqis()
                        .iter()
                        .map(|cqi| adapt(cqi.efficiency, table))
                        .collect(),
                    reported: None,
                })
            }
        })
    }

    /// How much could be sent in the TTI that begins at `now`.
    pub(crate) fn capacity(&mut self, now: Instant, random: &mut Random) -> Capacity {
        match self {
            Self::Constant { bytes, carried } => whole(*bytes, carried),
            Self::Steps { hold, bytes, carried } => {
                let step = (now.as_nanos() / hold.as_nanos()) as usize % bytes.len();
                whole(bytes[step], carried)
            }
            Self::Trace { trace, tti } => {
                let ms = |at: Instant| (at.as_nanos() / 1_000_000) as u64;
                let (from, to) = (ms(now), ms(now + *tti));
                // A TTI of half a millisecond gets half of the opportunities: the first half none,
                // the second half all.
                Capacity::Plain { bytes: trace.bytes(from, to - from) }
            }
            Self::Channel(channel) => channel.capacity(now, random),
        }
    }

    /// The signal to interference and noise ratio at the last report, in dB.
    pub(crate) fn sinr_db(&self) -> Option<f64> {
        match self {
            Self::Channel(channel) => channel.reported.map(|reported| reported.sinr_db),
            _ => None,
        }
    }

    /// The cells that the phone hears, as of the last report. Without a channel, this is one cell
    /// of which nothing is known.
    pub(crate) fn heard(&self) -> Heard {
        match self {
            Self::Channel(Channel { sinr, reported: Some(reported), .. }) => Heard {
                cells: sinr.cells(reported.sinr_db),
                sinr_db: Some(reported.sinr_db),
                cqi: Some(reported.cqi),
            },
            _ => Heard { cells: vec![HeardCell { number: 0, db: None }], sinr_db: None, cqi: None },
        }
    }

    /// The number of the cell that the channel has chosen.
    pub(crate) fn serving(&self) -> i64 {
        match self {
            Self::Channel(channel) => channel.sinr.serving(),
            _ => 0,
        }
    }

    /// The handover that the channel began in this TTI, if it did.
    pub(crate) fn handover(&mut self) -> Option<Handover> {
        match self {
            Self::Channel(channel) => channel.sinr.handover(),
            _ => None,
        }
    }
}

impl Channel {
    fn capacity(&mut self, now: Instant, random: &mut Random) -> Capacity {
        let reported = match self.reported {
            Some(reported) if now - reported.at < CQI_PERIOD => reported,
            _ => self.report(now, random),
        };
        self.reported = Some(reported);
        match usize::from(reported.cqi).checked_sub(1) {
            Some(index) => Capacity::Coded { mcs: self.adapted[index], layers: self.layers },
            None => Capacity::Plain { bytes: 0 },
        }
    }

    fn report(&mut self, now: Instant, random: &mut Random) -> Reported {
        let sinr_db = self.sinr.db(now, random);
        let cqi = CQI_FROM_DB.partition_point(|&from| from <= sinr_db) as u8;
        Reported { at: now, sinr_db, cqi }
    }
}

/// The highest MCS that carries no more bits per resource element than the CQI allows.
fn adapt(efficiency: f64, table: McsTable) -> Mcs {
    let rows = tables::mcs(table);
    let elements = 100.0 * table.data_elements();
    let carried = |mcs: &Mcs| f64::from(tables::tbs_bits(mcs.i_tbs, 100)) / elements;
    let fits = rows.iter().rev().find(|mcs| carried(mcs) <= efficiency);
    fits.or(rows.first()).copied().unwrap_or(Mcs { index: 0, qm: 2, i_tbs: 0 })
}

/// Sends whole bytes now, and carries the fraction over to the next TTI.
fn whole(bytes: f64, carried: &mut f64) -> Capacity {
    let sum = bytes + *carried;
    *carried = sum.fract();
    Capacity::Plain { bytes: sum as u32 }
}
