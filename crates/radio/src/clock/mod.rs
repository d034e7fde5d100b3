#![doc = include_str!("clock.md")]

mod answer;
mod bounds;
mod byte_curves;
mod candidates;
mod curve;
mod fit;
mod line;
mod pauses;
mod rates;
mod same_time;
mod search;
mod served;

pub use answer::{ClockFit, NotAligned};
pub use fit::align;
pub use served::ServedLog;

#[cfg(test)]
mod cases;
#[cfg(test)]
mod tests;
