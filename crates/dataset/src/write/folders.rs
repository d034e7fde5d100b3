//! Writes files and folders so that they are on the disk when a function returns.

use std::fs::File;
use std::io;
use std::path::Path;

use crate::error::Error;

/// Makes the names in a folder survive a loss of power.
pub(crate) fn sync_folder(path: &Path) -> Result<(), Error> {
    let synced = open(path).and_then(|folder| folder.sync_all());
    match synced {
        // Not every file system supports this (fsync(2)).
        Err(error) if error.kind() != io::ErrorKind::InvalidInput => Err(Error::write(path, error)),
        _ => Ok(()),
    }
}

#[expect(clippy::disallowed_methods, reason = "this room writes files")]
pub(crate) fn create_file(path: &Path) -> Result<File, Error> {
    File::create(path).map_err(|error| Error::write(path, error))
}

/// Opens a folder, to lock it or to sync its entries.
#[expect(clippy::disallowed_methods, reason = "a folder of our own, not input")]
pub(crate) fn open(path: &Path) -> io::Result<File> {
    File::open(named(path))
}

/// The path of a folder; an empty path, which is the parent of a bare name, becomes `.`.
pub(super) fn named(path: &Path) -> &Path {
    if path.as_os_str().is_empty() { Path::new(".") } else { path }
}
