//! Limits how many inputs without data are listed by name: a folder may hold very many files that are
//! not captures.

use super::input::{Input, InputStatus};

/// The greatest number of inputs of one status that are listed if they gave no data.
const MOST: usize = 100;

/// Inputs of a run, without those that are only counted.
pub(crate) struct Listed {
    /// Every input that gave data, and the first of the others.
    pub(crate) inputs: Vec<Input>,
    /// The number of inputs that were skipped, or were or could not be read, and are not listed.
    pub(crate) unlisted: u64,
}

impl Listed {
    /// Lists inputs in their order.
    pub(crate) fn new(all: Vec<Input>) -> Self {
        let (mut skipped, mut failed, mut unread, before) = (0, 0, 0, all.len());
        let mut inputs = all;
        inputs.retain(|input| {
            let number = match input.status {
                InputStatus::Skipped => &mut skipped,
                InputStatus::Failed => &mut failed,
                InputStatus::Unread => &mut unread,
                InputStatus::Ok | InputStatus::Partial => return true,
            };
            *number += 1;
            *number <= MOST
        });
        let unlisted = (before - inputs.len()) as u64;
        Self { inputs, unlisted }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::shards::feed::Fate;
    use airmile_read::OpenError;

    #[test]
    fn the_first_of_many_files_without_data_are_listed_and_the_others_are_counted() {
        let junk = |number: usize| {
            let name = format!("{number}");
            Input::new(name.clone(), false, Fate::Failed(OpenError::Empty { name }))
        };
        let unread = |number: usize| Input::new(format!("u{number}"), true, Fate::Unread);
        let all = (0..MOST + 7).map(junk).chain((0..MOST + 5).map(unread)).collect();
        let Listed { inputs, unlisted } = Listed::new(all);
        assert_eq!((inputs.len(), unlisted), (2 * MOST, 12));
        assert_eq!(inputs.last().map(|input| input.name.as_str()), Some("u99"));
    }
}
