//! Defines the result of reading a message: its version, or why it gave no record.

/// Why a message gave no record.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Misfit {
    /// The version of the message is not known.
    UnknownVersion(u32),
    /// The message ends before all of its fields.
    Short,
    /// The message contradicts itself, or the layout of its version; the text says how.
    Lies(&'static str),
}

/// A message that was read: its version, and whether its layout was proved with real logs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Understood {
    pub(crate) version: u32,
    pub(crate) verified: bool,
}

impl Understood {
    /// A message whose layout agrees with real logs.
    pub(crate) fn verified(version: impl Into<u32>) -> Self {
        Self { version: version.into(), verified: true }
    }
}

/// The result of reading a message.
pub(crate) type Outcome = Result<Understood, Misfit>;
