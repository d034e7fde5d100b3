//! Modem logs that are text: reading ends, whatever follows the lines that show the format.
//!
//! The formats come from the list of `crates/read`; a sample of each is in the folder of the format:
//! `samples/NAME/start`, the lines by which it is recognised, and `samples/NAME/rows`.

use std::env;
use std::fs;
use std::path::{Path, PathBuf};
use std::sync::LazyLock;

use airmile_read::modem::formats;

use crate::modem::read_behind;

/// Names the format that [`chosen`] reads.
const VARIABLE: &str = "AIRMILE_FORMAT";

/// A form of modem logs that is text.
pub struct Text {
    /// Its name, as `ns3`.
    pub name: &'static str,
    /// The folder of its sample.
    pub sample: PathBuf,
    start: String,
}

impl Text {
    /// Every form of the list of formats.
    pub fn all() -> impl Iterator<Item = Self> {
        formats().iter().flat_map(|format| format.texts()).map(Self::named)
    }

    /// Reads a log of this form: its first lines, and these bytes behind them.
    ///
    /// # Panics
    /// Where reading does not end as it promises.
    pub fn run(&self, rest: &[u8]) {
        read_behind(&self.start, rest);
    }

    fn named(name: &'static str) -> Self {
        let sample = sample(name).expect("the folder of the format holds samples/NAME");
        let start = fs::read_to_string(sample.join("start")).expect("the sample has a start");
        Self { name, sample, start }
    }
}

/// Reads a log of the form that the environment variable `AIRMILE_FORMAT` names.
pub(crate) fn chosen(rest: &[u8]) {
    static CHOSEN: LazyLock<Text> = LazyLock::new(|| {
        let wanted = env::var(VARIABLE).expect("AIRMILE_FORMAT names a format, as ns3");
        Text::all().find(|text| text.name == wanted).expect("the list has that format")
    });
    CHOSEN.run(rest);
}

/// The folder of a sample, which is in that of its format.
fn sample(name: &str) -> Option<PathBuf> {
    let formats = Path::new(env!("CARGO_MANIFEST_DIR")).join("../read/src/modem");
    let folders = fs::read_dir(formats).ok()?.flatten();
    let mut samples = folders.map(|folder| folder.path().join("samples").join(name));
    samples.find(|sample| sample.is_dir())
}
