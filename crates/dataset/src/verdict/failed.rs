//! Adds up what failed before any data moved: connections that never opened, and name look-ups.

use std::cmp::Reverse;
use std::collections::BTreeMap;
use std::collections::btree_map::Entry;

use airmile_analyze::DnsRow;
use serde::Serialize;

use super::cells::{Cells, Place, at};
use super::live::length_ns;

/// The number of failures of a kind that are named (`CASES` in
/// `python/airmile/answers/verdict/_sums/_failed.py`).
const CASES: usize = 3;

/// The response code of a name that does not exist (RFC 1035 section 4.1.1).
const NO_SUCH_NAME: u16 = 3;

/// The fewest SYNs that show that the first one waited for an answer. A single one may be the last
/// packet of the capture.
const WAITED: i64 = 2;

/// The failures of one kind.
#[derive(Clone, Debug, Serialize)]
pub struct FailedSums {
    /// The number of connections or look-ups.
    pub count: u64,
    /// The number of SYNs or queries.
    pub packets: i128,
    /// The time of the first packet of the first one.
    pub start_ns: i64,
    /// The time of the last packet of the last one.
    pub end_ns: i64,
    /// Those that took longest, at most three.
    pub longest: Vec<FailedCase>,
}

/// A connection that never opened, or a look-up.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct FailedCase {
    /// The number of the flow.
    pub uid: u64,
    /// Whether the other end wanted to connect to the phone.
    pub to_phone: bool,
    /// The address of the phone; null for a look-up.
    pub ue: Option<String>,
    /// The port of the phone; null for a look-up.
    pub ue_port: Option<i64>,
    /// The address of the server; null for a look-up.
    pub server: Option<String>,
    /// The port of the server; null for a look-up.
    pub server_port: Option<i64>,
    /// The name of the server, or the name that was looked up.
    pub name: Option<String>,
    /// The number of SYNs or queries.
    pub packets: i64,
    /// The time of the first packet.
    pub start_ns: i64,
    /// The time of the last packet; of a look-up the answer, or the first query without one.
    pub end_ns: i64,
}

/// The failures by kind.
#[derive(Default)]
pub(super) struct Failed(BTreeMap<&'static str, FailedSums>);

impl Failed {
    /// Counts a flow if its connection never opened.
    pub(super) fn add_flow(&mut self, cells: &Cells) {
        if let Some((kind, case)) = connection(cells) {
            self.take(kind, FailedSums::of(case));
        }
    }

    /// Counts a look-up if it failed or was repeated.
    pub(super) fn add_lookup(&mut self, row: &DnsRow) {
        if let Some(kind) = lookup(row) {
            self.take(kind, FailedSums::of(FailedCase::of_lookup(row)));
        }
    }

    /// Adds the failures of another shard.
    pub(super) fn merge(&mut self, other: Self) {
        for (kind, more) in other.0 {
            self.take(kind, more);
        }
    }

    /// The sums by kind.
    pub(super) fn finish(self) -> BTreeMap<&'static str, FailedSums> {
        self.0
    }

    fn take(&mut self, kind: &'static str, more: FailedSums) {
        match self.0.entry(kind) {
            Entry::Vacant(place) => {
                place.insert(more);
            }
            Entry::Occupied(mut known) => known.get_mut().merge(more),
        }
    }
}

impl FailedSums {
    fn of(case: FailedCase) -> Self {
        Self {
            count: 1,
            packets: case.packets.into(),
            start_ns: case.start_ns,
            end_ns: case.end_ns,
            longest: vec![case],
        }
    }

    fn merge(&mut self, more: Self) {
        self.count += more.count;
        self.packets += more.packets;
        self.start_ns = self.start_ns.min(more.start_ns);
        self.end_ns = self.end_ns.max(more.end_ns);
        self.longest.extend(more.longest);
        self.longest.sort_by(|one, other| one.place().cmp(&other.place()));
        self.longest.truncate(CASES);
    }
}

impl FailedCase {
    /// The order of cases: the longest first. Cases with the same order are equal.
    fn place(&self) -> impl Ord + '_ {
        let length = Reverse(length_ns(self.start_ns, self.end_ns));
        (length, self.start_ns, self.end_ns, self.uid, self.name.as_deref(), self.packets)
    }

    fn of_flow(cells: &Cells, to_phone: bool, packets: i64) -> Option<Self> {
        let text = |place| cells.text(place).map(str::to_owned);
        Some(Self {
            uid: cells.uid()?,
            to_phone,
            ue: text(at!("ue")),
            ue_port: cells.number(at!("ue_port")),
            server: text(at!("server")),
            server_port: cells.number(at!("server_port")),
            name: text(at!("server_name")),
            packets,
            start_ns: cells.number(at!("start_ns"))?,
            end_ns: cells.number(at!("end_ns"))?,
        })
    }

    fn of_lookup(row: &DnsRow) -> Self {
        let start_ns = row.query_ns.as_nanos();
        Self {
            uid: row.uid,
            to_phone: false,
            ue: None,
            ue_port: None,
            server: None,
            server_port: None,
            name: row.name.clone(),
            packets: row.queries.into(),
            start_ns,
            end_ns: row.response_ns.map_or(start_ns, |time| time.as_nanos()),
        }
    }
}

/// What one side of a connection sent.
struct Sent {
    packets: i64,
    syns: i64,
    recorded_twice: i64,
}

impl Sent {
    fn new(cells: &Cells, [packets, syns, recorded_twice]: [Place; 3]) -> Option<Self> {
        let recorded_twice = cells.number(recorded_twice).unwrap_or_default();
        Some(Self { packets: cells.number(packets)?, syns: cells.number(syns)?, recorded_twice })
    }
}

/// The kind of a connection that never opened: its first side sent SYNs only, and the other one
/// nothing (`unanswered`), or no SYN but a reset (`refused`).
fn connection(cells: &Cells) -> Option<(&'static str, FailedCase)> {
    let to_phone = match cells.text(at!("initiator"))? {
        "ue" => false,
        "server" => true,
        _ => return None,
    };
    let up = Sent::new(cells, [at!("ul_packets"), at!("ul_syn"), at!("ul_recorded_twice")])?;
    let down = Sent::new(cells, [at!("dl_packets"), at!("dl_syn"), at!("dl_recorded_twice")])?;
    let (own, other) = if to_phone { (down, up) } else { (up, down) };
    let syns = own.syns - own.recorded_twice;
    if own.syns == 0 || own.packets != own.syns || other.syns > 0 {
        return None;
    }
    let kind = match cells.text(at!("ending")) {
        _ if other.packets == 0 && syns >= WAITED => "unanswered",
        Some("rst") if other.packets > 0 => "refused",
        _ => return None,
    };
    Some((kind, FailedCase::of_flow(cells, to_phone, syns)?))
}

/// The kind of a look-up that failed, or that was answered only after a repetition.
fn lookup(row: &DnsRow) -> Option<&'static str> {
    match row.rcode.unwrap_or_default() {
        _ if !row.answered => Some("lookup_unanswered"),
        NO_SUCH_NAME => Some("no_such_name"),
        0 if row.queries > 1 => Some("lookup_repeated"),
        0 => None,
        _ => Some("lookup_failed"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn case(uid: u64, end_ns: i64) -> FailedCase {
        FailedCase {
            uid,
            to_phone: false,
            ue: None,
            ue_port: None,
            server: None,
            server_port: None,
            name: None,
            packets: 2,
            start_ns: 1,
            end_ns,
        }
    }

    #[test]
    fn the_order_of_shards_changes_neither_sums_nor_the_longest() {
        let cases = [case(1, 5), case(2, 9), case(3, 5), case(4, 7), case(5, 0)];
        let sum = |order: &[usize]| {
            let mut failed = Failed::default();
            for at in order {
                let mut shard = Failed::default();
                shard.take("unanswered", FailedSums::of(cases[*at].clone()));
                failed.merge(shard);
            }
            failed.finish().remove("unanswered").unwrap()
        };
        for order in [[0, 1, 2, 3, 4], [4, 3, 2, 1, 0]] {
            let found = sum(&order);
            let uids: Vec<u64> = found.longest.iter().map(|case| case.uid).collect();
            assert_eq!((found.count, found.packets, found.end_ns), (5, 10, 9));
            assert_eq!(uids, [2, 4, 1]);
        }
    }
}
