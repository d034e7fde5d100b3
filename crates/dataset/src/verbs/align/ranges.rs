//! Matches segments that offloads joined or cut: the bytes are the same, the packets are not.
//!
//! Generic segmentation and receive offloads (GSO, GRO) only join segments that have the same
//! acknowledgement number and the same timestamps, so bytes are compared within such groups.

use super::joining::{join, sorted};
use super::matched::{Fate, Fates, Matched, Pair};
use super::seen::Seen;

/// A segment as a range of bytes, counted from any byte of its group.
#[derive(Clone, Copy, Debug)]
struct Piece {
    index: u32,
    start: i64,
    end: i64,
}

/// Pairs segments that begin with the same byte, and notes bytes that the other capture has in
/// other segments.
pub(super) fn pair(first: &[Seen], second: &[Seen], matched: &mut Matched) {
    let (one, two) = (grouped(first, &matched.first), grouped(second, &matched.second));
    join(&one, &two, |one, two| {
        let Some(base) = one.first().and_then(|(_, index)| sequence(first, *index)) else { return };
        let (one, two) = (pieces(first, one, base), pieces(second, two, base));
        cover(&one, &two, &mut matched.first);
        cover(&two, &one, &mut matched.second);
        let starts = one.iter().filter(|piece| is_single(piece, &one));
        matched.pairs.extend(starts.filter_map(|piece| partner(piece, &two)));
    });
}

/// The segments with payload that were not found unchanged, by group.
fn grouped(seen: &[Seen], fates: &Fates) -> Vec<(u64, u32)> {
    let data = fates.alone(seen).filter(|(_, packet)| packet.bytes > 0);
    sorted(data.map(|(index, packet)| (packet.group, index)))
}

fn sequence(seen: &[Seen], index: u32) -> Option<u32> {
    seen.get(index as usize).map(|packet| packet.sequence)
}

/// The segments of a group, sorted by their first byte.
fn pieces(seen: &[Seen], group: &[(u64, u32)], base: u32) -> Vec<Piece> {
    let packets = group.iter().filter_map(|(_, index)| Some((*index, seen.get(*index as usize)?)));
    let mut pieces: Vec<Piece> = packets
        .map(|(index, packet)| {
            // Sequence numbers wrap (RFC 9293 section 3.4); a group spans less than half of them.
            let start = i64::from(packet.sequence.wrapping_sub(base) as i32);
            Piece { index, start, end: start + i64::from(packet.bytes) }
        })
        .collect();
    pieces.sort_unstable_by_key(|piece| (piece.start, piece.index));
    pieces
}

/// Notes for each piece how many of its bytes none of the `others` contains.
fn cover(pieces: &[Piece], others: &[Piece], fates: &mut Fates) {
    let there = union(others);
    for piece in pieces {
        let after = there.partition_point(|(_, end)| *end <= piece.start);
        let near = there.iter().skip(after).take_while(|(start, _)| *start < piece.end);
        let shared: i64 =
            near.map(|(start, end)| piece.end.min(*end) - piece.start.max(*start)).sum();
        if shared > 0 {
            let missing = piece.end - piece.start - shared;
            fates.set(piece.index, Fate::Joined, u32::try_from(missing).unwrap_or(0));
        }
    }
}

/// The ranges that the pieces cover together, in order.
fn union(pieces: &[Piece]) -> Vec<(i64, i64)> {
    let mut ranges: Vec<(i64, i64)> = Vec::new();
    for piece in pieces {
        match ranges.last_mut() {
            Some((_, end)) if piece.start <= *end => *end = piece.end.max(*end),
            _ => ranges.push((piece.start, piece.end)),
        }
    }
    ranges
}

/// Whether no other piece begins where this piece does.
fn is_single(piece: &Piece, pieces: &[Piece]) -> bool {
    from(piece.start, pieces).count() == 1
}

fn from(start: i64, pieces: &[Piece]) -> impl Iterator<Item = &Piece> {
    let at = pieces.partition_point(|piece| piece.start < start);
    pieces.iter().skip(at).take_while(move |piece| piece.start == start)
}

/// The only piece of the second capture that begins with the same byte; `None` when there is none
/// or several.
fn partner(piece: &Piece, second: &[Piece]) -> Option<Pair> {
    let mut starts = from(piece.start, second);
    let other = starts.next().filter(|_| starts.next().is_none())?;
    Some(Pair { first: piece.index, second: other.index, whole: false })
}
