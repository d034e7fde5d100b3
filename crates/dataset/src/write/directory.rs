//! Makes the dataset's directory. It is written beside its final place and moved there when it is
//! complete, so that nobody ever sees an incomplete dataset, and an old dataset stays until the new
//! one is complete.

use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::{fs, process};

use crate::error::Error;
use crate::write::debris::{self, Held, NEW, OLD};
use crate::write::folders::{create_file, sync_folder};
use crate::write::recognise::{HALF_MANIFEST, MANIFEST, foreign, is_dataset};

/// A directory that is being written; it is removed again unless it is published.
pub(crate) struct Staging {
    /// The folder that the run holds, which contains the dataset.
    held: PathBuf,
    path: PathBuf,
    target: PathBuf,
    overwrite: bool,
    keep: bool,
    _lock: Held,
}

impl Staging {
    /// Begins a dataset that will be placed at `target`.
    pub(crate) fn begin(target: &Path, overwrite: bool) -> Result<Self, Error> {
        let target = resolve(target)?;
        check(&target, overwrite)?;
        let parent = target.parent().unwrap_or(Path::new("."));
        fs::create_dir_all(parent).map_err(|error| Error::write(parent, error))?;
        let name = target.file_name().unwrap_or_default().to_string_lossy();
        debris::clear(parent);
        let (held, lock) = debris::claim(parent, &name, process::id())?;
        Ok(Self { path: held.join(NEW), held, target, overwrite, keep: false, _lock: lock })
    }

    /// The directory to write into until the dataset is complete.
    pub(crate) fn path(&self) -> &Path {
        &self.path
    }

    /// Writes the manifest and moves the dataset to its place.
    pub(crate) fn publish(mut self, manifest: &str) -> Result<(), Error> {
        write_whole(&self.path.join(MANIFEST), manifest)?;
        sync_folder(&self.path)?;
        // From here on the dataset is complete: whatever fails now, it is not removed.
        self.keep = true;
        self.move_in().map_err(|error| {
            let hint = format!("the dataset is whole: move {} yourself", self.path.display());
            Error::write(&self.target, error).hint(hint)
        })?;
        self.keep = false;
        Ok(())
    }

    fn move_in(&self) -> Result<(), String> {
        check(&self.target, self.overwrite).map_err(|error| error.message)?;
        let old = self.held.join(OLD);
        let moved = if self.target.join(MANIFEST).exists() {
            replace(&self.path, &self.target, &old)
        } else {
            fs::rename(&self.path, &self.target)
        };
        moved.map_err(|error| error.to_string())?;
        // The dataset is complete. If syncing fails, the system or the next run makes up for it.
        let _ = sync_folder(self.target.parent().unwrap_or(Path::new(".")));
        Ok(())
    }
}

impl Drop for Staging {
    fn drop(&mut self) {
        if !self.keep {
            debris::remove(&self.held);
        }
    }
}

/// Puts a new dataset in the place of an old one, which stays as `old`. If the process is killed
/// meanwhile, one of the two is at `target`, provided that the system can exchange two names at
/// once.
fn replace(new: &Path, target: &Path, old: &Path) -> io::Result<()> {
    if exchange(new, target).is_ok() {
        // Until it has this name, no run removes it, because it is a complete dataset.
        return fs::rename(new, old);
    }
    fs::rename(target, old)?;
    fs::rename(new, target).inspect_err(|_| {
        // An error here is ignored, because the earlier error is the one to report.
        let _ = fs::rename(old, target);
    })
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
fn resolve(target: &Path) -> Result<PathBuf, Error> {
    if target.exists() {
        return target.canonicalize().map_err(|error| Error::write(target, error));
    }
    if target.file_name().is_none() {
        return Err(Error::output(format!("{}: not a name for a dataset", target.display()))
            .hint("give a directory that does not exist yet, as -o run1.airmile"));
    }
    Ok(target.to_owned())
}

/// Checks whether a dataset may be placed at `target`.
fn check(target: &Path, overwrite: bool) -> Result<(), Error> {
    let refuse = |what: &str, hint: &str| {
        Err(Error::output(format!("{}: {what}", target.display())).hint(hint))
    };
    if !target.exists() || is_empty(target) {
        return Ok(());
    }
    if !target.is_dir() {
        return refuse("is not a directory", "give another name with -o");
    }
    if !is_dataset(target) {
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

/// Writes a file so that it is either complete or does not exist.
fn write_whole(path: &Path, text: &str) -> Result<(), Error> {
    let half = path.with_file_name(HALF_MANIFEST);
    let mut file = create_file(&half)?;
    let written = file.write_all(text.as_bytes()).and_then(|()| file.sync_all());
    written.map_err(|error| Error::write(&half, error))?;
    fs::rename(&half, path).map_err(|error| Error::write(path, error))
}

#[cfg(test)]
#[expect(clippy::disallowed_methods, reason = "makes what is looked at")]
mod tests {
    use std::os::unix::fs::symlink;

    use super::*;

    #[test]
    fn only_manifests_and_parts_are_ours() {
        let root = tempfile::tempdir().unwrap();
        let ours = root.path().join("x.airmile");
        fs::create_dir_all(ours.join("flows")).unwrap();
        for name in [MANIFEST, HALF_MANIFEST, "flows/part-0.parquet"] {
            fs::write(ours.join(name), "").unwrap();
        }
        assert_eq!(foreign(&ours), None);
        let folders = ["flows/part-x.parquet", "flows/part-x.parquet/mine", "flows/mine"];
        let links = ["mine", "flows/part-1.parquet"];
        for name in folders {
            fs::create_dir_all(ours.join(name)).unwrap();
            assert!(foreign(&ours).is_some(), "{name}");
            fs::remove_dir_all(ours.join("flows")).unwrap();
            fs::create_dir(ours.join("flows")).unwrap();
        }
        for name in links {
            symlink(root.path(), ours.join(name)).unwrap();
            assert!(foreign(&ours).is_some(), "{name}");
            fs::remove_file(ours.join(name)).unwrap();
        }
        fs::remove_file(ours.join(MANIFEST)).unwrap();
        fs::create_dir_all(ours.join(MANIFEST).join("mine")).unwrap();
        assert_eq!(foreign(&ours).as_deref(), Some(MANIFEST));
        let unread = foreign(&root.path().join("nothing")).unwrap();
        assert!(unread.starts_with("what cannot be read"), "{unread}");
    }
}
