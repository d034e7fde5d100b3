//! Reports what was found while the blocks of a log were put in order.

use airmile_radio::Unplaced;
use airmile_read::modem::Notes;
use airmile_types::{Duration, Instant};

/// The greatest distance of a message's time to the times of its blocks.
const NEAR: Duration = Duration::from_secs(15);

/// Adds the counts of blocks that were left out, and what a reader of the results should know.
pub(crate) fn add(notes: &mut Notes, found: &Unplaced) {
    let Unplaced { stray, copies, set_back, epochs, moved, .. } = *found;
    leave_out_times(notes, found);
    let text = "time and number fit no other block";
    left_out(notes, "stray_block", stray, text);
    if copies > 0 {
        *notes.skipped.entry("duplicate").or_default() += copies;
        notes.warn(format!("{copies} records were there before; each counts once"));
    }
    if set_back > 0 {
        let times = if set_back == 1 { "once".to_owned() } else { format!("{set_back} times") };
        notes.warn(format!(
            "the clock of the log was set back {times} while its numbers went on; the later times \
             are those of the clock before"
        ));
    }
    if epochs > 1 {
        notes.warn(format!(
            "the log holds {epochs} epochs: time or numbers begin anew; nothing is known of the \
             time between them"
        ));
    }
    if moved > 0 {
        notes.warn(format!(
            "epochs with the times of others, whose numbers do not agree: {moved}, placed behind \
             the others; give logs of other cells and phones to other runs"
        ));
    }
}

/// Adds the count of blocks that came after their milliseconds had been judged, which only a log that
/// is being written has.
pub(crate) fn add_late(notes: &mut Notes, late: u64) {
    left_out(notes, "late_block", late, "they came later than 300 ms after their time");
}

/// Counts blocks that were left out, as a part of the log that could not be read.
fn left_out(notes: &mut Notes, reason: &'static str, count: u64, why: &str) {
    if count > 0 {
        *notes.skipped.entry(reason).or_default() += count;
        let blocks = if count == 1 { "block was" } else { "blocks were" };
        notes.problem(0, reason, format!("{count} {blocks} left out: {why}"));
    }
}

/// Shortens the time span of a log to that of its blocks, where a stray block stretched it.
fn leave_out_times(notes: &mut Notes, found: &Unplaced) {
    let ends = found.stray_times.ends().zip(found.times.ends());
    let Some(((first_stray, last_stray), (first, last))) = ends else { return };
    let near = |one: Instant, other: Instant| (one - other).abs() <= NEAR;
    if notes.first_time.is_some_and(|time| near(time, first_stray) && !near(time, first)) {
        notes.first_time = Some(first);
    }
    if notes.last_time.is_some_and(|time| near(time, last_stray) && !near(time, last)) {
        notes.last_time = Some(last);
    }
}
