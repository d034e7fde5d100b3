//! The report on a modem log: counts by message, what was not understood, problems.

use std::collections::BTreeMap;

use airmile_types::Instant;

use crate::modem::rrc::RrcReading;
use crate::report::{Outcome, Problem};

/// Problems listed one by one; later ones are counted.
const LISTED_PROBLEMS: usize = 100;

/// A kind of message and its version, as `0xB173` and `24`.
pub type MessageKind = (&'static str, u32);

/// How often a check held and how often it did not.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Checked {
    /// How often it held.
    pub passed: u64,
    /// How often it did not hold.
    pub failed: u64,
}

/// Messages whose layout is not what their version promises.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Refused {
    /// The number of messages that were not used.
    pub records: u64,
    /// The check that failed, in words.
    pub reason: String,
}

/// What a reader counts while it reads.
#[derive(Clone, Debug, Default)]
pub struct Notes {
    /// Messages (or rows) that gave records, by kind and version.
    pub understood: BTreeMap<MessageKind, u64>,
    /// Messages of a known kind in a version that is not known: skipped.
    pub not_understood: BTreeMap<MessageKind, u64>,
    /// Messages of `understood` whose layout no sample has proved.
    pub unverified: BTreeMap<MessageKind, u64>,
    /// Checks of what messages say against the rest of the log, by kind and version of the message
    /// and by the name of the check.
    pub checks: BTreeMap<MessageKind, BTreeMap<&'static str, Checked>>,
    /// Messages that were not used because their layout failed its checks, or too few held.
    pub refused: BTreeMap<MessageKind, Refused>,
    /// Messages of kinds that are not read, by their name (`0xB0E3`).
    pub other: BTreeMap<String, u64>,
    /// Pieces of the log that gave no record, by reason.
    pub skipped: BTreeMap<&'static str, u64>,
    /// How RRC messages were read; only a DIAG log holds them whole.
    pub rrc: RrcReading,
    /// What could not be read.
    pub problems: Vec<Problem>,
    /// Problems beyond those that are listed.
    pub unlisted_problems: u64,
    /// Warnings for the reader of the results.
    pub warnings: Vec<String>,
    /// Earliest time of a message.
    pub first_time: Option<Instant>,
    /// Latest time of a message.
    pub last_time: Option<Instant>,
}

impl Notes {
    /// Extends the time span of the log to include `time`.
    pub fn saw(&mut self, time: Instant) {
        self.first_time = Some(self.first_time.map_or(time, |first| first.min(time)));
        self.last_time = Some(self.last_time.map_or(time, |last| last.max(time)));
    }

    /// Adds a problem; counts it only, when many are listed.
    pub fn problem(&mut self, offset: u64, kind: &'static str, text: impl Into<String>) {
        if self.problems.len() < LISTED_PROBLEMS {
            self.problems.push(Problem { offset, kind, text: text.into() });
        } else {
            self.unlisted_problems += 1;
        }
    }

    /// Adds a warning, unless it was added before.
    pub fn warn(&mut self, text: impl Into<String>) {
        let text = text.into();
        if !self.warnings.contains(&text) {
            self.warnings.push(text);
        }
    }

    /// Counts a piece that gave no record.
    pub fn skip(&mut self, reason: &'static str) {
        *self.skipped.entry(reason).or_default() += 1;
    }
}

/// The report on a modem log.
#[derive(Clone, Debug)]
pub struct ModemReport {
    /// Path, or `-`.
    pub name: String,
    /// Bytes of the input as stored; for a pipe, the bytes read.
    pub size_bytes: u64,
    /// `diag`, `dlf`, `qcat` and the like; `+gzip` or `+zstd` when compressed.
    pub format: String,
    /// Counts and problems.
    pub notes: Notes,
}

impl ModemReport {
    /// How well the log could be read.
    pub fn outcome(&self) -> Outcome {
        let something = !self.notes.understood.is_empty()
            || !self.notes.refused.is_empty()
            || !self.notes.not_understood.is_empty()
            || !self.notes.other.is_empty();
        match (something, self.notes.problems.is_empty()) {
            (false, _) => Outcome::Nothing,
            (true, true) => Outcome::Clean,
            (true, false) => Outcome::Partial,
        }
    }

    /// What was not understood, in words: "412 records of 0xB173 version 50 not understood,
    /// skipped".
    pub fn not_understood(&self) -> Vec<String> {
        let text = |((code, version), count): (&MessageKind, &u64)| {
            let records = if *count == 1 { "record" } else { "records" };
            format!("{count} {records} of {code} version {version} not understood, skipped")
        };
        self.notes.not_understood.iter().map(text).collect()
    }

    /// What was refused, in words: "412 records of 0xB126 version 123 refused: the check size held
    /// in 3 of 40".
    pub fn refused(&self) -> Vec<String> {
        let text = |((code, version), refused): (&MessageKind, &Refused)| {
            let Refused { records, reason } = refused;
            let word = if *records == 1 { "record" } else { "records" };
            format!("{records} {word} of {code} version {version} refused: {reason}")
        };
        self.notes.refused.iter().map(text).collect()
    }
}
