//! The list of inputs that paths, patterns and directories name.

use std::collections::hash_map::Entry;
use std::collections::{HashMap, HashSet};
use std::fmt;
use std::fs;
use std::path::{Path, PathBuf};

use super::error::OpenError;
use super::stop::Stop;

/// An input.
#[derive(Clone, Debug)]
pub struct Source {
    /// The place of the input.
    pub place: Place,
    /// Whether the user named it (by path or pattern), rather than a directory that holds it: a
    /// file that is no capture is an error where it was named, and a note where a directory holds
    /// it.
    pub named: bool,
    /// The condition on which to stop waiting for the input, if it is a pipe.
    pub stop: Stop,
}

/// The place of an input.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Place {
    /// A file, or a pipe in the file system.
    File(PathBuf),
    /// Standard input.
    Stdin,
}

impl Source {
    /// The file of that path, as the user would name it.
    pub fn file(path: impl Into<PathBuf>) -> Self {
        Self { place: Place::File(path.into()), named: true, stop: Stop::default() }
    }

    /// The same input, which ends when `stop` decides so, if it is a pipe or a device.
    #[must_use]
    pub fn until(self, stop: &Stop) -> Self {
        Self { stop: stop.clone(), ..self }
    }
}

/// The path, or `-`.
impl fmt::Display for Source {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.place {
            Place::File(path) => path.display().fmt(f),
            Place::Stdin => f.write_str("-"),
        }
    }
}

/// Turns paths, patterns, directories and `-` into inputs, each once, in the order given; what a
/// pattern or directory holds is in natural order (`x2` before `x10`, as rotated captures count).
///
/// A name that fits nothing stays in the list, so that opening it reports it.
///
/// # Errors
/// [`OpenError::StdinTwice`].
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
    /// The index in `sources` by the canonical path of a file, however it was named.
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
        // A file that does not exist, and a pipe, have no canonical path.
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

    /// Files below a directory; datasets that airmile wrote are left out. A directory that cannot
    /// be listed becomes an input, so that opening it says why.
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

/// A sort key under which runs of digits compare by value, in the place of one digit; names that
/// are then equal compare as they are.
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
