#![doc = include_str!("clock.md")]

mod answer;
mod bounds;
mod curve;
mod fit;
mod line;
mod pauses;
mod rates;
mod search;
mod way;

pub use answer::{ClockFit, NotAligned, ServedLog};
pub use fit::align;

#[cfg(test)]
mod cases;
#[cfg(test)]
mod tests;
