//! Puts a dataset in its place.
//!
//! The old dataset and the new one change their names in one step (`RENAME_EXCHANGE`), so that one
//! of the two is in the place at any time. Where the system or the file system cannot do this, as
//! with NFS, the old one is moved away first; a run that is killed between the two renames leaves
//! both in its folder. The next run, or whoever opens the dataset, moves the new one in if a free
//! lock proves that the run has ended ([`debris::recover`](crate::write::debris::recover)). It
//! proves nothing on a file system that other machines may share, such as NFS: both stay in the
//! folder then, and `airmile doctor` names it.
//!
//! All files of the new dataset are on the disk before its first rename, and the names are before the
//! old one is removed, where the file system can be asked for that. So after a loss of power one of
//! the two is complete.

use std::io;
use std::path::{Path, PathBuf};
use std::{fs, mem};

use serde_json::Value;

use crate::error::Error;
use crate::write::folders::sync_folder;
use crate::write::names::{NEW, OLD, SWAP, beside};
use crate::write::outcome::{Outcome, lacks_something, outcome};
use crate::write::recognise::{foreign, manifest};

/// Where a dataset goes.
#[derive(Debug)]
pub(crate) struct Place {
    pub(crate) path: PathBuf,
    /// Whether a dataset that is there may be replaced, also one that another run put there after
    /// the place was chosen.
    replaces: bool,
}

/// Moves the dataset `new` in the folder `held` to `target`, or beside it if it is a partial one;
/// returns where it is now.
///
/// # Errors
/// Fails when something else is at that place, when it cannot be moved, and when it is empty and
/// would replace one that is not. It stays in its folder then.
pub fn put(held: &Path, target: &Path, overwrite: bool) -> Result<PathBuf, Error> {
    let target = resolve(target)?;
    let made = manifest(&held.join(NEW)).unwrap_or_default();
    let place = choose(&made, &target, overwrite)?;
    move_in(held, &place)?;
    Ok(place.path)
}

/// Chooses the place of a dataset with this manifest, and checks whether it is free.
pub(crate) fn choose(made: &Value, target: &Path, overwrite: bool) -> Result<Place, Error> {
    match outcome(made, manifest(target).as_ref()) {
        Outcome::Whole => check(target, overwrite)
            .map(|()| Place { path: target.to_owned(), replaces: overwrite }),
        Outcome::Partial => partial(target).map(|path| Place { path, replaces: true }),
        Outcome::Nothing(why) => {
            let hint = format!("{} stays as an earlier run left it", target.display());
            Err(Error::input(why).hint(hint))
        }
    }
}

/// Moves the dataset `new` in the folder `held` to its place; what it replaces stays in `held`.
///
/// # Errors
/// Fails when the dataset cannot be moved, and when another one came there that it may not replace.
pub(crate) fn move_in(held: &Path, place: &Place) -> Result<(), Error> {
    let (new, path) = (held.join(NEW), &place.path);
    let moved = if place.replaces && manifest(path).is_some() {
        replace(&new, path, held)
    } else {
        // This replaces an empty folder at most (rename(2)).
        fs::rename(&new, path)
    };
    if let Err(error) = moved {
        check(path, place.replaces)?;
        return Err(Error::write(path, error));
    }
    // The dataset is complete. If syncing fails, the system or the next run makes up for it.
    let _ = sync_folder(path.parent().unwrap_or(Path::new(".")));
    Ok(())
}

/// Replaces a dataset. From the first step on, `new` is called [`SWAP`]: whichever of the two
/// datasets has this name when the run is killed is not needed, as long as one is in the place.
fn replace(new: &Path, place: &Path, held: &Path) -> io::Result<()> {
    let (swap, old) = (held.join(SWAP), held.join(OLD));
    fs::rename(new, &swap)?;
    if exchange(&swap, place).is_ok() {
        return Ok(());
    }
    in_two_steps(&swap, place, &old).inspect_err(|_| mem::drop(fs::rename(&swap, new)))
}

/// Moves a dataset away to `old`, and `swap` to its place. If the second step fails, the first is
/// undone.
fn in_two_steps(swap: &Path, place: &Path, old: &Path) -> io::Result<()> {
    fs::rename(place, old)?;
    // An error of undoing is ignored, because the earlier error is the one to report.
    fs::rename(swap, place).inspect_err(|_| mem::drop(fs::rename(old, place)))
}

#[cfg(all(target_os = "linux", target_env = "gnu"))]
fn exchange(one: &Path, other: &Path) -> io::Result<()> {
    use nix::fcntl::{AT_FDCWD, RenameFlags, renameat2};
    Ok(renameat2(AT_FDCWD, one, AT_FDCWD, other, RenameFlags::RENAME_EXCHANGE)?)
}

#[cfg(not(all(target_os = "linux", target_env = "gnu")))]
fn exchange(_: &Path, _: &Path) -> io::Result<()> {
    Err(io::ErrorKind::Unsupported.into())
}

/// Follows links, so that an overwritten dataset is replaced where it really is.
pub(crate) fn resolve(target: &Path) -> Result<PathBuf, Error> {
    if target.exists() {
        return target.canonicalize().map_err(|error| Error::write(target, error));
    }
    if target.file_name().is_none() {
        return Err(Error::output(format!("{}: not a name for a dataset", target.display()))
            .hint("give a directory that does not exist yet, as -o run1.airmile"));
    }
    Ok(target.to_owned())
}

/// The place of a partial dataset, `NAME.partial.airmile`. It is free if nothing is there, or an
/// earlier partial one.
fn partial(target: &Path) -> Result<PathBuf, Error> {
    let place = resolve(&beside(target))?;
    check(&place, true)?;
    if manifest(&place).is_some_and(|there| !lacks_something(&there)) {
        let what = format!("{}: is a complete dataset", place.display());
        return Err(Error::output(what).hint("give it another name"));
    }
    Ok(place)
}

/// Checks whether a dataset may be placed at `target`.
pub(crate) fn check(target: &Path, overwrite: bool) -> Result<(), Error> {
    let refuse = |what: &str, hint: &str| {
        Err(Error::output(format!("{}: {what}", target.display())).hint(hint))
    };
    if !target.exists() || is_empty(target) {
        return Ok(());
    }
    if !target.is_dir() {
        return refuse("is not a directory", "give another name with -o");
    }
    if manifest(target).is_none() {
        return refuse("exists and is not a dataset of airmile", "give another name with -o");
    }
    if let Some(foreign) = foreign(target) {
        let what = format!("holds {foreign}, which airmile did not write");
        return refuse(&what, "move that away, or give another name with -o");
    }
    if !overwrite {
        return refuse("exists", "replace it with --overwrite, or give another name with -o");
    }
    Ok(())
}

fn is_empty(path: &Path) -> bool {
    fs::read_dir(path).is_ok_and(|mut entries| entries.next().is_none())
}

#[cfg(test)]
#[expect(clippy::disallowed_methods, reason = "makes what is looked at")]
mod tests {
    use super::*;
    use crate::write::recognise::MANIFEST;

    fn dataset(path: &Path, keys: &str) {
        fs::create_dir_all(path).unwrap();
        let inputs = r#""inputs": [{"name": "x", "counts": {"packets": 1}}]"#;
        let text = format!(r#"{{"tool": "airmile", {keys}, {inputs}}}"#);
        fs::write(path.join(MANIFEST), text).unwrap();
    }

    fn is(path: &Path, key: &str) -> bool {
        manifest(path).is_some_and(|manifest| manifest.get(key).is_some())
    }

    const CUT: &str = r#""interrupted": true"#;

    #[test]
    fn a_partial_dataset_replaces_only_a_partial_one() {
        let root = tempfile::tempdir().unwrap();
        let at = |name: &str| root.path().join(name);
        dataset(&at("x.airmile"), r#""whole": 1"#);
        for held in ["first", "second"] {
            dataset(&at(held).join(NEW), &format!(r#"{CUT}, "{held}": 1"#));
            let place = put(&at(held), &at("x.airmile"), true).unwrap();
            assert_eq!(place, at("x.partial.airmile").canonicalize().unwrap());
            assert!(is(&place, held) && is(&at("x.airmile"), "whole"));
        }
        dataset(&at("x.partial.airmile"), r#""own": 1"#);
        dataset(&at("third").join(NEW), CUT);
        let error = put(&at("third"), &at("x.airmile"), true).unwrap_err();
        assert!(error.message.contains("complete"), "{error}");
        assert!(is(&at("x.partial.airmile"), "own") && is(&at("third").join(NEW), "interrupted"));
    }

    #[test]
    fn of_two_runs_that_chose_a_free_place_the_second_replaces_nothing() {
        let root = tempfile::tempdir().unwrap();
        let at = |name: &str| root.path().join(name);
        for (overwrite, stays) in [(false, "first"), (true, "second")] {
            let target = at(&format!("{overwrite}.airmile"));
            let runs = ["first", "second"].map(|run| {
                let held = at(&format!("{run}-{overwrite}"));
                dataset(&held.join(NEW), &format!(r#""interrupted": false, "{run}": 1"#));
                let made = manifest(&held.join(NEW)).unwrap();
                (held, choose(&made, &target, overwrite).unwrap())
            });
            let [first, second] = runs.map(|(held, place)| move_in(&held, &place));
            first.unwrap();
            assert!(is(&target, stays), "{overwrite}");
            assert_eq!(second.is_ok(), overwrite);
            if let Err(error) = second {
                assert!(error.message.ends_with("exists"), "{error}");
                assert!(is(&at("second-false").join(NEW), "second"));
            }
        }
    }

    #[test]
    fn without_an_exchange_the_old_one_returns_if_the_new_one_cannot_be_moved() {
        let root = tempfile::tempdir().unwrap();
        let [swap, place, old] = ["swap", "x.airmile", "old"].map(|name| root.path().join(name));
        dataset(&place, r#""first": 1"#);
        assert!(in_two_steps(&swap, &place, &old).is_err());
        assert!(is(&place, "first") && !old.exists());
        dataset(&swap, r#""second": 1"#);
        in_two_steps(&swap, &place, &old).unwrap();
        assert!(is(&place, "second") && is(&old, "first"));
    }

    #[test]
    fn names_with_and_without_the_ending_have_a_partial_name() {
        let name = |target: &str| partial(Path::new("/nowhere").join(target).as_path()).unwrap();
        assert_eq!(name("x.airmile"), Path::new("/nowhere/x.partial.airmile"));
        assert_eq!(name("x.d"), Path::new("/nowhere/x.d.partial.airmile"));
    }
}
