//! Reads tables of programs that decode the control channel of a cell. Each row is an allocation of
//! one user of the cell, and the columns have no names.
//!
//! Users are identified by RNTIs. A row of the uplink contains the subframe of the grant, which
//! comes before the block (FDD: four subframes, TS 36.213 section 8.0). The tables do not show
//! whether a block was decoded.

mod dci;
pub(crate) mod falcon;
mod frames;
pub(crate) mod ngscope;
pub(crate) mod owl;
mod rows;

#[cfg(test)]
mod tests;
