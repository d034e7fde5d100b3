//! Reads all named logs into one list of records.

use std::collections::{HashSet, VecDeque};
use std::fs;
use std::ops::ControlFlow;
use std::path::PathBuf;
use std::sync::Arc;

use airmile_radio::RadioLog;
use airmile_read::modem::{ModemLog, ModemReport};
use airmile_read::{OpenError, Place, Source};

use super::order_report;
use crate::error::Error;
use crate::manifest::log_report::ModemInput;
use crate::options::Options;
use crate::shards::memory::LEAST_BYTES;
use crate::verbs::sources::sources;

/// The modem logs of a run.
pub(crate) struct Logs {
    /// The records of the logs.
    pub(crate) log: RadioLog,
    /// The manifest's entry for each log.
    pub(crate) inputs: Vec<ModemInput>,
}

/// Reads every log of a run. `go_on` is called now and then with the bytes read so far, and may
/// stop the run.
///
/// # Errors
/// Fails when none of the logs can be read, and as soon as they take more than `most_bytes` of
/// memory.
pub(crate) fn load(
    options: &Options,
    most_bytes: u64,
    go_on: &mut dyn FnMut(u64) -> ControlFlow<()>,
) -> Result<Logs, Error> {
    let sources = sources(&options.modem, &options.stop)?;
    let mut inputs = Vec::new();
    let mut log = RadioLog::default();
    let mut failures: Vec<OpenError> = Vec::new();
    let mut known: HashSet<PathBuf> = sources.iter().filter_map(place).collect();
    // Files that belong to a log follow the inputs of the user.
    let given = sources.len();
    let mut waiting = VecDeque::from(sources);
    while let Some(source) = waiting.pop_front() {
        match read(&mut log, &source, options, &mut |log, bytes| {
            if log.held_bytes() > most_bytes { ControlFlow::Break(()) } else { go_on(bytes) }
        }) {
            Ok(_) if log.held_bytes() > most_bytes => return Err(too_large(options, &log)),
            Ok((report, beside)) => {
                inputs.push(ModemInput::new(&report));
                let new = beside
                    .into_iter()
                    .filter(|file| place(file).is_some_and(|at| known.insert(at)));
                waiting.extend(new);
            }
            Err(error) => {
                let is_junk = error.is_junk() && !source.named && inputs.len() < given;
                let entry = if is_junk { ModemInput::skipped } else { ModemInput::failed };
                inputs.push(entry(source.to_string(), &error));
                failures.push(error);
            }
        }
    }
    if inputs.iter().all(ModemInput::is_nothing) {
        return Err(nothing(&inputs, &failures));
    }
    log.sort();
    Ok(Logs { log, inputs })
}

/// The absolute path of a file, however the user named the file.
fn place(source: &Source) -> Option<PathBuf> {
    match &source.place {
        Place::File(path) => Some(fs::canonicalize(path).unwrap_or_else(|_| path.clone())),
        Place::Link(_) | Place::Stdin => None,
    }
}

/// Appends the records of a log, and returns the files that belong to it.
fn read(
    all: &mut RadioLog,
    source: &Source,
    options: &Options,
    go_on: &mut dyn FnMut(&RadioLog, u64) -> ControlFlow<()>,
) -> Result<(ModemReport, Vec<Source>), OpenError> {
    let mut log = ModemLog::open(source)?;
    if let Some(decoder) = &options.rrc {
        log.decode_rrc(Arc::clone(decoder));
    }
    let (progress, mut piece) = (log.progress(), Vec::new());
    loop {
        let more = log.read(&mut piece);
        piece.drain(..).for_each(|record| all.take(record));
        if go_on(all, progress.read()).is_break() || !more {
            break;
        }
    }
    log.refine(&mut all.subframes());
    let (mut report, beside) = (log.report(), log.beside(source));
    order_report::add(&mut report.notes, &all.end_log(options.compat_online));
    beside.refused.into_iter().for_each(|why| report.notes.warn(why));
    Ok((report, beside.sources))
}

/// The error for logs that leave no memory for captures. How much the rest of the logs would take
/// is not known.
fn too_large(options: &Options, log: &RadioLog) -> Error {
    let (limit, bytes) = (options.memory_limit(), log.held_bytes());
    let megabytes = (LEAST_BYTES + bytes).div_ceil(1 << 20);
    Error::usage(format!("memory: the modem logs take {bytes} bytes or more, too much for {limit}"))
        .hint(format!("at least --memory {megabytes}M is needed; or give fewer logs"))
}

fn nothing(inputs: &[ModemInput], failures: &[OpenError]) -> Error {
    let problems: Vec<String> = inputs.iter().map(ModemInput::first_problem).collect();
    let error = match problems.as_slice() {
        [] => Error::input("no modem log: the directories named hold no files"),
        problems => Error::input(problems.join("; ")),
    };
    match failures.iter().find_map(OpenError::hint) {
        Some(hint) => error.hint(hint),
        None => error,
    }
}
