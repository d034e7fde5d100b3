//! Finds the packets in the forms that a log may have.

use super::decoder::{Decoder, Target};
use super::frame::{self, Deframer, Frame};
use crate::modem::report::Notes;

/// Finds the packets in one form of log.
pub(super) trait Walk: Default + Send + 'static {
    /// The name of the form in reports.
    const NAME: &'static str;

    /// Passes every packet of `bytes` to the decoder, where `bytes` begins at `offset` of the
    /// input. Returns how many bytes are finished; the other bytes are passed again with those that
    /// follow.
    fn walk(
        &mut self,
        bytes: &[u8],
        offset: u64,
        decoder: &mut Decoder,
        target: &mut Target<'_>,
    ) -> usize;

    /// Takes the bytes that remain at the end of the input.
    fn end(&mut self, left: &[u8], offset: u64, _decoder: &mut Decoder, target: &mut Target<'_>) {
        cut(left.len(), offset, target.notes);
    }
}

/// Reads a log of HDLC frames.
#[derive(Default)]
pub(super) struct Hdlc {
    deframer: Deframer,
    /// Whether a whole frame was read; logs may begin with other bytes.
    begun: bool,
    /// The number of bytes of the unfinished frame that were searched for a flag already.
    searched: usize,
}

impl Walk for Hdlc {
    const NAME: &'static str = "diag";

    fn walk(
        &mut self,
        bytes: &[u8],
        offset: u64,
        decoder: &mut Decoder,
        target: &mut Target<'_>,
    ) -> usize {
        let mut at = 0;
        if !frame::ends(bytes.get(self.searched..).unwrap_or_default()) {
            return self.unfinished(bytes.len(), offset, target.notes);
        }
        while let Some((frame, length)) = self.deframer.next(bytes.get(at..).unwrap_or_default()) {
            match frame {
                Frame::Whole(packet) => {
                    self.begun = true;
                    decoder.packet(packet, target);
                }
                Frame::Damaged if self.begun => damaged(length, offset + at as u64, target.notes),
                Frame::Damaged => target.notes.skip("bytes before the first frame"),
                Frame::Empty => {}
            }
            at += length;
        }
        at + self.unfinished(bytes.len() - at, offset + at as u64, target.notes)
    }

    fn end(&mut self, left: &[u8], offset: u64, _decoder: &mut Decoder, target: &mut Target<'_>) {
        self.searched = 0;
        if !left.is_empty() {
            let text = format!("{} bytes of a frame that does not end", left.len());
            target.notes.problem(offset, "cut", text);
        }
    }
}

impl Hdlc {
    /// Skips bytes that are too many for one frame.
    fn unfinished(&mut self, left: usize, offset: u64, notes: &mut Notes) -> usize {
        self.searched = left;
        if left <= frame::LONGEST {
            return 0;
        }
        self.searched = 0;
        notes.problem(offset, "no_frame", format!("{left} bytes without the end of a frame"));
        left
    }
}

/// Reports that the last packet is cut off.
pub(super) fn cut(left: usize, offset: u64, notes: &mut Notes) {
    if left > 0 {
        notes.problem(offset, "cut", format!("the log ends within a packet of {left} bytes"));
    }
}

#[cold]
fn damaged(length: usize, offset: u64, notes: &mut Notes) {
    notes.skip("frame whose CRC fails");
    notes.problem(offset, "frame_crc", format!("a frame of {length} bytes whose CRC fails"));
}

/// Whether the first bytes contain a frame of DIAG with a correct CRC.
pub(super) fn is_hdlc(first: &[u8]) -> bool {
    let mut deframer = Deframer::default();
    let mut at = 0;
    while let Some((frame, length)) = deframer.next(first.get(at..).unwrap_or_default()) {
        // A CRC of 16 bits may be right by chance, but not together with a known command and four
        // bytes.
        if matches!(frame, Frame::Whole([command, _, _, _, ..]) if COMMANDS.contains(command)) {
            return true;
        }
        at += length;
    }
    false
}

/// The commands in logs: log packets, their configuration and its answers, events, debug messages,
/// subsystems, and the wrapper of several subscriptions.
const COMMANDS: [u8; 18] = [
    0x00, 0x0c, 0x10, 0x1c, 0x1d, 0x4b, 0x60, 0x63, 0x73, 0x79, 0x7c, 0x7d, 0x80, 0x92, 0x98, 0x99,
    0x9c, 0x9d,
];
