//! Collects evidence of what a sender was doing in each millisecond, as one capture point shows it.
//!
//! For each flow and direction, `sender` and `receiver_window` find when the receiver's window, the
//! application, a timeout or a loss recovery stopped the sender. For each subscriber and direction,
//! `queue` finds when there was a queue before or after the capture point; all flows of a phone
//! share the queue of its bearer. The queue is found from the timestamps of both ends (`clocks`,
//! `one_way`). While the tick of the clock is not known whose packets come over the radio, the round
//! trip between capture point and that sender shows the queue instead (`far_loop`, `unjudged`). For
//! each flow, `frames` finds the frames of the capture that contain its packets.

mod base;
mod before;
mod bits;
mod clocks;
mod emptied;
mod emptied_queue;
mod far_downlink;
mod far_loop;
mod fine_uplink;
mod floor;
mod frames;
mod idle_gaps;
mod jitter;
mod least_queue;
mod limits;
mod modem;
mod near_downlink;
mod one_way;
mod passing;
mod queue;
mod receiver_window;
mod sender;
mod sender_loop;
mod server_loop;
mod short_queue;
mod slack;
mod standing;
mod stretch;
mod sum;
mod timeline;
mod unjudged;
mod uplink;
mod wait;
mod window_scale;
mod window_seen;

pub(crate) use bits::{HORIZON_BINS, Mask};
pub(crate) use clocks::OneWayClocks;
pub(crate) use frames::Frames;
pub(crate) use idle_gaps::IdleGaps;
pub use idle_gaps::{Flights, GapSeen, Restart};
pub(crate) use least_queue::least_before;
pub(crate) use limits::FULL_LEAST_BYTES;
pub use limits::Limits;
pub(crate) use modem::RadioMasks;
pub(crate) use queue::QueueTimelines;
pub use queue::UeQueues;
pub(crate) use sender::{Counters, NEVER_CUT, Sender};
pub(crate) use server_loop::{LoopEstimate, ServerLoop};
pub(crate) use timeline::{BIN, begin_of, window};
pub(crate) use wait::{Expects, RadioState, Wait};
pub(crate) use window_scale::Scale;
pub use window_seen::{FullTime, WindowSeen};
