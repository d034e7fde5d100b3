//! Ends a run: writes the manifest and moves the dataset to its place.

use crate::check::Check;
use crate::error::Error;
use crate::manifest::Manifest;
use crate::write::digest::seal;
use crate::write::writer::DatasetWriter;

/// Ends a run with its manifest, which is checked first.
///
/// # Errors
/// Fails when a file cannot be written, when something else is in the dataset's place, and when the
/// check finds a fault. An older dataset then stays.
pub(super) fn finish(
    writer: DatasetWriter,
    mut manifest: Manifest,
    check: &Check,
) -> Result<Manifest, Error> {
    manifest.rows = writer.rows_written();
    let (staging, parts) = writer.close()?;
    manifest.parts = parts;
    let failed = |error: serde_json::Error| Error::output(error.to_string());
    let made = serde_json::to_value(&manifest).map_err(failed)?;
    if staging.gives_way(&made) {
        manifest.give_way();
    }
    let text = serde_json::to_string_pretty(&manifest).map_err(failed)?;
    let text = seal(&text);
    if let Some(fault) = check.fault(&text) {
        return Err(internal(&fault));
    }
    manifest.place = staging.publish(&text)?;
    Ok(manifest)
}

fn internal(fault: &str) -> Error {
    Error::output(format!("internal error: airmile could not open what it wrote: {fault}"))
        .hint("nothing was replaced; please report this fault of airmile, with the command")
}
