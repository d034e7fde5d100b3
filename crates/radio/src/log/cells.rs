//! Which cell a carrier is in, where its blocks do not name it.

use std::collections::BTreeMap;

use airmile_read::modem::{Tti, User};
use airmile_types::Instant;

use super::records::RadioLog;

/// The cells of each user's carriers, and since when a carrier is in each.
pub struct ServingCells(BTreeMap<(User, u8), Vec<(Instant, u16)>>);

impl ServingCells {
    /// The cells named by messages about carriers and by measurements of serving cells.
    pub fn new(log: &RadioLog) -> Self {
        let announced = log.infos.iter().filter_map(|info| {
            Some(((info.user, info.carrier.unwrap_or(0)), (info.time, info.cell?)))
        });
        let serving = log.cells.iter().filter(|cell| cell.serving == Some(true));
        let measured =
            serving.filter_map(|cell| Some(((cell.user, cell.carrier?), (cell.time, cell.cell?))));
        let mut cells: BTreeMap<_, Vec<_>> = BTreeMap::new();
        for (carrier, since) in announced.chain(measured) {
            cells.entry(carrier).or_default().push(since);
        }
        for list in cells.values_mut() {
            list.sort_unstable();
            list.dedup_by_key(|(_, cell)| *cell);
        }
        Self(cells)
    }

    /// The cell of a block that does not name it, as in statistics of the PDSCH (0xB173): the
    /// newest cell known for its carrier.
    pub fn of(&self, tti: &Tti) -> Option<u16> {
        let list = self.0.get(&(tti.user, tti.carrier))?;
        let after = list.partition_point(|(since, _)| *since <= tti.time);
        list.get(after.checked_sub(1)?).map(|(_, cell)| *cell)
    }
}
