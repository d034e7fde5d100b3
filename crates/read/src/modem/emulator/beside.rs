//! Finds the files that the emulator writes into the folder of its log.

use std::fs;
use std::path::{Path, PathBuf};

use crate::open::{Place, Source};

/// The names of the files, without an ending for compression.
const NAMES: [&str; 2] = ["cells.csv", "handovers.csv"];
/// The endings of a file for each compression.
const CODINGS: [&str; 3] = ["", ".gz", ".zst"];

/// The files in the same folder as a log.
#[derive(Debug, Default)]
pub struct Beside {
    /// The files that belong to the log.
    pub sources: Vec<Source>,
    /// The files that were found and are not read, with the reason in words.
    pub refused: Vec<String>,
}

/// Finds the measurements and the handovers in the folder of the emulated link's log. The user has
/// not named these files, so only ordinary ones are read: a link may lead anywhere, and a pipe may
/// never end.
pub(crate) fn beside(log: &Source) -> Beside {
    let mut found = Beside::default();
    let Place::File(path) = &log.place else { return found };
    for name in NAMES {
        let named = |coding: &&str| path.with_file_name(format!("{name}{coding}"));
        if let Some(file) = CODINGS.iter().map(named).find(|file| is_there(file)) {
            found.take(file, log);
        }
    }
    found
}

fn is_there(file: &Path) -> bool {
    fs::symlink_metadata(file).is_ok()
}

impl Beside {
    fn take(&mut self, file: PathBuf, log: &Source) {
        if fs::symlink_metadata(&file).is_ok_and(|found| found.is_file()) {
            let source = Source { named: false, ..Source::file(file) };
            self.sources.push(source.until(&log.stop));
        } else {
            let name = file.file_name().unwrap_or_default().to_string_lossy();
            let why = "beside the log is no ordinary file and was not read; name it with --modem";
            self.refused.push(format!("{name} {why}"));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    #[expect(clippy::disallowed_methods, reason = "a test writes its own input")]
    fn ordinary_files_beside_a_log_belong_to_it_and_links_do_not() {
        let folder = std::env::temp_dir().join(format!("airmile-beside-{}", std::process::id()));
        fs::create_dir_all(&folder).expect("a folder");
        fs::write(folder.join("cells.csv.gz"), b"").expect("a file");
        std::os::unix::fs::symlink("/dev/zero", folder.join("handovers.csv")).expect("a link");
        let found = beside(&Source::file(folder.join("modem.csv")));
        fs::remove_dir_all(&folder).expect("it is removed");
        let names: Vec<String> = found.sources.iter().map(Source::to_string).collect();
        assert_eq!(names, [folder.join("cells.csv.gz").display().to_string()]);
        assert_eq!(found.refused.len(), 1);
        assert!(found.refused.first().is_some_and(|text| text.starts_with("handovers.csv ")));
    }
}
