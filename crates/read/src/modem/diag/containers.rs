//! Reads logs that are not a sequence of HDLC frames: DLF and ISF files, and the output of the
//! Linux driver.

use memchr::memchr;

use super::decoder::{Decoder, Target};
use super::frame;
use super::walk::{self, Hdlc, Walk, is_hdlc};
use crate::bytes::chunk;
use crate::modem::record::User;

/// The length in bytes of length, code and time. A log packet begins with these from its second
/// length field on.
const HEADER: usize = 12;
/// The length in bytes of the fields before: command, pending count and first length.
const BEFORE: usize = 4;
/// The number of units of the modem's clock in an hour.
const HOUR: u64 = 52_428_800 * 3600;
/// The number of units of the modem's clock in a year.
const YEAR: u64 = 52_428_800 * 31_557_600;

/// The length of the log packet with this header; `None` if it cannot be a log packet. Its code
/// must be at least 0x1000, which is where the codes of all later equipment begin. Its time must be
/// from 1995 to 2110, or in the first year of a clock that was not set.
fn header(bytes: &[u8]) -> Option<usize> {
    let length = usize::from(u16::from_le_bytes(*chunk(bytes, 0)?));
    let code = u16::from_le_bytes(*chunk(bytes, 2)?);
    let years = u64::from_le_bytes(*chunk(bytes, 4)?) / YEAR;
    let can_be = length >= HEADER && code >= 0x1000 && (years == 0 || (15..130).contains(&years));
    can_be.then_some(length)
}

/// Reads DLF files: log packets from their second length field on.
#[derive(Default)]
pub(super) struct Dlf {
    /// Whether the next packet was found among other bytes. It then counts as a packet only if
    /// another one follows it.
    unsure: bool,
}

impl Walk for Dlf {
    const NAME: &'static str = "dlf";

    fn walk(
        &mut self,
        bytes: &[u8],
        offset: u64,
        decoder: &mut Decoder,
        target: &mut Target<'_>,
    ) -> usize {
        self.packets(bytes, offset, false, decoder, target)
    }

    fn end(&mut self, left: &[u8], offset: u64, decoder: &mut Decoder, target: &mut Target<'_>) {
        let done = self.packets(left, offset, true, decoder, target);
        walk::cut(left.len() - done, offset + done as u64, target.notes);
    }
}

impl Dlf {
    /// Reads packets, and returns how many bytes are finished. With `last`, no more bytes follow.
    fn packets(
        &mut self,
        bytes: &[u8],
        offset: u64,
        last: bool,
        decoder: &mut Decoder,
        target: &mut Target<'_>,
    ) -> usize {
        let mut at = 0;
        while let Some(rest) = bytes.get(at..).filter(|rest| rest.len() >= HEADER) {
            match self.next(rest, last) {
                Next::Packet(packet) => {
                    self.unsure = false;
                    decoder.bare_log(packet, User(0), target);
                    at += packet.len();
                }
                Next::Lost => {
                    let lost = next_header(rest);
                    let text = format!("{lost} bytes that are no log packet");
                    target.notes.problem(offset + at as u64, "lost", text);
                    self.unsure = true;
                    at += lost;
                }
                Next::Later => break,
            }
        }
        at
    }

    fn next<'a>(&self, bytes: &'a [u8], last: bool) -> Next<'a> {
        let Some(length) = header(bytes) else { return Next::Lost };
        match bytes.split_at_checked(length) {
            None if self.unsure && last => Next::Lost,
            None => Next::Later,
            Some((packet, _)) if !self.unsure => Next::Packet(packet),
            Some((packet, [])) if last => Next::Packet(packet),
            Some((_, behind)) if behind.len() < HEADER && !last => Next::Later,
            Some((packet, behind)) if is_next(packet, behind) => Next::Packet(packet),
            Some(_) => Next::Lost,
        }
    }
}

/// Whether the bytes after a packet are the next packet: their header has about the same time.
/// Zeros alone look like headers from 1980.
fn is_next(packet: &[u8], behind: &[u8]) -> bool {
    let stamp = |bytes| chunk(bytes, 4).map(|stamp| u64::from_le_bytes(*stamp));
    let close =
        stamp(packet).zip(stamp(behind)).is_some_and(|(one, next)| one.abs_diff(next) < HOUR);
    close && header(behind).is_some()
}

/// What is at a position of a DLF log.
enum Next<'a> {
    Packet(&'a [u8]),
    /// The bytes are not a packet.
    Lost,
    /// More bytes are needed to decide.
    Later,
}

/// The number of bytes before the next header. Bytes at the end that may begin a header are not
/// counted.
fn next_header(bytes: &[u8]) -> usize {
    let last = bytes.len().saturating_sub(HEADER - 1);
    (1..last).find(|at| bytes.get(*at..).and_then(header).is_some()).unwrap_or(last)
}

/// Whether the first bytes contain two log packets, one directly after the other.
pub(super) fn is_dlf(first: &[u8]) -> bool {
    let second = header(first).and_then(|length| first.get(length..));
    second.and_then(header).is_some()
}

/// Reads ISF and HDF files: log packets among other data, neither escaped nor with a CRC.
#[derive(Default)]
pub(super) struct Scan;

impl Walk for Scan {
    const NAME: &'static str = "isf";

    fn walk(
        &mut self,
        bytes: &[u8],
        _offset: u64,
        decoder: &mut Decoder,
        target: &mut Target<'_>,
    ) -> usize {
        Self::packets(bytes, false, decoder, target)
    }

    fn end(&mut self, left: &[u8], _offset: u64, decoder: &mut Decoder, target: &mut Target<'_>) {
        Self::packets(left, true, decoder, target);
    }
}

impl Scan {
    /// Reads packets, and returns how many bytes are finished. With `last`, no more bytes follow,
    /// and a packet that would need more bytes is not one.
    fn packets(bytes: &[u8], last: bool, decoder: &mut Decoder, target: &mut Target<'_>) -> usize {
        let mut at = 0;
        while let Some(found) = candidate(bytes, at) {
            let rest = bytes.get(found..).unwrap_or_default();
            match packet(rest) {
                Some(length) if length > rest.len() && last => at = found + 1,
                Some(length) if length > rest.len() => return found,
                Some(length) => {
                    decoder.packet(rest.get(..length).unwrap_or_default(), target);
                    at = found + length;
                }
                None if rest.len() < BEFORE + HEADER => return found,
                None => at = found + 1,
            }
        }
        bytes.len()
    }
}

/// The position of the next possible log command.
fn candidate(bytes: &[u8], from: usize) -> Option<usize> {
    memchr(0x10, bytes.get(from..)?).map(|at| from + at)
}

/// The length of the log packet that begins here; `None` if there is none.
fn packet(bytes: &[u8]) -> Option<usize> {
    let [0x10, 0, first @ ..] = bytes else { return None };
    let length = header(first.get(2..)?)?;
    (chunk::<2>(first, 0)? == chunk::<2>(first, 2)?).then_some(BEFORE + length)
}

/// Whether the first bytes contain two whole log packets.
pub(super) fn is_scan(first: &[u8]) -> bool {
    let (mut at, mut whole) = (0, 0);
    while let Some(found) = candidate(first, at) {
        let rest = first.get(found..).unwrap_or_default();
        match packet(rest).filter(|length| *length <= rest.len()) {
            Some(length) => (at, whole) = (found + length, whole + 1),
            None => at = found + 1,
        }
    }
    whole >= 2
}

/// Reads the output of `/dev/diag` in Linux: messages with a type, a count, and that number of
/// buffers with frames, each after its length. All numbers have 32 bits.
#[derive(Default)]
pub(super) struct Linux {
    hdlc: Hdlc,
    /// The number of buffers of the message that are not read yet.
    left: u32,
}

/// The type of a message with data: `USER_SPACE_DATA_TYPE` of the kernel's driver.
const USER_SPACE_DATA: u32 = 32;
/// The greatest number of buffers in a message, and the greatest size of one, that the driver
/// writes.
const MOST_BUFFERS: u32 = 1024;
const LONGEST_BUFFER: usize = frame::LONGEST;

fn word(bytes: &[u8], at: usize) -> Option<u32> {
    chunk(bytes, at).map(|bytes| u32::from_le_bytes(*bytes))
}

impl Walk for Linux {
    const NAME: &'static str = "dev_diag";

    fn walk(
        &mut self,
        bytes: &[u8],
        offset: u64,
        decoder: &mut Decoder,
        target: &mut Target<'_>,
    ) -> usize {
        let mut at = 0;
        while let Some(step) = self.step(bytes, at, offset, decoder, target) {
            at += step;
        }
        at
    }

    /// Reads the whole frames of a buffer that is cut off.
    fn end(&mut self, left: &[u8], offset: u64, decoder: &mut Decoder, target: &mut Target<'_>) {
        match left.get(4..).filter(|_| self.left > 0) {
            Some(buffer) => self.buffer(buffer, offset + 4, decoder, target),
            None => walk::cut(left.len(), offset, target.notes),
        }
    }
}

impl Linux {
    fn buffer(
        &mut self,
        bytes: &[u8],
        offset: u64,
        decoder: &mut Decoder,
        target: &mut Target<'_>,
    ) {
        let walked = self.hdlc.walk(bytes, offset, decoder, target);
        let left = bytes.get(walked..).unwrap_or_default();
        self.hdlc.end(left, offset + walked as u64, decoder, target);
    }

    /// Reads the next piece, which is a head or a buffer; `None` if it is incomplete.
    fn step(
        &mut self,
        bytes: &[u8],
        at: usize,
        offset: u64,
        decoder: &mut Decoder,
        target: &mut Target<'_>,
    ) -> Option<usize> {
        if self.left == 0 {
            let (kind, count) = (word(bytes, at)?, word(bytes, at + 4)?);
            if kind != USER_SPACE_DATA || count > MOST_BUFFERS {
                target.notes.skip("bytes between messages of /dev/diag");
                return Some(1);
            }
            self.left = count;
            return Some(8);
        }
        let length = word(bytes, at)? as usize;
        if length > LONGEST_BUFFER {
            self.left = 0;
            target.notes.problem(offset + at as u64, "lost", "a buffer longer than any packet");
            return Some(4);
        }
        let start = at + 4;
        let buffer = bytes.get(start..start + length)?;
        self.left -= 1;
        self.buffer(buffer, offset + start as u64, decoder, target);
        Some(4 + length)
    }
}

/// Whether the first buffer, as far as it was read, contains frames.
pub(super) fn is_linux(first: &[u8]) -> bool {
    let (kind, count) = (word(first, 0), word(first, 4));
    let length = word(first, 8).unwrap_or(u32::MAX) as usize;
    let counted = kind == Some(USER_SPACE_DATA) && count.is_some_and(|n| n <= MOST_BUFFERS);
    let buffer = first.get(12..first.len().min(length.saturating_add(12)));
    counted && length <= LONGEST_BUFFER && buffer.is_some_and(is_hdlc)
}
