//! Finds the paths that a pattern matches.

use std::path::{Component, Path, PathBuf};

use glob::Pattern;

use super::listing::{Kind, canonical, list};

/// What a pattern matches.
#[derive(Debug, Default)]
pub(super) struct Matches {
    /// The paths, in no useful order.
    pub(super) paths: Vec<PathBuf>,
    /// Links to directories that were not entered, because they lead out of what the pattern names.
    pub(super) links: Vec<PathBuf>,
    /// The directory that the parts of the pattern before its first `*`, `?` or `[...]` name.
    root: PathBuf,
}

/// The paths that a pattern with `*`, `?`, `[...]` and `**` matches; `**` stands for any number of
/// directories, but follows no links. Below the parts that are given in full, no link to a directory
/// out of them is entered. Names that are not UTF-8 are matched with replacement characters. A
/// pattern that is not understood matches nothing.
pub(super) fn matches(pattern: &str) -> Matches {
    let parts: Vec<Component<'_>> = Path::new(pattern).components().collect();
    let fixed = parts.iter().take_while(|part| !is_wild(&part.as_os_str().to_string_lossy()));
    let mut found = Matches { root: canonical(&fixed.collect::<PathBuf>()), ..Matches::default() };
    found.descend(PathBuf::new(), &parts, false);
    found.paths.sort();
    found.paths.dedup();
    found.links.sort();
    found.links.dedup();
    found
}

fn is_wild(part: &str) -> bool {
    part.contains(['*', '?', '['])
}

impl Matches {
    /// Adds what the remaining parts of a pattern match in a directory; `below` says that a part
    /// before them was a pattern.
    fn descend(&mut self, directory: PathBuf, parts: &[Component<'_>], below: bool) {
        let Some((first, rest)) = parts.split_first() else {
            return self.paths.push(directory);
        };
        let text = first.as_os_str().to_string_lossy();
        if text == "**" {
            let base = canonical(&directory);
            self.at_any_depth(directory, &base, rest);
        } else if is_wild(&text) {
            self.in_names(&directory, &text, rest);
        } else if let path = directory.join(first)
            && path.symlink_metadata().is_ok()
            && !(below && self.leaves(&path))
        {
            self.descend(path, rest, below);
        }
    }

    /// Applies the remaining parts to a directory and to every directory below it. A link to a
    /// directory below `base`, where this began, needs no mention: the directory itself is found.
    fn at_any_depth(&mut self, directory: PathBuf, base: &Path, rest: &[Component<'_>]) {
        for (path, kind) in entries(&directory) {
            match kind {
                Kind::Directory => self.at_any_depth(path, base, rest),
                Kind::Link if path.is_dir() && !canonical(&path).starts_with(base) => {
                    self.links.push(path);
                }
                Kind::Link | Kind::Other => {}
            }
        }
        self.descend(directory, rest, true);
    }

    fn in_names(&mut self, directory: &Path, pattern: &str, rest: &[Component<'_>]) {
        let Ok(pattern) = Pattern::new(pattern) else { return };
        for (path, _) in entries(directory) {
            let name = path.file_name().unwrap_or_default().to_string_lossy();
            let goes_on = pattern.matches(&name) && (rest.is_empty() || path.is_dir());
            if goes_on && !self.leaves(&path) {
                self.descend(path, rest, true);
            }
        }
    }

    /// Whether a path is a link to a directory out of what the pattern names; it is then listed.
    fn leaves(&mut self, path: &Path) -> bool {
        let leaves = path.is_symlink() && path.is_dir() && !canonical(path).starts_with(&self.root);
        if leaves {
            self.links.push(path.to_owned());
        }
        leaves
    }
}

fn entries(directory: &Path) -> Vec<(PathBuf, Kind)> {
    let here = directory.as_os_str().is_empty();
    let entries = list(if here { Path::new(".") } else { directory }).unwrap_or_default();
    let bare = |path: PathBuf| path.strip_prefix(".").map(Path::to_owned).unwrap_or(path);
    entries.into_iter().map(|(path, kind)| (if here { bare(path) } else { path }, kind)).collect()
}
