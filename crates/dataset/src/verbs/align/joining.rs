//! Two lists of keys, joined where a key is in both.

use std::cmp::Ordering;

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
