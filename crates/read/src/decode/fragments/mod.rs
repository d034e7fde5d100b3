//! Joins IP fragments where the headers or the length of a packet need it.
//!
//! Most tunnels fragment because the inner packet and the outer headers together exceed the MTU.
//! The first fragment then contains all headers, and the inner IP header gives the inner length.
//! Such a packet is returned at once, and the later fragments add nothing. If the first fragment
//! ends within the headers, its datagram is joined (RFC 791 section 3.2, RFC 8200 section 4.5) and
//! returned with the fragment that completes it; timeouts use the clock of the capture.
//!
//! A TCP segment is joined too, within a tunnel and outside, because only all its fragments give
//! its length. A capture that was filtered by port contains none but first fragments; therefore
//! they are returned as they come until a later fragment of a TCP segment has passed. That fragment
//! is returned as a packet of its own, with the sequence number of its first byte. Fragments of
//! other packets outside tunnels are returned unchanged (methods A1).

use std::collections::{HashMap, VecDeque};

use airmile_types::{Duration, Instant};

mod datagram;
mod rest;

use super::carrier::{self, Carrier, Key};
use super::frame::Frame;
use super::general;
use super::located::Located;
use super::skip::Skip;
use crate::link_type::LinkType;
use crate::packet::Fragment;
use datagram::{Answer, Datagram, State};

/// The greatest number of incomplete datagrams that are kept; beyond it the oldest is dropped.
const MOST_OPEN: usize = 1024;
/// The greatest number of bytes that are kept of incomplete datagrams; beyond it the oldest are
/// dropped.
const MOST_BYTES: usize = 4 << 20;
/// A datagram that is not complete after this time never will be (RFC 8200 section 4.5).
const PATIENCE: Duration = Duration::from_secs(60);
/// If the fragment that completed a segment comes again within this time, it was recorded twice
/// (methods A10).
const RECORDED_TWICE: Duration = Duration::from_millis(5);

/// The datagrams that wait for more fragments.
#[derive(Debug, Default)]
pub(crate) struct Fragments {
    open: HashMap<Key, Datagram>,
    /// The keys in the order of their first fragments; includes keys of datagrams that are closed.
    order: VecDeque<(Key, Instant)>,
    bytes: usize,
    whole: Vec<u8>,
    wire: usize,
    teid: Option<u32>,
    /// Whether a later fragment of a TCP segment has passed.
    joins_tcp: bool,
    /// The fragment that completed the newest datagram.
    completed: Option<Completed>,
    given_up: u64,
    incomplete: u64,
}

#[derive(Clone, Copy, Debug)]
struct Completed {
    key: Key,
    time: Instant,
    offset: usize,
    /// Where the fragment's payload is in the packet that was written.
    start: usize,
}

impl Fragments {
    /// The memory of the payload that is kept, in bytes.
    pub(crate) const fn held_bytes(&self) -> usize {
        self.bytes + self.whole.capacity()
    }

    /// The number of datagrams of tunnels and of TCP that were not joined because their fragments
    /// overlap, or because too many were open or had too many fragments.
    pub(crate) const fn given_up(&self) -> u64 {
        self.given_up
    }

    /// The number of TCP segments of which fragments are missing so far.
    pub(crate) fn incomplete(&self) -> u64 {
        let open = self.open.values().filter(|datagram| datagram.is_awaited_segment()).count();
        self.incomplete + open as u64
    }

    /// Returns the packet of a frame with a fragment: the fragment itself, or the packet that the
    /// fragment completes. An error says that the frame has no packet of its own.
    #[cold]
    #[inline(never)]
    pub(crate) fn resolve(&mut self, frame: &Frame<'_>, located: Located) -> Result<Located, Skip> {
        let Some(carrier) = carrier::carrier(frame, &located) else { return Ok(located) };
        match self.take(frame.bytes, &carrier, frame.time) {
            Answer::Packet => Ok(located),
            Answer::Part if carrier.is_tcp => Err(Skip::TcpFragment),
            Answer::Part => Err(Skip::TunnelFragment),
            Answer::Whole | Answer::Rest => {
                let (whole, teid) = self.whole(frame);
                let joined = general::locate(&whole)?.in_datagram(teid, &located);
                Ok(if carrier.is_tcp { joined.of_segment() } else { joined })
            }
        }
    }

    /// The datagram that `frame` completed, after an IP header without fragmentation, and the TEID
    /// of the tunnel that carries it.
    pub(crate) fn whole(&self, frame: &Frame<'_>) -> (Frame<'_>, Option<u32>) {
        let (time, interface) = (frame.time, frame.interface);
        let whole = Frame {
            link: LinkType::Raw,
            bytes: &self.whole,
            wire_bytes: self.wire,
            time,
            interface,
        };
        (whole, self.teid)
    }

    fn take(&mut self, frame: &[u8], carrier: &Carrier, now: Instant) -> Answer {
        let key = carrier.key;
        if self.is_recorded_twice(frame, carrier, now) {
            return Answer::Part;
        }
        self.joins_tcp |= carrier.is_tcp && carrier.fragment == Fragment::Later;
        let stale = |d: &Datagram| (now - d.since).abs() > PATIENCE;
        if self.open.get(&key).is_some_and(|d| stale(d) || d.is_begun_anew(frame, carrier)) {
            self.abandon(&key);
        }
        if !self.open.contains_key(&key) {
            self.begin(key, now);
        }
        let Some(datagram) = self.open.get_mut(&key) else { return Answer::Packet };
        let (before, was_lost) = (datagram.bytes(), datagram.is_lost());
        let answer = datagram.take(frame, carrier, self.joins_tcp);
        self.given_up += u64::from(datagram.is_lost() && !was_lost);
        self.bytes = (self.bytes + datagram.bytes()).saturating_sub(before);
        let answer = self.give(frame, carrier, answer, now);
        self.forget(now);
        answer
    }

    /// Whether the fragment is that which completed a TCP segment just now.
    fn is_recorded_twice(&self, frame: &[u8], carrier: &Carrier, now: Instant) -> bool {
        self.completed.is_some_and(|last| {
            let same = (last.key, last.offset) == (carrier.key, carrier.offset);
            let written = self.whole.get(last.start..);
            same && carrier.is_tcp
                && !self.open.contains_key(&last.key)
                && (now - last.time).abs() <= RECORDED_TWICE
                && written.is_some_and(|bytes| bytes.starts_with(carrier.captured(frame)))
        })
    }

    /// Writes the packet of a fragment that completes a datagram or goes on with a segment, and
    /// closes what is complete.
    fn give(&mut self, frame: &[u8], carrier: &Carrier, answer: Answer, time: Instant) -> Answer {
        let (key, offset) = (carrier.key, carrier.offset);
        let Some(datagram) = self.open.get(&key) else { return answer };
        let complete = datagram.is_complete();
        let joined = complete && datagram.state == State::Wanted;
        let header = datagram.header.len();
        if joined {
            self.wire = datagram.join(&mut self.whole);
            self.completed = Some(Completed { key, time, offset, start: header + offset });
        } else if answer == Answer::Rest {
            let bytes = (carrier.captured(frame), carrier.end - carrier.start);
            self.wire = rest::write(&mut self.whole, &datagram.header, offset, bytes);
            self.completed = complete.then_some(Completed { key, time, offset, start: header });
        }
        if joined || answer == Answer::Rest {
            self.teid = key.teid;
        }
        if complete {
            self.close(&key);
        }
        if joined { Answer::Whole } else { answer }
    }

    fn begin(&mut self, key: Key, now: Instant) {
        self.open.insert(key, Datagram::new(now));
        self.order.push_back((key, now));
    }

    /// Closes a datagram of which fragments are missing.
    fn abandon(&mut self, key: &Key) {
        let awaited = self.open.get(key).is_some_and(Datagram::is_awaited_segment);
        self.incomplete += u64::from(awaited);
        self.close(key);
    }

    fn close(&mut self, key: &Key) {
        if let Some(datagram) = self.open.remove(key) {
            self.bytes = self.bytes.saturating_sub(datagram.bytes());
        }
    }

    fn forget(&mut self, now: Instant) {
        while self.open.len() > MOST_OPEN
            || self.bytes > MOST_BYTES
            || self.order.len() > 2 * MOST_OPEN
        {
            let Some((key, since)) = self.order.pop_front() else { return };
            // Another datagram may use the key now.
            if let Some(datagram) = self.open.get(&key).filter(|d| d.since == since) {
                let awaited = datagram.state == State::Wanted && (now - since).abs() <= PATIENCE;
                self.given_up += u64::from(awaited);
                if awaited { self.close(&key) } else { self.abandon(&key) }
            }
        }
    }
}
