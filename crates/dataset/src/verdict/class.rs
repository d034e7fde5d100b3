//! Adds up one class of transfers: those of 1 KB or more, or the smaller ones (methods T1).

use std::collections::{BTreeMap, BTreeSet};
use std::net::IpAddr;
use std::sync::Arc;

use airmile_types::{Cause, CauseSource, Direction, PerDirection};

use super::facts::FlowSums;
use super::held::Held;
use super::live::{Ended, Named};
use super::top::{Reported, Top};
use super::totals::add;

mod busy;
mod used;

use super::share::Share;
use busy::{Busy, phone};
use used::{Used, begins};

/// The sums over the transfers of one class.
#[derive(Default)]
pub(super) struct Class {
    pub(super) time_ns: BTreeMap<Cause, i128>,
    /// The time by cause with its other possible causes, in ns.
    pub(super) named_ns: BTreeMap<Named, i128>,
    /// The part of the transfers' time that belongs to data from the phone, by cause, in ns.
    pub(super) uplink_ns: BTreeMap<Cause, i128>,
    pub(super) reasons_ns: BTreeMap<&'static str, i128>,
    pub(super) sources: BTreeSet<CauseSource>,
    pub(super) transfers: u64,
    pub(super) bytes: PerDirection<Option<i128>>,
    /// The times from request to last byte; kept only for small calls.
    pub(super) lengths_ns: Vec<i64>,
    pub(super) used: PerDirection<Used>,
    /// The times in which a phone had at least one of the transfers.
    active: Busy,
    /// The number of flows with a slice of this class.
    pub(super) flows: u64,
    slice_bytes: i128,
    top: Top,
}

impl Class {
    /// Adds a flow that has ended.
    pub(super) fn add(&mut self, small: bool, flow: &Arc<Ended>) {
        let cells = &flow.cells;
        let share = Share::new(small, &flow.live);
        if share.transfers.is_empty() {
            return;
        }
        self.add_transfers(small, &share);
        self.add_active(&share, phone(cells));
        self.add_slices(&share);
        for direction in [Direction::Downlink, Direction::Uplink] {
            self.used.of_mut(direction).add(direction, &share, cells);
        }
        let Some(uid) = cells.uid().filter(|_| !share.judged.is_empty()) else { return };
        self.flows += 1;
        let (ns, bytes) = (share.judged_ns(), share.slice_bytes());
        if self.top.takes(uid, ns, bytes) {
            self.top.add(uid, ns, bytes, Reported::new(flow, small));
        }
    }

    fn add_transfers(&mut self, small: bool, share: &Share<'_>) {
        self.transfers += share.transfers.len() as u64;
        for transfer in &share.transfers {
            add(self.bytes.of_mut(transfer.direction), Some(transfer.bytes.into()));
            if small {
                self.lengths_ns.push(transfer.end_ns.saturating_sub(transfer.request_ns));
            }
        }
    }

    fn add_active(&mut self, share: &Share<'_>, phone: Option<IpAddr>) {
        let begins = begins(share);
        for transfer in &share.transfers {
            let begin = begins.get(&transfer.id).copied().unwrap_or(transfer.request_ns);
            self.active.add(phone, begin, transfer.end_ns);
        }
    }

    fn add_slices(&mut self, share: &Share<'_>) {
        self.slice_bytes += share.slice_bytes();
        for piece in &share.judged {
            *self.time_ns.entry(piece.cause).or_default() += piece.weight_ns();
            *self.named_ns.entry(piece.named()).or_default() += piece.weight_ns();
            if piece.direction == Direction::Uplink {
                *self.uplink_ns.entry(piece.cause).or_default() += piece.weight_ns();
            }
            self.sources.insert(piece.source);
            if piece.cause == Cause::Undetermined && !piece.reason.is_empty() {
                *self.reasons_ns.entry(piece.reason).or_default() += piece.weight_ns();
            }
        }
    }

    /// Adds the sums of another shard.
    pub(super) fn merge(&mut self, other: Self) {
        for (cause, ns) in other.time_ns {
            *self.time_ns.entry(cause).or_default() += ns;
        }
        for (named, ns) in other.named_ns {
            *self.named_ns.entry(named).or_default() += ns;
        }
        for (cause, ns) in other.uplink_ns {
            *self.uplink_ns.entry(cause).or_default() += ns;
        }
        for (reason, ns) in other.reasons_ns {
            *self.reasons_ns.entry(reason).or_default() += ns;
        }
        self.sources.extend(other.sources);
        self.transfers += other.transfers;
        add(&mut self.bytes.downlink, other.bytes.downlink);
        add(&mut self.bytes.uplink, other.bytes.uplink);
        self.lengths_ns.extend(other.lengths_ns);
        self.used.downlink.merge(&other.used.downlink);
        self.used.uplink.merge(&other.used.uplink);
        self.active.merge(&other.active);
        self.flows += other.flows;
        self.slice_bytes += other.slice_bytes;
        self.top.merge(other.top);
    }

    /// How much data is kept because it cannot be added up.
    pub(super) fn held(&self) -> Held {
        let stretches =
            self.used.downlink.stretches() + self.used.uplink.stretches() + self.active.stretches();
        Held { calls: self.lengths_ns.len(), stretches, ..Held::default() }
    }

    /// The time in which a phone had at least one of the transfers, summed over all phones.
    pub(super) fn active_ns(&self) -> i128 {
        self.active.ns()
    }

    /// The total time of all transfers of the class.
    pub(super) fn judged_ns(&self) -> i128 {
        self.time_ns.values().sum()
    }

    /// The heaviest and slowest flows of the class.
    pub(super) fn top(self) -> Vec<FlowSums> {
        let totals = (self.judged_ns(), self.slice_bytes);
        self.top.finish(totals)
    }
}
