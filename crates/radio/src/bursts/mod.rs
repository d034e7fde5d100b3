#![doc = include_str!("bursts.md")]

mod assumption;
mod average;
mod burst;
mod online;
mod rule;
mod shares;
mod time_span;

pub use assumption::{Assumption, Trust, assumption};
pub use average::MovingAverage;
pub use burst::Burst;
pub use online::{OnlineBurst, OnlineRecord, OnlineTracker, online_records};
pub use rule::{BurstTracker, bursts};
pub use shares::Modes;
pub(crate) use shares::PrbShares;
pub use time_span::{TimeSpan, mac_throughput_bps, throughput_time_ms};

#[cfg(test)]
mod cases;
#[cfg(test)]
mod tests;
