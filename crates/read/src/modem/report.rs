//! Defines the report on a modem log: counts by message, parts that were not understood, and
//! problems.

use std::collections::BTreeMap;

use airmile_types::Instant;

use crate::modem::rrc::RrcReading;
use crate::report::{Outcome, Problem};

/// The greatest number of problems that are listed; later ones are only counted.
const LISTED_PROBLEMS: usize = 100;

/// A kind of message and its version, such as `0xB173` and `24`.
pub type MessageKind = (&'static str, u32);

/// How many times a check held, and how many times it failed.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Checked {
    /// The number of times that the check held.
    pub passed: u64,
    /// The number of times that the check failed.
    pub failed: u64,
}

/// Messages whose layout differs from the one that belongs to their version.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Refused {
    /// The number of messages that were not used.
    pub records: u64,
    /// The check that failed, in words for users.
    pub reason: String,
}

/// The counts that a reader collects while it reads.
#[derive(Clone, Debug, Default)]
pub struct Notes {
    /// Messages or rows that gave records, by kind and version.
    pub understood: BTreeMap<MessageKind, u64>,
    /// Messages of a known kind whose version is not known; they were skipped.
    pub not_understood: BTreeMap<MessageKind, u64>,
    /// Messages among `understood` whose layout was never compared with a sample.
    pub unverified: BTreeMap<MessageKind, u64>,
    /// Checks of messages against the rest of the log, by kind and version of the message and by
    /// the name of the check.
    pub checks: BTreeMap<MessageKind, BTreeMap<&'static str, Checked>>,
    /// Messages that were not used because checks of their layout failed, or too few checks held.
    pub refused: BTreeMap<MessageKind, Refused>,
    /// Messages of kinds that are not read, by their code (`0xB0E3`).
    pub other: BTreeMap<String, u64>,
    /// Parts of the log that gave no record, by reason.
    pub skipped: BTreeMap<&'static str, u64>,
    /// How RRC messages were read; only a DIAG log contains whole messages.
    pub rrc: RrcReading,
    /// Parts of the log that could not be read.
    pub problems: Vec<Problem>,
    /// The number of problems that are not listed.
    pub unlisted_problems: u64,
    /// Warnings that concern the results.
    pub warnings: Vec<String>,
    /// The earliest time of a message.
    pub first_time: Option<Instant>,
    /// The latest time of a message.
    pub last_time: Option<Instant>,
}

impl Notes {
    /// Extends the time span of the log to include `time`.
    pub fn saw(&mut self, time: Instant) {
        self.first_time = Some(self.first_time.map_or(time, |first| first.min(time)));
        self.last_time = Some(self.last_time.map_or(time, |last| last.max(time)));
    }

    /// Adds a problem, or only counts it if many are listed already.
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

    /// Counts a part that gave no record, by reason.
    pub fn skip(&mut self, reason: &'static str) {
        *self.skipped.entry(reason).or_default() += 1;
    }
}

/// The report on a modem log.
#[derive(Clone, Debug)]
pub struct ModemReport {
    /// The path of the log, or `-` for standard input.
    pub name: String,
    /// The size of the input as stored, in bytes; for a pipe, the number of bytes read.
    pub size_bytes: u64,
    /// The format, such as `diag`, `dlf` or `qcat`; `+gzip` or `+zstd` is added if the log is
    /// compressed.
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

    /// The messages that were not understood, in words: "412 records of 0xB173 version 50 not
    /// understood, skipped".
    pub fn not_understood(&self) -> Vec<String> {
        let text = |((code, version), count): (&MessageKind, &u64)| {
            let records = if *count == 1 { "record" } else { "records" };
            format!("{count} {records} of {code} version {version} not understood, skipped")
        };
        self.notes.not_understood.iter().map(text).collect()
    }

    /// The messages that were refused, in words: "412 records of 0xB126 version 123 refused: the
    /// check size held in 3 of 40".
    pub fn refused(&self) -> Vec<String> {
        let text = |((code, version), refused): (&MessageKind, &Refused)| {
            let Refused { records, reason } = refused;
            if *records == 0 {
                return format!("{code} version {version} contradicted: {reason}");
            }
            let word = if *records == 1 { "record" } else { "records" };
            format!("{records} {word} of {code} version {version} refused: {reason}")
        };
        self.notes.refused.iter().map(text).collect()
    }
}
