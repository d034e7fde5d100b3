//! Reads HDLC-like frames. A frame ends with 0x7E, 0x7D escapes the byte after it (XOR 0x20), and
//! the last two bytes are the CRC of those before them.

use memchr::{memchr, memchr2};

use super::crc::crc;

/// The byte that ends a frame.
const FLAG: u8 = 0x7e;
/// The byte that escapes the next one.
const ESCAPE: u8 = 0x7d;
/// The value with which escaped bytes are XORed.
const TURN: u8 = 0x20;

/// The greatest length of a frame in bytes. A log packet has a length of 16 bits, a wrapper and a
/// CRC, and all of its bytes may be escaped. More bytes without an end are not a frame.
pub(super) const LONGEST: usize = 2 * (0xffff + 64);

/// The bytes between two flags.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Frame<'a> {
    /// A DIAG packet with a correct CRC.
    Whole(&'a [u8]),
    /// Bytes with a wrong CRC.
    Damaged,
    /// A frame without bytes.
    Empty,
}

/// Finds frames in bytes.
#[derive(Default)]
pub(super) struct Deframer {
    /// The bytes of a frame without its escapes.
    plain: Vec<u8>,
}

impl Deframer {
    /// The first frame of `bytes`, and its length in bytes including its flag; `None` if `bytes`
    /// does not contain the end of the frame.
    #[inline]
    pub(super) fn next<'a>(&'a mut self, bytes: &'a [u8]) -> Option<(Frame<'a>, usize)> {
        let first = memchr2(FLAG, ESCAPE, bytes)?;
        let (before, found) = bytes.split_at_checked(first)?;
        if found.first() == Some(&FLAG) {
            return Some((checked(before), first + 1));
        }
        let length = self.unescape(bytes, first)?;
        Some((checked(&self.plain), length))
    }

    /// Copies the frame without its escapes; the first escape is at `escape`.
    fn unescape(&mut self, bytes: &[u8], mut escape: usize) -> Option<usize> {
        self.plain.clear();
        let mut start = 0;
        loop {
            self.plain.extend_from_slice(bytes.get(start..escape)?);
            match bytes.get(escape..)? {
                [FLAG, ..] => return Some(escape + 1),
                // An escaped flag means that the sender stopped in the middle of a frame.
                [_, FLAG, ..] => {
                    self.plain = vec![ESCAPE];
                    return Some(escape + 2);
                }
                [_, byte, ..] => self.plain.push(byte ^ TURN),
                _ => return None,
            }
            start = escape + 2;
            escape = start + memchr2(FLAG, ESCAPE, bytes.get(start..)?)?;
        }
    }
}

#[inline]
fn checked(frame: &[u8]) -> Frame<'_> {
    match frame.split_last_chunk::<2>() {
        Some((packet, sum)) if !packet.is_empty() && crc(packet) == u16::from_le_bytes(*sum) => {
            Frame::Whole(packet)
        }
        _ if frame.is_empty() => Frame::Empty,
        _ => Frame::Damaged,
    }
}

/// Whether `bytes` contains a flag.
pub(super) fn ends(bytes: &[u8]) -> bool {
    memchr(FLAG, bytes).is_some()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn framed(packet: &[u8]) -> Vec<u8> {
        let mut frame = Vec::new();
        for byte in packet.iter().copied().chain(crc(packet).to_le_bytes()) {
            match byte {
                FLAG | ESCAPE => frame.extend([ESCAPE, byte ^ TURN]),
                _ => frame.push(byte),
            }
        }
        frame.push(FLAG);
        frame
    }

    #[test]
    fn escapes_come_off_wherever_they_are() {
        for packet in [&[0x7e][..], &[0x7d], &[1, 2, 3], &[0x7d, 0x7e, 0x5d, 0x5e], &[1, 0x7e, 2]] {
            let frame = framed(packet);
            let mut deframer = Deframer::default();
            assert_eq!(deframer.next(&frame), Some((Frame::Whole(packet), frame.len())));
            for cut in 0..frame.len() {
                assert_eq!(deframer.next(&frame[..cut]), None, "{packet:?} cut at {cut}");
            }
        }
    }

    #[test]
    fn a_changed_byte_is_found() {
        let frame = framed(b"a packet");
        for at in 0..frame.len() - 1 {
            let mut changed = frame.clone();
            changed[at] ^= 1;
            let outcome =
                Deframer::default().next(&changed).map(|(frame, _)| frame == Frame::Damaged);
            assert_eq!(outcome, Some(true), "byte {at}");
        }
    }

    #[test]
    fn nothing_between_two_flags_is_no_damage() {
        assert_eq!(Deframer::default().next(&[FLAG, 1]), Some((Frame::Empty, 1)));
        assert_eq!(Deframer::default().next(&[1, FLAG]), Some((Frame::Damaged, 2)));
    }
}
