//! Which queues lie behind and before a capture point.

use airmile_types::{Direction, Vantage};

/// Which queue a tap sees behind it (by RTT) and before it (by one-way delay), for data of a
/// direction.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Queue {
    Link,
    Device,
    Upstream,
    None,
}

/// Methods A and verdict notes 8: what lies behind and before each tap.
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
