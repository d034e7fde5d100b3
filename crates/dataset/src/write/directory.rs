//! Makes the dataset's directory. It is written beside its final place and moved there when it is
//! complete, so that nobody ever sees an incomplete dataset, and an old dataset stays until the new
//! one is complete.

use std::io::Write;
use std::path::{Path, PathBuf};
use std::{fs, process};

use serde_json::Value;

use crate::error::{Error, ErrorKind};
use crate::write::debris::{self, Held};
use crate::write::folders::{create_file, sync_folder};
use crate::write::names::NEW;
use crate::write::outcome::{Outcome, outcome};
use crate::write::place;
use crate::write::recognise::{HALF_MANIFEST, MANIFEST, manifest};

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
        let target = place::resolve(target)?;
        let parent = target.parent().unwrap_or(Path::new("."));
        debris::clear(parent);
        place::check(&target, overwrite)?;
        fs::create_dir_all(parent).map_err(|error| Error::write(parent, error))?;
        let name = target.file_name().unwrap_or_default().to_string_lossy();
        let (held, lock) = debris::claim(parent, &name, process::id())?;
        Ok(Self { path: held.join(NEW), held, target, overwrite, keep: false, _lock: lock })
    }

    /// The directory to write into until the dataset is complete.
    pub(crate) fn path(&self) -> &Path {
        &self.path
    }

    /// Whether a run with this manifest gives way to the dataset that is in the place.
    pub(crate) fn gives_way(&self, made: &Value) -> bool {
        outcome(made, manifest(&self.target).as_ref()) == Outcome::Partial
    }

    /// Writes the manifest and moves the dataset to its place; returns where it is.
    pub(crate) fn publish(mut self, manifest: &str) -> Result<PathBuf, Error> {
        let made = serde_json::from_str(manifest).map_err(|e| Error::output(e.to_string()))?;
        write_whole(&self.path.join(MANIFEST), manifest)?;
        sync_folder(&self.path)?;
        let placed = place::choose(&made, &self.target, self.overwrite);
        // What is not empty is complete from here on: whatever fails now, it is not removed.
        self.keep = !matches!(&placed, Err(Error { kind: ErrorKind::Input, .. }));
        let hint = format!("the dataset is whole: move {} yourself", self.path.display());
        let hinted = |error: Error| if self.keep { error.hint(hint) } else { error };
        let place = placed
            .and_then(|place| place::move_in(&self.held, &place).map(|()| place.path))
            .map_err(hinted)?;
        self.keep = false;
        Ok(place)
    }
}

impl Drop for Staging {
    fn drop(&mut self) {
        if self.keep {
            debris::keep(&self.held);
        } else {
            debris::remove(&self.held);
        }
    }
}

/// Writes a file so that it is either complete or does not exist.
fn write_whole(path: &Path, text: &str) -> Result<(), Error> {
    let half = path.with_file_name(HALF_MANIFEST);
    let mut file = create_file(&half)?;
    let written = file.write_all(text.as_bytes()).and_then(|()| file.sync_all());
    written.map_err(|error| Error::write(&half, error))?;
    fs::rename(&half, path).map_err(|error| Error::write(path, error))
}
