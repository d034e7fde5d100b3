//! Finds for each packet of one capture the same packet in the other.

use super::joining::{join, sorted};
use super::matched::{Fate, Fates, Matched, Pair};
use super::ranges;
use super::seen::Seen;

/// Pairs the packets of two captures.
pub(super) fn pairs(first: &[Seen], second: &[Seen]) -> Matched {
    let mut matched =
        Matched { pairs: Vec::new(), first: Fates::of(first), second: Fates::of(second) };
    let keyed = |seen: &[Seen]| sorted(seen.iter().zip(0..).map(|(packet, n)| (packet.key, n)));
    join(&keyed(first), &keyed(second), |one, two| same(one, two, &mut matched));
    ranges::pair(first, second, &mut matched);
    matched.pairs.sort_unstable_by_key(|pair| pair.second);
    matched
}

/// Matches the packets that are identical.
fn same(first: &[(u64, u32)], second: &[(u64, u32)], matched: &mut Matched) {
    if let ([(_, first)], [(_, second)]) = (first, second) {
        matched.first.set(*first, Fate::Paired, 0);
        matched.second.set(*second, Fate::Paired, 0);
        matched.pairs.push(Pair { first: *first, second: *second, whole: true });
        return;
    }
    // With five packets here and four there, one is missing, and it may be any of them.
    for ((_, first), (_, second)) in first.iter().zip(second) {
        matched.first.set(*first, Fate::Repeated, 0);
        matched.second.set(*second, Fate::Repeated, 0);
    }
}
