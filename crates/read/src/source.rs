//! From what the user named to the list of inputs.

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
/// [`OpenError::StdinTwice`], or [`OpenError::Io`] for a directory that cannot be listed.
pub fn expand<S: AsRef<str>>(inputs: &[S]) -> Result<Vec<Source>, OpenError> {
    let mut sources = Vec::new();
    for input in inputs {
        let input = input.as_ref();
        let path = Path::new(input);
        if input == "-" {
            if sources.iter().any(|s: &Source| s.place == Place::Stdin) {
                return Err(OpenError::StdinTwice);
            }
            sources.push(Source { place: Place::Stdin, named: true });
        } else if path.is_dir() {
            walk(path, 0, &mut sources)?;
        } else if !path.exists() && input.contains(['*', '?', '[']) {
            pattern(input, &mut sources)?;
        } else {
            push(&mut sources, Source::file(path));
        }
    }
    Ok(sources)
}

fn push(sources: &mut Vec<Source>, source: Source) {
    if !sources.iter().any(|s| s.place == source.place) {
        sources.push(source);
    }
}

fn pattern(pattern: &str, sources: &mut Vec<Source>) -> Result<(), OpenError> {
    let mut paths: Vec<PathBuf> =
        glob::glob(pattern).map(|found| found.flatten().collect()).unwrap_or_default();
    if paths.is_empty() {
        paths.push(PathBuf::from(pattern));
    }
    sort(&mut paths);
    for path in paths {
        if path.is_dir() {
            walk(&path, 0, sources)?;
        } else {
            push(sources, Source::file(path));
        }
    }
    Ok(())
}

/// Files below a directory; datasets that airmile wrote are left out.
fn walk(directory: &Path, depth: usize, sources: &mut Vec<Source>) -> Result<(), OpenError> {
    let name = directory.display().to_string();
    if depth > MAX_DEPTH || name.ends_with(".airmile") {
        return Ok(());
    }
    let entries = fs::read_dir(directory).map_err(|error| OpenError::from_io(&name, error))?;
    let mut paths: Vec<PathBuf> = entries.flatten().map(|entry| entry.path()).collect();
    sort(&mut paths);
    for path in paths {
        if path.is_dir() {
            walk(&path, depth + 1, sources)?;
        } else {
            push(sources, Source { place: Place::File(path), named: false });
        }
    }
    Ok(())
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
