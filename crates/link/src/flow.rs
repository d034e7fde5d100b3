//! Holds items in the order of their arrival; with CoDel (RFC 8289), those that are late are dropped
//! or marked when they leave.

use std::collections::VecDeque;

use airmile_types::{Duration, Instant};

use crate::codel::Codel;
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
