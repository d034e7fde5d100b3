//! Collects the fragments of one datagram, and decides what to do with each.

use airmile_types::Instant;

use super::rest::{self, set_length};
use crate::decode::carrier::Carrier;
use crate::packet::Fragment;

/// What to do with the record that contains a fragment.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Answer {
    /// The fragment is a packet on its own, as decoded.
    Packet,
    /// The fragment is a part of a packet that was returned already, or may be returned later.
    Part,
    /// The fragment completes a datagram; see [`super::Fragments::whole`].
    Whole,
    /// The fragment goes on with a TCP segment whose first fragment was returned already.
    Rest,
}

#[derive(Debug)]
pub(super) struct Datagram {
    pub(super) since: Instant,
    pub(super) state: State,
    is_tunnel: bool,
    pub(super) is_tcp: bool,
    /// Whether a fragment has the mark of congestion.
    congested: bool,
    /// The fragments in the order of their offsets, without overlap.
    pieces: Vec<Piece>,
    /// The offset at which the last fragment ends; `None` until the last fragment has come.
    total: Option<usize>,
    /// The IP header of the first fragment; in the state `Begun`, with the TCP header.
    pub(super) header: Vec<u8>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum State {
    /// The first fragment has not come.
    Unknown,
    /// The first fragment was returned as a tunnelled packet.
    HandedOut,
    /// The datagram belongs to no tunnel, and is no TCP segment.
    Plain,
    /// The first fragment of a TCP segment was returned as a packet.
    Begun,
    /// The first fragment is returned with the others.
    Wanted,
    /// Fragments overlap, so all are discarded (RFC 5722).
    Dropped,
}

#[derive(Debug)]
struct Piece {
    start: usize,
    end: usize,
    captured: Vec<u8>,
}

/// The greatest number of fragments of a datagram: more than any link requires (RFC 791: every link
/// carries 68 bytes; over links with tunnels, 65,535 bytes come in 128 fragments at most).
const MOST_PIECES: usize = 128;

/// The largest datagram in bytes; the length field includes the header (RFC 791 section 3.1).
const LARGEST_DATAGRAM: usize = 65_535;

/// The value CE of the ECN field (RFC 3168 section 5).
const CONGESTION: u8 = 3;

impl Datagram {
    pub(super) const fn new(since: Instant) -> Self {
        Self {
            since,
            state: State::Unknown,
            is_tunnel: false,
            is_tcp: false,
            congested: false,
            pieces: Vec::new(),
            total: None,
            header: Vec::new(),
        }
    }

    /// Takes a fragment. `joins` says whether TCP segments are joined, or returned as they come.
    pub(super) fn take(&mut self, frame: &[u8], carrier: &Carrier, joins: bool) -> Answer {
        self.is_tunnel |= carrier.is_tunnel;
        self.is_tcp |= carrier.is_tcp;
        self.congested |= carrier.ecn == CONGESTION;
        if carrier.fragment == Fragment::First && self.state == State::Unknown {
            self.begin(frame, carrier, joins);
        }
        let answer = self.answer(carrier);
        if self.state != State::Dropped {
            self.place(frame, carrier);
        }
        if self.state == State::Dropped && self.is_tcp { Answer::Part } else { answer }
    }

    fn begin(&mut self, frame: &[u8], carrier: &Carrier, joins: bool) {
        self.header = carrier.header();
        self.state = match (carrier.is_tcp, carrier.is_tunnel) {
            (true, _) if joins || carrier.is_short => State::Wanted,
            (true, _) => self.begin_tcp(carrier.captured(frame)),
            (_, false) => State::Plain,
            (_, true) if carrier.is_short => State::Wanted,
            (_, true) => State::HandedOut,
        };
    }

    /// Keeps the TCP header, by which later fragments go on with the segment.
    fn begin_tcp(&mut self, segment: &[u8]) -> State {
        let Some(tcp) = rest::tcp_header(segment) else { return State::Plain };
        self.header.extend_from_slice(tcp);
        State::Begun
    }

    fn answer(&self, carrier: &Carrier) -> Answer {
        let is_first = carrier.fragment == Fragment::First;
        match self.state {
            State::Unknown if self.is_tcp => Answer::Part,
            State::Dropped if self.is_tunnel => Answer::Part,
            State::Unknown | State::Plain | State::Dropped => Answer::Packet,
            // The capture may contain the first fragment twice.
            State::HandedOut | State::Begun if is_first => Answer::Packet,
            State::Begun => Answer::Rest,
            State::HandedOut | State::Wanted => Answer::Part,
        }
    }

    /// Whether this first fragment begins another datagram with the same identification.
    /// Identifications repeat within a second on fast links (RFC 6864 section 3).
    pub(super) fn is_begun_anew(&self, frame: &[u8], carrier: &Carrier) -> bool {
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
        // All fragments but the last have a multiple of 8 bytes (RFC 8200 section 4.5).
        let impossible = length == 0
            || end > LARGEST_DATAGRAM
            || (carrier.more && !length.is_multiple_of(8))
            || self.total.is_some_and(|total| end > total || (!carrier.more && end != total));
        let at = self.pieces.partition_point(|piece| piece.end <= start);
        if self.pieces.get(at).is_some_and(|piece| (piece.start, piece.end) == (start, end)) {
            // The same fragment came again, which may be ignored (RFC 8200 section 4.5).
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

    /// Whether the packet will never be returned, because its fragments overlap or are too many.
    pub(super) fn is_lost(&self) -> bool {
        (self.is_tunnel || self.is_tcp) && self.state == State::Dropped
    }

    /// Whether the datagram is a TCP segment that was not returned yet.
    pub(super) fn is_awaited_segment(&self) -> bool {
        self.is_tcp && matches!(self.state, State::Unknown | State::Wanted)
    }

    fn drop_all(&mut self) {
        self.pieces.clear();
        if matches!(self.state, State::Unknown | State::Wanted | State::Begun) {
            self.state = State::Dropped;
        }
    }

    pub(super) fn bytes(&self) -> usize {
        self.pieces.iter().map(|piece| piece.captured.len() + size_of::<Piece>()).sum()
    }

    pub(super) fn is_complete(&self) -> bool {
        let mut reached = 0;
        for piece in &self.pieces {
            if piece.start != reached {
                return false;
            }
            reached = piece.end;
        }
        self.total == Some(reached)
    }

    /// Writes the header and the captured bytes of the datagram up to the first gap; returns the
    /// number of bytes written.
    pub(super) fn join(&self, whole: &mut Vec<u8>) -> usize {
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
        if self.congested {
            mark_congestion(whole);
        }
        total
    }
}

/// Marks an IP header as having met congestion, as one fragment had (RFC 3168 section 5.3).
fn mark_congestion(whole: &mut [u8]) {
    if let Some([first, second]) = whole.first_chunk_mut() {
        *second |= if *first >> 4 == 4 { CONGESTION } else { CONGESTION << 4 };
    }
}
