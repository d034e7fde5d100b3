//! Adds up the sums of the verdict while rows leave the engine; the manifest contains them as
//! `verdict`.
//!
//! Rows -> [`Adder`] (one per shard; it keeps the rows of a live flow until the flow's own row has
//! been written) -> [`Sums`] (whole numbers, so that neither the order of rows nor the number of
//! threads changes a digit) -> [`SumsReport`]. SQL over the tables gives the same sums:
//! `python/airmile/answers/verdict/_sums`.

mod adder;
mod bins;
mod by_cause;
mod cells;
mod class;
mod extremes;
mod facts;
mod failed;
mod held;
mod hidden_queue;
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
pub use failed::{FailedCase, FailedSums};
pub(crate) use held::Held;
pub use report::{ClassSums, RateSums, SmallCallSums, SumsReport, VerdictReport};
pub use spans::SpanSums;
pub(crate) use sums::Sums;
pub use totals::{FlowTotals, KindTotals};

pub use cells::CellValue;
