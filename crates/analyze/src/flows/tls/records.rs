//! Follows the TLS records of one direction by stream offset: the header of one record gives the
//! offset of the next, so bodies need not be captured.

use airmile_track::Segment;

/// The length of a record header: type, version and length (RFC 8446 section 5.1).
pub(super) const HEADER: usize = 5;
/// The greatest length of a record body: 2^14 bytes, and 2,048 for what ciphers add (RFC 5246
/// section 6.2.3).
const LARGEST_BODY: u16 = (1 << 14) + 2048;

/// Content type of a record.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Content {
    ChangeCipherSpec,
    Alert,
    Handshake,
    Application,
}

/// The header of a record.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Record {
    pub(super) content: Content,
    /// Length of the body in bytes.
    pub(super) length: u16,
    /// Offset of the header in the stream.
    pub(super) start: i64,
    /// The first byte of the body, when the same segment contains it.
    pub(super) first: Option<u8>,
}

impl Record {
    /// Offset after the last byte of the record.
    pub(super) const fn end(&self) -> i64 {
        self.start + HEADER as i64 + self.length as i64
    }

    /// Bytes that the record takes in the stream.
    pub(super) const fn bytes(&self) -> i64 {
        self.end() - self.start
    }

    /// Reads a header; `None` when the bytes are not a header.
    pub(super) fn read(header: [u8; HEADER], start: i64, first: Option<u8>) -> Option<Self> {
        let [content, major, minor, high, low] = header;
        let content = match content {
            20 => Content::ChangeCipherSpec,
            21 => Content::Alert,
            22 => Content::Handshake,
            23 => Content::Application,
            _ => return None,
        };
        let length = u16::from_be_bytes([high, low]);
        let plain = major == 3 && minor <= 4 && (1..=LARGEST_BODY).contains(&length);
        plain.then_some(Self { content, length, start, first })
    }

    /// The header with which a segment's captured payload begins; `None` when it begins with
    /// something else.
    pub(super) fn at_start(payload: &[u8]) -> Option<Self> {
        let header = *payload.first_chunk::<HEADER>()?;
        Self::read(header, 0, payload.get(HEADER).copied())
    }
}

/// One part of a segment; parts come in order.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Piece {
    /// The last byte of a record's header.
    Header(Record),
    /// More of the body of the previous record.
    Body { from: i64 },
    /// Bytes of records whose header was not captured.
    Unknown { from: i64, to: i64 },
}

/// The payload of a segment that was not read yet.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Chunk<'a> {
    start: i64,
    at: i64,
    end: i64,
    captured: &'a [u8],
}

impl<'a> Chunk<'a> {
    /// All the payload of a segment. (The segment's `start` is that of the SYN, when it has one.)
    pub(super) fn of(segment: &Segment<'a>) -> Self {
        let start = segment.end - i64::from(segment.payload_bytes);
        Self::new(start, segment.end, segment.payload)
    }

    /// A part of the stream: its offsets, and what was captured of it.
    pub(super) const fn new(start: i64, end: i64, captured: &'a [u8]) -> Self {
        Self { start, at: start, end, captured }
    }

    /// Offset of the first byte.
    pub(super) const fn start(&self) -> i64 {
        self.start
    }

    /// Offset after the last byte.
    pub(super) const fn end(&self) -> i64 {
        self.end
    }

    /// The captured bytes from an offset on; empty when nothing was captured there.
    pub(super) fn captured_from(&self, offset: i64) -> &'a [u8] {
        let at = usize::try_from(offset - self.start).ok();
        at.and_then(|at| self.captured.get(at..)).unwrap_or_default()
    }
}

/// The records of one direction.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Records {
    /// Bytes below this offset were read.
    seen: i64,
    /// The offset of the next header; `None` when a header was missed.
    next: Option<i64>,
    /// The bytes of the next header that have passed so far.
    header: [u8; HEADER],
    filled: usize,
    /// Whether a header was missed at least once.
    pub(super) gap: bool,
    /// Notes that the next header is missed, because its bytes did not pass, or not in time.
    pub(super) hole: bool,
}

impl Default for Records {
    /// The first byte of payload has offset 1, and begins a record.
    fn default() -> Self {
        Self { seen: 1, next: Some(1), header: [0; HEADER], filled: 0, gap: false, hole: false }
    }
}

impl Records {
    /// Removes the bytes that were read before from `chunk`; `None` when nothing remains.
    pub(super) fn fresh<'a>(&mut self, mut chunk: Chunk<'a>) -> Option<Chunk<'a>> {
        chunk.at = chunk.start.max(self.seen);
        if chunk.at >= chunk.end {
            return None;
        }
        let header = self.next.map(|next| next + self.filled as i64);
        if chunk.at > self.seen && header.is_none_or(|header| header < chunk.at) {
            self.hole = true;
            self.lose();
        }
        self.seen = chunk.end;
        Some(chunk)
    }

    /// The next piece of `chunk`, which [`Self::fresh`] returned; `None` at its end.
    pub(super) fn piece(&mut self, chunk: &mut Chunk<'_>) -> Option<Piece> {
        if chunk.at >= chunk.end {
            return None;
        }
        // A header was missed. Most senders begin a flight with a segment of its own.
        if self.next.is_none()
            && chunk.at == chunk.start
            && Record::at_start(chunk.captured).is_some()
        {
            self.next = Some(chunk.at);
        }
        let from = chunk.at;
        match self.next {
            Some(next) if from < next => {
                chunk.at = next.min(chunk.end);
                Some(Piece::Body { from })
            }
            Some(next) => self.read_header(next, chunk),
            None => Some(unknown(from, chunk)),
        }
    }

    fn read_header(&mut self, start: i64, chunk: &mut Chunk<'_>) -> Option<Piece> {
        let from = chunk.at;
        let visible = chunk.captured_from(from);
        let wanted = HEADER - self.filled;
        for (slot, byte) in self.header.iter_mut().skip(self.filled).zip(visible) {
            *slot = *byte;
        }
        let taken = visible.len().min(wanted);
        self.filled += taken;
        chunk.at += taken as i64;
        if self.filled < HEADER {
            // The header continues in the next segment, or the capture cut the segment inside of
            // it.
            return (chunk.at < chunk.end).then(|| {
                self.lose();
                unknown(from, chunk)
            });
        }
        self.filled = 0;
        let Some(record) = Record::read(self.header, start, visible.get(wanted).copied()) else {
            self.lose();
            return Some(unknown(from, chunk));
        };
        self.next = Some(record.end());
        Some(Piece::Header(record))
    }

    const fn lose(&mut self) {
        (self.next, self.filled, self.gap) = (None, 0, true);
    }
}

/// The rest of a chunk, whose records are unknown.
const fn unknown(from: i64, chunk: &mut Chunk<'_>) -> Piece {
    chunk.at = chunk.end;
    Piece::Unknown { from, to: chunk.end }
}
