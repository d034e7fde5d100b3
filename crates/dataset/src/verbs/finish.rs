//! Ends a run: writes the manifest and moves the dataset to its place.

use crate::error::Error;
use crate::manifest::Manifest;
use crate::write::digest::seal;
use crate::write::writer::DatasetWriter;

pub(super) fn finish(writer: DatasetWriter, mut manifest: Manifest) -> Result<Manifest, Error> {
    manifest.rows = writer.rows_written();
    let (staging, parts) = writer.close()?;
    manifest.parts = parts;
    let text = serde_json::to_string_pretty(&manifest).map_err(|e| Error::output(e.to_string()))?;
    staging.publish(&seal(&text))?;
    Ok(manifest)
}
