//! Emulates an LTE link in virtual time, one transmission time interval (TTI) after the other.
//!
//! Flow: packet -> [`Path`] (fixed delay, loss, perhaps a bottleneck) -> [`Ran`] (per user and
//! direction: queue, rate, scheduler, HARQ; RRC and handovers for both directions) -> packet, with
//! the instant at which it leaves the air. A [`Truth`] receives what really happened, per TTI and
//! per rare event.
//!
//! This crate reads no clock and touches no file, except in `realtime`: time is an
//! [`airmile_types::Instant`] argument that counts from the start of the run. The same seed gives
//! the same run.

mod bounds;
mod bucket;
mod cell;
mod codel;
mod competitor;
mod config;

mod download;
mod drive;
mod flow;
mod fq_codel;
mod frames;
mod grants;
mod handover;
mod harq;
mod heard;
mod line;
mod link;
mod option;
mod packet;
mod path;
mod queue;
mod ran;
mod random;
mod rate;
#[cfg(target_os = "linux")]
pub mod realtime;
mod recording;
mod rrc;
mod scheduler;
mod sinr;
pub mod tables;
mod ticks;
mod trace;
mod truth;
mod user;

pub use config::{
    AirConfig, CompetitorConfig, ConfigError, Discipline, DriveConfig, GrantConfig, HandoverConfig,
    HarqConfig, LinkConfig, PathConfig, PolicerConfig, Policy, QueueConfig, RateConfig, RrcConfig,
    Sharing, SinrConfig, TrafficConfig,
};

pub use download::{Download, download};
pub use link::{End, Link};
pub use packet::{Packet, TcpFields};
pub use path::Path;
pub use ran::Ran;
pub use recording::{PhoneClocks, WallClock, rewrite_capture};
pub use ticks::TickClock;
pub use trace::CapacityTrace;
pub use truth::{Blocked, Event, EventKind, Measured, Moved, Row, State, Truth};
