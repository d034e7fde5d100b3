//! Logs that are not HDLC frames after one another: DLF and ISF files, and what Linux hands out.

use memchr::memchr;

use super::decoder::{Decoder, Target};
use super::frame;
use super::walk::{Hdlc, Walk, is_hdlc};
use crate::bytes::chunk;
use crate::modem::record::User;

/// Length, code and time: what a log packet begins with from its second length on.
const HEADER: usize = 12;
/// Command, pending count and first length before it.
const BEFORE: usize = 4;
/// Units of the modem's clock in a year.
const YEAR: u64 = 52_428_800 * 31_557_600;

/// Whether a header of a log packet can be one, and its length: later equipment and log codes
/// begin at 0x1000, and the time is in the first year of a clock that was never set, or in 1995 to
/// 2110.
fn header(bytes: &[u8]) -> Option<usize> {
    let length = usize::from(u16::from_le_bytes(*chunk(bytes, 0)?));
    let code = u16::from_le_bytes(*chunk(bytes, 2)?);
    let years = u64::from_le_bytes(*chunk(bytes, 4)?) / YEAR;
    let can_be = length >= HEADER && code >= 0x1000 && (years == 0 || (15..130).contains(&years));
    can_be.then_some(length)
}

/// DLF: log packets from their second length on.
#[derive(Default)]
pub(super) struct Dlf;

impl Walk for Dlf {
    const NAME: &'static str = "dlf";

    fn walk(
        &mut self,
        bytes: &[u8],
        offset: u64,
        decoder: &mut Decoder,
        target: &mut Target<'_>,
    ) -> usize {
        let mut at = 0;
        while let Some(rest) = bytes.get(at..).filter(|rest| rest.len() >= HEADER) {
            let Some(length) = header(rest) else {
                let lost = next_header(rest);
                let text = format!("{lost} bytes that are no log packet");
                target.notes.problem(offset + at as u64, "lost", text);
                at += lost;
                continue;
            };
            let Some(packet) = rest.get(..length) else { break };
            decoder.bare_log(packet, User(0), target);
            at += length;
        }
        at
    }
}

/// How many bytes precede the next header; those that could begin one at the end are left.
fn next_header(bytes: &[u8]) -> usize {
    let last = bytes.len().saturating_sub(HEADER - 1);
    (1..last).find(|at| bytes.get(*at..).and_then(header).is_some()).unwrap_or(last)
}

/// Whether two log packets follow each other from the start.
pub(super) fn is_dlf(first: &[u8]) -> bool {
    let second = header(first).and_then(|length| first.get(length..));
    second.and_then(header).is_some()
}

/// ISF and HDF files: log packets somewhere among other things, neither escaped nor with a CRC.
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
        let mut at = 0;
        while let Some(found) = candidate(bytes, at) {
            let rest = bytes.get(found..).unwrap_or_default();
            match packet(rest) {
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

    fn end(&mut self, _left: usize, _offset: u64, _notes: &mut crate::modem::report::Notes) {}
}

/// Where a log command stands next.
fn candidate(bytes: &[u8], from: usize) -> Option<usize> {
    memchr(0x10, bytes.get(from..)?).map(|at| from + at)
}

/// The length of the log packet that begins here.
fn packet(bytes: &[u8]) -> Option<usize> {
    let [0x10, 0, first @ ..] = bytes else { return None };
    let length = header(first.get(2..)?)?;
    (chunk::<2>(first, 0)? == chunk::<2>(first, 2)?).then_some(BEFORE + length)
}

/// Whether two whole log packets are found.
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

/// What Linux hands out at `/dev/diag`: a type, a count, and so many buffers of frames, each with
/// its length before it, all in 32 bits.
#[derive(Default)]
pub(super) struct Linux {
    hdlc: Hdlc,
    /// Buffers of the message that are to come.
    left: u32,
}

/// `USER_SPACE_DATA_TYPE` of the kernel's driver.
const USER_SPACE_DATA: u32 = 32;
/// More buffers, and longer ones, are none of the driver's.
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
}

impl Linux {
    /// The next piece: a head or a buffer. `None` when it is not all there.
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
        let walked = self.hdlc.walk(buffer, offset + start as u64, decoder, target);
        self.hdlc.end(length - walked, offset + (start + walked) as u64, target.notes);
        Some(4 + length)
    }
}

/// Whether a first buffer holds frames.
pub(super) fn is_linux(first: &[u8]) -> bool {
    let (kind, count) = (word(first, 0), word(first, 4));
    let length = word(first, 8).unwrap_or(u32::MAX) as usize;
    let counted = kind == Some(USER_SPACE_DATA) && count.is_some_and(|n| n <= MOST_BUFFERS);
    counted && length <= LONGEST_BUFFER && first.get(12..12 + length).is_some_and(is_hdlc)
}
