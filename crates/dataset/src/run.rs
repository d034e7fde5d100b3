//! The pass: captures in, dataset out.

use std::io::Read;
use std::ops::ControlFlow;
use std::path::Path;

use airmile_analyze::{Engine, tables};
use airmile_read::{OpenError, Place, expand};
use airmile_track::Tracker;
use sha2::{Digest, Sha256};

use crate::error::Error;
use crate::feed::Feed;
use crate::manifest::{Input, Manifest, Status, status};
use crate::options::Options;
use crate::writer::DatasetWriter;

/// Bytes read between two calls of the progress function.
const PROGRESS_BYTES: u64 = 2 << 20;

/// Packets between two looks at the bytes read.
const STRIDE: u64 = 256;

/// How far a run is.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Progress {
    /// Bytes read, as stored.
    pub bytes: u64,
    /// Bytes of all inputs; unknown when one is a pipe.
    pub total_bytes: Option<u64>,
    /// IP packets taken.
    pub packets: u64,
}

/// Reads the inputs, runs every analysis and writes the dataset `out`.
///
/// `progress` is called about every 2 MiB and at the end; when it breaks, the run stops: what was
/// read until then is analysed, kept, and marked as interrupted.
///
/// # Errors
/// An option that is not understood, no input that can be read, or a dataset that cannot be
/// written; then there is no dataset.
pub fn analyze(
    inputs: &[String],
    out: &Path,
    options: &Options,
    progress: &mut dyn FnMut(Progress) -> ControlFlow<()>,
) -> Result<Manifest, Error> {
    let config = options.track()?;
    let sources = expand(inputs).map_err(|error| no_inputs(&error))?;
    let writer = DatasetWriter::create(out, options.overwrite, &tables())?;
    let mut tracker = Tracker::new(config, Engine::new(options.parameters.clone(), writer));
    let mut feed = Feed::open(sources);
    let interrupted = pump(&mut feed, &mut tracker, progress).is_break();
    let votes = tracker.votes();
    let writer = tracker.finish().finish();
    let inputs = settle(feed, options.hash)?;
    let mut manifest = Manifest::new(options, inputs, votes);
    manifest.interrupted = interrupted;
    manifest.rows = writer.rows_written();
    let text = serde_json::to_string_pretty(&manifest).map_err(|e| Error::output(e.to_string()))?;
    writer.finish(&(text + "\n"))?;
    Ok(manifest)
}

/// Runs every packet through the tracker.
fn pump(
    feed: &mut Feed,
    tracker: &mut Tracker<Engine<DatasetWriter>>,
    progress: &mut dyn FnMut(Progress) -> ControlFlow<()>,
) -> ControlFlow<()> {
    let mut at = Progress {
        total_bytes: feed.total_bytes(),
        ..Progress::default()
    };
    feed.run(|packet, feed| {
        tracker.packet(packet);
        at.packets += 1;
        if !at.packets.is_multiple_of(STRIDE) {
            return ControlFlow::Continue(());
        }
        let bytes = feed.bytes_read();
        if bytes - at.bytes < PROGRESS_BYTES {
            return ControlFlow::Continue(());
        }
        at.bytes = bytes;
        // A full disk ends the run at once; `finish` reports it.
        if tracker.handler().output().check().is_err() {
            return ControlFlow::Break(());
        }
        progress(at)
    })?;
    at.bytes = feed.bytes_read();
    progress(at)
}

/// What became of the inputs; an error when nothing could be read at all.
fn settle(feed: Feed, hash: bool) -> Result<Vec<Input>, Error> {
    let mut inputs = Vec::new();
    for (source, fate) in feed.finish() {
        let mut input = Input::new(source.to_string(), source.named, fate);
        if let (true, Place::File(path)) = (hash, &source.place) {
            input.sha256 = sha256(path);
        }
        inputs.push(input);
    }
    if status(&inputs) == Status::NothingReadable {
        return Err(nothing_readable(&inputs));
    }
    Ok(inputs)
}

fn nothing_readable(inputs: &[Input]) -> Error {
    let problems: Vec<String> = inputs.iter().take(5).map(Input::first_problem).collect();
    let told = match inputs.len() {
        0 => Error::input("no input: the directories named hold no files"),
        1 => Error::input(problems.concat()),
        more => Error::input(format!(
            "none of {more} inputs can be read: {}",
            problems.join("; ")
        )),
    };
    let hint = inputs
        .iter()
        .flat_map(|input| &input.problems)
        .find_map(|problem| problem.hint);
    Error {
        hint: hint.map(str::to_owned),
        ..told
    }
}

/// Of the file as stored. A file that cannot be read again has none.
#[expect(
    clippy::disallowed_methods,
    reason = "the bytes are hashed, not understood"
)]
fn sha256(path: &Path) -> Option<String> {
    let mut file = std::fs::File::open(path)
        .ok()
        .filter(|f| f.metadata().is_ok_and(|m| m.is_file()))?;
    let mut hash = Sha256::new();
    let mut buffer = vec![0; 1 << 20];
    loop {
        match file.read(&mut buffer).ok()? {
            0 => break,
            bytes => hash.update(buffer.get(..bytes)?),
        }
    }
    Some(
        hash.finalize()
            .iter()
            .map(|byte| format!("{byte:02x}"))
            .collect(),
    )
}

/// The inputs cannot be listed.
pub(crate) fn no_inputs(error: &OpenError) -> Error {
    let told = match error {
        OpenError::StdinTwice => Error::usage(error.to_string()),
        _ => Error::input(error.to_string()),
    };
    match error.hint() {
        Some(hint) => told.hint(hint),
        None => told,
    }
}
