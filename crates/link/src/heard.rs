//! Gives the cells that a phone hears, as the phone would measure and log them.

use airmile_types::Instant;

use crate::truth::{Measured, Truth};

/// The noise level in dBm: thermal noise in a subcarrier of 15 kHz (-174 dBm/Hz) and a noise figure
/// of 9 dB, which is a usual assumption for phones. A resource element is one subcarrier wide, so a
/// level over this noise gives an RSRP.
const NOISE_DBM: f64 = -123.24;
/// The number of subcarriers of a resource block (TS 36.211 section 6.2.3).
const SUBCARRIERS: f64 = 12.0;
/// The number of physical cell identities (TS 36.211 section 6.11).
const IDENTITIES: i64 = 504;
/// The number of identities by which a planned handover advances, which separates its cells from
/// those of a drive; our choice.
const PLANNED_STEP: i64 = 100;

/// The cells that a phone hears.
#[derive(Clone, Debug)]
pub(crate) struct Heard {
    pub(crate) cells: Vec<HeardCell>,
    /// The SINR of the cell that the channel has chosen, in dB.
    pub(crate) sinr_db: Option<f64>,
    pub(crate) cqi: Option<u8>,
}

/// A cell along the road.
#[derive(Clone, Copy, Debug)]
pub(crate) struct HeardCell {
    pub(crate) number: i64,
    /// The power of the cell over the noise, in dB; `None` when the rate does not come from a
    /// channel.
    pub(crate) db: Option<f64>,
}

/// The physical identity of the cell with this number after `planned` planned handovers.
pub(crate) fn identity(number: i64, planned: i64) -> u16 {
    (number + PLANNED_STEP * planned).rem_euclid(IDENTITIES) as u16
}

impl Heard {
    /// Reports a measurement of each cell. The SINR belongs to the cell `chosen`; the cell
    /// `serving` serves the phone. They differ while a handover waits for another one to end.
    pub(crate) fn report(
        &self,
        at: Instant,
        planned: i64,
        chosen: u16,
        serving: u16,
        truth: &mut impl Truth,
    ) {
        let power = |db: f64| 10f64.powf(db / 10.0);
        let all: f64 = self.cells.iter().filter_map(|cell| cell.db).map(power).sum();
        for cell in &self.cells {
            let own = identity(cell.number, planned);
            // The cells are at full load: every resource element of a block carries this power (TS
            // 36.214 section 5.1.3).
            let rsrq = |db: f64| 10.0 * (power(db) / (SUBCARRIERS * (1.0 + all))).log10();
            truth.measured(&Measured {
                at,
                cell: own,
                serving: own == serving,
                rsrp_dbm: cell.db.map(|db| NOISE_DBM + db),
                rsrq_db: cell.db.map(rsrq),
                sinr_db: self.sinr_db.filter(|_| own == chosen),
                cqi: self.cqi.filter(|_| own == chosen),
            });
        }
    }
}
