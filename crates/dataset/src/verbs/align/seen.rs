//! Defines the data that is kept of the packets of one capture.

use std::collections::HashMap;

use airmile_types::{Address, Duration, Instant, Side};

use crate::manifest::Input;

/// A TCP packet that passed a capture point.
#[derive(Clone, Debug)]
pub(super) struct Seen {
    /// A key that identifies the packet.
    pub(super) key: u64,
    /// A key of the fields that are equal in all segments that offloads may join.
    pub(super) group: u64,
    pub(super) time: Instant,
    /// The number of the flow in [`Flows`].
    pub(super) flow: u32,
    pub(super) sequence: u32,
    pub(super) bytes: u32,
    /// Whether the phone sent the packet.
    pub(super) up: bool,
}

/// The kept data of one capture.
pub(super) struct Taken {
    pub(super) seen: Vec<Seen>,
    pub(super) volume: Volume,
    pub(super) inputs: Vec<Input>,
}

/// The bytes of payload to a phone, by the phone's address and the number of the bin.
pub(super) type Volume = HashMap<(Address, i64), u64>;

/// An address with its port.
pub(super) type End = (Address, u16);

/// The TCP connections of both captures, by number.
#[derive(Default)]
pub(super) struct Flows {
    numbers: HashMap<(End, End), u32>,
    ends: Vec<(End, End)>,
}

impl Flows {
    /// The phone's end and the server's end of a flow.
    pub(super) fn ends(&self, flow: u32) -> Option<(End, End)> {
        self.ends.get(flow as usize).copied()
    }

    pub(super) const fn len(&self) -> usize {
        self.ends.len()
    }

    /// The number of a packet's flow, and whether the phone sent the packet. The flow's first
    /// packet decides which end is the phone, for both captures.
    pub(super) fn find(&mut self, from: End, to: End, sender: Side) -> (u32, bool) {
        let fresh = self.ends.len() as u32;
        let number = *self.numbers.entry((from.min(to), from.max(to))).or_insert(fresh);
        if number == fresh {
            self.ends.push(if sender == Side::Ue { (from, to) } else { (to, from) });
        }
        let up = self.ends(number).is_some_and(|(ue, _)| ue == from);
        (number, up)
    }
}

/// The width of the bins in which payload is counted: a tenth of the shortest sliding window of
/// methods E5.
pub const BIN: Duration = Duration::from_millis(10);
