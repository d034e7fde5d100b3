//! Merges the messages that describe one transport block into one row.

use std::collections::{HashMap, HashSet};

use airmile_read::modem::{Tti, User};
use airmile_types::Direction;

/// Messages that describe allocations, the most complete first. Rows of any source that is not
/// listed here are kept unchanged, because such a source is a format of its own.
const FULLEST: [&str; 4] = ["0xB173", "0xB126", "0xB139", "0xB130"];

/// Messages of the MAC layer, which contain sizes and padding of the same blocks, but no PRBs.
const MAC: [&str; 2] = ["0xB063", "0xB064"];

/// The user and the direction.
type Key = (User, Direction);

/// Reduces the rows to one per transport block, in the order of time. For each user and direction,
/// the rows of the most complete message are kept. The padding that the MAC layer reports for the
/// same blocks is added to them.
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

/// For each user and direction with several kinds of messages, the message whose rows are kept.
fn chosen(ttis: &[Tti]) -> HashMap<Key, &'static str> {
    // Most adjacent rows come from the same message.
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

/// The rank of a message among those that describe the same block; the message with the lowest rank
/// is kept. `None` for a source whose rows are all kept.
pub fn rank(source: &str) -> Option<usize> {
    FULLEST.iter().chain(&MAC).position(|name| *name == source)
}

const fn kind(tti: &Tti) -> (Key, &'static str) {
    ((tti.user, tti.direction), tti.source)
}

/// The fields that identify a transport block in two messages: subframe and size. Not all messages
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
