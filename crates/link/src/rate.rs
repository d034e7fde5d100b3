//! What a user could get in a TTI: given, from a trace, or from the channel through CQI, MCS and
//! transport block sizes.

use airmile_types::{Duration, Instant};

use crate::bounds::{is_rate, is_step};
use crate::config::{ConfigError, RateConfig};
use crate::handover::Handover;
use crate::random::Random;
use crate::sinr::Sinr;
use crate::tables::{self, Mcs, McsTable};
use crate::trace::CapacityTrace;

/// A phone reports the channel this often: a choice of ours (TS 36.213 section 7.2.2 allows 2 to
/// 160 ms).
const CQI_PERIOD: Duration = Duration::from_millis(5);

/// SINR from which on each CQI is reported, dB: a tenth of the blocks of that CQI fails there
/// in link simulators of LTE; engineering values in common use, not of a clause.
const CQI_FROM_DB: [f64; 15] =
    [-6.7, -4.7, -2.3, 0.2, 2.4, 4.3, 5.9, 8.1, 10.3, 11.7, 14.1, 16.3, 18.7, 21.0, 22.7];

/// What a user could get in one TTI.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum Capacity {
    /// This number of bytes with all PRBs, and in proportion with fewer.
    Plain { bytes: u32 },
    /// The transport blocks of one MCS.
    Coded { mcs: Mcs, layers: u32 },
}

impl Capacity {
    /// Bytes of a transport block on `prbs` of `all` PRBs.
    pub(crate) fn bytes(self, prbs: u32, all: u32) -> u32 {
        match self {
            Self::Plain { bytes } => {
                (u64::from(bytes) * u64::from(prbs) / u64::from(all.max(1))) as u32
            }
            // TS 36.213 section 7.1.7.2.2: up to half the table's width two layers carry the block
            // of twice the PRBs; its table for more is within 2 % of twice the block.
            Self::Coded { mcs, layers: 2 } if 2 * prbs <= tables::MOST_PRBS => {
                tables::tbs_bits(mcs.i_tbs, 2 * prbs) / 8
            }
            Self::Coded { mcs, layers } => layers * (tables::tbs_bits(mcs.i_tbs, prbs) / 8),
        }
    }

    /// The fewest PRBs whose block holds `bytes`; all of them when none does.
    pub(crate) fn prbs_for(self, bytes: u64, all: u32) -> u32 {
        if bytes >= u64::from(self.bytes(all, all)) {
            return all;
        }
        if let Self::Plain { bytes: most } = self {
            // Below `most`, so `most` is not 0: `bytes(prbs)` is the floor of what this inverts.
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

    pub(crate) fn mcs(self) -> Option<(u8, u8)> {
        match self {
            Self::Plain { .. } => None,
            Self::Coded { mcs, layers } => Some((mcs.index, layers as u8)),
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

/// A channel that is reported and adapted to.
#[derive(Clone, Debug)]
pub(crate) struct Channel {
    sinr: Sinr,
    layers: u32,
    /// The MCS of each CQI.
    adapted: Vec<Mcs>,
    /// The time of the newest report, and the MCS that it allows; `None` below the lowest CQI.
    reported: Option<(Instant, Option<Mcs>)>,
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

    /// What could be sent in the TTI that begins at `now`.
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
                // Half a millisecond has half of the opportunities: the first none, the second all.
                Capacity::Plain { bytes: trace.bytes(from, to - from) }
            }
            Self::Channel(channel) => channel.capacity(now, random),
        }
    }

    /// A handover that the channel began in this TTI.
    pub(crate) fn handover(&mut self) -> Option<Handover> {
        match self {
            Self::Channel(channel) => channel.sinr.handover(),
            _ => None,
        }
    }
}

impl Channel {
    fn capacity(&mut self, now: Instant, random: &mut Random) -> Capacity {
        let mcs = match self.reported {
            Some((at, mcs)) if now - at < CQI_PERIOD => mcs,
            _ => {
                let mcs = self.mcs(now, random);
                self.reported = Some((now, mcs));
                mcs
            }
        };
        let layers = self.layers;
        mcs.map_or(Capacity::Plain { bytes: 0 }, |mcs| Capacity::Coded { mcs, layers })
    }

    /// CQI 0 is out of range (TS 36.213 table 7.2.3-1): no block would be decoded.
    fn mcs(&mut self, now: Instant, random: &mut Random) -> Option<Mcs> {
        let db = self.sinr.db(now, random);
        let cqi = CQI_FROM_DB.partition_point(|&from| from <= db);
        Some(self.adapted[cqi.checked_sub(1)?])
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

/// Whole bytes now, the rest later.
fn whole(bytes: f64, carried: &mut f64) -> Capacity {
    let sum = bytes + *carried;
    *carried = sum.fract();
    Capacity::Plain { bytes: sum as u32 }
}
