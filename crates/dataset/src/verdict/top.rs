//! The flows of which is told: those that took most time, and those that moved most.

use std::cmp::Reverse;

use super::facts::FlowSums;

/// Of so many flows more is told than their sums (`FLOWS_SEARCHED` in `python/airmile/verdict.py`).
const MOST_FLOWS: usize = 20;

/// Candidates that are kept before the lighter ones are dropped.
const ROOM: usize = 4 * MOST_FLOWS;

/// Candidates for the heaviest flows.
///
/// A flow weighs as much as its share of the time or of the bytes, whichever is larger. Totals are
/// known in the end; but whoever is among the first by weight is among the first by time or bytes.
#[derive(Default)]
pub(super) struct Top {
    candidates: Vec<Candidate>,
    /// The last place by bytes and that by time: whoever is behind both is not among the first.
    last: Option<(Place, Place)>,
}

struct Candidate {
    uid: u64,
    ns: i128,
    bytes: i128,
    flow: FlowSums,
}

impl Top {
    /// Whether a flow may be among the heaviest.
    pub(super) fn takes(&self, uid: u64, ns: i128, bytes: i128) -> bool {
        self.last.is_none_or(|(last, slowest)| {
            (Reverse(bytes), uid) <= last || (Reverse(ns), uid) <= slowest
        })
    }

    /// Keeps a candidate.
    pub(super) fn add(&mut self, uid: u64, ns: i128, bytes: i128, flow: FlowSums) {
        self.candidates.push(Candidate { uid, ns, bytes, flow });
        if self.candidates.len() > ROOM {
            self.drop_light();
        }
    }

    /// Adds those of another shard.
    pub(super) fn merge(&mut self, other: Self) {
        self.candidates.extend(other.candidates);
        self.drop_light();
    }

    /// The heaviest, heaviest first; of equal ones the smaller uid.
    pub(super) fn finish(mut self, (ns, bytes): (i128, i128)) -> Vec<FlowSums> {
        let part = |of: i128, all: i128| if all == 0 { 0.0 } else { of as f64 / all as f64 };
        let weight = |flow: &Candidate| part(flow.ns, ns).max(part(flow.bytes, bytes));
        self.candidates.sort_by(|one, other| {
            weight(other).total_cmp(&weight(one)).then(one.uid.cmp(&other.uid))
        });
        self.candidates.truncate(MOST_FLOWS);
        self.candidates.into_iter().map(|candidate| candidate.flow).collect()
    }

    /// Keeps the first by bytes, and of the others the first by time.
    fn drop_light(&mut self) {
        self.candidates.sort_by_key(Candidate::by_bytes);
        let mut others = self.candidates.split_off(self.candidates.len().min(MOST_FLOWS));
        others.sort_by_key(Candidate::by_time);
        others.truncate(MOST_FLOWS);
        if let Some((last, slowest)) = self.candidates.last().zip(others.get(MOST_FLOWS - 1)) {
            self.last = Some((last.by_bytes(), slowest.by_time()));
        }
        self.candidates.append(&mut others);
    }
}

/// A place in an order: what is larger goes first, and of equal ones the smaller uid.
type Place = (Reverse<i128>, u64);

impl Candidate {
    const fn by_bytes(&self) -> Place {
        (Reverse(self.bytes), self.uid)
    }

    const fn by_time(&self) -> Place {
        (Reverse(self.ns), self.uid)
    }
}
