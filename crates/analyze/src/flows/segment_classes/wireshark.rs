//! Counts retransmissions as Wireshark's TCP analysis does (`tcp_analyze_sequence_number` in
//! epan/dissectors/packet-tcp.c, version 4.0), so that users can compare the counts. Wireshark's
//! rules are heuristics over the previous packet of each direction; the variables here have
//! Wireshark's names.

use airmile_read::TcpFlags;
use airmile_track::{Events, Segment};
use airmile_types::{Direction, Duration, Instant, PerDirection};

/// A retransmission that comes this soon after the last packet of the other direction is a fast
/// retransmission.
const FAST: Duration = Duration::from_millis(20);
/// A retransmission that comes this soon after the highest byte is out of order; used unless the
/// round trip of the handshake is known.
const OUT_OF_ORDER: Duration = Duration::from_millis(3);

/// What Wireshark remembers of both directions of a flow.
#[derive(Clone, Debug, Default, PartialEq)]
pub(super) struct Wireshark {
    sides: PerDirection<Side>,
    newest_syn: Option<Instant>,
    first_rtt: Option<Duration>,
}

airmile_types::held!(Wireshark {});

/// What Wireshark remembers of one direction.
#[derive(Clone, Copy, Debug, PartialEq)]
struct Side {
    nextseq: i64,
    nextseqtime: Instant,
    lastack: i64,
    lastacktime: Instant,
    window: u16,
    dupacknum: u32,
    retransmissions: u32,
}

/// The value of an offset that is not known yet; it is below every offset.
const NONE: i64 = i64::MIN;

impl Default for Side {
    fn default() -> Self {
        Self {
            nextseq: NONE,
            nextseqtime: Instant::default(),
            lastack: NONE,
            lastacktime: Instant::default(),
            window: 0,
            dupacknum: 0,
            retransmissions: 0,
        }
    }
}

impl Wireshark {
    /// The number of packets of a direction that match the filter `tcp.analysis.retransmission`:
    /// plain, fast and spurious retransmissions.
    pub(super) const fn retransmissions(&self, direction: Direction) -> u32 {
        self.sides.of(direction).retransmissions
    }

    /// Takes one packet.
    #[inline]
    pub(super) fn on_segment(&mut self, segment: &Segment<'_>) {
        if self.newest_syn.is_some() || segment.events.any(Events::SYN) {
            self.note_round_trip(segment);
        }
        let rules = cfg!(debug_assertions).then(|| self.clone());
        let PerDirection { downlink, uplink } = &mut self.sides;
        let (fwd, rev) = match segment.direction {
            Direction::Downlink => (downlink, uplink),
            Direction::Uplink => (uplink, downlink),
        };
        if !fwd.note_plain(segment, rev.lastack) {
            self.look_closely(segment);
        } else if let Some(mut rules) = rules {
            rules.look_closely(segment);
            assert!(rules == *self, "a packet that is not plain: {segment:?}");
        }
    }

    #[cold]
    fn look_closely(&mut self, segment: &Segment<'_>) {
        let rev = *self.sides.of(segment.direction.reverse());
        let threshold = self.first_rtt.unwrap_or(OUT_OF_ORDER);
        let fwd = self.sides.of_mut(segment.direction);
        let probe = fwd.is_probe(segment, &rev);
        fwd.note_duplicate_ack(segment);
        fwd.retransmissions += u32::from(!probe && fwd.is_retransmission(segment, &rev, threshold));
        fwd.advance(segment, probe);
    }

    /// Measures Wireshark's iRTT: from the newest SYN to the first packet with ACK and without SYN.
    fn note_round_trip(&mut self, segment: &Segment<'_>) {
        let (syn, ack) = (segment.flags.has(TcpFlags::SYN), segment.flags.has(TcpFlags::ACK));
        if syn && !ack {
            // The newest SYN counts until the round trip is known.
            self.newest_syn = Some(segment.time).filter(|_| self.first_rtt.is_none());
        } else if ack && !syn {
            self.first_rtt = self.newest_syn.take().map(|sent| segment.time - sent);
        }
    }
}

impl Side {
    /// Takes a packet to which no rule applies: bytes in order, or the first ACK of some bytes,
    /// without SYN, FIN or RST. Returns whether the packet is of this kind; if not, nothing has
    /// changed.
    #[inline]
    fn note_plain(&mut self, segment: &Segment<'_>, rev_lastack: i64) -> bool {
        let Some(ack) = segment.ack.filter(|_| !segment.events.any(Events::CONTROL)) else { return false };
        let plain = match segment.payload_bytes {
            0 => ack != self.lastack && segment.start <= self.nextseq,
            _ => self.note_bytes(segment, rev_lastack),
        };
        if !plain {
            return false;
        }
        if ack != self.lastack {
            (self.dupacknum, self.lastack) = (0, ack);
        }
        self.window = segment.window_field;
        self.lastacktime = segment.time;
        true
    }

    #[inline]
    fn note_bytes(&mut self, segment: &Segment<'_>, rev_lastack: i64) -> bool {
        let end = segment.start + i64::from(segment.payload_bytes);
        let next = segment.start >= self.nextseq && end > rev_lastack;
        if !next || segment.payload_bytes == 1 {
            return false;
        }
        (self.nextseq, self.nextseqtime) = (end, segment.time);
        true
    }

    #[inline]
    fn note_ack(&mut self, segment: &Segment<'_>) {
        self.window = segment.window_field;
        self.lastack = segment.ack.unwrap_or(self.lastack);
        self.lastacktime = segment.time;
    }

    /// Whether the packet is a zero window probe: the next byte alone, sent against a window of 0.
    fn is_probe(&self, segment: &Segment<'_>, rev: &Self) -> bool {
        segment.payload_bytes == 1 && self.nextseq == segment.start && rev.lastack != NONE && rev.window == 0
    }

    #[inline]
    fn note_duplicate_ack(&mut self, segment: &Segment<'_>) {
        if segment.ack.unwrap_or(NONE) != self.lastack {
            self.dupacknum = 0;
            return;
        }
        let duplicate = segment.payload_bytes == 0
            && segment.window_field != 0
            && segment.window_field == self.window
            && self.nextseq == segment.start
            && !segment.events.any(Events::CONTROL);
        self.dupacknum += u32::from(duplicate);
    }

    fn is_retransmission(&self, segment: &Segment<'_>, rev: &Self, threshold: Duration) -> bool {
        let control = segment.flags.any(TcpFlags::SYN | TcpFlags::FIN);
        let nextseq = self.nextseq;
        let bytes = i64::from(segment.payload_bytes);
        if nextseq == NONE || (bytes == 0 && !control) || self.is_keep_alive(segment, nextseq) {
            return false;
        }
        let start = start(segment);
        let end = start + bytes;
        if bytes > 0 && end <= rev.lastack {
            return true; // spurious
        }
        // A packet that begins one byte lower must have more than one byte, because a single byte
        // may have been a probe.
        let advances = start >= nextseq || (bytes > 1 && start == nextseq - 1);
        if advances {
            return false;
        }
        let answers = rev.dupacknum >= 2 && rev.lastack == segment.start;
        if answers && is_within(segment.time - rev.lastacktime, FAST) {
            return true; // fast
        }
        let soon = is_within(segment.time - self.nextseqtime, threshold);
        let out_of_order = soon && nextseq != end + i64::from(control);
        !out_of_order
    }

    fn is_keep_alive(&self, segment: &Segment<'_>, nextseq: i64) -> bool {
        segment.payload_bytes <= 1
            && segment.start == nextseq - 1
            && !segment.flags.any(TcpFlags::SYN | TcpFlags::FIN | TcpFlags::RST)
    }

    fn advance(&mut self, segment: &Segment<'_>, probe: bool) {
        let control = segment.flags.any(TcpFlags::SYN | TcpFlags::FIN);
        let nextseq = start(segment) + i64::from(segment.payload_bytes) + i64::from(control);
        if !probe && nextseq > self.nextseq {
            self.nextseq = nextseq;
            self.nextseqtime = segment.time;
        }
        self.note_ack(segment);
    }
}

/// Whether a time is within a limit. Wireshark's difference is unsigned, so it is never within the
/// limit after the clock stepped back.
fn is_within(span: Duration, limit: Duration) -> bool {
    span >= Duration::ZERO && span < limit
}

/// The offset of the packet's sequence number. For a SYN this is the offset of the SYN even when it
/// carries data; the facts count such a segment from its first byte.
fn start(segment: &Segment<'_>) -> i64 {
    segment.start - i64::from(segment.flags.has(TcpFlags::SYN) && segment.payload_bytes > 0)
}
