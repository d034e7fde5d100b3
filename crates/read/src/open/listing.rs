//! Lists directories, with names in natural order (`x2` before `x10`).

use std::fs;
use std::io;
use std::path::{Path, PathBuf};

/// What an entry of a directory is, without following links.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Kind {
    Directory,
    Link,
    Other,
}

/// The entries of a directory in natural order.
pub(super) fn list(directory: &Path) -> io::Result<Vec<(PathBuf, Kind)>> {
    let mut entries = Vec::new();
    for entry in fs::read_dir(directory)? {
        let entry = entry?;
        let kind = entry.file_type()?;
        let kind = match (kind.is_dir(), kind.is_symlink()) {
            (true, _) => Kind::Directory,
            (_, true) => Kind::Link,
            _ => Kind::Other,
        };
        entries.push((entry.path(), kind));
    }
    entries.sort_by_cached_key(|(path, _)| natural(&path.to_string_lossy()));
    Ok(entries)
}

/// The path without links; the path itself if nothing is there.
pub(super) fn canonical(path: &Path) -> PathBuf {
    let path = if path.as_os_str().is_empty() { Path::new(".") } else { path };
    fs::canonicalize(path).unwrap_or_else(|_| path.to_owned())
}

/// A sort key that compares runs of digits by their value, as if each were one character. Names
/// with equal keys are compared as plain text.
pub(super) fn natural(name: &str) -> (Vec<(char, u128)>, String) {
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
