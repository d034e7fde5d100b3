//! Holds packets that wait in line, and decides which of them leaves next: in the order of arrival,
//! with or without CoDel (RFC 8289), or by flow in turn (FQ-CoDel, RFC 8290).

use airmile_types::Instant;

use crate::config::Discipline;
use crate::flow::{Fate, Flow, Waiting};
use crate::fq_codel::FqCodel;
use crate::packet::Packet;

/// The packets that wait, in a discipline.
#[derive(Debug)]
pub(crate) enum Line<P> {
    One(Flow<P>),
    Flows(FqCodel<P>),
}

impl<P: Packet> Line<P> {
    /// A line without packets. With `ecn`, CoDel marks packets that can be marked instead of
    /// dropping them (RFC 8289 section 3, RFC 8290 section 4.2).
    pub(crate) fn new(discipline: Discipline, ecn: bool) -> Self {
        match discipline {
            Discipline::DropTail => Self::One(Flow::default()),
            Discipline::Codel => Self::One(Flow::with_codel(ecn)),
            Discipline::FqCodel => Self::Flows(FqCodel::new(ecn)),
        }
    }

    pub(crate) fn push(&mut self, waiting: Waiting<P>) {
        match self {
            Self::One(flow) => flow.push(waiting),
            Self::Flows(flows) => flows.push(waiting),
        }
    }

    /// The item that leaves at `now`; what CoDel drops or marks is added to `fates`.
    pub(crate) fn pop(&mut self, now: Instant, fates: &mut Vec<Fate<P>>) -> Option<Waiting<P>> {
        match self {
            Self::One(flow) => flow.pop(now, fates),
            Self::Flows(flows) => flows.pop(now, fates),
        }
    }

    /// Makes room in a full line: FQ-CoDel drops the first packet of the longest queue (RFC 8290
    /// section 4.1), the other disciplines drop nothing that waits.
    pub(crate) fn make_room(&mut self) -> Option<Waiting<P>> {
        match self {
            Self::One(_) => None,
            Self::Flows(flows) => flows.drop_longest(),
        }
    }

    /// The number of waiting items.
    pub(crate) fn len(&self) -> usize {
        match self {
            Self::One(flow) => flow.len(),
            Self::Flows(flows) => flows.len(),
        }
    }

    /// Removes everything that waits.
    pub(crate) fn drain(&mut self) -> Vec<Waiting<P>> {
        match self {
            Self::One(flow) => flow.drain(),
            Self::Flows(flows) => flows.drain(),
        }
    }
}
