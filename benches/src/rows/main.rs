//! Runs the whole pass without Python and prints its rows, so that two engines can be compared row
//! by row, whatever the form of their files.

mod print;

use std::io;
use std::ops::ControlFlow;
use std::path::Path;
use std::process::ExitCode;

use airmile_dataset::{Manifest, Options, analyze};

const USAGE: &str = "airmile-rows dataset CAPTURE OUT [THREADS]   analyse into a dataset
airmile-rows hash CAPTURE [THREADS]          a hash of the rows of each table, with and without order
airmile-rows cells CAPTURE [THREADS]         every cell as text";

#[expect(clippy::print_stderr, reason = "a tool of its own")]
fn main() -> ExitCode {
    let words: Vec<String> = std::env::args().skip(1).collect();
    let words: Vec<&str> = words.iter().map(String::as_str).collect();
    match run(&words) {
        Ok(true) => ExitCode::SUCCESS,
        Ok(false) => {
            eprintln!("{USAGE}");
            ExitCode::from(2)
        }
        Err(error) => {
            eprintln!("error: {error}");
            ExitCode::from(5)
        }
    }
}

/// Runs a command; returns whether the words are understood.
fn run(words: &[&str]) -> io::Result<bool> {
    let (words, threads) = match words {
        [words @ .., last] if last.parse::<usize>().is_ok() => (words, last.parse().unwrap_or(1)),
        words => (words, 1),
    };
    match *words {
        ["dataset", capture, out] => pass(capture, Path::new(out), threads, false).map(drop)?,
        ["hash", capture] => within(capture, threads, print::hashes)?,
        ["cells", capture] => within(capture, threads, print::cells)?,
        _ => return Ok(false),
    }
    Ok(true)
}

/// Analyses a capture, shows the dataset, and removes it afterwards.
fn within(
    capture: &str,
    threads: usize,
    show: impl FnOnce(&Path, &Manifest) -> io::Result<()>,
) -> io::Result<()> {
    let scratch = tempfile::tempdir()?;
    let out = scratch.path().join("rows.airmile");
    show(&out, &pass(capture, &out, threads, true)?)
}

/// Analyses a capture; with `samples`, the tables of single samples are written too.
fn pass(capture: &str, out: &Path, threads: usize, samples: bool) -> io::Result<Manifest> {
    let mut options = Options { threads, overwrite: true, ..Options::default() };
    options.parameters.samples = samples;
    analyze(&[capture.to_owned()], out, &options, &mut |_| ControlFlow::Continue(()))
        .map_err(|error| io::Error::other(error.to_string()))
}
