#![doc = include_str!("slices.md")]

mod cut;
mod evidence;
mod fill;
mod least_queue;
mod row;
mod slicer;
mod varied_flight;
mod wait;

pub use row::SliceRow;
pub(crate) use slicer::Slicer;
