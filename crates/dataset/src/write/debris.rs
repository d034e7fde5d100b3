//! Makes the folder that a run writes into, beside the dataset's place, and removes the folders of
//! dead runs. A run holds its folder until the run ends; if a run is killed, the next run removes
//! the folder.
//!
//! `.NAME.PID.partial` contains a mark file; `new`, the dataset that is being made; and, while a
//! dataset is replaced, `swap` and `old` ([`place`](crate::write::place)). If a folder of that name
//! exists and must be kept, the next name is `.NAME.PID-2.partial`. A name proves nothing: without
//! the mark, nothing is removed. A file `kept` says that the run has told its user that the dataset
//! is there: `new` then stays where it is, and the user decides about it.

use std::fs::{self, File};
use std::io::{self, Read};
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};
use std::process;

use nix::errno::Errno;
use nix::fcntl::{Flock, FlockArg};
use serde_json::Value;

use crate::error::Error;
use crate::write::folders::{named, open};
use crate::write::locks::free_locks_prove;
use crate::write::names::{NEW, OLD, SWAP, beside};
use crate::write::outcome::lacks_something;
use crate::write::recognise::{MANIFEST, foreign, manifest};

/// The ending of the name of the folder in which a dataset is written.
const PARTIAL: &str = "partial";

/// The file that says that the dataset stays in the folder until the user moves it.
const KEPT: &str = "kept";

/// The mark file: it is the first file in the folder and the last one removed, so a run has made
/// everything beside it.
const MARK: &str = ".airmile-run";

/// The first bytes of a mark; `airmile.store._folders` writes the same.
const MARKED: &[u8] = b"made by a run of airmile";

/// Holds a folder until this value is dropped or the process ends, in whatever way. A lock is used
/// because the number of a process means nothing in another container or on another machine. On a
/// file system without locks, or whose locks another machine may hold, no folder is removed.
pub(crate) struct Held {
    _lock: Option<Flock<File>>,
}

/// The greatest number of folders that must be kept which one process, or processes with the same
/// number in other containers, may leave behind.
const NUMBERS: usize = 100;

/// Makes a folder for the dataset `name` in `parent`, and holds it.
pub(crate) fn claim(parent: &Path, name: &str, pid: u32) -> Result<(PathBuf, Held), Error> {
    for number in 1..=NUMBERS {
        let again = if number == 1 { String::new() } else { format!("-{number}") };
        let path = parent.join(format!(".{name}.{pid}{again}.{PARTIAL}"));
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
    fs::create_dir(path)?;
    // Until the folder has the mark, no other run takes it for the folder of a dead run.
    let held = Held { _lock: hold(path, FlockArg::LockExclusive) };
    let made = mark(path).and_then(|()| fs::create_dir(path.join(NEW)));
    made.map(|()| held).inspect_err(|_| remove(path))
}

#[expect(clippy::disallowed_methods, reason = "a file of our own, in a folder of our own")]
fn mark(path: &Path) -> io::Result<()> {
    let mut text = MARKED.to_vec();
    text.extend_from_slice(format!(", process {}\n", process::id()).as_bytes());
    fs::write(path.join(MARK), text)
}

/// Marks the dataset in such a folder as kept for the user. An error is ignored: a later run then
/// moves the dataset in if its place is free.
#[expect(clippy::disallowed_methods, reason = "a file of our own, in a folder of our own")]
pub(crate) fn keep(path: &Path) {
    let _ = fs::write(path.join(KEPT), "move `new` yourself\n");
}

/// Removes such a folder, and its mark last: if the process is killed meanwhile, it leaves a folder
/// with the mark, or an empty one. Errors are ignored; `airmile doctor` names what remains.
pub(crate) fn remove(path: &Path) {
    let gone = [NEW, SWAP, OLD].iter().all(|name| match fs::remove_dir_all(path.join(name)) {
        Err(error) => error.kind() == io::ErrorKind::NotFound,
        Ok(()) => true,
    });
    if gone {
        let _ = fs::remove_file(path.join(KEPT));
        let _ = fs::remove_file(path.join(MARK));
        let _ = fs::remove_dir(path);
    }
}

/// Moves the dataset `target` to its place, if nothing is there because a run was killed just before
/// it had done so; returns whether it is there now.
#[must_use]
pub fn recover(target: &Path) -> bool {
    let found = fs::symlink_metadata(target);
    if found.is_err_and(|error| error.kind() == io::ErrorKind::NotFound) {
        clear(target.parent().unwrap_or(Path::new(".")));
    }
    target.exists()
}

/// Removes the folders that dead runs left in a directory, and moves a dataset to its place that
/// a dead run had only to move. Folders that cannot be removed stay, and `airmile doctor` names
/// them.
pub(crate) fn clear(directory: &Path) {
    if !free_locks_prove(directory) {
        return;
    }
    let entries = fs::read_dir(named(directory)).into_iter().flatten().flatten();
    for path in entries.map(|entry| entry.path()).filter(|path| is_left(path)) {
        let held = hold(&path, FlockArg::LockExclusiveNonblock);
        // Before this lock, the folder's own run may have ended, or another run may have taken its
        // name.
        if held.as_ref().is_some_and(|held| is_at(held, &path)) {
            if !path.join(KEPT).exists() {
                move_in(&path);
            }
            if is_debris(&path) {
                remove(&path);
            }
        }
    }
}

/// Whether the open folder still has this path.
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

/// Moves a complete dataset in the folder of a dead run to its place, if nothing is there. Errors are
/// ignored: it then stays where it is.
fn move_in(path: &Path) {
    let Some(place) = place(path).filter(|place| fs::symlink_metadata(place).is_err()) else {
        return;
    };
    let is_complete = |made: &Value| made.get("interrupted") == Some(&Value::Bool(false));
    let made = [SWAP, NEW].map(|name| path.join(name)).into_iter();
    let mut whole = made.filter(|made| {
        manifest(made).as_ref().is_some_and(is_complete) && is_folder_of_parts(made)
    });
    if let Some(made) = whole.next() {
        let _ = fs::rename(made, place);
    }
}

/// The place of the dataset for which a folder was made.
fn place(path: &Path) -> Option<PathBuf> {
    path.file_name()
        .and_then(|name| name.to_str())
        .and_then(target)
        .map(|name| path.with_file_name(name))
}

/// Whether a run made the folder, by its name and its mark.
fn is_left(path: &Path) -> bool {
    place(path).is_some() && is_marked(path)
}

/// Whether a run made the folder and nobody misses its contents: it contains neither a complete
/// dataset that only was not moved, nor an old one whose successor is missing. A dataset that lacks
/// something may come from the place of a partial one, and its successor is then there.
fn is_debris(path: &Path) -> bool {
    let Some(place) = place(path) else { return false };
    let unneeded = |within: &str| match within {
        NEW => !path.join(NEW).join(MANIFEST).exists(),
        OLD | SWAP => {
            let lacks = manifest(&path.join(within)).is_some_and(|made| lacks_something(&made));
            let there = |place: &Path| place.join(MANIFEST).exists();
            there(&place) && (!lacks || there(&beside(&place)))
        }
        KEPT => !path.join(NEW).exists(),
        within => within == MARK,
    };
    let ours =
        |within: &str| [MARK, KEPT].contains(&within) || is_folder_of_parts(&path.join(within));
    let is_unneeded = |entry: fs::DirEntry| {
        entry.file_name().to_str().is_some_and(|name| unneeded(name) && ours(name))
    };
    // An entry that cannot be examined may belong to somebody.
    let within = |mut entries: fs::ReadDir| entries.all(|entry| entry.is_ok_and(is_unneeded));
    is_marked(path) && fs::read_dir(path).is_ok_and(within)
}

fn is_folder_of_parts(path: &Path) -> bool {
    fs::symlink_metadata(path).is_ok_and(|found| found.is_dir()) && foreign(path).is_none()
}

#[expect(clippy::disallowed_methods, reason = "a file of our own, not input")]
fn is_marked(path: &Path) -> bool {
    let mark = path.join(MARK);
    let plain = |path: &Path| fs::symlink_metadata(path).is_ok_and(|found| found.is_file());
    let folder = fs::symlink_metadata(path).is_ok_and(|found| found.is_dir());
    let mut begins = [0; MARKED.len()];
    folder
        && plain(&mark)
        && File::open(mark).and_then(|mut file| file.read_exact(&mut begins)).is_ok()
        && begins == *MARKED
}

/// The name of the dataset: `x.airmile` for `.x.airmile.123.partial` or `.x.airmile.123-2.partial`.
fn target(name: &str) -> Option<&str> {
    let (name, number) =
        name.strip_prefix('.')?.strip_suffix(PARTIAL)?.strip_suffix('.')?.rsplit_once('.')?;
    let digits = |text: &str| !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit());
    number.splitn(2, '-').all(digits).then_some(name)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_what_dead_runs_left_is_cleared_away() {
        let root = tempfile::tempdir().unwrap();
        let at = |name: &str| root.path().join(name);
        let make = |name: &str| fs::create_dir_all(at(name)).unwrap();
        let made = |name: &str| mark(&at(name.split('/').next().unwrap())).unwrap();
        let dead = [
            ".x.airmile.12.partial/new/flows",
            ".x.airmile.12-2.partial/new",
            ".x.airmile.13.partial/old/flows",
        ];
        make("x.airmile/manifest.json");
        let kept = [
            ".y.airmile.12.partial/new/manifest.json",
            ".y.airmile.13.partial/old/flows",
            ".x.airmile.14.partial/new/strange/file",
            ".x.airmile.15.partial/new/flows/part-x.parquet/mine",
            ".x.airmile.16.partial/strange",
            ".x.airmile.12.old/old",
            ".x.airmile.partial/new",
            ".x.airmile.1a.partial/new",
            ".x.airmile.1-.partial/new",
            ".x.airmile.1-2-3.partial/new",
            "x.airmile.15.partial/new",
        ];
        dead.iter().chain(&kept).for_each(|name| {
            make(name);
            made(name);
        });
        let (path, held) = claim(root.path(), "x.airmile", 17).unwrap();
        clear(root.path());
        assert!(dead.iter().all(|name| !at(name).parent().unwrap().exists()));
        assert!(kept.iter().all(|name| at(name).exists()));
        assert!(path.exists());
        drop(held);
        clear(root.path());
        assert!(!path.exists());
    }

    #[test]
    #[expect(clippy::disallowed_methods, reason = "makes what is looked at")]
    fn a_dataset_that_had_only_to_be_moved_is_moved() {
        for (made, interrupted, moved) in
            [("swap", false, true), ("new", false, true), ("swap", true, false)]
        {
            let root = tempfile::tempdir().unwrap();
            let (held, place) =
                (root.path().join(".x.airmile.1.partial"), root.path().join("x.airmile"));
            for name in [made, OLD] {
                fs::create_dir_all(held.join(name)).unwrap();
                let text = format!(r#"{{"tool": "airmile", "interrupted": {interrupted}}}"#);
                fs::write(held.join(name).join(MANIFEST), text).unwrap();
            }
            mark(&held).unwrap();
            assert_eq!((recover(&place), held.exists()), (moved, !moved), "{made} {interrupted}");
        }
    }

    #[expect(clippy::disallowed_methods, reason = "makes what is looked at")]
    fn dataset(path: &Path, interrupted: bool) {
        fs::create_dir_all(path).unwrap();
        let text = format!(r#"{{"tool": "airmile", "interrupted": {interrupted}}}"#);
        fs::write(path.join(MANIFEST), text).unwrap();
    }

    #[test]
    fn a_partial_dataset_is_removed_only_if_its_successor_is_there() {
        let root = tempfile::tempdir().unwrap();
        let held = root.path().join(".x.airmile.1.partial");
        [SWAP, OLD].iter().for_each(|name| dataset(&held.join(name), true));
        mark(&held).unwrap();
        dataset(&root.path().join("x.airmile"), false);
        clear(root.path());
        assert!(held.join(SWAP).exists() && held.join(OLD).exists());
        dataset(&root.path().join("x.partial.airmile"), true);
        clear(root.path());
        assert!(!held.exists());
    }

    #[test]
    fn a_dataset_that_was_kept_for_the_user_is_not_moved() {
        let root = tempfile::tempdir().unwrap();
        let held = root.path().join(".x.airmile.1.partial");
        dataset(&held.join(NEW), false);
        mark(&held).unwrap();
        keep(&held);
        assert!(!recover(&root.path().join("x.airmile")));
        assert!(held.join(NEW).exists());
        fs::rename(held.join(NEW), root.path().join("mine")).unwrap();
        clear(root.path());
        assert!(!held.exists());
    }

    #[test]
    #[expect(clippy::disallowed_methods, reason = "makes what is looked at")]
    fn a_folder_of_the_users_own_is_kept_whatever_its_name() {
        let root = tempfile::tempdir().unwrap();
        fs::create_dir_all(root.path().join("x/manifest.json")).unwrap();
        let folders = [".x.2024.old", ".x.123.partial", ".x.124.partial", ".x.125.partial"];
        let at = |index: usize| root.path().join(folders[index]);
        for index in 0..folders.len() {
            fs::create_dir_all(at(index).join("new/flows")).unwrap();
            fs::write(at(index).join("new/flows/part-0.parquet"), "mine").unwrap();
        }
        fs::write(at(2).join(MARK), "mine").unwrap();
        mark(&at(0)).unwrap();
        std::os::unix::fs::symlink(at(0).join(MARK), at(3).join(MARK)).unwrap();
        clear(root.path());
        assert!((0..folders.len()).all(|n| at(n).join("new/flows/part-0.parquet").exists()));
    }

    #[test]
    fn what_is_kept_stops_no_later_run_of_the_same_number() {
        let root = tempfile::tempdir().unwrap();
        let names = [".x.1.partial", ".x.1-3.partial"];
        names.iter().for_each(|name| fs::create_dir(root.path().join(name)).unwrap());
        let claimed = |_| claim(root.path(), "x", 1).unwrap().0;
        let paths: Vec<_> = (0..2).map(claimed).collect();
        assert_eq!(paths, [".x.1-2.partial", ".x.1-4.partial"].map(|name| root.path().join(name)));
        for _ in paths.len() + names.len()..NUMBERS {
            claim(root.path(), "x", 1).unwrap();
        }
        let error = claim(root.path(), "x", 1).map(|found| found.0).unwrap_err();
        assert!(error.message.contains(".x.1.partial"), "{error}");
    }

    #[test]
    fn a_name_that_another_folder_has_by_now_is_distinguished() {
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
