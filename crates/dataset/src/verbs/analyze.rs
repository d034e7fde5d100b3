//! Turns captures into a dataset.

use std::cell::Cell;
use std::ops::ControlFlow;
use std::path::Path;
use std::sync::Arc;

use airmile_analyze::tables;
use airmile_read::Place;
use airmile_types::Instant;

use super::finish::finish;
use crate::error::Error;
use crate::manifest::{Covered, Input, Manifest, Status, status};
use crate::modem::Radio;
use crate::options::Options;
use crate::shards::captures::{Captures, Coverage};
use crate::shards::feed::{Feed, Settled};
use crate::shards::phones::{Joined, consistent};
use crate::shards::twins::Twins;
use crate::shards::{Finished, Shards};
use crate::verbs::coverage::coverage_rows;
use crate::verbs::notes::notes;
use crate::verbs::progress::{PIPE_PROGRESS_BYTES, PROGRESS_BYTES, Progress, lasting};
use crate::verbs::sources::{nothing_readable, sources};
use crate::verdict::VerdictReport;
use crate::write::hash::sha256;
use crate::write::writer::DatasetWriter;

/// The number of packets between two checks of the bytes read.
const STRIDE: u64 = 256;

/// Reads the inputs, runs every analysis and writes the dataset `out`.
///
/// `progress` is called about every 2 MiB and at the end. When it stops the run, everything read
/// until then is analysed, kept beside the place `out` as a partial dataset, and marked as
/// interrupted. `out` is also left as it is if it holds more of an input of which a part failed now.
///
/// # Errors
/// Fails for an option that is not understood, when no input can be read, when the inputs are empty
/// and `out` is not, and for a dataset that cannot be written. Nothing is written or replaced then.
pub fn analyze(
    inputs: &[String],
    out: &Path,
    options: &Options,
    progress: &mut dyn FnMut(Progress) -> ControlFlow<()>,
) -> Result<Manifest, Error> {
    let config = options.track()?;
    let stopped = Cell::new(false);
    let progress = &mut lasting(progress, &stopped);
    let sources = sources(inputs, &options.stop)?;
    let radio = match options.modem.as_slice() {
        [] => None,
        _ => Some(Radio::load(options, &sources, progress)?),
    };
    let logs_bytes = radio.as_ref().map_or(0, Radio::held_bytes);
    let memory_bytes = options.memory_bytes() - logs_bytes;
    let tables = tables();
    let writer = DatasetWriter::create(out, options.overwrite, &tables)?;
    let evidence = radio.as_ref().map(|radio| Arc::clone(radio.evidence())).unwrap_or_default();
    let mut shards =
        Shards::new(&config, &options.parameters, &tables, writer, options.threads, &evidence)?
            .with_memory(memory_bytes);
    let mut feed = Feed::open(sources);
    let joined = consistent(feed.joined().copied());
    shards.join(&joined);
    let guesses: Vec<Joined> = joined.into_iter().filter(|joined| joined.is_guess).collect();
    let mut at = Progress { total_bytes: feed.total_bytes(), ..Progress::default() };
    let mut twins = Twins::new();
    let mut flow = pump(&mut feed, &mut shards, &mut twins, &mut at, progress);
    refuse_two_places(&twins, feed.captures())?;
    let Settling { places, mut inputs, coverage } = settle(feed)?;
    let last = inputs.iter().filter_map(|input| input.last_ns).max();
    let finished = shards.finish(last.map(Instant::from_nanos))?;
    let notes = notes(&finished, options, &guesses, twins.left_out());
    let Finished { mut writer, votes, ended_for_memory, forgotten, sums, .. } = finished;
    if options.hash && flow.is_continue() {
        flow = add_hashes(&places, &mut inputs, &mut || progress(at));
    }
    let mut manifest = Manifest::new(options, inputs, votes);
    manifest.covered = Covered::new(&coverage);
    manifest.interrupted = flow.is_break() || stopped.get();
    manifest.memory_bytes = (options.memory_bytes.is_some() || ended_for_memory + forgotten > 0)
        .then(|| options.memory_bytes());
    manifest.ended_for_memory = ended_for_memory;
    manifest.verdict = Some(VerdictReport::new(sums, options.profile.is_some()));
    coverage_rows(coverage, &tables, &mut |rows| writer.write(&rows))?;
    if let Some(radio) = &radio {
        radio.batches(&tables, &mut |rows| writer.write(&rows))?;
        manifest.add_radio(radio.inputs(), radio.reports());
    }
    manifest.warnings.extend(notes);
    finish(writer, manifest, &options.check)
}

/// Refuses captures that hold the same packets at two places.
fn refuse_two_places(twins: &Twins, captures: &Captures) -> Result<(), Error> {
    let Some((one, other)) = twins.at_two_places() else { return Ok(()) };
    let (one, other) = (captures.name(one), captures.name(other));
    let told = format!(
        "{one} and {other} hold the same packets, recorded at two places: together each packet \
         would count twice"
    );
    let hint = format!("analyse each by itself, or compare them: airmile align {one} {other}");
    Err(Error::usage(told).hint(hint))
}

/// Passes every packet through the shards.
fn pump(
    feed: &mut Feed,
    shards: &mut Shards,
    twins: &mut Twins,
    at: &mut Progress,
    progress: &mut dyn FnMut(Progress) -> ControlFlow<()>,
) -> ControlFlow<()> {
    let step = if at.total_bytes.is_some() { PROGRESS_BYTES } else { PIPE_PROGRESS_BYTES };
    feed.run(|packet, feed| {
        shards.note_captures(feed.captures());
        if !(feed.may_hold_twins(packet.time) && twins.is_copy(packet)) {
            shards.packet(packet);
        }
        at.packets += 1;
        if !at.packets.is_multiple_of(STRIDE) {
            return ControlFlow::Continue(());
        }
        if twins.at_two_places().is_some() {
            return ControlFlow::Break(());
        }
        shards.note_inputs(feed.held_bytes());
        let bytes = feed.bytes_read();
        if bytes - at.bytes < step {
            return ControlFlow::Continue(());
        }
        at.bytes = bytes;
        // A full disk ends the run at once; `finish` reports the error.
        if shards.check().is_err() {
            return ControlFlow::Break(());
        }
        progress(*at)
    })?;
    at.bytes = feed.bytes_read();
    progress(*at)
}

/// The inputs of a run after all that can be read was read.
pub(crate) struct Settling {
    pub(crate) places: Vec<Place>,
    /// Their entries in the manifest.
    pub(crate) inputs: Vec<Input>,
    pub(crate) coverage: Vec<Coverage>,
}

/// Returns the places of the inputs, their entries, and what the captures cover; an error when
/// nothing could be read at all.
pub(crate) fn settle(feed: Feed) -> Result<Settling, Error> {
    let (settled, coverage) = feed.finish();
    let settled = settled.into_iter().map(|Settled { source, fate, capture }| {
        let input = Input::new(source.to_string(), source.named, fate);
        (source.place, Input { capture, ..input })
    });
    let (places, inputs): (_, Vec<Input>) = settled.unzip();
    if status(&inputs) == Status::NothingReadable {
        return Err(nothing_readable(&inputs));
    }
    Ok(Settling { places, inputs, coverage })
}

fn add_hashes(
    places: &[Place],
    inputs: &mut [Input],
    go_on: &mut dyn FnMut() -> ControlFlow<()>,
) -> ControlFlow<()> {
    for (place, input) in places.iter().zip(inputs) {
        input.sha256 = sha256(place, go_on)?;
    }
    ControlFlow::Continue(())
}
