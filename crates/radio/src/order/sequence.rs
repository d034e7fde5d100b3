//! Puts epochs one after the other, so that the numbers of their milliseconds go on.

use std::collections::BTreeMap;

use super::epoch::Epoch;
use super::phase::{FRAMES_MS, MS};

/// The number of epochs, the newest ones, whose blocks may still come.
const LATE_EPOCHS: usize = 64;

/// What is added to the blocks of an epoch.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Shift {
    /// The number of the epoch.
    pub(super) epoch: u32,
    /// What is added to the numbers of its milliseconds.
    pub(super) ms: i64,
    /// What is added to its stamps, in microseconds; more than 0 if the stamps are those of another
    /// epoch too.
    pub(super) us: i64,
}

/// The end of an epoch: its last millisecond, and the stamp.
type End = (i64, i64);

/// The shift of each epoch of a log that was read to its end: by the time of the epochs.
pub(super) fn in_time_order(epochs: &[Epoch]) -> Vec<Shift> {
    let us = corrections(epochs);
    let mut order: Vec<usize> = alone(epochs).map(|(at, _)| at).collect();
    let begin = |at: &usize| Some(epochs.get(*at)?.begin.saturating_add(*us.get(*at)?));
    order.sort_by_key(begin);
    let mut shifts = vec![Shift { epoch: 0, ms: 0, us: 0 }; epochs.len()];
    let mut end = None;
    for (number, at) in (0..).zip(order) {
        let (Some(epoch), Some(us), Some(shift)) = (epochs.get(at), us.get(at), shifts.get_mut(at))
        else {
            continue;
        };
        *shift = Shift { epoch: number, ms: behind(epoch, *us, end), us: *us };
        end = Some(ended(epoch, shift));
    }
    (0..epochs.len()).for_each(|at| unite(at, epochs, &mut shifts));
    shifts
}

/// The shift of the next epoch of a log that is being written: behind the newest before.
pub(super) fn as_it_comes(epochs: &[Epoch], shifts: &[Shift]) -> Option<Shift> {
    let epoch = epochs.get(shifts.len())?;
    let newest = epochs.iter().zip(shifts).rev().take(LATE_EPOCHS);
    let end = newest.map(|(epoch, shift)| ended(epoch, shift)).max();
    let us = end.map_or(0, |(_, stamp)| behind_stamp(epoch, stamp));
    let number = u32::try_from(shifts.len()).unwrap_or(u32::MAX);
    Some(Shift { epoch: number, ms: behind(epoch, us, end), us })
}

/// What is added to the stamps of each epoch so that no two are of the same time.
pub(super) fn corrections(epochs: &[Epoch]) -> Vec<i64> {
    // The times that are taken, by their beginnings; no two overlap.
    let mut taken: BTreeMap<i64, i64> = BTreeMap::new();
    let mut corrections = vec![0; epochs.len()];
    for (at, epoch) in alone(epochs) {
        let before = taken.range(..=epoch.end).next_back();
        let us = match (before, taken.last_key_value()) {
            (Some((_, to)), Some((_, last))) if *to >= epoch.begin => behind_stamp(epoch, *last),
            _ => 0,
        };
        taken.insert(epoch.begin.saturating_add(us), epoch.end.saturating_add(us));
        if let Some(own) = corrections.get_mut(at) {
            *own = us;
        }
    }
    corrections
}

/// The epochs that are not the beginning of another one.
fn alone(epochs: &[Epoch]) -> impl Iterator<Item = (usize, &Epoch)> {
    epochs.iter().enumerate().filter(|(_, epoch)| epoch.united.is_none())
}

/// Gives an epoch that is the beginning of another one the shift of that one.
fn unite(at: usize, epochs: &[Epoch], shifts: &mut [Shift]) {
    let (mut to, mut ahead) = (at, 0_i64);
    while let Some((next, by)) = epochs.get(to).and_then(|epoch| epoch.united) {
        (to, ahead) = (next, ahead.saturating_add(by));
    }
    let whole = shifts.get(to).copied();
    if let (Some(own), Some(whole)) = (shifts.get_mut(at), whole) {
        *own = Shift { ms: whole.ms.saturating_add(ahead), ..whole };
    }
}

/// What is added to the stamps of an epoch so that it comes after a stamp.
fn behind_stamp(epoch: &Epoch, stamp: i64) -> i64 {
    stamp.saturating_add(MS).saturating_sub(epoch.begin).max(0)
}

/// What is added to the numbers of an epoch that comes after an end.
fn behind(epoch: &Epoch, us: i64, end: Option<End>) -> i64 {
    let first = epoch.span().0;
    let Some((last, stamp)) = end else { return from_zero(first) };
    let begin = epoch.begin.saturating_add(us);
    let apart = begin.saturating_sub(stamp).saturating_add(MS / 2).div_euclid(MS).max(1);
    last.saturating_add(apart).saturating_sub(first)
}

/// What is added to the numbers of a log so that none is negative: blocks may come late, so that
/// they are before the first block, whose counter has just wrapped.
const fn from_zero(first: i64) -> i64 {
    if first >= 0 { 0 } else { first.div_euclid(FRAMES_MS).saturating_mul(-FRAMES_MS) }
}

const fn ended(epoch: &Epoch, shift: &Shift) -> End {
    (epoch.span().1.saturating_add(shift.ms), epoch.end.saturating_add(shift.us))
}
