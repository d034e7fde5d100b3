//! Handles records that are odd, corrupt or cut off.

use super::Classic;
use super::header::{Header, Judgement};
use crate::capture::log::Log;
use crate::capture::record::{DAY_NS, LARGEST_CAPTURED, LARGEST_PLAUSIBLE_WIRE};
use crate::capture::window::Window;

/// A snap length in the file header above this is not plausible, and is ignored.
const LARGEST_SNAP: u32 = 16 << 20;

impl Classic {
    /// Whether a header is odd, as some writers produce it, or corrupt, as no writer produces it.
    pub(super) fn judge_odd(&self, header: &Header) -> Judgement {
        let snap = if self.snap_length <= LARGEST_SNAP { self.snap_length } else { 0 };
        if self.is_empty_near(header, self.last) {
            return Judgement::Fine;
        }
        // Zeros are not a record: many file systems leave them where nothing was written.
        let zeros = header.captured == 0 && header.wire == 0 && self.time(header) == 0;
        let longer_than_frame = header.captured > header.wire && header.captured > snap && snap > 0;
        if zeros || longer_than_frame || header.captured > LARGEST_CAPTURED.max(snap) {
            Judgement::Corrupt
        } else {
            Judgement::Odd
        }
    }

    /// Whether to accept an odd record: it is accepted if the bytes after it have the form of a
    /// record, or if nothing follows.
    pub(super) fn believed(
        &self,
        header: &Header,
        judged: &Judgement,
        window: &mut Window,
        log: &mut Log,
    ) -> bool {
        let next = self.header + header.captured as usize;
        if *judged == Judgement::Corrupt {
            return false;
        }
        if header.fraction >= self.units {
            log.fractions_beyond_second += 1;
        }
        if !window.have(next + self.header) {
            return true;
        }
        self.header_at(window.bytes(), next).is_some_and(|h| {
            let near = self.time(header);
            let frame = h.captured <= LARGEST_CAPTURED
                && h.wire <= LARGEST_PLAUSIBLE_WIRE
                && h.wire > 0
                && h.fraction < 1_000_000_000;
            let close = header.wire > 0 || self.time(&h).abs_diff(near) < DAY_NS;
            self.is_empty_near(&h, near) || (frame && close)
        })
    }

    /// Whether a header is that of a record without any byte of a frame, less than a day from the
    /// time `near`. Some writers leave out the bytes of a frame, and even its length.
    fn is_empty_near(&self, header: &Header, near: i64) -> bool {
        let time = self.time(header);
        header.captured == 0
            && header.wire <= LARGEST_PLAUSIBLE_WIRE
            && header.fraction < self.units
            && time.abs_diff(near) < DAY_NS
            && (header.wire > 0 || time != 0 || near == 0)
    }

    /// Handles a record that is longer than the rest of the input. It is cut off, unless records
    /// follow its header; then its length is wrong.
    #[cold]
    pub(super) fn beyond_the_end(&self, window: &mut Window, log: &mut Log, wanted: usize) -> bool {
        let (offset, bytes) = (window.offset(), window.bytes());
        if let Some(at) = (1..bytes.len()).find(|at| self.two_records(bytes, *at)) {
            window.skip(at);
            log.resumed(offset, window.offset(), "a record's length exceeds the file");
            return true;
        }
        log.end(window, "a record", wanted);
        false
    }

    /// Searches for the next position with two plausible records in a row, and reports what was
    /// lost.
    #[cold]
    pub(super) fn resynchronise(
        &mut self,
        bad: &Header,
        window: &mut Window,
        log: &mut Log,
    ) -> bool {
        let offset = window.offset();
        let what = format!(
            "corrupt record header (captured length {}, wire length {})",
            bad.captured, bad.wire
        );
        window.skip(1);
        loop {
            let more = window.have(2 * (self.header + LARGEST_CAPTURED as usize));
            let bytes = window.bytes();
            let last_start = if more { LARGEST_CAPTURED as usize } else { bytes.len() };
            if let Some(at) = (0..last_start).find(|at| self.two_records(bytes, *at)) {
                window.skip(at);
                log.resumed(offset, window.offset(), &what);
                return true;
            }
            window.skip(last_start);
            if !more {
                log.lost(offset, window, &what);
                return false;
            }
        }
    }

    fn two_records(&self, bytes: &[u8], at: usize) -> bool {
        let Some(first) = self.header_at(bytes, at).filter(|h| self.sound(h, self.last)) else {
            return false;
        };
        let next = at + self.header + first.captured as usize;
        if next == bytes.len() {
            return true;
        }
        let near = self.time(&first);
        self.header_at(bytes, next)
            .is_some_and(|h| self.sound(&h, near) || self.is_empty_near(&h, near))
    }

    fn sound(&self, header: &Header, near: i64) -> bool {
        (1..=LARGEST_CAPTURED).contains(&header.captured)
            && header.captured <= header.wire
            && header.wire <= LARGEST_PLAUSIBLE_WIRE
            && header.fraction < self.units
            && (near == i64::MIN || self.time(header).abs_diff(near) < DAY_NS)
    }
}
