//! Compares two captures of the same packets (methods G9): finds the packets that both contain.
//!
//! Addresses, ports, sequence and acknowledgement numbers, timestamps and length identify a packet.
//! A packet that is in a capture twice (a retransmission without timestamps, a repeated ACK) is
//! ambiguous and gives no pair. Where offloads joined segments in one of the captures, segments
//! that begin with the same byte are paired, and lost bytes are found by ranges.

mod counts;
mod joining;
mod matched;
mod pairing;
mod ranges;
mod row;
mod seen;
mod taken;

use std::cell::Cell;
use std::ops::ControlFlow;

use crate::error::Error;
use crate::manifest::Input;
use crate::options::Options;
use crate::verbs::progress::{Progress, lasting};

pub use counts::{Counts, Side, Tally};
pub use row::Columns;
pub use seen::BIN;
use seen::Flows;
use taken::take;

/// The comparison of two captures.
#[derive(Clone, Debug)]
pub struct Aligned {
    /// The packets that both contain, in the order of the second capture.
    pub pairs: Columns,
    /// Payload to each phone in bins of [`BIN`], in the first and in the second capture.
    pub volumes: (Columns, Columns),
    /// The numbers of packets that are in both captures, and in one alone.
    pub counts: Counts,
    /// Whether the run was stopped before the end of the captures.
    pub interrupted: bool,
    /// The entries for the inputs of the first and of the second capture.
    pub inputs: (Vec<Input>, Vec<Input>),
}

/// Reads `first` and `second` (each may be several inputs) and pairs their TCP packets.
///
/// Memory grows by about 200 bytes for each TCP packet of both captures. `progress` is called now
/// and then, and may stop the run.
///
/// # Errors
/// Fails for an option that is not understood, and for a capture of which nothing can be read.
pub fn align(
    first: &[String],
    second: &[String],
    options: &Options,
    mut progress: impl FnMut(Progress) -> ControlFlow<()>,
) -> Result<Aligned, Error> {
    let mut flows = Flows::default();
    let stopped = Cell::new(false);
    // A caller that stops the first pass does not want the second one.
    let mut progress = lasting(&mut progress, &stopped);
    let first = take(first, options, &mut flows, &mut progress)?;
    let second = take(second, options, &mut flows, &mut progress)?;
    let matched = pairing::pairs(&first.seen, &second.seen);
    let counts = counts::count(&first.seen, &second.seen, &matched, flows.len());
    Ok(Aligned {
        pairs: row::pairs(&first.seen, &second.seen, &matched, &flows)?,
        volumes: (row::volumes(first.volume)?, row::volumes(second.volume)?),
        counts,
        interrupted: stopped.get(),
        inputs: (first.inputs, second.inputs),
    })
}
