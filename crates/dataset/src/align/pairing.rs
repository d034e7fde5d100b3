//! Which packet of one capture is which of the other.

use std::cmp::Ordering;

use super::ranges;
use super::taken::Seen;

/// How a packet of one capture fared in the other.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Fate {
    /// Not there.
    Alone,
    /// There, and both are the only ones of their kind.
    Paired,
    /// As many of its kind are there, but it cannot be said which is which.
    Repeated,
    /// Its bytes are there, all or some, in segments that are cut in another way.
    Joined,
}

/// Two packets that are one.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Pair {
    pub(super) first: u32,
    pub(super) second: u32,
    /// The same segment; otherwise they only start with the same byte.
    pub(super) whole: bool,
}

/// What was found.
#[derive(Debug, Default)]
pub(super) struct Matched {
    /// In the order of the second capture.
    pub(super) pairs: Vec<Pair>,
    pub(super) first: Fates,
    pub(super) second: Fates,
}

/// How the packets of a capture fared, and how many of their bytes the other does not have.
#[derive(Debug, Default)]
pub(super) struct Fates {
    pub(super) fates: Vec<Fate>,
    pub(super) missing: Vec<u32>,
}

impl Fates {
    fn of(seen: &[Seen]) -> Self {
        Self {
            fates: vec![Fate::Alone; seen.len()],
            missing: seen.iter().map(|packet| packet.bytes).collect(),
        }
    }

    /// Notes a packet of which `missing` bytes are not in the other capture.
    pub(super) fn set(&mut self, index: u32, fate: Fate, missing: u32) {
        if let Some(slot) = self.fates.get_mut(index as usize) {
            *slot = fate;
        }
        if let Some(slot) = self.missing.get_mut(index as usize) {
            *slot = missing;
        }
    }

    /// Packets of `seen` that were not found yet.
    pub(super) fn alone<'a>(&self, seen: &'a [Seen]) -> impl Iterator<Item = (u32, &'a Seen)> {
        let fates = self.fates.iter().zip(0_u32..).zip(seen);
        fates.filter(|((fate, _), _)| **fate == Fate::Alone).map(|((_, index), seen)| (index, seen))
    }
}

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

/// Packets of one kind.
fn same(first: &[(u64, u32)], second: &[(u64, u32)], matched: &mut Matched) {
    if let ([(_, first)], [(_, second)]) = (first, second) {
        matched.first.set(*first, Fate::Paired, 0);
        matched.second.set(*second, Fate::Paired, 0);
        matched.pairs.push(Pair { first: *first, second: *second, whole: true });
        return;
    }
    // Of five here and four there one is missing, and it might be any.
    for ((_, first), (_, second)) in first.iter().zip(second) {
        matched.first.set(*first, Fate::Repeated, 0);
        matched.second.set(*second, Fate::Repeated, 0);
    }
}

/// Sorts by key, and by order of the capture within one.
pub(super) fn sorted(keyed: impl Iterator<Item = (u64, u32)>) -> Vec<(u64, u32)> {
    let mut keyed: Vec<_> = keyed.collect();
    keyed.sort_unstable();
    keyed
}

/// Walks two sorted lists together: hands over what each has of every key that both have.
pub(super) fn join(
    first: &[(u64, u32)],
    second: &[(u64, u32)],
    mut take: impl FnMut(&[(u64, u32)], &[(u64, u32)]),
) {
    let mut second = second.chunk_by(same_key).peekable();
    for one in first.chunk_by(same_key) {
        let key = key(one);
        while second.next_if(|two| self::key(two) < key).is_some() {}
        if let Some(two) = second.next_if(|two| self::key(two).cmp(&key) == Ordering::Equal) {
            take(one, two);
        }
    }
}

fn same_key(one: &(u64, u32), two: &(u64, u32)) -> bool {
    one.0 == two.0
}

fn key(run: &[(u64, u32)]) -> Option<u64> {
    run.first().map(|(key, _)| *key)
}
