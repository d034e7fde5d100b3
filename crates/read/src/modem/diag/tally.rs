//! Counts messages in a form that makes counting fast; the counts are added to the notes once for
//! each piece.

use super::messages::MESSAGES;
use super::outcome::{Misfit, Outcome};
use crate::modem::report::Notes;

/// The greatest number of kinds and versions that are listed; a damaged log could contain any
/// number.
const LISTED_VERSIONS: usize = 4096;

/// What was done with messages of a kind and version.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Fate {
    Verified,
    Unverified,
    NotUnderstood,
}

/// The counts since they were last added to the notes.
pub(super) struct Tally {
    /// The counts for each of [`MESSAGES`], by version.
    known: Vec<Vec<(u32, Fate, u64)>>,
    /// The counts of other messages, by log code.
    other: Vec<u64>,
    /// The codes whose count in `other` is not 0.
    others: Vec<u16>,
    /// The numbers of packets other than log packets, by their command.
    commands: [u64; 256],
}

impl Default for Tally {
    fn default() -> Self {
        Self {
            known: vec![Vec::new(); MESSAGES.len()],
            other: vec![0; 1 << 16],
            others: Vec::new(),
            commands: [0; 256],
        }
    }
}

impl Tally {
    /// Counts a message of a kind that is not read.
    #[inline]
    pub(super) fn other(&mut self, code: u16) {
        let Some(count) = self.other.get_mut(usize::from(code)) else { return };
        if *count == 0 {
            self.others.push(code);
        }
        *count += 1;
    }

    /// Counts a packet that is not a log packet.
    #[inline]
    pub(super) fn command(&mut self, command: u8) {
        if let Some(count) = self.commands.get_mut(usize::from(command)) {
            *count += 1;
        }
    }

    /// Counts the result of reading a message; `index` is its index in [`MESSAGES`].
    #[inline]
    pub(super) fn read(&mut self, index: usize, outcome: Outcome, notes: &mut Notes) {
        let (version, fate) = match outcome {
            Ok(read) if read.verified => (read.version, Fate::Verified),
            Ok(read) => (read.version, Fate::Unverified),
            Err(Misfit::UnknownVersion(version)) => (version, Fate::NotUnderstood),
            Err(Misfit::Short) => return notes.skip("message shorter than its layout"),
            Err(Misfit::Lies(reason)) => return notes.skip(reason),
        };
        let Some(counts) = self.known.get_mut(index) else { return };
        match counts.iter_mut().find(|(v, f, _)| (*v, *f) == (version, fate)) {
            Some((_, _, count)) => *count += 1,
            None => counts.push((version, fate, 1)),
        }
        if counts.len() > 64 {
            self.hand_over(notes);
        }
    }

    /// Adds all counts to the notes, and sets them to 0.
    pub(super) fn hand_over(&mut self, notes: &mut Notes) {
        for (message, counts) in MESSAGES.iter().zip(&mut self.known) {
            for (version, fate, count) in counts.drain(..) {
                add(notes, (message.name, version), fate, count);
            }
        }
        for code in self.others.drain(..) {
            let count = self.other.get_mut(usize::from(code)).map_or(0, std::mem::take);
            *notes.other.entry(format!("0x{code:04X}")).or_default() += count;
        }
        for (command, count) in self.commands.iter_mut().enumerate().filter(|(_, n)| **n > 0) {
            *notes.other.entry(format!("command 0x{command:02X}")).or_default() +=
                std::mem::take(count);
        }
    }
}

fn add(notes: &mut Notes, kind: (&'static str, u32), fate: Fate, count: u64) {
    if fate == Fate::NotUnderstood {
        let list = &mut notes.not_understood;
        if list.len() < LISTED_VERSIONS || list.contains_key(&kind) {
            *list.entry(kind).or_default() += count;
        } else {
            *notes.skipped.entry("versions beyond those that are listed").or_default() += count;
        }
        return;
    }
    *notes.understood.entry(kind).or_default() += count;
    if fate == Fate::Unverified {
        *notes.unverified.entry(kind).or_default() += count;
    }
}
