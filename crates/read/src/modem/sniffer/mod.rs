//! Tables of programs that decode the control channel of a cell: an allocation of any of its users
//! a row, without names of columns.
//!
//! Users are RNTIs. Rows of the uplink stand at the subframe of their grant, which comes before
//! the block (FDD: four subframes, TS 36.213 section 8.0). Whether a block was decoded is not seen.

mod dci;
pub(crate) mod falcon;
mod frames;
pub(crate) mod ngscope;
pub(crate) mod owl;
mod rows;

#[cfg(test)]
mod tests;
