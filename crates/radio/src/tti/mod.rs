//! Aggregates TTIs: turns transport blocks into scheduled milliseconds, which every rule for
//! allocations reads.

mod aggregation;
mod milliseconds;
mod ms;

pub use milliseconds::{Milliseconds, TtiScope, milliseconds};
pub use ms::Ms;
