//! Runs one of the trackers among which the subscribers are divided.

use std::sync::Arc;

use airmile_analyze::Engine;
use airmile_read::Packet;
use airmile_track::{Tracker, VantageVotes};
use airmile_types::Instant;

use super::epoch::Epoch;
use super::memory::Come;
use crate::write::batches::Batches;

/// A tracker with its analyses and its place in the epoch.
pub(super) struct Shard {
    pub(super) tracker: Tracker<Engine<Batches>>,
    /// What the whole capture had shown before this epoch.
    around: Option<Around>,
    /// The number of packets of its share of the epoch that it has taken.
    taken: usize,
    packets: u64,
    payload_bytes: u64,
}

/// What the whole capture has shown.
#[derive(Clone)]
pub(super) struct Around {
    /// When each capture began.
    pub(super) starts: Arc<[Instant]>,
    pub(super) now: Instant,
    pub(super) others: VantageVotes,
    /// The captures that have ended since the last epoch.
    pub(super) over: Arc<[u32]>,
}

impl Shard {
    /// A shard that has seen no packet.
    pub(super) const fn new(tracker: Tracker<Engine<Batches>>) -> Self {
        Self { tracker, around: None, taken: 0, packets: 0, payload_bytes: 0 }
    }

    /// Begins an epoch.
    pub(super) fn begin(&mut self, around: Around) {
        self.around = Some(around);
        self.taken = 0;
    }

    /// What has come so far.
    pub(super) fn come(&mut self) -> Come {
        let (opened, begun) = (self.tracker.opened(), self.tracker.handler().begun());
        Come { packets: self.packets, payload_bytes: self.payload_bytes, opened, begun }
    }

    /// Takes the packets of its share that belong to this round.
    pub(super) fn run(&mut self, epoch: &Epoch, share: &[u32]) {
        if let Some(Around { starts, now, others, over }) = self.around.take() {
            self.tracker.end_captures(&over);
            self.tracker.advance(starts, now, others);
        }
        let until = share.partition_point(|index| (*index as usize) < epoch.until);
        let round = share.get(self.taken..until).unwrap_or_default();
        for index in round {
            self.take(epoch, *index);
        }
        self.taken = until;
        self.packets += round.len() as u64;
    }

    #[inline]
    fn take(&mut self, epoch: &Epoch, index: u32) {
        let Some(kept) = epoch.packets.get(index as usize) else { return };
        let place = epoch.base + u64::from(index);
        match epoch.payload.get(kept.payload.clone()).unwrap_or_default() {
            [] => self.tracker.routed(&kept.packet, kept.route, place),
            payload => {
                self.payload_bytes += payload.len() as u64;
                let packet = Packet { payload, ..kept.packet.clone() };
                self.tracker.routed(&packet, kept.route, place);
            }
        }
    }
}
