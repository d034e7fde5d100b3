//! Finds the inputs that paths, patterns and directories name.

use std::collections::hash_map::Entry;
use std::collections::{HashMap, HashSet};
use std::fmt;
use std::fs;
use std::path::{Path, PathBuf};

use super::error::OpenError;
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
}

/// Where an input is.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Place {
    /// A file, or a pipe in the file system.
    File(PathBuf),
    /// Standard input.
    Stdin,
}

impl Source {
    /// The file with this path, as if the user had named it.
    pub fn file(path: impl Into<PathBuf>) -> Self {
        Self { place: Place::File(path.into()), named: true, stop: Stop::default() }
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
            Place::File(path) => path.display().fmt(f),
            Place::Stdin => f.write_str("-"),
        }
    }
}

/// Turns paths, patterns, directories and `-` into inputs, each of them once, in the given order.
/// The files of a pattern or directory are in natural order (`x2` before `x10`, as rotated captures
/// are numbered).
///
/// A name that matches nothing stays in the list, so that opening it reports the error.
///
/// # Errors
/// [`OpenError::StdinTwice`] if `-` occurs more than once.
pub fn expand<S: AsRef<str>>(inputs: &[S]) -> Result<Vec<Source>, OpenError> {
    let mut found = Found::default();
    for input in inputs {
        let input = input.as_ref();
        let path = PathBuf::from(input);
        if input == "-" {
            found.stdin()?;
        } else if !path.exists() && input.contains(['*', '?', '[']) {
            found.pattern(input);
        } else {
            found.path(path, true);
        }
    }
    Ok(found.sources)
}

#[derive(Default)]
struct Found {
    sources: Vec<Source>,
    /// The index in `sources` for the canonical path of a file, so that a file named in two ways is
    /// found.
    files: HashMap<PathBuf, usize>,
    directories: HashSet<PathBuf>,
    stdin: bool,
}

impl Found {
    fn stdin(&mut self) -> Result<(), OpenError> {
        if std::mem::replace(&mut self.stdin, true) {
            return Err(OpenError::StdinTwice);
        }
        self.sources.push(Source { place: Place::Stdin, named: true, stop: Stop::default() });
        Ok(())
    }

    fn pattern(&mut self, pattern: &str) {
        let mut paths: Vec<PathBuf> =
            glob::glob(pattern).map(|found| found.flatten().collect()).unwrap_or_default();
        if paths.is_empty() {
            paths.push(PathBuf::from(pattern));
        }
        sort(&mut paths);
        paths.into_iter().for_each(|path| self.path(path, true));
    }

    fn path(&mut self, path: PathBuf, named: bool) {
        if path.is_dir() {
            self.walk(&path);
        } else {
            self.file(path, named);
        }
    }

    fn file(&mut self, path: PathBuf, named: bool) {
        // A file that does not exist has no canonical path, and neither has a pipe.
        let place = fs::canonicalize(&path).unwrap_or_else(|_| path.clone());
        match self.files.entry(place) {
            Entry::Occupied(known) => {
                if let Some(source) = self.sources.get_mut(*known.get()) {
                    source.named |= named;
                }
            }
            Entry::Vacant(new) => {
                new.insert(self.sources.len());
                self.sources.push(Source {
                    place: Place::File(path),
                    named,
                    stop: Stop::default(),
                });
            }
        }
    }

    /// Adds the files below a directory, except datasets that airmile wrote. A directory that
    /// cannot be listed becomes an input, so that opening it reports the reason.
    fn walk(&mut self, directory: &Path) {
        // Links may lead back to a directory above.
        let place = fs::canonicalize(directory).unwrap_or_else(|_| directory.to_owned());
        let ours = place.extension().is_some_and(|end| end == "airmile");
        if ours || !self.directories.insert(place) {
            return;
        }
        let Ok(entries) = fs::read_dir(directory) else {
            return self.file(directory.to_owned(), true);
        };
        let mut paths: Vec<PathBuf> = entries.flatten().map(|entry| entry.path()).collect();
        sort(&mut paths);
        for path in paths {
            if path.is_dir() {
                self.walk(&path);
            } else {
                self.file(path, false);
            }
        }
    }
}

fn sort(paths: &mut [PathBuf]) {
    paths.sort_by_cached_key(|path| natural(&path.to_string_lossy()));
}

/// A sort key that compares runs of digits by their value, as if each were one character. Names
/// with equal keys are compared as plain text.
fn natural(name: &str) -> (Vec<(char, u128)>, String) {
    let mut key: Vec<(char, u128)> = Vec::new();
    let mut in_number = false;
    for c in name.chars() {
        match (c.to_digit(10), key.last_mut()) {
            (Some(digit), Some((_, value))) if in_number => {
                *value = value.saturating_mul(10).saturating_add(u128::from(digit));
            }
            (Some(digit), _) => key.push(('0', u128::from(digit))),
            (None, _) => key.push((c, 0)),
        }
        in_number = c.is_ascii_digit();
    }
    (key, name.to_owned())
}
