//! Tables of programs that decode the control channel of a cell: each row is an allocation of one
//! of its users, and columns have no names.
//!
//! Users are RNTIs. Rows of the uplink have the subframe of their grant, which comes before the
//! block (FDD: four subframes, TS 36.213 section 8.0). The tables do not say whether a block was
//! decoded.

mod dci;
pub(crate) mod falcon;
mod frames;
pub(crate) mod ngscope;
pub(crate) mod owl;
mod rows;

#[cfg(test)]
mod tests;
