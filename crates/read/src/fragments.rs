//! Outer fragments of tunnelled packets, joined where the inner headers need it.
//!
//! Most tunnels fragment because the inner packet and the outer headers exceed the MTU together:
//! the first fragment then holds every header, the inner IP header tells the inner length, and the
//! packet is handed out at once; the later fragments only say the same once more. Where the first
//! fragment ends within the headers, its datagram is put together (RFC 791 section 3.2, RFC 8200
//! section 4.5), by the capture's clock, and handed out with the fragment that completes it. The
//! fragments of packets that are no tunnel's pass as they are (methods A1).

use std::collections::{HashMap, VecDeque};

use airmile_types::{Duration, Instant};

use crate::decode::{self, Carrier, Frame, Key, Located, Skip};
use crate::link_type::LinkType;
use crate::packet::Fragment;

/// Datagrams kept open; beyond it the oldest is forgotten.
const MOST_OPEN: usize = 1024;
/// Bytes kept of them; beyond it the oldest are forgotten.
const MOST_BYTES: usize = 4 << 20;
/// More fragments than a datagram needs over any link (RFC 791: every link carries 68 bytes; over
/// those with tunnels, 65,535 bytes come in 128 at most).
const MOST_PIECES: usize = 128;
/// RFC 8200 section 4.5; a datagram that is not complete by then never will be.
const PATIENCE: Duration = Duration::from_secs(60);
/// RFC 791 section 3.1: the length field counts the header too.
const LARGEST_DATAGRAM: usize = 65_535;

/// What becomes of the record that holds a fragment.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Answer {
    /// It is a packet by itself, as decoded.
    Packet,
    /// It is a part of a packet that was handed out, or may be later.
    Part,
    /// It completes a datagram: see [`Fragments::whole`].
    Whole,
}

/// The datagrams whose fragments are awaited.
#[derive(Debug, Default)]
pub(crate) struct Fragments {
    open: HashMap<Key, Datagram>,
    /// In the order of their first fragments, those that were closed since included.
    order: VecDeque<(Key, Instant)>,
    bytes: usize,
    whole: Vec<u8>,
    wire: usize,
    teid: Option<u32>,
}

#[derive(Debug)]
struct Datagram {
    since: Instant,
    state: State,
    is_tunnel: bool,
    /// In the order of their offsets, without overlap.
    pieces: Vec<Piece>,
    /// Where the last fragment ends.
    total: Option<usize>,
    /// Of the first fragment.
    header: Vec<u8>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum State {
    /// The first fragment has not come.
    Unknown,
    /// Its first fragment was handed out as a tunnelled packet.
    HandedOut,
    /// No tunnel.
    Plain,
    /// Its first fragment needs the others.
    Wanted,
    /// RFC 5722: an overlap makes all fragments worthless.
    Dropped,
}

#[derive(Debug)]
struct Piece {
    start: usize,
    end: usize,
    captured: Vec<u8>,
}

impl Fragments {
    /// Decides on the record of a frame with a fragment: the packet that it is, or the one that it
    /// completes; otherwise it has none.
    #[cold]
    #[inline(never)]
    pub(crate) fn resolve(&mut self, frame: &Frame<'_>, located: Located) -> Result<Located, Skip> {
        let Some(carrier) = decode::carrier(frame, &located) else { return Ok(located) };
        match self.take(frame.bytes, &carrier, frame.time) {
            Answer::Packet => Ok(located),
            Answer::Part => Err(Skip::TunnelFragment),
            Answer::Whole => {
                let (whole, teid) = self.whole(frame);
                decode::locate(&whole).map(|located| located.in_datagram(teid))
            }
        }
    }

    /// The datagram that `frame` completed, behind an IP header of its own, and the tunnel around.
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
        let stale = |d: &Datagram| (now - d.since).abs() > PATIENCE;
        if self.open.get(&key).is_some_and(|d| stale(d) || d.is_begun_anew(frame, carrier)) {
            self.close(&key);
        }
        if !self.open.contains_key(&key) {
            self.begin(key, now);
        }
        let Some(datagram) = self.open.get_mut(&key) else { return Answer::Packet };
        let before = datagram.bytes();
        let answer = datagram.take(frame, carrier);
        let complete = datagram.is_complete();
        self.bytes = (self.bytes + datagram.bytes()).saturating_sub(before);
        if complete {
            if datagram.state == State::Wanted {
                (self.wire, self.teid) = (datagram.join(&mut self.whole), key.teid);
                self.close(&key);
                return Answer::Whole;
            }
            self.close(&key);
        }
        self.forget();
        answer
    }

    fn begin(&mut self, key: Key, now: Instant) {
        let datagram = Datagram {
            since: now,
            state: State::Unknown,
            is_tunnel: false,
            pieces: Vec::new(),
            total: None,
            header: Vec::new(),
        };
        self.open.insert(key, datagram);
        self.order.push_back((key, now));
    }

    fn close(&mut self, key: &Key) {
        if let Some(datagram) = self.open.remove(key) {
            self.bytes = self.bytes.saturating_sub(datagram.bytes());
        }
    }

    fn forget(&mut self) {
        while self.open.len() > MOST_OPEN
            || self.bytes > MOST_BYTES
            || self.order.len() > 2 * MOST_OPEN
        {
            let Some((key, since)) = self.order.pop_front() else { return };
            // The key may be in use again.
            if self.open.get(&key).is_some_and(|datagram| datagram.since == since) {
                self.close(&key);
            }
        }
    }
}

impl Datagram {
    fn take(&mut self, frame: &[u8], carrier: &Carrier) -> Answer {
        self.is_tunnel |= carrier.is_tunnel;
        if self.state == State::Dropped {
            return if self.is_tunnel { Answer::Part } else { Answer::Packet };
        }
        if carrier.fragment == Fragment::First && self.state == State::Unknown {
            self.state = match (carrier.is_tunnel, carrier.is_short) {
                (false, _) => State::Plain,
                (true, false) => State::HandedOut,
                (true, true) => State::Wanted,
            };
            self.header = carrier.header();
        }
        let answer = match self.state {
            State::Unknown | State::Plain | State::Dropped => Answer::Packet,
            // The capture may hold the first fragment twice.
            State::HandedOut if carrier.fragment == Fragment::First => Answer::Packet,
            State::HandedOut | State::Wanted => Answer::Part,
        };
        self.place(frame, carrier);
        answer
    }

    /// Another first fragment begins another datagram: identifications come round within a second
    /// on fast links (RFC 6864 section 3).
    fn is_begun_anew(&self, frame: &[u8], carrier: &Carrier) -> bool {
        let Some(first) = self.pieces.first().filter(|piece| piece.start == 0) else {
            return false;
        };
        let other_length = first.end != carrier.end - carrier.start;
        let other_bytes = self.state == State::Wanted && first.captured != carrier.captured(frame);
        carrier.fragment == Fragment::First && (other_length || other_bytes)
    }

    fn place(&mut self, frame: &[u8], carrier: &Carrier) {
        let (start, length) = (carrier.offset, carrier.end - carrier.start);
        let end = start + length;
        // RFC 8200 section 4.5: all but the last are multiples of 8 bytes long.
        let impossible = length == 0
            || end > LARGEST_DATAGRAM
            || (carrier.more && !length.is_multiple_of(8))
            || self.total.is_some_and(|total| end > total || (!carrier.more && end != total));
        let at = self.pieces.partition_point(|piece| piece.end <= start);
        if self.pieces.get(at).is_some_and(|piece| (piece.start, piece.end) == (start, end)) {
            // The same fragment once more (RFC 8200 section 4.5 lets them be ignored).
            return;
        }
        let overlaps = self.pieces.get(at).is_some_and(|piece| piece.start < end);
        if impossible || overlaps || self.pieces.len() == MOST_PIECES {
            return self.drop_all();
        }
        if !carrier.more {
            self.total = Some(end);
        }
        let keep = matches!(self.state, State::Unknown | State::Wanted);
        let captured = if keep { carrier.captured(frame).to_vec() } else { Vec::new() };
        self.pieces.insert(at, Piece { start, end, captured });
        if self.total.is_some_and(|total| self.pieces.last().is_some_and(|p| p.end > total)) {
            self.drop_all();
        }
    }

    fn drop_all(&mut self) {
        self.pieces.clear();
        if matches!(self.state, State::Unknown | State::Wanted) {
            self.state = State::Dropped;
        }
    }

    fn bytes(&self) -> usize {
        self.pieces.iter().map(|piece| piece.captured.len() + size_of::<Piece>()).sum()
    }

    fn is_complete(&self) -> bool {
        let mut reached = 0;
        for piece in &self.pieces {
            if piece.start != reached {
                return false;
            }
            reached = piece.end;
        }
        self.total == Some(reached)
    }

    /// Writes the header and what was captured of the datagram without a gap; gives its length.
    fn join(&self, whole: &mut Vec<u8>) -> usize {
        let total = self.header.len() + self.total.unwrap_or_default();
        whole.clear();
        whole.extend_from_slice(&self.header);
        for piece in &self.pieces {
            whole.extend_from_slice(&piece.captured);
            if piece.captured.len() < piece.end - piece.start {
                break;
            }
        }
        set_length(whole, total);
        total
    }
}

/// Writes the length of a datagram into its header (RFC 791 section 3.1, RFC 8200 section 3).
fn set_length(whole: &mut [u8], total: usize) {
    let version = whole.first().map_or(0, |first| first >> 4);
    let (at, length) = if version == 4 { (2, total) } else { (4, total.saturating_sub(40)) };
    // What does not fit is a length of 0, which the reader takes from the frame's.
    let field = u16::try_from(length).unwrap_or(0).to_be_bytes();
    if let Some(place) = whole.get_mut(at..at + 2) {
        place.copy_from_slice(&field);
    }
}
