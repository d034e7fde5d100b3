//! Chooses the flows that are reported: those that took most time, and those that moved most bytes.

use std::cmp::Reverse;
use std::sync::Arc;

use super::facts::FlowSums;
use super::live::Ended;
use super::share::Share;

/// The number of flows for which more than sums is reported (`FLOWS_SEARCHED` in
/// `python/airmile/answers/verdict/_judge.py`).
const MOST_FLOWS: usize = 20;

/// The number of candidates that are kept before the lighter ones are dropped. It is only a little
/// more than remain then, so that the weight a flow needs is soon known.
const ROOM: usize = 2 * MOST_FLOWS + 8;

/// Candidates for the heaviest flows.
///
/// The weight of a flow is its share of the time or of the bytes, whichever is larger. The totals
/// are known only at the end, but every flow that is among the first by weight is also among the
/// first by time or by bytes.
#[derive(Default)]
pub(super) struct Top {
    candidates: Vec<Candidate>,
    /// The last place by bytes and the last place by time: a flow behind both is not among the
    /// first.
    last: Option<(Place, Place)>,
}

struct Candidate {
    uid: u64,
    ns: i128,
    bytes: i128,
    flow: Reported,
}

/// The report of a flow, or the rows that it is made from. Most candidates are dropped before their
/// report is needed.
pub(super) enum Reported {
    /// The rows of the flow, and whether its smaller transfers are reported.
    Later(Arc<Ended>, bool),
    Now(Box<FlowSums>),
}

/// The number of rows above which a flow takes less memory as sums.
const MOST_ROWS: usize = 64;

impl Reported {
    /// Makes a candidate of the larger or the smaller transfers of a flow.
    pub(super) fn new(flow: &Arc<Ended>, small: bool) -> Self {
        let later = Self::Later(Arc::clone(flow), small);
        if flow.live.len() > MOST_ROWS { Self::Now(Box::new(later.sums())) } else { later }
    }

    fn sums(self) -> FlowSums {
        match self {
            Self::Later(flow, small) => FlowSums::new(&Share::new(small, &flow.live), &flow.cells),
            Self::Now(sums) => *sums,
        }
    }
}

impl Top {
    /// Whether a flow may be among the heaviest.
    pub(super) fn takes(&self, uid: u64, ns: i128, bytes: i128) -> bool {
        self.last.is_none_or(|(last, slowest)| {
            (Reverse(bytes), uid) <= last || (Reverse(ns), uid) <= slowest
        })
    }

    /// Keeps a candidate.
    pub(super) fn add(&mut self, uid: u64, ns: i128, bytes: i128, flow: Reported) {
        self.candidates.push(Candidate { uid, ns, bytes, flow });
        if self.candidates.len() > ROOM {
            self.drop_light();
        }
    }

    /// Adds the candidates of another shard.
    pub(super) fn merge(&mut self, other: Self) {
        self.candidates.extend(other.candidates);
        self.drop_light();
    }

    /// Returns the heaviest flows, the heaviest first; of equal ones, the one with the smaller uid
    /// first.
    pub(super) fn finish(mut self, (ns, bytes): (i128, i128)) -> Vec<FlowSums> {
        let part = |of: i128, all: i128| if all == 0 { 0.0 } else { of as f64 / all as f64 };
        let weight = |flow: &Candidate| part(flow.ns, ns).max(part(flow.bytes, bytes));
        self.candidates.sort_by(|one, other| {
            weight(other).total_cmp(&weight(one)).then(one.uid.cmp(&other.uid))
        });
        self.candidates.truncate(MOST_FLOWS);
        self.candidates.into_iter().map(|candidate| candidate.flow.sums()).collect()
    }

    /// Keeps the first candidates by bytes and, of the others, the first by time.
    fn drop_light(&mut self) {
        self.candidates.sort_unstable_by_key(Candidate::by_bytes);
        let mut others = self.candidates.split_off(self.candidates.len().min(MOST_FLOWS));
        others.sort_unstable_by_key(Candidate::by_time);
        others.truncate(MOST_FLOWS);
        if let Some((last, slowest)) = self.candidates.last().zip(others.get(MOST_FLOWS - 1)) {
            self.last = Some((last.by_bytes(), slowest.by_time()));
        }
        self.candidates.append(&mut others);
    }
}

/// A place in an order: the larger number comes first, and of equal numbers the smaller uid.
type Place = (Reverse<i128>, u64);

impl Candidate {
    const fn by_bytes(&self) -> Place {
        (Reverse(self.bytes), self.uid)
    }

    const fn by_time(&self) -> Place {
        (Reverse(self.ns), self.uid)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Flows with made-up weights in some order, whose places are all known.
    fn flows() -> Vec<(u64, i128, i128)> {
        let weights = |uid: u64| (i128::from(uid * 7919 % 1013), i128::from(uid * 104_729 % 997));
        (1..=500).map(|uid| (uid, weights(uid).0, weights(uid).1)).collect()
    }

    fn heaviest(flows: &[(u64, i128, i128)]) -> Vec<u64> {
        let (ns, bytes) = flows.iter().fold((0, 0), |sum, flow| (sum.0 + flow.1, sum.1 + flow.2));
        let weight = |flow: &(u64, i128, i128)| {
            (flow.1 as f64 / ns as f64).max(flow.2 as f64 / bytes as f64)
        };
        let mut sorted = flows.to_vec();
        sorted.sort_by(|a, b| weight(b).total_cmp(&weight(a)).then(a.0.cmp(&b.0)));
        sorted.iter().take(MOST_FLOWS).map(|flow| flow.0).collect()
    }

    fn gathered<'a>(flows: impl Iterator<Item = &'a (u64, i128, i128)>) -> Top {
        let mut top = Top::default();
        for (uid, ns, bytes) in flows {
            if top.takes(*uid, *ns, *bytes) {
                top.add(*uid, *ns, *bytes, Reported::Now(Box::new(FlowSums::named(*uid))));
            }
            assert!(top.candidates.len() <= ROOM);
        }
        top
    }

    #[test]
    fn the_heaviest_are_found_in_any_order_and_over_shards() {
        let flows = flows();
        let (ns, bytes) = flows.iter().fold((0, 0), |sum, flow| (sum.0 + flow.1, sum.1 + flow.2));
        let found = |top: Top| -> Vec<u64> {
            top.finish((ns, bytes)).iter().map(|flow| flow.moved.transfers).collect()
        };
        assert_eq!(found(gathered(flows.iter())), heaviest(&flows));
        assert_eq!(found(gathered(flows.iter().rev())), heaviest(&flows));
        let mut shards = gathered(flows.iter().take(200));
        shards.merge(gathered(flows.iter().skip(200)));
        assert_eq!(found(shards), heaviest(&flows));
    }

    #[test]
    fn of_equal_flows_no_more_are_kept() {
        let flows: Vec<_> = (1..=10_000).map(|uid| (uid, 5, 5)).collect();
        let top = gathered(flows.iter());
        let found: Vec<u64> =
            top.finish((50_000, 50_000)).iter().map(|flow| flow.moved.transfers).collect();
        assert_eq!(found, (1..=20).collect::<Vec<_>>());
    }
}
