//! From what the user named to the list of inputs.

use std::collections::HashSet;
use std::fmt;
use std::fs;
use std::path::{Path, PathBuf};

use crate::error::OpenError;

/// Directories below the one that was named; a deeper one is a loop of links.
const MAX_DEPTH: usize = 64;

/// One input.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Source {
    /// Where it is.
    pub place: Place,
    /// Whether the user named it (by path or pattern), rather than a directory that holds it:
    /// junk that was named is an error, junk met on a walk is a note.
    pub named: bool,
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
    /// The file of that path, as the user would name it.
    pub fn file(path: impl Into<PathBuf>) -> Self {
        Self { place: Place::File(path.into()), named: true }
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
    seen: HashSet<PathBuf>,
    stdin: bool,
}

impl Found {
    fn stdin(&mut self) -> Result<(), OpenError> {
        if std::mem::replace(&mut self.stdin, true) {
            return Err(OpenError::StdinTwice);
        }
        self.sources.push(Source { place: Place::Stdin, named: true });
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
            self.walk(&path, 0);
        } else {
            self.file(path, named);
        }
    }

    fn file(&mut self, path: PathBuf, named: bool) {
        if self.seen.insert(path.clone()) {
            self.sources.push(Source { place: Place::File(path), named });
        }
    }

    /// Files below a directory; datasets that airmile wrote are left out. A directory that cannot
    /// be listed becomes an input, so that opening it says why.
    fn walk(&mut self, directory: &Path, depth: usize) {
        if depth > MAX_DEPTH || directory.extension().is_some_and(|end| end == "airmile") {
            return;
        }
        let Ok(entries) = fs::read_dir(directory) else {
            return self.file(directory.to_owned(), true);
        };
        let mut paths: Vec<PathBuf> = entries.flatten().map(|entry| entry.path()).collect();
        sort(&mut paths);
        for path in paths {
            if path.is_dir() {
                self.walk(&path, depth + 1);
            } else {
                self.file(path, false);
            }
        }
    }
}

fn sort(paths: &mut [PathBuf]) {
    paths.sort_by_cached_key(|path| natural(&path.to_string_lossy()));
}

/// A sort key under which runs of digits compare by value.
fn natural(name: &str) -> Vec<(String, u128, String)> {
    let mut key = Vec::new();
    let mut rest = name;
    while !rest.is_empty() {
        let digits = rest.find(|c: char| c.is_ascii_digit()).unwrap_or(rest.len());
        let (text, tail) = rest.split_at(digits);
        let end = tail.find(|c: char| !c.is_ascii_digit()).unwrap_or(tail.len());
        let (number, tail) = tail.split_at(end);
        key.push((text.to_owned(), number.parse().unwrap_or(u128::MAX), number.to_owned()));
        rest = tail;
    }
    key
}
