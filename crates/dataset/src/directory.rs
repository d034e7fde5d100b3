//! The dataset's directory: written beside its final place and moved there when it is whole, so
//! that nobody ever sees a half of it and an old one stays until a new one stands.

use std::fs;
use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::process;

use serde_json::Value;

use crate::error::Error;
use crate::part::create_file;

/// The file that makes a directory a dataset.
pub const MANIFEST: &str = "manifest.json";

/// The value of `tool` in the manifest; tells our manifests from those of others.
pub const TOOL: &str = "airmile";

/// A directory in the making; removed again unless it is published.
pub(crate) struct Staging {
    path: PathBuf,
    target: PathBuf,
    overwrite: bool,
    keep: bool,
}

impl Staging {
    /// Begins a dataset that shall stand at `target`.
    pub(crate) fn begin(target: &Path, overwrite: bool) -> Result<Self, Error> {
        let target = resolve(target)?;
        check(&target, overwrite)?;
        let parent = target.parent().unwrap_or(Path::new("."));
        fs::create_dir_all(parent).map_err(|error| Error::write(parent, error))?;
        let name = target.file_name().unwrap_or_default().to_string_lossy();
        let path = parent.join(format!(".{name}.{}.partial", process::id()));
        fs::create_dir(&path).map_err(|error| Error::write(&path, error))?;
        Ok(Self { path, target, overwrite, keep: false })
    }

    /// Where to write meanwhile.
    pub(crate) fn path(&self) -> &Path {
        &self.path
    }

    /// Writes the manifest and moves the dataset to its place.
    pub(crate) fn publish(mut self, manifest: &str) -> Result<(), Error> {
        write_whole(&self.path.join(MANIFEST), manifest)?;
        // From here on the dataset is whole: whatever fails now, it is not thrown away.
        self.keep = true;
        self.move_in().map_err(|error| {
            let hint = format!("the dataset is whole: move {} yourself", self.path.display());
            Error::write(&self.target, error).hint(hint)
        })
    }

    fn move_in(&self) -> Result<(), String> {
        check(&self.target, self.overwrite).map_err(|error| error.message)?;
        let text = |error: io::Error| error.to_string();
        if self.target.join(MANIFEST).exists() {
            let old = self.path.with_extension("old");
            fs::rename(&self.target, &old).map_err(text)?;
            fs::rename(&self.path, &self.target).map_err(text)?;
            return fs::remove_dir_all(&old).map_err(text);
        }
        fs::rename(&self.path, &self.target).map_err(text)
    }
}

impl Drop for Staging {
    fn drop(&mut self) {
        if !self.keep {
            // Best effort: the error that brought us here is the one to report.
            let _ = fs::remove_dir_all(&self.path);
        }
    }
}

/// Follows links, so that an overwritten dataset is replaced where it really lies.
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

/// Whether a dataset may be put at `target`.
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
    if let Some(stranger) = stranger(target) {
        let what = format!("holds {stranger}, which airmile did not write");
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

#[expect(clippy::disallowed_methods, reason = "a manifest of our own, not input")]
fn is_dataset(path: &Path) -> bool {
    let manifest = fs::read(path.join(MANIFEST)).ok();
    let manifest = manifest.and_then(|bytes| serde_json::from_slice::<Value>(&bytes).ok());
    manifest.is_some_and(|manifest| manifest.get("tool").is_some_and(|tool| tool == TOOL))
}

/// A name in a dataset that is neither the manifest nor a folder of parts: it must not be lost.
fn stranger(path: &Path) -> Option<String> {
    let entries = fs::read_dir(path).ok()?.flatten();
    let mut entries = entries.filter(|entry| entry.file_name() != MANIFEST);
    entries.find_map(|entry| {
        let parts = fs::read_dir(entry.path()).ok().map(|parts| parts.flatten());
        let ours = |name: &str| name.starts_with("part-") && name.ends_with(".parquet");
        let strange = match parts {
            Some(mut parts) => parts.any(|part| !ours(&part.file_name().to_string_lossy())),
            None => true,
        };
        strange.then(|| entry.file_name().to_string_lossy().into_owned())
    })
}

/// Writes a file that is either whole or not there.
fn write_whole(path: &Path, text: &str) -> Result<(), Error> {
    let half = path.with_extension("partial");
    let mut file = create_file(&half)?;
    let written = file.write_all(text.as_bytes()).and_then(|()| file.sync_all());
    written.map_err(|error| Error::write(&half, error))?;
    fs::rename(&half, path).map_err(|error| Error::write(path, error))
}
