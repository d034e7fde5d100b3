//! Names the queues before and after each capture point.

use airmile_types::{Direction, Vantage};

/// A queue that a capture point can see for data of a direction: after it (by RTT) or before it (by
/// one-way delay).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Queue {
    Link,
    Device,
    Upstream,
    None,
}

/// The queue after the capture point and the queue before it, in this order (methods A11, T7).
pub(crate) const fn queues(vantage: Vantage, direction: Direction) -> (Queue, Queue) {
    match (vantage, direction) {
        (Vantage::Monitor, Direction::Downlink) => (Queue::Link, Queue::Upstream),
        (Vantage::Monitor, Direction::Uplink) => (Queue::Upstream, Queue::Link),
        (Vantage::Server, Direction::Downlink) => (Queue::Link, Queue::None),
        (Vantage::Server, Direction::Uplink) => (Queue::None, Queue::Link),
        (Vantage::Ue, Direction::Downlink) => (Queue::None, Queue::Link),
        (Vantage::Ue, Direction::Uplink) => (Queue::Link, Queue::Device),
    }
}
