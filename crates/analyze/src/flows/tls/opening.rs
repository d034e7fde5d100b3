//! Gathers the message with which a direction begins: a TLS hello, or the head of an HTTP request.
//! The message may span several segments, and these may come out of order.

use airmile_types::Held;

use super::records::Chunk;

/// The number of bytes up to which a message is read: four segments, and those before it in the
/// stream.
const BYTES_MOST: usize = 8192;
/// The greatest number of segments that wait for an earlier segment. When more wait, the earlier
/// segment counts as lost.
const WAITING_MOST: usize = 4;

/// Computes the length of a message from its first bytes; `None` until that is known.
pub(super) type Length = fn(&[u8]) -> Option<usize>;

/// The state of one direction's first message.
#[derive(Clone, Debug, Default, PartialEq)]
pub(super) enum Opening {
    /// No byte has passed yet.
    #[default]
    Awaited,
    Partial(Box<Bytes>),
    /// The message was handed over.
    Read,
}

/// The bytes of a message so far.
#[derive(Clone, Debug, Default, PartialEq)]
pub(super) struct Bytes {
    /// The offset at which the message begins.
    start: i64,
    read: Vec<u8>,
    waiting: Vec<Waiting>,
}

/// A segment that waits for one before it.
#[derive(Clone, Debug, PartialEq)]
struct Waiting {
    start: i64,
    end: i64,
    captured: Box<[u8]>,
}

impl Held for Opening {
    fn held_bytes(&self) -> usize {
        let Self::Partial(bytes) = self else { return 0 };
        let waiting: usize = bytes.waiting.iter().map(|segment| segment.captured.len()).sum();
        let rows = bytes.waiting.capacity() * size_of::<Waiting>();
        size_of::<Bytes>() + bytes.read.held_bytes() + rows + waiting
    }

    fn give_back(&mut self) {
        if let Self::Partial(bytes) = self {
            bytes.read.give_back();
            bytes.waiting.shrink_to_fit();
        }
    }
}

impl Opening {
    /// Takes the bytes in `chunk`; returns the message when it is complete or no more of it can
    /// come. The `start` that was given with the message's first segment counts.
    pub(super) fn take(&mut self, chunk: &Chunk<'_>, start: i64, length: Length) -> Option<Vec<u8>> {
        let mut bytes = match std::mem::replace(self, Self::Read) {
            Self::Awaited => Box::new(Bytes { start, ..Bytes::default() }),
            Self::Partial(bytes) => bytes,
            Self::Read => return None,
        };
        if bytes.add(chunk) || length(&bytes.read).is_some_and(|all| bytes.read.len() >= all) {
            return Some(bytes.read);
        }
        let is_empty = bytes.read.is_empty() && bytes.waiting.is_empty();
        *self = if is_empty { Self::Awaited } else { Self::Partial(bytes) };
        None
    }

    /// The bytes of a message whose end has not come; `None` when there are none.
    pub(super) fn so_far(&self) -> Option<&[u8]> {
        if let Self::Partial(bytes) = self { Some(&bytes.read) } else { None }
    }
}

impl Bytes {
    /// Adds a segment and the segments that waited for it; returns whether no more can be added.
    fn add(&mut self, chunk: &Chunk<'_>) -> bool {
        if chunk.end() <= self.next() {
            return false;
        }
        if chunk.start() > self.next() {
            return !self.wait(chunk);
        }
        let mut over = self.append(chunk);
        while !over
            && let Some(at) = self.waiting.iter().position(|segment| segment.start <= self.next())
        {
            let Waiting { start, end, captured } = self.waiting.swap_remove(at);
            over = end > self.next() && self.append(&Chunk::new(start, end, &captured));
        }
        over
    }

    /// Offset of the next byte.
    const fn next(&self) -> i64 {
        self.start + self.read.len() as i64
    }

    /// Adds the new bytes of a segment; returns whether the capture was cut there, or there is no
    /// room.
    fn append(&mut self, chunk: &Chunk<'_>) -> bool {
        let next = self.next();
        let captured = chunk.captured_from(next);
        self.read.extend(captured.iter().take(BYTES_MOST.saturating_sub(self.read.len())));
        next + (captured.len() as i64) < chunk.end() || self.read.len() == BYTES_MOST
    }

    /// Keeps a segment for later; returns whether there is room.
    fn wait(&mut self, chunk: &Chunk<'_>) -> bool {
        let captured = chunk.captured_from(chunk.start());
        let kept: usize = self.waiting.iter().map(|segment| segment.captured.len()).sum();
        let has_room = self.waiting.len() < WAITING_MOST && kept + captured.len() <= BYTES_MOST;
        if has_room {
            let (start, end) = (chunk.start(), chunk.end());
            self.waiting.push(Waiting { start, end, captured: captured.into() });
        }
        has_room
    }
}
