//! Keeps the cell bandwidths in PRBs while a log is being written: those that the log has reported
//! so far, or else the most PRBs seen.

use std::collections::BTreeMap;

use airmile_radio::GivenBandwidths;
use airmile_read::modem::{CellInfo, PrbSource, Tti, User};

/// The greatest number of carriers that are remembered.
const MOST_CARRIERS: usize = 1 << 15;

/// What is known about the bandwidths of cells.
#[derive(Debug, Default)]
pub(super) struct Totals {
    given: GivenBandwidths,
    /// The bandwidths that the log reports, by physical cell identity.
    cells: BTreeMap<u16, (PrbSource, u16)>,
    carriers: BTreeMap<(User, u8), Carrier>,
}

/// A carrier of a user.
#[derive(Debug, Default)]
struct Carrier {
    cell: Option<u16>,
    reported: Option<(PrbSource, u16)>,
    largest: u16,
    /// Whether each record states the bandwidth.
    in_record: bool,
}

impl Totals {
    pub(super) fn new(given: GivenBandwidths) -> Self {
        Self { given, ..Self::default() }
    }

    /// Takes the bandwidth of a cell from the log. It does not replace one from a more certain
    /// source.
    pub(super) fn add(&mut self, info: &CellInfo) {
        let new = (info.source, info.downlink_prbs);
        let surer = |old: Option<(PrbSource, u16)>| old.is_none_or(|old| new.0 <= old.0);
        if let Some(cell) = info.cell {
            if surer(self.cells.get(&cell).copied()) {
                self.cells.insert(cell, new);
            }
        } else if let Some(carrier) = info.carrier
            && let Some(known) = self.carrier(info.user, carrier)
            && surer(known.reported)
        {
            known.reported = Some(new);
        }
    }

    /// Notes the PRBs of a block.
    pub(super) fn seen(&mut self, tti: &Tti) {
        if let Some(known) = self.carrier(tti.user, tti.carrier) {
            if tti.cell.is_some() && tti.cell != known.cell {
                // Another cell may be narrower.
                *known = Carrier { cell: tti.cell, ..Carrier::default() };
            }
            known.largest = known.largest.max(tti.prbs.unwrap_or(0));
            known.in_record = tti.prb_total.is_some();
        }
    }

    /// The bandwidth of a user's carrier; `None` when nothing shows it.
    pub(super) fn of(&self, user: User, carrier: u8) -> Option<u16> {
        let known = self.carriers.get(&(user, carrier))?;
        self.sure(known).or_else(|| (known.largest > 0).then_some(known.largest))
    }

    /// Whether some bandwidth is only the most PRBs seen so far.
    pub(super) fn unsure(&self) -> bool {
        self.carriers
            .values()
            .any(|known| known.largest > 0 && !known.in_record && self.sure(known).is_none())
    }

    /// Forgets a user who is not followed any more.
    pub(super) fn forget(&mut self, user: User) {
        self.carriers.retain(|(owner, _), _| *owner != user);
    }

    fn sure(&self, known: &Carrier) -> Option<u16> {
        let reported =
            || known.cell.and_then(|cell| self.cells.get(&cell)).copied().or(known.reported);
        self.given.of(known.cell).or_else(|| reported().map(|(_, prbs)| prbs))
    }

    fn carrier(&mut self, user: User, carrier: u8) -> Option<&mut Carrier> {
        let key = (user, carrier);
        if self.carriers.len() >= MOST_CARRIERS && !self.carriers.contains_key(&key) {
            return None;
        }
        Some(self.carriers.entry(key).or_default())
    }
}
