//! Defines the errors of a run, with what to do about them.

use std::fmt::Display;
use std::path::Path;

/// The party at fault, which decides the exit code of the command line.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ErrorKind {
    /// An option is not understood: exit code 2.
    Usage,
    /// No input can be read: exit code 3.
    Input,
    /// The dataset cannot be written: exit code 5, or 2 when a dataset exists already.
    Output,
}

/// An error for the user: what is wrong and where, and what to do about it.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{message}")]
pub struct Error {
    /// The party at fault.
    pub kind: ErrorKind,
    /// What is wrong, and where.
    pub message: String,
    /// What to do about it.
    pub hint: Option<String>,
}

impl Error {
    /// Makes the error for an option that is not understood.
    pub fn usage(message: impl Into<String>) -> Self {
        Self { kind: ErrorKind::Usage, message: message.into(), hint: None }
    }

    /// Makes the error of a run in which no input can be read.
    pub fn input(message: impl Into<String>) -> Self {
        Self { kind: ErrorKind::Input, message: message.into(), hint: None }
    }

    /// Makes the error for a dataset that cannot be written.
    pub fn output(message: impl Into<String>) -> Self {
        Self { kind: ErrorKind::Output, message: message.into(), hint: None }
    }

    /// Makes the error for a dataset that cannot be written at `path`; `error` is the text of the
    /// system or the encoder.
    pub(crate) fn write(path: &Path, error: impl Display) -> Self {
        let failed = Self::output(format!("{}: {error}", path.display()));
        // The encoder passes on only the text of the system's error.
        if failed.message.contains("(os error 24)") {
            return failed.hint("each table is a file: raise the limit with ulimit -n");
        }
        failed.hint("is the disk full, or the directory not writable?")
    }

    /// Adds what to do about the error.
    #[must_use]
    pub fn hint(mut self, hint: impl Into<String>) -> Self {
        self.hint = Some(hint.into());
        self
    }
}
