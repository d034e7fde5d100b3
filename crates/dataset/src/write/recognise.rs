//! Recognises whether a folder is a dataset, and finds entries that do not belong to a dataset.

use std::fs::{self, DirEntry};
use std::io;
use std::path::Path;

use serde_json::Value;

/// The file that makes a directory a dataset.
pub(crate) const MANIFEST: &str = "manifest.json";

/// The manifest of a dataset; `None` for a folder that is none.
#[expect(clippy::disallowed_methods, reason = "a manifest of our own, not input")]
pub(crate) fn manifest(path: &Path) -> Option<Value> {
    let bytes = fs::read(path.join(MANIFEST)).ok()?;
    let manifest: Value = serde_json::from_slice(&bytes).ok()?;
    (manifest.get("tool")? == TOOL).then_some(manifest)
}

/// The name of an entry that is neither the manifest nor a folder of parts, and must not be lost;
/// `None` when there is none. An entry that cannot be examined counts as such.
pub(crate) fn foreign(path: &Path) -> Option<String> {
    let unread = |error: &io::Error| Some(format!("what cannot be read ({error})"));
    let entries = match fs::read_dir(path) {
        Ok(entries) => entries,
        Err(error) => return unread(&error),
    };
    entries.into_iter().find_map(|entry| match entry {
        Ok(entry) if is_manifest(&entry) || is_table(&entry) => None,
        Ok(entry) => Some(entry.file_name().to_string_lossy().into_owned()),
        Err(error) => unread(&error),
    })
}

fn is_manifest(entry: &DirEntry) -> bool {
    let named = [MANIFEST, HALF_MANIFEST].iter().any(|name| entry.file_name() == *name);
    named && is_file(entry)
}

/// Whether an entry is a folder with nothing but parts; a link to such a folder is not.
fn is_table(entry: &DirEntry) -> bool {
    let folder = entry.file_type().is_ok_and(|kind| kind.is_dir());
    let parts = fs::read_dir(entry.path());
    folder && parts.is_ok_and(|mut parts| parts.all(|part| part.is_ok_and(|part| is_part(&part))))
}

fn is_part(entry: &DirEntry) -> bool {
    let name = entry.file_name();
    let name = name.to_string_lossy();
    name.starts_with("part-") && name.ends_with(".parquet") && is_file(entry)
}

/// Whether an entry is an ordinary file, and not a link.
fn is_file(entry: &DirEntry) -> bool {
    entry.file_type().is_ok_and(|kind| kind.is_file())
}

/// The name of the manifest while it is being written.
pub(super) const HALF_MANIFEST: &str = "manifest.partial";

/// The value of `tool` in the manifest, which distinguishes airmile's manifests from those of other
/// programs.
pub(crate) const TOOL: &str = "airmile";

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
