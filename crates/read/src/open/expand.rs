//! Finds the inputs that paths, patterns and directories name.

use std::collections::hash_map::Entry;
use std::collections::{HashMap, HashSet};
use std::fs;
use std::path::{Path, PathBuf};

use super::error::OpenError;
use super::handles::Handles;
use super::listing::{Kind, canonical, list, natural};
use super::pattern;
use super::source::{Place, Source};

/// Turns paths, patterns, directories and `-` into inputs, each of them once, in the given order.
/// The files of a pattern or directory are in natural order (`x2` before `x10`, as rotated captures
/// are numbered).
///
/// A directory is never left through a symbolic link: a link to a place outside of the directory
/// that was named stays in the list, so that opening it reports it. So does a name that matches
/// nothing. A link that the user named is followed.
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
            found.named(path);
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
    handles: Handles,
}

impl Found {
    fn stdin(&mut self) -> Result<(), OpenError> {
        if std::mem::replace(&mut self.stdin, true) {
            return Err(OpenError::StdinTwice);
        }
        self.add(Place::Stdin, true);
        Ok(())
    }

    fn pattern(&mut self, text: &str) {
        let mut matches = pattern::matches(text);
        if matches.paths.is_empty() {
            matches.paths.push(PathBuf::from(text));
        }
        // A link that `**` does not follow may match the parts after it.
        matches.links.retain(|link| matches.paths.binary_search(link).is_err());
        sort(&mut matches.paths);
        matches.paths.into_iter().for_each(|path| self.named(path));
        matches.links.into_iter().for_each(|link| self.left_out(link));
    }

    fn named(&mut self, path: PathBuf) {
        if path.is_dir() {
            let root = canonical(&path);
            self.walk(&path, &root);
        } else {
            self.file(path, true);
        }
    }

    fn file(&mut self, path: PathBuf, named: bool) {
        // A file that does not exist has no canonical path, and neither has a pipe.
        match self.files.entry(canonical(&path)) {
            Entry::Occupied(known) => {
                if let Some(source) = self.sources.get_mut(*known.get()) {
                    source.named |= named;
                }
            }
            Entry::Vacant(new) => {
                new.insert(self.sources.len());
                self.add(Place::File(path), named);
            }
        }
    }

    fn add(&mut self, place: Place, named: bool) {
        self.sources.push(Source::new(place, named, &self.handles));
    }

    /// Adds the files below a directory, except datasets that airmile wrote. A directory that
    /// cannot be listed becomes an input, so that opening it reports the reason.
    fn walk(&mut self, directory: &Path, root: &Path) {
        // Links may lead back to a directory above.
        let place = canonical(directory);
        let ours = place.extension().is_some_and(|end| end == "airmile");
        if ours || !self.directories.insert(place) {
            return;
        }
        let Ok(entries) = list(directory) else {
            return self.file(directory.to_owned(), true);
        };
        for (path, kind) in entries {
            match kind {
                Kind::Directory => self.walk(&path, root),
                Kind::Link => self.link(path, root),
                Kind::Other => self.file(path, false),
            }
        }
    }

    /// Follows a link that stays within the directory `root`.
    fn link(&mut self, link: PathBuf, root: &Path) {
        match fs::canonicalize(&link) {
            Ok(place) if !place.starts_with(root) => self.left_out(link),
            Ok(place) if place.is_dir() => self.walk(&link, root),
            Ok(_) => self.file(link, false),
            Err(_) => self.left_out(link),
        }
    }

    fn left_out(&mut self, link: PathBuf) {
        let parent = canonical(link.parent().unwrap_or(Path::new("")));
        let place = parent.join(link.file_name().unwrap_or_default());
        if let Entry::Vacant(new) = self.files.entry(place) {
            new.insert(self.sources.len());
            self.add(Place::Link(link), false);
        }
    }
}

fn sort(paths: &mut [PathBuf]) {
    paths.sort_by_cached_key(|path| natural(&path.to_string_lossy()));
}
