//! From transport blocks to scheduled milliseconds, which every rule on allocations reads.

mod aggregation;
mod milliseconds;
mod ms;

pub use milliseconds::{Milliseconds, TtiScope, milliseconds};
pub use ms::Ms;
