//! Tables of programs that decode the control channel of a cell: an allocation of any of its users
//! a row, without names of columns.
//!
//! Users are RNTIs. Rows of the uplink stand at the subframe of their grant, which comes before
//! the block (FDD: four subframes, TS 36.213 section 8.0). Whether a block was decoded is not seen.

mod dci;
mod falcon;
mod frames;
mod ngscope;
mod owl;
mod rows;

pub(crate) use falcon::FALCON;
pub(crate) use ngscope::NGSCOPE;
pub(crate) use owl::OWL;

#[cfg(test)]
mod tests;
