//! The sums of the verdict, added up while rows leave the engine: `verdict` in the manifest.
//!
//! Rows -> [`Adder`] (one beside the rows of each shard: what a live flow needs, settled when its
//! row has left) -> [`Sums`] (of whole numbers, so that no order of rows and no number of threads
//! changes a digit) -> [`SumsReport`]. SQL over the tables gives the same: `python/airmile/answers/verdict/_sums`.

mod adder;
mod cells;
mod class;
mod extremes;
mod facts;
mod held;
mod live;
mod rates;
mod report;
mod share;
mod spans;
mod sums;
mod time_union;
mod top;
mod totals;

pub(crate) use adder::Adder;
pub use facts::{FlowSums, MovedSums};
pub(crate) use held::Held;
pub use report::{LeftOutSums, RateSums, SmallCallSums, SumsReport, VerdictReport};
pub use spans::SpanSums;
pub(crate) use sums::Sums;
pub use totals::{FlowTotals, KindTotals};

pub use cells::CellValue;
