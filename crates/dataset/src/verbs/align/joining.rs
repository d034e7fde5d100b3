//! Joins two lists of keys where both have the same key.

use std::cmp::Ordering;

/// Sorts by key; entries with the same key keep the order of the capture.
pub(super) fn sorted(keyed: impl Iterator<Item = (u64, u32)>) -> Vec<(u64, u32)> {
    let mut keyed: Vec<_> = keyed.collect();
    keyed.sort_unstable();
    keyed
}

/// Walks through two sorted lists together; for every key that both have, passes on the entries of
/// each.
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
