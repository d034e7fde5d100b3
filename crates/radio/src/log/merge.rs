//! Several messages may describe one transport block; here they become one row.

use std::collections::{HashMap, HashSet};

use airmile_read::modem::{Tti, User};
use airmile_types::Direction;

/// Messages that describe allocations, the most complete first. A source that is not listed is a
/// format of its own, whose rows are kept as they are.
const FULLEST: [&str; 4] = ["0xB173", "0xB126", "0xB139", "0xB130"];

/// Messages of the MAC layer: sizes and padding of the same blocks, without PRBs.
const MAC: [&str; 2] = ["0xB063", "0xB064"];

/// The user and the direction.
type Key = (User, Direction);

/// Reduces the rows to one per transport block, by time. Of each user and direction the rows of the
/// most complete message are kept, with the padding that the MAC layer reports for the same blocks.
pub(super) fn merge(ttis: &mut Vec<Tti>) {
    let chosen = chosen(ttis);
    let padding = paddings(ttis);
    ttis.retain(|tti| chosen.get(&(tti.user, tti.direction)).is_none_or(|s| *s == tti.source));
    if !padding.is_empty() {
        for row in ttis.iter_mut().filter(|row| row.padding_bytes.is_none() && is_decoded(row)) {
            row.padding_bytes = padding.get(&block(row)).copied();
        }
    }
    ttis.sort_by_key(|row| (row.time, row.tti, row.user, row.direction, row.carrier, row.block));
}

/// The message whose rows are kept for each user and direction for which several are logged.
fn chosen(ttis: &[Tti]) -> HashMap<Key, &'static str> {
    // Most neighbours are from the same message.
    let runs = ttis.chunk_by(|one, next| kind(one) == kind(next));
    let seen: HashSet<(Key, &'static str)> = runs.filter_map(<[_]>::first).map(kind).collect();
    let mut chosen: HashMap<Key, &'static str> = HashMap::new();
    let mut ranked: Vec<_> = seen.into_iter().filter(|(_, s)| rank(s).is_some()).collect();
    ranked.sort_by_key(|(_, source)| rank(source));
    for (key, source) in ranked {
        chosen.entry(key).or_insert(source);
    }
    chosen
}

/// The rank of a message among those that describe one block: the lowest rank counts. `None` for a
/// format of its own, whose rows all count.
pub fn rank(source: &str) -> Option<usize> {
    FULLEST.iter().chain(&MAC).position(|name| *name == source)
}

const fn kind(tti: &Tti) -> (Key, &'static str) {
    ((tti.user, tti.direction), tti.source)
}

/// What identifies a transport block in two messages: the subframe and the size. Not all of them
/// contain the HARQ process.
type BlockKey = (User, Direction, i64, u32);

fn block(tti: &Tti) -> BlockKey {
    (tti.user, tti.direction, tti.tti, tti.tbs_bytes.unwrap_or(0))
}

fn paddings(ttis: &[Tti]) -> HashMap<BlockKey, u32> {
    let mac = ttis.iter().filter(|tti| MAC.contains(&tti.source) && tti.tbs_bytes.is_some());
    mac.filter_map(|tti| Some((block(tti), tti.padding_bytes?))).collect()
}

fn is_decoded(tti: &Tti) -> bool {
    tti.crc_ok != Some(false) && tti.tbs_bytes.is_some()
}
