//! The result of reading a message.

/// Why a message gave no record.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Misfit {
    /// Its version is not known.
    UnknownVersion(u32),
    /// It ends before all of its fields.
    Short,
    /// It contradicts itself, or the layout of its version; the text says how.
    Lies(&'static str),
}

/// A message that was read: its version, and whether real logs have proved that layout.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Understood {
    pub(crate) version: u32,
    pub(crate) verified: bool,
}

impl Understood {
    /// A message with a layout that agrees with real logs.
    pub(crate) fn verified(version: impl Into<u32>) -> Self {
        Self { version: version.into(), verified: true }
    }
}

/// The result of reading a message.
pub(crate) type Outcome = Result<Understood, Misfit>;
