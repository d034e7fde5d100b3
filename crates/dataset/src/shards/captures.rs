//! Numbers the captures of a run and says when each is over: beyond that time nothing is known of
//! its phones (methods A1).
//!
//! A capture is one input, or the files of a rotating series.

use airmile_read::InputReport;
use airmile_types::{Duration, Instant};

use super::series::{Follows, follows, shape};

/// Two files whose names differ only in numbers belong together if at most this time lies between
/// them: no other program begins so soon. (Our choice.)
const AT_ONCE: Duration = Duration::from_secs(1);
/// The interface's times of a capture are believed up to this distance from its packets. (Our
/// choice; damaged blocks give any year.)
const BELIEVED: Duration = Duration::from_secs(86_400);

/// The span of time that a capture covers.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Coverage {
    /// The number of the capture, counted from 0 in the order in which they began.
    pub(crate) capture: u32,
    /// The name of its first file.
    pub(crate) name: String,
    pub(crate) files: u32,
    /// The time of the first packet, or of the beginning that the capturing system gives.
    pub(crate) start: Instant,
    pub(crate) end: Instant,
    /// The records of all files.
    pub(crate) packets: u64,
    /// The packets that the capturing system dropped; `None` if one of the files does not say.
    pub(crate) dropped: Option<u64>,
}

/// The captures of a run.
#[derive(Debug)]
pub(crate) struct Captures {
    names: Vec<String>,
    follows: Vec<Option<Follows>>,
    /// For each input, the one that follows it.
    next: Vec<Option<usize>>,
    /// The capture of each input that has begun.
    of_inputs: Vec<Option<u32>>,
    starts: Vec<Instant>,
    covered: Vec<Coverage>,
    /// The files of each capture that are being read, and the last one that was read to its end.
    state: Vec<State>,
    /// The captures that have ended and may still be continued.
    resting: Vec<u32>,
    over: Vec<u32>,
}

#[derive(Clone, Copy, Debug, Default)]
struct State {
    open_files: u32,
    last_input: usize,
}

impl Captures {
    /// The captures of inputs with these names, of which none has begun.
    pub(crate) fn new(names: Vec<String>) -> Self {
        let follows = follows(&names);
        let mut next = vec![None; names.len()];
        for (input, follows) in follows.iter().enumerate() {
            if let Some(slot) = follows.and_then(|follows| next.get_mut(follows.input)) {
                *slot = Some(input);
            }
        }
        Self {
            follows,
            next,
            of_inputs: vec![None; names.len()],
            names,
            starts: Vec::new(),
            covered: Vec::new(),
            state: Vec::new(),
            resting: Vec::new(),
            over: Vec::new(),
        }
    }

    /// Returns the number of the capture to which an input belongs that begins at `first`. Inputs
    /// begin in the order of their first packets.
    pub(crate) fn begin(&mut self, input: usize, first: Instant) -> u32 {
        let known = self.of_inputs.get(input).copied().flatten();
        let capture = known.unwrap_or_else(|| match self.continued(input, first) {
            Some(capture) => self.go_on(capture),
            None => self.add(input, first),
        });
        if let Some(slot) = self.of_inputs.get_mut(input) {
            *slot = Some(capture);
        }
        self.end_before(first);
        capture
    }

    /// Notes that an input has been read.
    pub(crate) fn end(&mut self, input: usize, report: &InputReport) {
        let Some(capture) = self.of_inputs.get(input).copied().flatten() else {
            return self.skip(input);
        };
        let index = capture as usize;
        let (Some(covered), Some(state)) = (self.covered.get_mut(index), self.state.get_mut(index))
        else {
            return;
        };
        covered.add(report);
        state.open_files = state.open_files.saturating_sub(1);
        state.last_input = input;
        if state.open_files == 0 {
            self.resting.push(capture);
        }
    }

    /// Notes that an input has no packet, so that the file after it follows the one before it.
    pub(crate) fn skip(&mut self, input: usize) {
        let before = self.follows.get(input).copied().flatten();
        let after = self.next.get(input).copied().flatten();
        if let Some(slot) = before.and_then(|before| self.next.get_mut(before.input)) {
            *slot = after;
        }
        if let Some(slot) = after.and_then(|after| self.follows.get_mut(after)) {
            let joined = slot.zip(before).map(|(follows, before)| Follows {
                input: before.input,
                most: follows.most + before.most,
            });
            *slot = joined;
        }
    }

    /// When each capture began, by its number.
    #[inline]
    pub(crate) fn starts(&self) -> &[Instant] {
        &self.starts
    }

    /// The captures that are over, in the order in which that became known. The list only grows.
    #[inline]
    pub(crate) fn over(&self) -> &[u32] {
        &self.over
    }

    /// Whether several captures are read at the same time.
    #[inline]
    pub(crate) const fn overlap(&self) -> bool {
        self.covered.len() > self.over.len() + 1
    }

    /// The name of the first file of a capture.
    pub(crate) fn name(&self, capture: u32) -> &str {
        self.covered.get(capture as usize).map_or("", |covered| &covered.name)
    }

    /// The capture of each input, if it has begun, and what each capture covers.
    pub(crate) fn finish(self) -> (Vec<Option<u32>>, Vec<Coverage>) {
        (self.of_inputs, self.covered)
    }

    /// The capture that an input continues.
    fn continued(&self, input: usize, first: Instant) -> Option<u32> {
        let follows = self.follows.get(input).copied().flatten();
        let named = follows.and_then(|follows| {
            let capture = self.of_inputs.get(follows.input).copied().flatten()?;
            let is_open = self.state.get(capture as usize)?.open_files > 0;
            let silent = first - self.covered.get(capture as usize)?.end;
            (is_open || silent <= follows.most).then_some(capture)
        });
        named.or_else(|| {
            self.resting.iter().copied().find(|capture| self.meets(*capture, input, first))
        })
    }

    /// Whether an input begins as soon as a capture has ended whose last file has the same name but
    /// for numbers.
    fn meets(&self, capture: u32, input: usize, first: Instant) -> bool {
        let index = capture as usize;
        let (Some(covered), Some(state)) = (self.covered.get(index), self.state.get(index)) else {
            return false;
        };
        let last = self.names.get(state.last_input).map(|name| shape(name));
        let gap = first - covered.end;
        gap >= Duration::ZERO
            && gap <= AT_ONCE
            && last.is_some()
            && last == self.names.get(input).map(|name| shape(name))
    }

    fn go_on(&mut self, capture: u32) -> u32 {
        self.resting.retain(|resting| *resting != capture);
        if let Some(state) = self.state.get_mut(capture as usize) {
            state.open_files += 1;
        }
        capture
    }

    fn add(&mut self, input: usize, first: Instant) -> u32 {
        let capture = u32::try_from(self.covered.len()).unwrap_or(u32::MAX);
        let name = self.names.get(input).cloned().unwrap_or_default();
        self.starts.push(first);
        self.covered.push(Coverage {
            capture,
            name,
            files: 0,
            start: first,
            end: first,
            packets: 0,
            dropped: Some(0),
        });
        self.state.push(State { open_files: 1, last_input: input });
        capture
    }

    /// Ends the captures that nothing can continue at `now` or later.
    fn end_before(&mut self, now: Instant) {
        let is_over = |capture: &u32| {
            let end = self.covered.get(*capture as usize).map_or(now, |covered| covered.end);
            now - end > AT_ONCE && !self.is_awaited(*capture, now - end)
        };
        let (over, resting): (Vec<u32>, Vec<u32>) = self.resting.iter().copied().partition(is_over);
        self.resting = resting;
        self.over.extend(over);
    }

    /// Whether an input that has not begun continues a capture that has been silent for so long.
    fn is_awaited(&self, capture: u32, silent: Duration) -> bool {
        let last = self.state.get(capture as usize).map(|state| state.last_input);
        let Some(next) = last.and_then(|last| self.next.get(last).copied().flatten()) else {
            return false;
        };
        let has_begun = self.of_inputs.get(next).is_none_or(Option::is_some);
        let follows = self.follows.get(next).copied().flatten();
        !has_begun && follows.is_some_and(|follows| silent <= follows.most)
    }
}

impl Coverage {
    fn add(&mut self, report: &InputReport) {
        self.files += 1;
        self.packets += report.counts.records;
        let dropped = report.recording.tells_drops.then_some(report.counts.dropped);
        self.dropped = self.dropped.zip(dropped).map(|(sum, more)| sum.saturating_add(more));
        let (Some(first), Some(last)) = (report.first_time, report.last_time) else { return };
        let start = report.recording.start.filter(|start| first - *start <= BELIEVED);
        let end = report.recording.end.filter(|end| *end - last <= BELIEVED);
        self.start = self.start.min(first).min(start.unwrap_or(first));
        self.end = self.end.max(last).max(end.unwrap_or(last));
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use airmile_read::{Counts, Recording};

    use super::*;

    fn at(second: i64) -> Instant {
        Instant::from_nanos(second * 1_000_000_000)
    }

    fn report(first: i64, last: i64, recording: Recording) -> InputReport {
        InputReport {
            name: String::new(),
            size_bytes: 0,
            format: String::new(),
            interfaces: Vec::new(),
            unlisted_interfaces: 0,
            first_time: Some(at(first)),
            last_time: Some(at(last)),
            recorded: None,
            recording,
            counts: Counts { records: 2, dropped: 3, ..Counts::default() },
            skipped: BTreeMap::new(),
            problems: Vec::new(),
            unlisted_problems: 0,
            warnings: Vec::new(),
        }
    }

    /// Reads inputs one after another; each has a name, a first and a last second. Returns the
    /// number of the capture of each, and which captures are over when the last one has begun.
    fn read(files: &[(&str, i64, i64)]) -> (Vec<u32>, Vec<u32>) {
        let names = files.iter().map(|(name, ..)| (*name).to_owned()).collect();
        let mut captures = Captures::new(names);
        let mut numbers = Vec::new();
        for (input, (_, first, last)) in files.iter().enumerate() {
            numbers.push(captures.begin(input, at(*first)));
            if input + 1 < files.len() {
                captures.end(input, &report(*first, *last, Recording::default()));
            }
        }
        (numbers, captures.over().to_vec())
    }

    #[test]
    fn separate_captures_are_over_when_the_next_begins() {
        let files = [("page1.pcap", 0, 5), ("page2.pcap", 60, 65), ("page3.pcap", 120, 121)];
        assert_eq!(read(&files), (vec![0, 1, 2], vec![0, 1]));
    }

    #[test]
    fn files_of_a_series_are_one_capture_however_long_it_was_silent() {
        let files = [("x.pcap", 0, 5), ("x.pcap1", 600, 610), ("y.pcap", 5000, 5001)];
        assert_eq!(read(&files), (vec![0, 0, 1], vec![0]));
    }

    #[test]
    fn files_with_numbers_are_one_capture_if_no_time_lies_between() {
        let files =
            [("r1.pcap", 0, 5), ("r2.pcap", 5, 9), ("s3.pcap", 10, 11), ("r4.pcap", 30, 31)];
        assert_eq!(read(&files), (vec![0, 0, 1, 2], vec![0, 1]));
    }

    #[test]
    fn a_file_without_a_packet_breaks_no_series() {
        let names = ["x.pcap", "x.pcap1", "x.pcap2", "y.pcap"].map(str::to_owned).to_vec();
        let mut captures = Captures::new(names);
        captures.skip(1);
        assert_eq!(captures.begin(0, at(0)), 0);
        captures.end(0, &report(0, 5, Recording::default()));
        assert_eq!(captures.begin(2, at(90)), 0);
        captures.end(2, &report(90, 95, Recording::default()));
        assert_eq!(captures.begin(3, at(900)), 1);
        assert_eq!(captures.over(), [0]);
    }

    #[test]
    fn a_capture_is_not_over_while_it_is_read() {
        let names = vec!["a.pcap".to_owned(), "b.pcap".to_owned(), "c.pcap".to_owned()];
        let mut captures = Captures::new(names);
        captures.begin(0, at(0));
        captures.begin(1, at(10));
        captures.end(1, &report(10, 20, Recording::default()));
        captures.begin(2, at(500));
        assert_eq!(captures.over(), [1]);
    }

    #[test]
    fn a_capture_begins_and_ends_as_its_system_says_within_reason() {
        let covered = |start, end| {
            let mut captures = Captures::new(vec!["a.pcapng".to_owned()]);
            captures.begin(0, at(100));
            let recording = Recording { start, end, tells_drops: true };
            captures.end(0, &report(100, 110, recording));
            let (_, coverage) = captures.finish();
            (coverage[0].start, coverage[0].end, coverage[0].dropped)
        };
        assert_eq!(covered(Some(at(40)), Some(at(200))), (at(40), at(200), Some(3)));
        assert_eq!(covered(None, None), (at(100), at(110), Some(3)));
        let wrong = covered(Some(at(-1_000_000)), Some(at(9_000_000)));
        assert_eq!(wrong, (at(100), at(110), Some(3)));
    }

    #[test]
    fn drops_of_a_format_that_does_not_say_are_unknown() {
        let mut captures = Captures::new(vec!["a.pcap".to_owned()]);
        captures.begin(0, at(1));
        captures.end(0, &report(1, 2, Recording::default()));
        assert_eq!(captures.finish().1[0].dropped, None);
    }
}
