//! Finds the cell of a carrier whose blocks do not name it.

use std::collections::BTreeMap;

use airmile_read::modem::{Tti, User};
use airmile_types::Instant;

use super::records::RadioLog;

/// For each carrier of a user, the cells that it was in, and the time from which it was in each.
pub struct ServingCells(BTreeMap<(User, u8), Vec<(Instant, u16)>>);

impl ServingCells {
    /// Collects the cells that messages about carriers and measurements of serving cells name.
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
    /// newest cell known for the block's carrier.
    pub fn of(&self, tti: &Tti) -> Option<u16> {
        let list = self.0.get(&(tti.user, tti.carrier))?;
        let after = list.partition_point(|(since, _)| *since <= tti.time);
        list.get(after.checked_sub(1)?).map(|(_, cell)| *cell)
    }
}
