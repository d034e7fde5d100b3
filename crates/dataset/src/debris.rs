//! The folder that a run writes into, beside the dataset's place: held while the run lives, and
//! cleared away by the next run where one was killed.
//!
//! `.NAME.PID.partial` is a dataset in the making; `.NAME.PID.old` what a new one has replaced. Where
//! one of these is there and must be kept, the next is `.NAME.PID-2.partial`.

use std::fs::{self, File};
use std::io;
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};

use nix::errno::Errno;
use nix::fcntl::{Flock, FlockArg};

use crate::directory::{MANIFEST, stranger};
use crate::error::Error;

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

/// How often the same process, or those of the same number in other containers, may leave what is
/// to be kept.
const NUMBERS: usize = 100;

/// Makes a folder for the dataset `name` in `parent`, and holds it.
pub(crate) fn claim(parent: &Path, name: &str, pid: u32) -> Result<(PathBuf, Held), Error> {
    for number in 1..=NUMBERS {
        let again = if number == 1 { String::new() } else { format!("-{number}") };
        let path = parent.join(format!(".{name}.{pid}{again}.{PARTIAL}"));
        if fs::symlink_metadata(path.with_extension(OLD)).is_ok() {
            continue;
        }
        match make(&path) {
            Ok(held) => return Ok((path, held)),
            Err(error) if error.kind() == io::ErrorKind::AlreadyExists => {}
            Err(error) => return Err(Error::write(&path, error)),
        }
    }
    let found = parent.join(format!(".{name}.{pid}.{PARTIAL}"));
    let what = format!("{}: {NUMBERS} runs have left such folders", found.display());
    Err(Error::output(what).hint("`airmile doctor` names them: move or remove them"))
}

fn make(path: &Path) -> io::Result<Held> {
    loop {
        fs::create_dir(path)?;
        let lock = hold(path, FlockArg::LockExclusive);
        // Before it was held, another run may have taken it for a dead one's and cleared it away.
        if lock.as_ref().map_or_else(|| path.is_dir(), |lock| is_at(lock, path)) {
            return Ok(Held { _lock: lock });
        }
    }
}

/// Removes what dead runs left in a directory; what cannot be removed stays, and `airmile doctor`
/// names it.
pub(crate) fn clear(directory: &Path) {
    let entries = fs::read_dir(named(directory)).into_iter().flatten().flatten();
    for path in entries.map(|entry| entry.path()).filter(|path| is_debris(path)) {
        let held = hold(&path, FlockArg::LockExclusiveNonblock);
        // Before it was held, its run may have finished it, or another may have taken its name.
        if held.as_ref().is_some_and(|held| is_at(held, &path) && is_debris(&path)) {
            let _ = fs::remove_dir_all(&path);
        }
    }
}

/// Whether what is open is still what has this name.
fn is_at(open: &File, path: &Path) -> bool {
    let same = |one: &fs::Metadata, other: &fs::Metadata| {
        (one.dev(), one.ino()) == (other.dev(), other.ino())
    };
    let found = fs::symlink_metadata(path).ok().zip(open.metadata().ok());
    found.is_some_and(|(named, opened)| same(&named, &opened))
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

/// `x.airmile` and `partial` of `.x.airmile.123.partial` or `.x.airmile.123-2.partial`.
fn parts(name: &str) -> Option<(&str, &str)> {
    let (rest, kind) = name.strip_prefix('.')?.rsplit_once('.')?;
    let (name, number) = rest.rsplit_once('.')?;
    let digits = |text: &str| !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit());
    let numbered = number.splitn(2, '-').all(digits);
    (numbered && (kind == PARTIAL || kind == OLD)).then_some((name, kind))
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
        let dead = [".x.airmile.12.partial", ".x.airmile.12-2.partial", ".x.airmile.13.old"];
        dead.iter().for_each(|name| make(&format!("{name}/flows")));
        make("x.airmile/manifest.json");
        let kept = [
            ".y.airmile.12.partial/manifest.json",
            ".y.airmile.12.old/flows",
            ".x.airmile.14.partial/strange/file",
            ".x.airmile.15.partial/flows/part-x.parquet/mine",
            ".x.airmile.partial",
            ".x.airmile.1a.partial",
            ".x.airmile.1-.partial",
            ".x.airmile.1-2-3.partial",
            "x.airmile.15.partial",
        ];
        kept.iter().for_each(|name| make(name));
        let (path, held) = claim(root.path(), "x.airmile", 16).unwrap();
        clear(root.path());
        assert!(dead.iter().all(|name| !at(name).exists()));
        assert!(kept.iter().all(|name| at(name).exists()));
        assert!(path.exists());
        drop(held);
        clear(root.path());
        assert!(!path.exists());
    }

    #[test]
    fn what_is_kept_stops_no_later_run_of_the_same_number() {
        let root = tempfile::tempdir().unwrap();
        let names = [".x.1.partial", ".x.1-2.old", ".x.1-4.partial"];
        names.iter().for_each(|name| fs::create_dir(root.path().join(name)).unwrap());
        let claimed = |_| claim(root.path(), "x", 1).unwrap().0;
        let paths: Vec<_> = (0..2).map(claimed).collect();
        assert_eq!(paths, [".x.1-3.partial", ".x.1-5.partial"].map(|name| root.path().join(name)));
        for _ in paths.len() + names.len()..NUMBERS {
            claim(root.path(), "x", 1).unwrap();
        }
        let error = claim(root.path(), "x", 1).map(|found| found.0).unwrap_err();
        assert!(error.message.contains(".x.1.partial"), "{error}");
    }

    #[test]
    fn a_name_that_another_folder_has_by_now_is_told_apart() {
        let root = tempfile::tempdir().unwrap();
        let path = root.path().join(".x.1.partial");
        fs::create_dir(&path).unwrap();
        let opened = open(&path).unwrap();
        assert!(is_at(&opened, &path));
        fs::rename(&path, root.path().join("x")).unwrap();
        assert!(!is_at(&opened, &path));
        fs::create_dir(&path).unwrap();
        assert!(!is_at(&opened, &path));
    }
}
