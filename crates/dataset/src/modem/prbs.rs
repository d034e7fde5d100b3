//! How many PRBs a carrier has, and what tells it (methods G1).

use std::collections::{BTreeMap, BTreeSet};

use airmile_read::modem::{CellInfo, PrbSource, Tti, User};
use airmile_types::{Direction, Instant};

use crate::error::Error;
use crate::modem::load::RadioLog;
use crate::modem::report::PrbTotal;

/// The most that LTE has (TS 36.101 table 5.6-1: 20 MHz); NR has up to 273 (TS 38.101-1 table
/// 5.3.2-1).
const MOST_PRBS: u16 = 275;

/// PRB totals that the user has given.
#[derive(Clone, Debug, Default)]
pub(crate) struct CellPrbs {
    every: Option<u16>,
    cells: BTreeMap<u16, u16>,
}

impl CellPrbs {
    /// From `N` (every cell) and `CELL:N` (one, by its physical cell identity).
    ///
    /// # Errors
    /// What is neither.
    pub(crate) fn read(given: &[String]) -> Result<Self, Error> {
        let mut prbs = Self::default();
        for text in given {
            let (cell, total) = match text.split_once(':') {
                Some((cell, total)) => (Some(cell), total),
                None => (None, text.as_str()),
            };
            let total: u16 = total.trim().parse().unwrap_or(0);
            let wrong = || {
                Error::usage(format!("--cell-prbs {text}: not of the form N or CELL:N"))
                    .hint("N is the cell's PRBs (6 to 110 in LTE), CELL its physical cell identity")
            };
            if total == 0 || total > MOST_PRBS {
                return Err(wrong());
            }
            match cell {
                None => prbs.every = Some(total),
                Some(cell) => {
                    let cell = cell.trim().parse().map_err(|_| wrong())?;
                    prbs.cells.insert(cell, total);
                }
            }
        }
        Ok(prbs)
    }

    /// What was given for a cell; for every cell, where its identity is not known or not named.
    pub(crate) fn of(&self, cell: Option<u16>) -> Option<u16> {
        cell.and_then(|cell| self.cells.get(&cell)).copied().or(self.every)
    }
}

/// A carrier of a user, one way.
type Carrier = (User, Direction, u8);

/// A total, since when, and what told it.
type Told = (Instant, u16, PrbSource);

/// PRB totals by user, direction and carrier, over time.
#[derive(Clone, Debug, Default)]
pub(crate) struct PrbTotals {
    given: CellPrbs,
    told: BTreeMap<Carrier, Vec<Told>>,
    largest: BTreeMap<Carrier, u16>,
}

impl PrbTotals {
    /// What the logs and the user tell.
    pub(crate) fn new(given: CellPrbs, log: &RadioLog) -> Self {
        let mut totals = Self { given, ..Self::default() };
        for info in &log.infos {
            totals.take_info(info);
        }
        for tti in &log.ttis {
            totals.take_tti(tti);
        }
        for list in totals.told.values_mut() {
            list.sort_by_key(|(time, _, source)| (*time, *source));
            list.dedup_by_key(|(_, prbs, source)| (*prbs, *source));
        }
        totals
    }

    /// The total for a block, and what told it.
    pub(crate) fn of(&self, tti: &Tti) -> Option<(u16, PrbSource)> {
        if let Some(total) = self.given.of(tti.cell) {
            return Some((total, PrbSource::Option));
        }
        if let Some(total) = tti.prb_total {
            return Some((total, PrbSource::Record));
        }
        let key = (tti.user, tti.direction, tti.carrier);
        self.told
            .get(&key)
            .and_then(|list| at(list, tti.time))
            .or_else(|| self.largest.get(&key).map(|prbs| (*prbs, PrbSource::LargestSeen)))
    }

    /// The downlink total of a carrier at a time, where the record itself has none.
    pub(crate) fn downlink(&self, user: User, carrier: u8, time: Instant) -> Option<u16> {
        if let Some(total) = self.given.every {
            return Some(total);
        }
        let key = (user, Direction::Downlink, carrier);
        let told = self.told.get(&key).and_then(|list| at(list, time));
        told.map(|(prbs, _)| prbs).or_else(|| self.largest.get(&key).copied())
    }

    /// Every total in use, for people.
    pub(crate) fn list(&self, ttis: &[Tti], user: User) -> Vec<PrbTotal> {
        let of_user = ttis.iter().filter(|tti| tti.user == user);
        let seen: BTreeSet<_> = of_user
            .filter_map(|tti| {
                let (prbs, source) = self.of(tti)?;
                Some((tti.direction, tti.carrier, tti.cell, prbs, source))
            })
            .collect();
        seen.into_iter()
            .map(|(direction, carrier, cell, prbs, source)| PrbTotal {
                direction: direction.as_str(),
                carrier,
                cell,
                prbs,
                source: source.as_str(),
            })
            .collect()
    }

    /// The messages of a cell's information speak of the primary carrier unless they say another.
    fn take_info(&mut self, info: &CellInfo) {
        let carrier = info.carrier.unwrap_or(0);
        let uplink = info.uplink_prbs.map(|prbs| (Direction::Uplink, prbs));
        let both = std::iter::once((Direction::Downlink, info.downlink_prbs)).chain(uplink);
        for (direction, prbs) in both.filter(|(_, prbs)| (1..=MOST_PRBS).contains(prbs)) {
            let list = self.told.entry((info.user, direction, carrier)).or_default();
            list.push((info.time, prbs, info.source));
        }
    }

    fn take_tti(&mut self, tti: &Tti) {
        let Some(prbs) = tti.prbs else { return };
        let most = self.largest.entry((tti.user, tti.direction, tti.carrier)).or_default();
        *most = prbs.max(*most);
    }
}

/// The newest at a time; before the first: the first.
fn at(list: &[Told], time: Instant) -> Option<(u16, PrbSource)> {
    let after = list.partition_point(|(told, ..)| *told <= time);
    let (_, prbs, source) = list.get(after.saturating_sub(1))?;
    Some((*prbs, *source))
}
