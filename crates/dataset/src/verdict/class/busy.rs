//! Computes the time in which phones had at least one transfer.

use std::collections::BTreeMap;
use std::net::IpAddr;

use super::super::cells::{Cells, at};
use super::super::time_union::TimeUnion;

/// For each phone, the times in which it had a transfer.
#[derive(Debug, Default)]
pub(super) struct Busy {
    phones: BTreeMap<IpAddr, TimeUnion>,
    stretches: usize,
}

impl Busy {
    /// Adds a time of a phone; the time of a flow without one is left out.
    pub(super) fn add(&mut self, phone: Option<IpAddr>, start_ns: i64, end_ns: i64) {
        let Some(phone) = phone else { return };
        let time = self.phones.entry(phone).or_default();
        let before = time.stretches();
        time.insert(start_ns, end_ns);
        self.stretches = self.stretches + time.stretches() - before;
    }

    /// Adds the times of another shard.
    pub(super) fn merge(&mut self, other: &Self) {
        for (phone, time) in &other.phones {
            self.phones.entry(*phone).or_default().merge(time);
        }
        self.stretches = self.phones.values().map(TimeUnion::stretches).sum();
    }

    /// The number of stretches of time that are kept.
    pub(super) const fn stretches(&self) -> usize {
        self.stretches
    }

    /// The time in which a phone had at least one transfer, summed over all phones.
    pub(super) fn ns(&self) -> i128 {
        self.phones.values().map(TimeUnion::length_ns).sum()
    }
}

/// The phone of a flow: the address by which it is known, or the flow's own within a link.
pub(super) fn phone(cells: &Cells) -> Option<IpAddr> {
    let known_by = cells.text(at!("subscriber")).or_else(|| cells.text(at!("ue")));
    known_by.and_then(|address| address.parse().ok())
}
