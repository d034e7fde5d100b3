//! The folder that a run writes into, beside the dataset's place: held while the run lives, and
//! cleared away by the next run where one was killed.
//!
//! `.NAME.PID.partial` is a dataset in the making; `.NAME.PID.old` what a new one has replaced.

use std::fs::{self, File};
use std::io;
use std::path::Path;

use nix::errno::Errno;
use nix::fcntl::{Flock, FlockArg};

use crate::directory::{MANIFEST, stranger};

/// In the making.
pub(crate) const PARTIAL: &str = "partial";

/// Replaced.
pub(crate) const OLD: &str = "old";

/// A folder that is in use, until this is dropped or the process ends, however it does: a lock, for
/// the number of a process says nothing in another container or on another machine. Where the file
/// system has no locks, nothing is cleared away.
pub(crate) struct Held {
    _lock: Option<Flock<File>>,
}

/// Makes a folder and holds it.
pub(crate) fn claim(path: &Path) -> io::Result<Held> {
    loop {
        fs::create_dir(path)?;
        let lock = hold(path, FlockArg::LockExclusive);
        // Before it was held, another run may have taken it for a dead one's and cleared it away.
        if path.is_dir() {
            return Ok(Held { _lock: lock });
        }
    }
}

/// Removes what dead runs left in a directory; what cannot be removed stays, and `airmile doctor`
/// names it.
pub(crate) fn clear(directory: &Path) {
    let entries = fs::read_dir(named(directory)).into_iter().flatten().flatten();
    for path in entries.map(|entry| entry.path()).filter(|path| is_debris(path)) {
        if let Some(held) = hold(&path, FlockArg::LockExclusiveNonblock) {
            let _ = fs::remove_dir_all(&path);
            drop(held);
        }
    }
}

fn hold(path: &Path, how: FlockArg) -> Option<Flock<File>> {
    let mut folder = open(path).ok()?;
    loop {
        match Flock::lock(folder, how) {
            Ok(held) => return Some(held),
            Err((again, Errno::EINTR)) => folder = again,
            Err(_) => return None,
        }
    }
}

/// Whether it has the name and content of what a run leaves, and nobody misses it: neither a whole
/// dataset that only was not moved, nor an old one whose successor is missing.
fn is_debris(path: &Path) -> bool {
    let parts = path.file_name().and_then(|name| name.to_str()).and_then(parts);
    let Some((name, kind)) = parts else { return false };
    let unneeded = match kind {
        PARTIAL => !path.join(MANIFEST).exists(),
        _ => path.with_file_name(name).join(MANIFEST).exists(),
    };
    let folder = fs::symlink_metadata(path).is_ok_and(|found| found.is_dir());
    folder && unneeded && stranger(path).is_none()
}

/// `x.airmile` and `partial` of `.x.airmile.123.partial`.
fn parts(name: &str) -> Option<(&str, &str)> {
    let (rest, kind) = name.strip_prefix('.')?.rsplit_once('.')?;
    let (name, number) = rest.rsplit_once('.')?;
    let digits = !number.is_empty() && number.bytes().all(|byte| byte.is_ascii_digit());
    (digits && (kind == PARTIAL || kind == OLD)).then_some((name, kind))
}

/// Opens a folder, to lock it or to make its entries last.
#[expect(clippy::disallowed_methods, reason = "a folder of our own, not input")]
pub(crate) fn open(path: &Path) -> io::Result<File> {
    File::open(named(path))
}

/// The parent of a name alone is written as nothing.
fn named(path: &Path) -> &Path {
    if path.as_os_str().is_empty() { Path::new(".") } else { path }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_what_dead_runs_left_is_cleared_away() {
        let root = tempfile::tempdir().unwrap();
        let at = |name: &str| root.path().join(name);
        let make = |name: &str| fs::create_dir_all(at(name)).unwrap();
        for dead in [".x.airmile.12.partial/flows", ".x.airmile.13.old/flows"] {
            make(dead);
        }
        make("x.airmile/manifest.json");
        let kept = [
            ".y.airmile.12.partial/manifest.json",
            ".y.airmile.12.old/flows",
            ".x.airmile.14.partial/strange/file",
            ".x.airmile.partial",
            ".x.airmile.1a.partial",
            "x.airmile.15.partial",
        ];
        kept.iter().for_each(|name| make(name));
        let held = claim(&at(".x.airmile.16.partial")).unwrap();
        clear(root.path());
        assert!(!at(".x.airmile.12.partial").exists() && !at(".x.airmile.13.old").exists());
        assert!(kept.iter().all(|name| at(name).exists()));
        assert!(at(".x.airmile.16.partial").exists());
        drop(held);
        clear(root.path());
        assert!(!at(".x.airmile.16.partial").exists());
    }
}
