#![doc = include_str!("bursts.md")]

mod average;
mod burst;
mod online;
mod rule;

pub use average::MovingAverage;
pub use burst::Burst;
pub use online::{OnlineBurst, OnlineRecord, OnlineTracker, online_records};
pub use rule::{BurstTracker, bursts};

#[cfg(test)]
mod cases;
#[cfg(test)]
mod tests;
