//! Turns the records of a modem and the packets of a capture into a timeline of the radio.
//!
//! Records ([`RadioLog`]) become scheduled milliseconds ([`Ms`]), and scheduled milliseconds become
//! bursts ([`bursts()`]). Together with the packets of a capture on the same clock ([`align`]),
//! they give the queue at the base station ([`estimate`]). [`join()`] converts the results for each
//! phone to the clock of the capture. This crate opens no files.

mod bursts;
mod clock;
mod demand;
mod handovers;
mod join;
mod log;
mod order;
mod queue;
mod spans;
mod tti;

pub use bursts::{
    Assumption, Burst, BurstTracker, Modes, MovingAverage, OnlineBurst, OnlineRecord,
    OnlineTracker, TimeSpan, Trust, assumption, bursts, mac_throughput_bps, online_records,
    throughput_time_ms,
};
pub use clock::{ClockFit, NotAligned, ServedLog, align};
pub use demand::{LinkDemand, QueueTimes};
pub use handovers::handovers;
pub use join::{Joined, PhoneCaptures, PhoneDemand, PhoneRadio, PhoneRadios, join, phone_radios};
pub use log::{
    BadBandwidth, BandwidthInUse, BufferStatusRow, BurstRow, CellBandwidths, CellRow,
    GivenBandwidths, HandoverRow, RadioLog, ServingCells, TtiRow, UserLog, rank,
};
pub use order::{LogTime, Order, Times, Unplaced, ordered};
pub use queue::{
    CaptureCollector, LEAST_EXPLAINED, Passed, PhoneCapture, QueueLog, QueueRun, QueueState,
    QueueTimeline, Undetermined, UplinkQueue, estimate, uplink_queue,
};
pub use spans::{CumulativeBytes, TimeSpans};
pub use tti::{Milliseconds, Ms, TtiScope, milliseconds};
