//! Finds the inputs of a run, or reports why there are none.

use airmile_read::{OpenError, Source, Stop, expand};

use crate::error::Error;
use crate::manifest::Input;

/// The number of inputs that an error lists by name.
const LISTED_INPUTS: usize = 5;

/// The longest path in bytes (`PATH_MAX` of Linux); no system opens a longer one, and a manifest
/// holds no name of any length.
const LONGEST_PATH: usize = 4096;

/// The number of characters of a longer name that an error shows.
const SHOWN: usize = 40;

pub(super) fn nothing_readable(inputs: &[Input]) -> Error {
    let problems: Vec<String> =
        inputs.iter().take(LISTED_INPUTS).map(Input::first_problem).collect();
    let found = match inputs.len() {
        0 => Error::input("no input: the directories named hold no files"),
        1 => Error::input(problems.concat()),
        more => Error::input(format!("none of {more} inputs can be read: {}", problems.join("; "))),
    };
    let hint = inputs.iter().flat_map(|input| &input.problems).find_map(|problem| problem.hint);
    Error { hint: hint.map(str::to_owned), ..found }
}

/// The inputs that the arguments name; `stop` can end waiting for a pipe among them.
pub(crate) fn sources(inputs: &[String], stop: &Stop) -> Result<Vec<Source>, Error> {
    if let Some(long) = inputs.iter().find(|input| input.len() > LONGEST_PATH) {
        let begins: String = long.chars().take(SHOWN).collect();
        return Err(Error::input(format!(
            "{begins}...: no file has a name of {} bytes",
            long.len()
        )));
    }
    let found = expand(inputs).map_err(|error| no_inputs(&error))?;
    Ok(found.into_iter().map(|source| source.until(stop)).collect())
}

/// Makes the error for inputs that cannot be listed.
pub(crate) fn no_inputs(error: &OpenError) -> Error {
    let found = match error {
        OpenError::StdinTwice => Error::usage(error.to_string()),
        _ => Error::input(error.to_string()),
    };
    match error.hint() {
        Some(hint) => found.hint(hint),
        None => found,
    }
}
