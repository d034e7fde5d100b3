//! Collects the fragments of one datagram, and decides what to do with each.

use airmile_types::Instant;

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
}

#[derive(Debug)]
pub(super) struct Datagram {
    pub(super) since: Instant,
    pub(super) state: State,
    is_tunnel: bool,
    /// The fragments in the order of their offsets, without overlap.
    pieces: Vec<Piece>,
    /// The offset at which the last fragment ends; `None` until the last fragment has come.
    total: Option<usize>,
    /// The IP header of the first fragment.
    header: Vec<u8>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum State {
    /// The first fragment has not come.
    Unknown,
    /// The first fragment was returned as a tunnelled packet.
    HandedOut,
    /// The datagram belongs to no tunnel.
    Plain,
    /// The first fragment cannot be decoded without the others.
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

impl Datagram {
    pub(super) const fn new(since: Instant) -> Self {
        Self {
            since,
            state: State::Unknown,
            is_tunnel: false,
            pieces: Vec::new(),
            total: None,
            header: Vec::new(),
        }
    }

    pub(super) fn take(&mut self, frame: &[u8], carrier: &Carrier) -> Answer {
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
            // The capture may contain the first fragment twice.
            State::HandedOut if carrier.fragment == Fragment::First => Answer::Packet,
            State::HandedOut | State::Wanted => Answer::Part,
        };
        self.place(frame, carrier);
        answer
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

    /// Whether the packet of a tunnel will never be returned, because its fragments overlap or are
    /// too many.
    pub(super) fn is_lost(&self) -> bool {
        self.is_tunnel && self.state == State::Dropped
    }

    fn drop_all(&mut self) {
        self.pieces.clear();
        if matches!(self.state, State::Unknown | State::Wanted) {
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
        total
    }
}

/// Writes the length of a datagram into its header (RFC 791 section 3.1, RFC 8200 section 3).
fn set_length(whole: &mut [u8], total: usize) {
    let version = whole.first().map_or(0, |first| first >> 4);
    let (at, length) = if version == 4 { (2, total) } else { (4, total.saturating_sub(40)) };
    // A length that does not fit becomes 0; the decoder then uses the length of the frame.
    let field = u16::try_from(length).unwrap_or(0).to_be_bytes();
    if let Some(place) = whole.get_mut(at..at + 2) {
        place.copy_from_slice(&field);
    }
}
