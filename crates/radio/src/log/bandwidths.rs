//! Finds the bandwidth of each carrier's cell in PRBs, and the source of that number (methods G1).

use std::collections::{BTreeMap, BTreeSet};

use airmile_read::modem::{CellInfo, PrbSource, Tti, User};
use airmile_types::{Direction, Instant};

use super::given::{GivenBandwidths, MOST_PRBS};
use super::records::RadioLog;

/// A cell bandwidth that applies to some blocks of a user.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct BandwidthInUse {
    /// The direction of the blocks.
    pub direction: Direction,
    /// The carrier; 0 is the primary carrier.
    pub carrier: u8,
    /// The physical cell identity; `None` if it is not known.
    pub cell: Option<u16>,
    /// The bandwidth in PRBs.
    pub prbs: u16,
    /// The source of the bandwidth.
    pub source: PrbSource,
}

/// A carrier of a user in one direction.
type UserCarrier = (User, Direction, u8);

/// The time from which a bandwidth applies, the bandwidth in PRBs, and its source.
type Known = (Instant, u16, PrbSource);

/// The time from which a carrier is in a cell, and the bandwidth that the user gave for that cell;
/// `None` if the user gave none.
type Given = (Instant, Option<u16>);

/// Cell bandwidths over time, by user, direction and carrier.
#[derive(Clone, Debug, Default)]
pub struct CellBandwidths {
    given: GivenBandwidths,
    known: BTreeMap<UserCarrier, Vec<Known>>,
    /// For each carrier, the bandwidths given for the cells that the carrier was in.
    named: BTreeMap<(User, u8), Vec<Given>>,
    largest: BTreeMap<UserCarrier, u16>,
}

impl CellBandwidths {
    /// The bandwidths that the logs and the user give.
    pub fn new(given: GivenBandwidths, log: &RadioLog) -> Self {
        let mut totals = Self { given, ..Self::default() };
        for info in &log.infos {
            totals.take_info(info);
            totals.take_cell(info.user, info.carrier.unwrap_or(0), info.cell, info.time);
        }
        for cell in log.cells.iter().filter(|cell| cell.serving == Some(true)) {
            totals.take_cell(cell.user, cell.carrier.unwrap_or(0), cell.cell, cell.time);
        }
        for tti in &log.ttis {
            totals.take_tti(tti);
            totals.take_cell(tti.user, tti.carrier, tti.cell, tti.time);
        }
        for list in totals.named.values_mut() {
            list.sort_by_key(|(since, _)| *since);
            list.dedup_by_key(|(_, prbs)| *prbs);
        }
        for list in totals.known.values_mut() {
            list.sort_by_key(|(time, _, source)| (*time, *source));
            list.dedup_by_key(|(_, prbs, source)| (*prbs, *source));
        }
        totals
    }

    /// The bandwidth that applies to a block, and its source; `None` if it is not known.
    pub fn of(&self, tti: &Tti) -> Option<(u16, PrbSource)> {
        if let Some(total) = tti.prb_total {
            return Some((total, PrbSource::Record));
        }
        let given = match tti.cell {
            Some(_) => self.given.of(tti.cell),
            None => self.given(tti.user, tti.carrier, tti.time),
        };
        if let Some(total) = given {
            return Some((total, PrbSource::Option));
        }
        let key = (tti.user, tti.direction, tti.carrier);
        self.known
            .get(&key)
            .and_then(|list| at(list, tti.time))
            .or_else(|| self.largest.get(&key).map(|prbs| (*prbs, PrbSource::LargestSeen)))
    }

    /// The downlink bandwidth of a carrier at a time, if the record itself does not contain it.
    pub fn downlink(&self, user: User, carrier: u8, time: Instant) -> Option<u16> {
        if let Some(total) = self.given(user, carrier, time) {
            return Some(total);
        }
        let key = (user, Direction::Downlink, carrier);
        let known = self.known.get(&key).and_then(|list| at(list, time));
        known.map(|(prbs, _)| prbs).or_else(|| self.largest.get(&key).copied())
    }

    /// All bandwidths in use, by user.
    pub fn in_use(&self, ttis: &[Tti]) -> BTreeMap<User, BTreeSet<BandwidthInUse>> {
        let mut seen: BTreeMap<User, BTreeSet<_>> = BTreeMap::new();
        let mut last = None;
        for tti in ttis {
            let Some((prbs, source)) = self.of(tti) else { continue };
            let Tti { direction, carrier, cell, .. } = *tti;
            let total = BandwidthInUse { direction, carrier, cell, prbs, source };
            // Most blocks have the same bandwidth as the block before.
            if last.replace((tti.user, total)) != Some((tti.user, total)) {
                seen.entry(tti.user).or_default().insert(total);
            }
        }
        seen
    }

    /// The bandwidth that the user gave for the cell that a carrier is in at a time.
    fn given(&self, user: User, carrier: u8, time: Instant) -> Option<u16> {
        let named = self.named.get(&(user, carrier)).and_then(|list| {
            let after = list.partition_point(|(since, _)| *since <= time);
            list.get(after.saturating_sub(1)).and_then(|(_, prbs)| *prbs)
        });
        named.or(self.given.every)
    }

    /// Notes the bandwidth that the user gave for the cell that a carrier is in from `since` on.
    fn take_cell(&mut self, user: User, carrier: u8, cell: Option<u16>, since: Instant) {
        if let Some(cell) = cell.filter(|_| !self.given.cells.is_empty()) {
            let prbs = self.given.cells.get(&cell).copied();
            self.named.entry((user, carrier)).or_default().push((since, prbs));
        }
    }

    /// Notes a message about a cell, which concerns the primary carrier unless it names another
    /// one.
    fn take_info(&mut self, info: &CellInfo) {
        let carrier = info.carrier.unwrap_or(0);
        let uplink = info.uplink_prbs.map(|prbs| (Direction::Uplink, prbs));
        let both = std::iter::once((Direction::Downlink, info.downlink_prbs)).chain(uplink);
        for (direction, prbs) in both.filter(|(_, prbs)| (1..=MOST_PRBS).contains(prbs)) {
            let list = self.known.entry((info.user, direction, carrier)).or_default();
            list.push((info.time, prbs, info.source));
        }
    }

    fn take_tti(&mut self, tti: &Tti) {
        let Some(prbs) = tti.prbs else { return };
        let most = self.largest.entry((tti.user, tti.direction, tti.carrier)).or_default();
        *most = prbs.max(*most);
    }
}

/// The newest bandwidth at a time; before the first one, the first.
fn at(list: &[Known], time: Instant) -> Option<(u16, PrbSource)> {
    let after = list.partition_point(|(since, ..)| *since <= time);
    let (_, prbs, source) = list.get(after.saturating_sub(1))?;
    Some((*prbs, *source))
}

#[cfg(test)]
mod tests {
    use super::*;
    use airmile_read::modem::{CellInfo, Rnti};

    const fn at(ms: i64) -> Instant {
        Instant::from_nanos(ms * 1_000_000)
    }

    fn tti(ms: i64, cell: Option<u16>, prb_total: Option<u16>) -> Tti {
        let plain = Tti::plain(at(ms), ms, User(0), "test");
        Tti { rnti: Rnti::C, cell, prbs: Some(20), prb_total, tbs_bytes: Some(500), ..plain }
    }

    fn info(ms: i64, cell: u16) -> CellInfo {
        CellInfo {
            time: at(ms),
            user: User(0),
            cell: Some(cell),
            earfcn: None,
            carrier: None,
            downlink_prbs: 100,
            uplink_prbs: None,
            source: PrbSource::Mib,
        }
    }

    fn totals(given: &str, infos: Vec<CellInfo>, ttis: Vec<Tti>) -> CellBandwidths {
        let given = GivenBandwidths::read(&[given.to_owned()]).unwrap();
        CellBandwidths::new(given, &RadioLog { infos, ttis, ..RadioLog::default() })
    }

    #[test]
    fn what_is_given_for_a_cell_holds_for_bursts_and_table_while_the_carrier_is_it() {
        let (infos, blocks) = (vec![info(0, 7), info(100, 8)], vec![tti(50, None, None)]);
        let found = totals("7:50", infos, blocks);
        let downlink = |ms| found.downlink(User(0), 0, at(ms));
        assert_eq!((downlink(50), downlink(150)), (Some(50), Some(100)));
        assert_eq!(found.of(&tti(50, None, None)), Some((50, PrbSource::Option)));
        assert_eq!(found.of(&tti(150, None, None)), Some((100, PrbSource::Mib)));
    }

    #[test]
    fn blocks_that_name_their_cell_need_no_other_message() {
        let found =
            totals("7:50", Vec::new(), vec![tti(50, Some(7), None), tti(90, Some(9), None)]);
        let downlink = |ms| found.downlink(User(0), 0, at(ms));
        assert_eq!((downlink(60), downlink(90)), (Some(50), Some(20)));
        assert_eq!(found.of(&tti(50, Some(7), None)), Some((50, PrbSource::Option)));
    }

    #[test]
    fn a_record_that_contains_the_bandwidth_needs_no_other() {
        let found = totals("50", Vec::new(), Vec::new());
        assert_eq!(found.of(&tti(0, None, Some(25))), Some((25, PrbSource::Record)));
        assert_eq!(found.of(&tti(0, None, None)), Some((50, PrbSource::Option)));
    }
}
