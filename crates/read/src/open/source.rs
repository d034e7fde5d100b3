//! Defines an input: where it is, and how to read it.

use std::fmt;
use std::path::PathBuf;

use super::handles::Handles;
use super::stop::Stop;

/// An input: where it is, and how to read it.
#[derive(Clone, Debug)]
pub struct Source {
    /// Where the input is.
    pub place: Place,
    /// Whether the user named the input by a path or pattern; otherwise a directory contains it. A
    /// file that is not a capture is an error if the user named it, and is only noted if a
    /// directory contains it.
    pub named: bool,
    /// Decides when to stop waiting for the input, if it is a pipe.
    pub stop: Stop,
    /// The open files of the inputs that are read together.
    pub(crate) handles: Handles,
}

/// Where an input is.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Place {
    /// A file, or a pipe in the file system.
    File(PathBuf),
    /// A symbolic link in a directory that leads out of the directory, or nowhere. It is not
    /// followed, and opening it says so.
    Link(PathBuf),
    /// Standard input.
    Stdin,
}

impl Source {
    /// The file with this path, as if the user had named it.
    pub fn file(path: impl Into<PathBuf>) -> Self {
        Self::new(Place::File(path.into()), true, &Handles::default())
    }

    pub(super) fn new(place: Place, named: bool, handles: &Handles) -> Self {
        Self { place, named, stop: Stop::default(), handles: handles.clone() }
    }

    /// Returns the input with a condition: if it is a pipe or a device, it ends when `stop` decides
    /// so.
    #[must_use]
    pub fn until(self, stop: &Stop) -> Self {
        Self { stop: stop.clone(), ..self }
    }
}

/// Writes the path, or `-` for standard input.
impl fmt::Display for Source {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.place {
            Place::File(path) | Place::Link(path) => path.display().fmt(f),
            Place::Stdin => f.write_str("-"),
        }
    }
}
