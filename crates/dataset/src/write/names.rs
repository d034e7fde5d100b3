//! The names of datasets that are being made, moved, or partial.

use std::path::{Path, PathBuf};

/// The ending of the name of a dataset.
const ENDING: &str = ".airmile";

/// The folder of a dataset that is being made.
pub(crate) const NEW: &str = "new";

/// The folder of a dataset that was moved away.
pub(crate) const OLD: &str = "old";

/// The folder of the dataset that changes its name with that in the place.
pub(crate) const SWAP: &str = "swap";

/// The name of the partial dataset beside `target`.
pub(crate) fn beside(target: &Path) -> PathBuf {
    let name = target.file_name().unwrap_or_default().to_string_lossy();
    let name = name.strip_suffix(ENDING).unwrap_or(&name);
    target.with_file_name(format!("{name}.partial{ENDING}"))
}
