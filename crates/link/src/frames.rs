//! Says which TTIs serve a direction: on a TDD carrier only some subframes do, and in a measurement
//! gap the phone neither receives nor sends.

use airmile_types::Direction;

use crate::config::{ConfigError, LinkConfig};

/// The uplink-downlink configurations (TS 36.211 table 4.2-2): D is a downlink subframe, U an uplink
/// subframe, and S a special one.
const CONFIGURATIONS: [&[u8; 10]; 7] = [
    b"DSUUUDSUUU",
    b"DSUUDDSUUD",
    b"DSUDDDSUDD",
    b"DSUUUDDDDD",
    b"DSUUDDDDDD",
    b"DSUDDDDDDD",
    b"DSUUUDSUUD",
];
/// The length of a measurement gap (TS 36.133 table 8.1.2.1-1).
const GAP_MS: u64 = 6;

/// The pattern of a carrier's subframes, and of the phone's measurement gaps.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Frames {
    subframes: Option<&'static [u8; 10]>,
    gap_period: Option<u64>,
    gap: u64,
}

impl Frames {
    pub(crate) fn new(config: &LinkConfig) -> Result<Self, ConfigError> {
        let subframes = config.tdd.map(|number| {
            let known = CONFIGURATIONS.get(number as usize).filter(|_| config.tti_us == 1000);
            let problem = "write 0 to 6 (TS 36.211 table 4.2-2), with TTIs of 1000 microseconds";
            known.copied().ok_or_else(|| ConfigError::new("tdd", problem))
        });
        if config.gap_period_ms.is_some_and(|period| period != 40 && period != 80) {
            let problem = "measurement gaps come every 40 or 80 ms (TS 36.133 table 8.1.2.1-1)";
            return Err(ConfigError::new("gap_period_ms", problem));
        }
        let ttis_per_ms = u64::from(1000 / config.tti_us.max(1));
        Ok(Self {
            subframes: subframes.transpose()?,
            gap_period: config.gap_period_ms.map(|period| u64::from(period) * ttis_per_ms),
            gap: GAP_MS * ttis_per_ms,
        })
    }

    /// The number of PRBs, of all `prbs`, that carry data of a direction in a TTI.
    pub(crate) fn prbs(&self, direction: Direction, tti: u64, prbs: u32) -> u32 {
        let Some(subframes) = self.subframes else { return prbs };
        match (subframes[(tti % 10) as usize], direction) {
            (b'D', Direction::Downlink) | (b'U', Direction::Uplink) => prbs,
            (b'S', Direction::Downlink) => (prbs * 3 / 4).max(1),
            _ => 0,
        }
    }

    /// Whether the phone is in a measurement gap.
    pub(crate) fn in_gap(&self, tti: u64) -> bool {
        self.gap_period.is_some_and(|period| tti % period < self.gap)
    }
}
