//! What reading a message comes to.

/// Why a message gave nothing.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Misfit {
    /// Its version is not known.
    UnknownVersion(u32),
    /// It ends within what it should hold.
    Short,
    /// It contradicts itself, or what its version should look like.
    Lies(&'static str),
}

/// A message that was read: its version, and whether real logs have proved that layout.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Understood {
    pub(crate) version: u32,
    pub(crate) verified: bool,
}

impl Understood {
    /// A layout that agreed with real logs.
    pub(crate) fn verified(version: impl Into<u32>) -> Self {
        Self { version: version.into(), verified: true }
    }
}

/// What reading a message comes to.
pub(crate) type Outcome = Result<Understood, Misfit>;
