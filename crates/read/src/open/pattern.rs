//! Finds the paths that a pattern matches.

use std::path::{Component, Path, PathBuf};

use glob::Pattern;

use super::listing::{Kind, list};

/// What a pattern matches.
#[derive(Debug, Default)]
pub(super) struct Matches {
    /// The paths, in no useful order.
    pub(super) paths: Vec<PathBuf>,
    /// Links to directories, which `**` does not enter.
    pub(super) links: Vec<PathBuf>,
}

/// The paths that a pattern with `*`, `?`, `[...]` and `**` matches; `**` stands for any number of
/// directories. Names that are not UTF-8 are matched with replacement characters. A pattern that is
/// not understood matches nothing.
pub(super) fn matches(pattern: &str) -> Matches {
    let mut found = Matches::default();
    let parts: Vec<Component<'_>> = Path::new(pattern).components().collect();
    found.descend(PathBuf::new(), &parts);
    found.paths.sort();
    found.paths.dedup();
    found
}

impl Matches {
    /// Adds what the remaining parts of a pattern match in a directory.
    fn descend(&mut self, directory: PathBuf, parts: &[Component<'_>]) {
        let Some((first, rest)) = parts.split_first() else {
            return self.paths.push(directory);
        };
        let text = first.as_os_str().to_string_lossy();
        if text == "**" {
            self.at_any_depth(directory, rest);
        } else if text.contains(['*', '?', '[']) {
            self.in_names(&directory, &text, rest);
        } else if let path = directory.join(first)
            && path.symlink_metadata().is_ok()
        {
            self.descend(path, rest);
        }
    }

    /// Applies the remaining parts to a directory and to every directory below it.
    fn at_any_depth(&mut self, directory: PathBuf, rest: &[Component<'_>]) {
        for (path, kind) in entries(&directory) {
            match kind {
                Kind::Directory => self.at_any_depth(path, rest),
                Kind::Link if path.is_dir() => self.links.push(path),
                Kind::Link | Kind::Other => {}
            }
        }
        self.descend(directory, rest);
    }

    fn in_names(&mut self, directory: &Path, pattern: &str, rest: &[Component<'_>]) {
        let Ok(pattern) = Pattern::new(pattern) else { return };
        for (path, _) in entries(directory) {
            let name = path.file_name().unwrap_or_default().to_string_lossy();
            if pattern.matches(&name) && (rest.is_empty() || path.is_dir()) {
                self.descend(path, rest);
            }
        }
    }
}

fn entries(directory: &Path) -> Vec<(PathBuf, Kind)> {
    let here = directory.as_os_str().is_empty();
    let entries = list(if here { Path::new(".") } else { directory }).unwrap_or_default();
    let bare = |path: PathBuf| path.strip_prefix(".").map(Path::to_owned).unwrap_or(path);
    entries.into_iter().map(|(path, kind)| (if here { bare(path) } else { path }, kind)).collect()
}
