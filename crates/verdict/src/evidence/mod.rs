//! What a sender was doing, millisecond by millisecond, seen from one capture point.
//!
//! For each flow and direction: when the receiver's window, the application, a timeout or a
//! recovery held the sender (`sender`, `receiver_window`). For each subscriber and direction: when
//! there was a queue before or after the capture point (`queue`), because all flows of a phone share
//! the queue of its bearer. It is found by the timestamps of both ends (`clocks`, `one_way`), and
//! while the phone's clock is not understood by the loop to the phone and back (`phone_loop`,
//! `unjudged`). For each flow: which frames of the capture are its packets (`frames`).

mod base;
mod bits;
mod clocks;
mod frames;
mod limits;
mod modem;
mod one_way;
mod passing;
mod phone_loop;
mod queue;
mod receiver_window;
mod sender;
mod sender_loop;
mod server_loop;
mod short_queue;
mod standing;
mod stretch;
mod timeline;
mod unjudged;
mod uplink;
mod wait;

pub(crate) use bits::{HORIZON_BINS, Mask};
pub(crate) use clocks::OneWayClocks;
pub(crate) use frames::Frames;
pub use limits::Limits;
pub(crate) use modem::RadioMasks;
pub(crate) use queue::QueueTimelines;
pub use queue::UeQueues;
pub(crate) use sender::{Counters, Sender};
pub(crate) use server_loop::{LoopEstimate, ServerLoop};
pub(crate) use timeline::{BIN, begin_of, window};
pub(crate) use wait::Wait;
