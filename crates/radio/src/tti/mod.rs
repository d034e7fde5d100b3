//! TTI aggregation: from transport blocks to scheduled milliseconds, which every rule for
//! allocations reads.

mod aggregation;
mod milliseconds;
mod ms;

pub use milliseconds::{Milliseconds, TtiScope, milliseconds};
pub use ms::Ms;
