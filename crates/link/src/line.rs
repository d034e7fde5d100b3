//! Holds packets that wait in line, and decides which of them leaves next: in the order of arrival,
//! with or without CoDel (RFC 8289), or by flow in turn (FQ-CoDel, RFC 8290).

use std::collections::VecDeque;

use airmile_types::{Duration, Instant};

use crate::codel::Codel;
use crate::config::Discipline;
use crate::fq_codel::FqCodel;
use crate::packet::{Packet, TcpFields};

/// An item that waits: a packet of the phone, or a number of a competitor's bytes.
#[derive(Debug)]
pub(crate) struct Waiting<P> {
    pub(crate) arrived: Instant,
    pub(crate) bytes: u64,
    pub(crate) packet: Option<P>,
}

/// What a queue did to a packet beside delaying it.
#[derive(Debug)]
pub(crate) enum Fate<P> {
    /// The packet was dropped because the queue was full, with this number of bytes.
    Full(P, u64),
    /// CoDel dropped the packet, which had waited for this time.
    Late(P, Duration),
    /// CoDel marked a packet with these fields, which had waited for this time (RFC 3168).
    Marked(Option<TcpFields>, Duration),
}

/// The bytes of the packets that CoDel dropped.
pub(crate) fn late_bytes<P: Packet>(fates: &[Fate<P>]) -> u64 {
    let late = fates.iter().map(|fate| match fate {
        Fate::Late(packet, _) => u64::from(packet.bytes()),
        Fate::Full(..) | Fate::Marked(..) => 0,
    });
    late.sum()
}

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

/// Items in the order of their arrival.
#[derive(Debug)]
pub(crate) struct Flow<P> {
    waiting: VecDeque<Waiting<P>>,
    bytes: u64,
    codel: Option<Codel>,
    ecn: bool,
}

impl<P> Default for Flow<P> {
    fn default() -> Self {
        Self { waiting: VecDeque::new(), bytes: 0, codel: None, ecn: false }
    }
}

impl<P: Packet> Flow<P> {
    pub(crate) fn with_codel(ecn: bool) -> Self {
        Self { codel: Some(Codel::default()), ecn, ..Self::default() }
    }

    pub(crate) fn push(&mut self, waiting: Waiting<P>) {
        self.bytes += waiting.bytes;
        self.waiting.push_back(waiting);
    }

    /// The first item that is neither late nor dropped.
    pub(crate) fn pop(&mut self, now: Instant, fates: &mut Vec<Fate<P>>) -> Option<Waiting<P>> {
        loop {
            let mut first = self.pop_any()?;
            let wait = now - first.arrived;
            let late = self.codel.as_mut().is_some_and(|codel| codel.drops(now, wait, self.bytes));
            if !late {
                return Some(first);
            }
            if let Some(packet) = first.packet.as_mut().filter(|_| self.ecn)
                && packet.mark()
            {
                fates.push(Fate::Marked(packet.tcp(), wait));
                return Some(first);
            }
            fates.extend(first.packet.map(|packet| Fate::Late(packet, wait)));
        }
    }

    /// The first item, whatever CoDel says.
    pub(crate) fn pop_any(&mut self) -> Option<Waiting<P>> {
        let first = self.waiting.pop_front()?;
        self.bytes -= first.bytes;
        Some(first)
    }

    pub(crate) fn len(&self) -> usize {
        self.waiting.len()
    }

    pub(crate) const fn bytes(&self) -> u64 {
        self.bytes
    }

    pub(crate) fn drain(&mut self) -> Vec<Waiting<P>> {
        self.bytes = 0;
        self.waiting.drain(..).collect()
    }

    #[cfg(test)]
    pub(crate) fn is_quiet(&self) -> bool {
        self.codel.as_ref().is_none_or(Codel::is_quiet)
    }
}
