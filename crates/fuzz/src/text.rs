//! Reads modem logs in text form: reading must end, whatever follows the lines that show the
//! format.
//!
//! The formats come from the list in `crates/read`. The folder of each format contains a sample:
//! `samples/NAME/start`, the lines that show the format, and `samples/NAME/rows`.

use std::env;
use std::fs;
use std::path::{Path, PathBuf};
use std::sync::LazyLock;

use airmile_read::modem::formats;

use crate::modem::read_behind;

/// The environment variable that names the format which [`chosen`] reads.
const VARIABLE: &str = "AIRMILE_FORMAT";

/// A text format of modem logs.
pub struct Text {
    /// The name of the format, such as `ns3`.
    pub name: &'static str,
    /// The folder with the sample of the format.
    pub sample: PathBuf,
    start: String,
}

impl Text {
    /// Every text format in the list of formats.
    pub fn all() -> impl Iterator<Item = Self> {
        formats().iter().flat_map(|format| format.texts()).map(Self::named)
    }

    /// Reads a log of this format: its first lines, and `rest` after them.
    ///
    /// # Panics
    /// Panics when reading does not end as promised.
    pub fn run(&self, rest: &[u8]) {
        read_behind(&self.start, rest);
    }

    fn named(name: &'static str) -> Self {
        let sample = sample(name).expect("the folder of the format holds samples/NAME");
        let start = fs::read_to_string(sample.join("start")).expect("the sample has a start");
        Self { name, sample, start }
    }
}

/// Reads a log of the format that the environment variable `AIRMILE_FORMAT` names.
pub(crate) fn chosen(rest: &[u8]) {
    static CHOSEN: LazyLock<Text> = LazyLock::new(|| {
        let wanted = env::var(VARIABLE).expect("AIRMILE_FORMAT names a format, as ns3");
        Text::all().find(|text| text.name == wanted).expect("the list has that format")
    });
    CHOSEN.run(rest);
}

/// The folder of a sample, which is in the folder of its format.
fn sample(name: &str) -> Option<PathBuf> {
    let formats = Path::new(env!("CARGO_MANIFEST_DIR")).join("../read/src/modem");
    let folders = fs::read_dir(formats).ok()?.flatten();
    let mut samples = folders.map(|folder| folder.path().join("samples").join(name));
    samples.find(|sample| sample.is_dir())
}
