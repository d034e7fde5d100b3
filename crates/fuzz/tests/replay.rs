//! Runs every target over the stored inputs, and over a fixed number of inputs made from them,
//! which are the same in every run.

#![expect(clippy::disallowed_methods, reason = "reads the inputs that are kept")]
#![expect(clippy::print_stdout, reason = "names the input that failed")]

use std::collections::BTreeSet;
use std::fs;
use std::panic::AssertUnwindSafe;
use std::path::{Path, PathBuf};
use std::process::Command;

use airmile_fuzz::{TARGETS, Target, Text, target};

/// The number of inputs that each target runs in addition to the stored ones, in `make test` and in
/// `make check-all`.
const MUTANTS: (u32, u32) = (400, 4_000);

macro_rules! replays {
    ($($name:ident)*) => {
        $(#[test] fn $name() { replay(stringify!($name), target(stringify!($name))); })*
        const REPLAYED: &[&str] = &[$(stringify!($name),)* "modem_text"];
    };
}

replays! {
    pcap pcapng compressed decode fragments tcp_options dns tls track engine
    modem_diag modem_diag_messages
}

/// Each text format of modem logs is replayed under its own name. A new format has only its sample
/// until `make fuzz` has found more inputs.
#[test]
fn modem_text() {
    for text in Text::all() {
        let name = format!("modem_{}", text.name);
        let inputs = kept(&name, &text.sample);
        replay_all(&name, &inputs, &|rest| text.run(rest));
    }
}

#[test]
fn every_target_is_replayed_and_fuzzed() {
    let names: BTreeSet<&str> = TARGETS.iter().map(|(name, _)| *name).collect();
    assert_eq!(names, REPLAYED.iter().copied().collect());
    let manifest = fs::read_to_string(fuzz().join("Cargo.toml")).expect("the fuzz targets");
    let binaries = manifest.split("[[bin]]\nname = \"").skip(1);
    let binaries: BTreeSet<&str> = binaries.filter_map(|rest| rest.split('"').next()).collect();
    assert_eq!(names, binaries);
}

fn replay(name: &str, run: Target) {
    let inputs = kept(name, &fuzz().join("seeds").join(name));
    assert!(inputs.len() > 10, "{name}: {} inputs", inputs.len());
    replay_all(name, &inputs, &run);
}

fn replay_all(name: &str, inputs: &[Vec<u8>], run: &dyn Fn(&[u8])) {
    for input in inputs {
        watched(name, run, input);
    }
    let mut random = Random(0x00dd_ba11);
    let (few, whole) = MUTANTS;
    for _ in 0..airmile_share::cases(few, whole, &format!("mutants of the inputs of {name}")) {
        watched(name, run, &random.mutant(inputs));
    }
}

/// The inputs in `fuzz/corpus/NAME.tar.gz`, if it exists, and those in the folder `seeds`, in the
/// order of their names.
fn kept(name: &str, seeds: &Path) -> Vec<Vec<u8>> {
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join("kept").join(name);
    let _ = fs::remove_dir_all(&folder);
    fs::create_dir_all(&folder).expect("a folder for the inputs");
    let archive = fuzz().join("corpus").join(name).with_extension("tar.gz");
    if archive.exists() {
        let mut tar = Command::new("tar");
        let done = tar.arg("-xzf").arg(archive).arg("-C").arg(&folder).status();
        assert!(done.expect("tar is installed").success());
    }
    let paths = files(&folder).into_iter().chain(files(seeds));
    paths.map(|path| fs::read(path).expect("an input")).collect()
}

fn files(folder: &Path) -> Vec<PathBuf> {
    let entries = fs::read_dir(folder).into_iter().flatten();
    let mut paths: Vec<PathBuf> = entries.map(|entry| entry.expect("a file").path()).collect();
    paths.sort();
    paths
}

fn fuzz() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../fuzz")
}

/// Runs the target. An input that fails is written to a file, so that `cargo fuzz` can reduce it.
fn watched(name: &str, run: &dyn Fn(&[u8]), input: &[u8]) {
    let run = AssertUnwindSafe(|| run(input));
    let Err(panic) = std::panic::catch_unwind(run) else { return };
    let path = Path::new(env!("CARGO_TARGET_TMPDIR")).join(format!("failed-{name}"));
    fs::write(&path, input).expect("a file for the input");
    println!("the input that failed: {}", path.display());
    std::panic::resume_unwind(panic);
}

struct Random(u64);

impl Random {
    /// A random number below `bound`, by xorshift64 (Marsaglia 2003).
    fn below(&mut self, bound: usize) -> usize {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        (self.0 % bound.max(1) as u64) as usize
    }

    /// One of the inputs with a few changes.
    fn mutant(&mut self, inputs: &[Vec<u8>]) -> Vec<u8> {
        let mut bytes = inputs[self.below(inputs.len())].clone();
        for _ in 0..=self.below(4) {
            let at = self.below(bytes.len());
            match self.below(5) {
                0 => bytes.truncate(at),
                1 => bytes.insert(at, self.below(256) as u8),
                2 => bytes.extend_from_slice(&inputs[self.below(inputs.len())]),
                3 => bytes.iter_mut().skip(at).take(4).for_each(|byte| *byte = 0xff),
                _ => bytes.iter_mut().skip(at).take(1).for_each(|byte| *byte ^= 1 << self.below(8)),
            }
        }
        bytes.truncate(8192);
        bytes
    }
}
