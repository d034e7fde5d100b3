//! Two captures of the same packets (methods G9): which packet of one is which of the other.
//!
//! A packet is known by its addresses, ports, sequence and acknowledgement numbers, timestamps and
//! length. One that is in a capture twice (a retransmission without timestamps, a repeated
//! ACK) could be either and gives no pair. Where offloads joined segments in one of the captures,
//! what starts with the same byte is paired, and what is lost is found by ranges of bytes.

mod counts;
mod joining;
mod matched;
mod pairing;
mod ranges;
mod row;
mod seen;
mod taken;

use std::ops::ControlFlow;

use crate::error::Error;
use crate::manifest::Input;
use crate::options::Options;
use crate::verbs::progress::Progress;

pub use counts::{Counts, Side, Tally};
pub use row::Columns;
pub use seen::BIN;
use seen::Flows;
use taken::take;

/// What two captures have in common.
#[derive(Clone, Debug)]
pub struct Aligned {
    /// The packets that both hold, in the order of the second capture.
    pub pairs: Columns,
    /// Payload to each phone in bins of [`BIN`], in the first and in the second capture.
    pub volumes: (Columns, Columns),
    /// How many packets are in both, and in one alone.
    pub counts: Counts,
    /// What became of the inputs of the first and of the second capture.
    pub inputs: (Vec<Input>, Vec<Input>),
}

/// Reads `first` and `second` (each one or several inputs) and pairs their TCP packets.
///
/// Memory grows with the TCP packets of both, about 200 bytes for each. `progress` is called now
/// and then, and stops the run when it breaks.
///
/// # Errors
/// An option that is not understood, or a capture of which nothing can be read.
pub fn align(
    first: &[String],
    second: &[String],
    options: &Options,
    mut progress: impl FnMut(Progress) -> ControlFlow<()>,
) -> Result<Aligned, Error> {
    let mut flows = Flows::default();
    let mut stopped = false;
    // Whoever stops the first pass does not want the second one.
    let mut progress = |at| {
        stopped = stopped || progress(at).is_break();
        if stopped { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
    };
    let first = take(first, options, &mut flows, &mut progress)?;
    let second = take(second, options, &mut flows, &mut progress)?;
    let matched = pairing::pairs(&first.seen, &second.seen);
    let counts = counts::count(&first.seen, &second.seen, &matched, flows.len());
    Ok(Aligned {
        pairs: row::pairs(&first.seen, &second.seen, &matched, &flows)?,
        volumes: (row::volumes(first.volume)?, row::volumes(second.volume)?),
        counts,
        inputs: (first.inputs, second.inputs),
    })
}
