//! Keeps few files open, however many inputs are read at once.
//!
//! A process may have a limited number of open files (`ulimit -n`), and other parts of airmile need
//! some of them. So the file that was not read for longest is closed when there is no room for
//! another one. It is opened again, at its position, when its turn comes.

use std::collections::VecDeque;
use std::fs::{File, Metadata, OpenOptions};
use std::io::{self, Read};
use std::os::unix::fs::{FileExt, MetadataExt, OpenOptionsExt};
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use nix::fcntl::OFlag;
use nix::libc::{EMFILE, ENFILE};
use nix::sys::resource::{Resource, getrlimit};

/// The greatest number of files that are kept open.
const MOST: u64 = 256;
/// One file of this many that the process may have open is kept.
const SHARE: u64 = 4;
/// The number of inputs that may be read at once with a thread or a large block each.
const CROWD: usize = 32;

/// The open files of a run; clones share them.
#[derive(Clone, Debug, Default)]
pub(crate) struct Handles(Arc<Mutex<Open>>);

#[derive(Debug, Default)]
struct Open {
    /// The open files by number; the one that was not read for longest comes first.
    files: VecDeque<(u64, Arc<File>)>,
    /// The number of files that are being read, whether open or not.
    readers: usize,
    /// The number of the next file.
    next: u64,
}

impl Handles {
    /// Opens a file, a pipe or a device. A pipe opens without waiting for its writer.
    pub(super) fn open(&self, path: &Path) -> io::Result<File> {
        self.lock().open(path)
    }

    /// Takes an open regular file, and reads it from its start on.
    pub(super) fn keep(&self, path: &Path, file: File, metadata: &Metadata) -> Reopened {
        let mut open = self.lock();
        let number = open.next;
        open.next += 1;
        open.readers += 1;
        open.put(number, Arc::new(file));
        let identity = (metadata.dev(), metadata.ino());
        Reopened { handles: self.clone(), path: path.to_owned(), number, identity, position: 0 }
    }

    /// Whether so many files are being read that each should use little memory and no thread.
    pub(super) fn is_crowded(&self) -> bool {
        self.lock().readers > CROWD
    }

    fn lock(&self) -> MutexGuard<'_, Open> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Open {
    /// Opens a file; closes others if the system has no room for one more.
    fn open(&mut self, path: &Path) -> io::Result<File> {
        loop {
            let flags = OFlag::O_NONBLOCK.bits();
            let opened = OpenOptions::new().read(true).custom_flags(flags).open(path);
            let is_full = opened.as_ref().is_err_and(is_limit);
            if !is_full || self.files.pop_front().is_none() {
                return opened;
            }
        }
    }

    fn put(&mut self, number: u64, file: Arc<File>) {
        while self.files.len() as u64 >= most_open() {
            self.files.pop_front();
        }
        self.files.push_back((number, file));
    }

    fn take(&mut self, number: u64) -> Option<Arc<File>> {
        let position = self.files.iter().rposition(|(known, _)| *known == number)?;
        self.files.remove(position).map(|(_, file)| file)
    }
}

/// Whether an error says that no more files may be opened, by the process or in the whole system.
pub(super) fn is_limit(error: &io::Error) -> bool {
    matches!(error.raw_os_error(), Some(EMFILE | ENFILE))
}

/// Whether an error comes from reading what is stored, and not from decompressing it.
pub(crate) fn is_of_reading(error: &io::Error) -> bool {
    error.raw_os_error().is_some() || error.get_ref().is_some_and(|inner| inner.is::<Replaced>())
}

/// Another file has the name of the file that was being read.
#[derive(Debug, thiserror::Error)]
#[error("the file was replaced while it was read")]
struct Replaced;

fn most_open() -> u64 {
    let (limit, _) = getrlimit(Resource::RLIMIT_NOFILE).unwrap_or((0, 0));
    (limit / SHARE).clamp(1, MOST)
}

/// A regular file that is read from its start to its end, and is open only at times.
pub(super) struct Reopened {
    handles: Handles,
    path: PathBuf,
    number: u64,
    /// Device and number of the file, to notice that another file has its name by now.
    identity: (u64, u64),
    position: u64,
}

impl Reopened {
    fn file(&self) -> io::Result<Arc<File>> {
        let mut open = self.handles.lock();
        let file = match open.take(self.number) {
            Some(file) => file,
            None => Arc::new(self.open_again(&mut open)?),
        };
        open.put(self.number, Arc::clone(&file));
        Ok(file)
    }

    fn open_again(&self, open: &mut Open) -> io::Result<File> {
        let file = open.open(&self.path)?;
        let metadata = file.metadata()?;
        if (metadata.dev(), metadata.ino()) != self.identity {
            return Err(io::Error::other(Replaced));
        }
        Ok(file)
    }
}

impl Read for Reopened {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let bytes = self.file()?.read_at(buffer, self.position)?;
        self.position += bytes as u64;
        Ok(bytes)
    }
}

impl Drop for Reopened {
    fn drop(&mut self) {
        let mut open = self.handles.lock();
        open.take(self.number);
        open.readers -= 1;
    }
}

#[cfg(test)]
#[expect(clippy::disallowed_methods, reason = "the tests write their own inputs")]
mod tests {
    use super::*;

    fn reader(handles: &Handles, path: &Path) -> Reopened {
        let file = handles.open(path).unwrap();
        let metadata = file.metadata().unwrap();
        handles.keep(path, file, &metadata)
    }

    fn close_all(handles: &Handles) {
        handles.lock().files.clear();
    }

    #[test]
    fn a_file_continues_where_it_was_closed() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("a");
        std::fs::write(&path, b"abcdef").unwrap();
        let handles = Handles::default();
        let mut reader = reader(&handles, &path);
        let mut all = Vec::new();
        for _ in 0..3 {
            let mut two = [0; 2];
            reader.read_exact(&mut two).unwrap();
            all.extend(two);
            close_all(&handles);
        }
        assert_eq!((all.as_slice(), reader.read(&mut [0; 2]).unwrap()), (&b"abcdef"[..], 0));
    }

    #[test]
    fn no_more_files_are_open_than_a_share_of_the_limit() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("a");
        std::fs::write(&path, b"abcdef").unwrap();
        let handles = Handles::default();
        let all: Vec<_> = (0..2 * MOST).map(|_| reader(&handles, &path)).collect();
        assert_eq!(handles.lock().files.len() as u64, most_open());
        assert!(handles.is_crowded());
        drop(all);
        assert!(handles.lock().files.is_empty() && !handles.is_crowded());
    }

    #[test]
    fn another_file_of_the_same_name_is_not_taken_for_the_first() {
        let folder = tempfile::tempdir().unwrap();
        let (path, other) = (folder.path().join("a"), folder.path().join("b"));
        std::fs::write(&path, b"abcdef").unwrap();
        std::fs::write(&other, b"uvwxyz").unwrap();
        let handles = Handles::default();
        let mut reader = reader(&handles, &path);
        close_all(&handles);
        std::fs::rename(other, path).unwrap();
        let error = reader.read(&mut [0; 2]).unwrap_err();
        assert_eq!(error.to_string(), "the file was replaced while it was read");
        assert!(is_of_reading(&error) && !is_of_reading(&io::Error::other("damaged")));
    }
}
