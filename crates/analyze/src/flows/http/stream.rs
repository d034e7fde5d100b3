//! Follows the messages of one direction by their offsets in the stream. Bodies are skipped by
//! their length, so they need not be captured. Heads are gathered, also from segments out of order.

use airmile_types::{Held, Instant};

use super::message::{self, Kind, Sender};

/// The greatest number of bytes of a head that is read.
const MOST: usize = 16_384;
/// The greatest number of segments that wait for a missing one, and of their bytes together.
const WAITING_MOST: usize = 64;
const WAITING_BYTES_MOST: usize = 65_536;

/// A part of the stream.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Part<'a> {
    pub(super) start: i64,
    pub(super) end: i64,
    pub(super) time: Instant,
    /// The bytes of this part that were not seen before.
    pub(super) new_bytes: i64,
    pub(super) captured: &'a [u8],
}

/// How a body ends.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Body {
    /// The body ends after this number of bytes.
    Length(i64),
    Chunked,
    /// The body ends with the connection.
    UntilClose,
    /// The end of the body is unknown: the head was cut, or another protocol follows.
    Unknown,
}

/// What the stream reports to the connection that it belongs to.
pub(super) enum Found<'a> {
    /// A head, with the times of its first and last packet; `is_whole` is false when its end was
    /// not captured.
    Head { bytes: &'a [u8], times: (Instant, Instant), is_whole: bool },
    /// New bytes of a body.
    Content { bytes: i64, time: Instant },
}

/// One direction of a connection.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Stream {
    sender: Sender,
    state: State,
    /// Offset of the next byte that is read.
    next: i64,
    /// Segments after a missing one.
    waiting: Vec<Waiting>,
    /// Whether no message since the first can have been missed.
    is_sure: bool,
}

/// A segment that waits for one before it.
#[derive(Clone, Debug, PartialEq)]
struct Waiting {
    start: i64,
    end: i64,
    time: Instant,
    new_bytes: i64,
    captured: Box<[u8]>,
}

#[derive(Clone, Debug, PartialEq)]
enum State {
    /// Gathers the bytes of a head, of a chunk's size line, or of trailers. `times` are those of its
    /// earliest and of its latest segment.
    Gather { what: What, bytes: Vec<u8>, times: Option<(Instant, Instant)> },
    /// Skips a body, or a chunk with the line break after it, up to an offset.
    Skip { from: i64, to: i64, line_break: i64, then: What },
    /// Skips a body that begins at an offset and ends with the connection.
    UntilClose { from: i64 },
    /// The position is lost: the next message begins where a segment begins as a message does.
    Lost,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum What {
    Head,
    ChunkSize,
    Trailers,
}

impl Held for Stream {
    fn held_bytes(&self) -> usize {
        let gathered = if let State::Gather { bytes, .. } = &self.state { bytes.capacity() } else { 0 };
        gathered + self.waiting.iter().map(|part| part.captured.len() + size_of::<Waiting>()).sum::<usize>()
    }
}

impl Stream {
    /// The stream of one side, whose first message is found where a segment begins as a message of
    /// this side does.
    pub(super) const fn of(sender: Sender) -> Self {
        Self { sender, state: State::Lost, next: i64::MIN, waiting: Vec::new(), is_sure: true }
    }

    /// Takes a segment. Calls `on_found` with each thing that the segment contains; for a head,
    /// `on_found` returns how the body ends.
    pub(super) fn take(&mut self, part: &Part<'_>, on_found: &mut dyn FnMut(Found<'_>) -> Body) {
        if self.has_to_wait(part) && self.is_full(part) {
            self.give_up(on_found);
        }
        self.read(part, on_found);
        while let Some(at) = self.waiting.iter().position(|part| part.start <= self.next) {
            let Waiting { start, end, time, new_bytes, captured } = self.waiting.swap_remove(at);
            self.read(&Part { start, end, time, new_bytes, captured: &captured }, on_found);
        }
    }

    /// Whether every message since the first was found, and the place of the next message is known.
    pub(super) const fn is_followed(&self) -> bool {
        self.is_sure && self.is_found()
    }

    const fn is_found(&self) -> bool {
        !matches!(self.state, State::Lost)
    }

    /// Whether a message has begun that is not complete, by its length or its chunks.
    pub(super) fn is_within_length(&self) -> bool {
        match &self.state {
            State::Gather { what: What::Head, times, .. } => times.is_some(),
            State::Gather { .. } | State::Skip { .. } => true,
            State::UntilClose { .. } | State::Lost => false,
        }
    }

    /// Whether a part of the stream continues a message that an earlier part began.
    pub(super) fn is_within_message(&self, part: &Part<'_>) -> bool {
        match self.state {
            State::Skip { to, .. } => part.start < to,
            State::UntilClose { from } => {
                part.start >= from && !self.begins_message(part)
            }
            _ => self.is_within_length(),
        }
    }

    /// Whether a part begins as a message of this side does. The content of a response may begin as
    /// a request does, and the other way round.
    pub(super) fn begins_message(&self, part: &Part<'_>) -> bool {
        message::begins(part.captured).map(Kind::sender) == Some(self.sender)
    }

    fn read(&mut self, part: &Part<'_>, on_found: &mut dyn FnMut(Found<'_>) -> Body) {
        if matches!(self.state, State::Lost | State::UntilClose { .. })
            && part.start >= self.next
            && self.begins_message(part)
        {
            self.gather(What::Head, part.start);
        }
        loop {
            if self.has_to_wait(part) {
                return self.wait(part);
            }
            let before = self.next;
            match &mut self.state {
                State::Gather { .. } => self.on_gather(part, on_found),
                State::Skip { .. } => self.on_skip(part, on_found),
                State::UntilClose { from } => {
                    content(part, (*from, part.end), on_found);
                    self.next = self.next.max(part.end);
                }
                State::Lost => self.next = self.next.max(part.end),
            }
            if self.next >= part.end || self.next == before {
                return;
            }
        }
    }

    fn gather(&mut self, what: What, from: i64) {
        self.state = State::Gather { what, bytes: Vec::new(), times: None };
        self.next = from;
    }

    /// Gives up the missing segment, and continues to read in the segments after it.
    pub(super) fn give_up(&mut self, on_found: &mut dyn FnMut(Found<'_>) -> Body) {
        let mut waiting = std::mem::take(&mut self.waiting);
        waiting.sort_by_key(|part| part.start);
        for Waiting { start, end, time, new_bytes, captured } in waiting {
            if start > self.next {
                (self.state, self.is_sure) = (State::Lost, false);
            }
            self.read(&Part { start, end, time, new_bytes, captured: &captured }, on_found);
        }
    }

    /// Whether a segment before this one is missing, without which it cannot be read.
    const fn has_to_wait(&self, part: &Part<'_>) -> bool {
        match self.state {
            State::Gather { .. } => part.start > self.next,
            State::Skip { to, .. } => part.start > to,
            State::UntilClose { .. } | State::Lost => false,
        }
    }

    fn is_full(&self, part: &Part<'_>) -> bool {
        let kept: usize = self.waiting.iter().map(|part| part.captured.len()).sum();
        self.waiting.len() == WAITING_MOST || kept + part.captured.len() > WAITING_BYTES_MOST
    }

    /// Keeps a segment until those before it have passed.
    fn wait(&mut self, part: &Part<'_>) {
        let Part { start, end, time, new_bytes, captured } = *part;
        self.waiting.push(Waiting { start, end, time, new_bytes, captured: captured.into() });
    }

    /// Continues to read a head, a size line, or trailers.
    fn on_gather(&mut self, part: &Part<'_>, on_found: &mut dyn FnMut(Found<'_>) -> Body) {
        let State::Gather { what, bytes, times } = &mut self.state else { return };
        let Ok(skipped) = usize::try_from(self.next - part.start) else { return };
        if part.end <= self.next {
            return;
        }
        let had = bytes.len();
        let captured = part.captured.get(skipped..).unwrap_or_default();
        let is_whole = append(bytes, captured, *what);
        let (first, last) = times.unwrap_or((part.time, part.time));
        let times = *times.insert((first.min(part.time), last.max(part.time)));
        let is_cut = self.next + (captured.len() as i64) < part.end || bytes.len() == MOST;
        if !is_whole && !is_cut {
            self.next = part.end;
            return;
        }
        let (what, bytes) = (*what, std::mem::take(bytes));
        self.next += if is_whole { bytes.len().saturating_sub(had) as i64 } else { 0 };
        self.gathered(what, (&bytes, is_whole), times, on_found);
        if matches!(self.state, State::Lost) {
            self.next = part.end;
        }
    }

    /// Decides what follows a head, a size line, or trailers.
    fn gathered(
        &mut self,
        what: What,
        (bytes, is_whole): (&[u8], bool),
        times: (Instant, Instant),
        on_found: &mut dyn FnMut(Found<'_>) -> Body,
    ) {
        let next = self.next;
        match what {
            What::Head => {
                let body = on_found(Found::Head { bytes, times, is_whole });
                self.state = match body {
                    Body::Length(length) if is_whole && length > 0 => skip(next, length, 0, What::Head),
                    Body::Length(_) if is_whole => return self.gather(What::Head, next),
                    Body::Chunked if is_whole => return self.gather(What::ChunkSize, next),
                    Body::UntilClose if is_whole => State::UntilClose { from: next },
                    _ => State::Lost,
                };
            }
            What::ChunkSize => match message::chunk_size(bytes).filter(|_| is_whole) {
                Some(0) => self.gather(What::Trailers, next),
                Some(size) => self.state = skip(next, size, 2, What::ChunkSize),
                None => self.state = State::Lost,
            },
            What::Trailers => {
                if is_whole {
                    self.gather(What::Head, next);
                } else {
                    self.state = State::Lost;
                }
            }
        }
        self.is_sure &= self.is_found();
    }

    /// Counts the part of a body that a segment contains, and continues after the body.
    fn on_skip(&mut self, part: &Part<'_>, on_found: &mut dyn FnMut(Found<'_>) -> Body) {
        let State::Skip { from, to, line_break, then } = self.state else { return };
        content(part, (from, to - line_break), on_found);
        self.next = self.next.max(part.end.min(to));
        if self.next == to {
            self.gather(then, to);
        }
    }
}

/// Appends what was captured, no further than to the end of the head, size line or trailers, and
/// returns whether that end is there. A segment may hold thousands of them: none is copied with all
/// that follows it, and no line is searched twice.
fn append(bytes: &mut Vec<u8>, captured: &[u8], what: What) -> bool {
    for line in captured.split_inclusive(|byte| *byte == b'\n') {
        let room = MOST.saturating_sub(bytes.len());
        bytes.extend_from_slice(line.get(..room).unwrap_or(line));
        if bytes.ends_with(b"\n") && (what == What::ChunkSize || message::ends(bytes)) {
            return true;
        }
        if bytes.len() == MOST {
            return false;
        }
    }
    false
}

/// Reports the new bytes of a segment between two offsets of a body.
fn content(part: &Part<'_>, (from, to): (i64, i64), on_found: &mut dyn FnMut(Found<'_>) -> Body) {
    let bytes = (part.end.min(to) - part.start.max(from)).min(part.new_bytes);
    if bytes > 0 {
        on_found(Found::Content { bytes, time: part.time });
    }
}

const fn skip(from: i64, length: i64, line_break: i64, then: What) -> State {
    State::Skip { from, to: from.saturating_add(length).saturating_add(line_break), line_break, then }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn part(start: i64, captured: &[u8]) -> Part<'_> {
        let bytes = captured.len() as i64;
        let time = Instant::from_nanos(start);
        Part { start, end: start + bytes, time, new_bytes: bytes, captured }
    }

    #[test]
    fn no_more_is_copied_than_the_line_or_the_head() {
        let mut bytes = Vec::new();
        assert!(append(&mut bytes, b"5\r\nhello\r\n0\r\n\r\n", What::ChunkSize));
        assert_eq!(bytes, b"5\r\n");
        let mut bytes = b"GET / HTTP/1.1\r\n\r".to_vec();
        assert!(append(&mut bytes, b"\nGET /b HTTP/1.1\r\n\r\n", What::Head));
        assert_eq!(bytes, b"GET / HTTP/1.1\r\n\r\n");
        let mut bytes = Vec::new();
        assert!(!append(&mut bytes, &[b'a'; MOST + 1], What::Head));
        assert_eq!(bytes.len(), MOST);
    }

    #[test]
    fn the_missing_segment_is_read_also_when_no_more_can_wait() {
        let mut heads = 0;
        let mut on_found = |found: Found<'_>| {
            heads += usize::from(matches!(found, Found::Head { is_whole: true, .. }));
            Body::Length(0)
        };
        let (line, missing) = (b"a: b\r\n", 17);
        let mut stream = Stream::of(Sender::Server);
        stream.take(&part(0, b"HTTP/1.1 200 OK\r\n"), &mut on_found);
        let mut next = missing + line.len() as i64;
        for _ in 1..WAITING_MOST {
            stream.take(&part(next, line), &mut on_found);
            next += line.len() as i64;
        }
        stream.take(&part(next, b"\r\n"), &mut on_found);
        stream.take(&part(missing, line), &mut on_found);
        assert!(stream.is_followed());
        assert_eq!(heads, 1);
    }
}
