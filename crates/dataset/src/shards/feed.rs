//! Reads many captures as one stream of packets in time order.
//!
//! Each input is opened once to find the time of its first packet, and opened again only when that
//! time has come. So a rotating series of any length keeps one file open, and captures that overlap
//! are merged. Within an input, the order of the file is kept, even when its clock steps back.

use std::cmp::Reverse;
use std::collections::BTreeMap;
use std::mem;
use std::ops::ControlFlow;

use airmile_read::{Access, Capture, InputReport, OpenError, Packet, Place, Progress, Source};
use airmile_types::Instant;

use super::captures::{Captures, Coverage};
use super::phones::{self, Joined, Looked};
use super::twins;

/// The result of reading an input.
#[derive(Debug)]
pub(crate) enum Fate {
    /// The input was read, perhaps not to its end.
    Read(Box<InputReport>),
    /// The input could not be opened.
    Failed(OpenError),
    /// The run was stopped before it came to this input.
    Unread,
}

/// An input of which nothing more is read.
#[derive(Debug)]
pub(crate) struct Settled {
    pub(crate) source: Source,
    pub(crate) fate: Fate,
    /// The number of the capture to which the input belongs, if it has begun.
    pub(crate) capture: Option<u32>,
}

/// The number of packets of all inputs together that are looked at to find phones. (Our choice; a
/// second of work.)
const MOST_LOOKED_AT: u64 = 1_000_000;

/// The inputs of a run.
pub(crate) struct Feed {
    waiting: Vec<Waiting>,
    /// The inputs that are being read, by the time of their next packet and their number.
    running: BTreeMap<(Instant, usize), Running>,
    fates: Vec<(Source, Fate)>,
    captures: Captures,
    /// What the beginning of each input shows of its phone.
    looked: Vec<Looked>,
    progress: Vec<Progress>,
    total: Option<u64>,
    /// The memory of the inputs that are open, in bytes.
    held_bytes: u64,
}

/// An input whose first packet is still to come.
struct Waiting {
    index: usize,
    first: Instant,
    /// The open input, if it is a pipe: a pipe can be opened only once.
    open: Option<Running>,
}

/// An input that is being read, with the packet that was read but not yet passed on.
struct Running {
    index: usize,
    capture: Capture,
    /// The number of the capture to which the input belongs.
    number: u32,
    /// Whether one of its interfaces leads to a cellular network.
    has_cellular: bool,
    next: Option<Packet<'static>>,
    payload: Vec<u8>,
    /// The memory of the input that was counted, in bytes.
    counted_bytes: u64,
}

impl Feed {
    /// Opens every input to find the time of its first packet.
    pub(crate) fn open(sources: Vec<Source>) -> Self {
        let captures = Captures::new(sources.iter().map(ToString::to_string).collect());
        let fates = sources.into_iter().map(|source| (source, Fate::Unread)).collect();
        let (waiting, running, progress) = (Vec::new(), BTreeMap::new(), Vec::new());
        let total = Some(0);
        let mut feed = Self {
            waiting,
            running,
            fates,
            captures,
            looked: Vec::new(),
            progress,
            total,
            held_bytes: 0,
        };
        let alone = feed.fates.len() == 1;
        for index in 0..feed.fates.len() {
            if feed.is_stopped(index) {
                break;
            }
            feed.probe(index, alone);
        }
        // The next input to run is the last in the list, so that it can be popped.
        feed.waiting.sort_by_key(|waiting| Reverse((waiting.first, waiting.index)));
        feed
    }

    /// The size of all inputs as stored, in bytes; `None` when one is a pipe.
    pub(crate) const fn total_bytes(&self) -> Option<u64> {
        self.total
    }

    /// The bytes read so far, as stored.
    pub(crate) fn bytes_read(&self) -> u64 {
        self.progress.iter().map(Progress::read).sum()
    }

    /// The memory of the inputs that are open, in bytes.
    pub(crate) const fn held_bytes(&self) -> u64 {
        self.held_bytes
    }

    /// The addresses that belong to one phone, as the beginnings of the inputs show them.
    pub(crate) fn joined(&self) -> impl Iterator<Item = &Joined> {
        self.looked.iter().flat_map(|looked| &looked.joined)
    }

    /// Whether another capture may hold a packet that passed at `time` too: several are being read,
    /// or another one begins at once.
    #[inline]
    pub(crate) fn may_hold_twins(&self, time: Instant) -> bool {
        let next = self.waiting.last().map(|waiting| waiting.first);
        self.captures.overlap() || next.is_some_and(|next| next - time <= twins::AT_ONE_PLACE)
    }

    /// The captures that have begun.
    #[inline]
    pub(crate) const fn captures(&self) -> &Captures {
        &self.captures
    }

    /// Passes every packet to `take`, until `take` stops the run.
    pub(crate) fn run(
        &mut self,
        mut take: impl FnMut(&Packet<'_>, &Self) -> ControlFlow<()>,
    ) -> ControlFlow<()> {
        while let Some(mut running) = self.choose() {
            let flow = running.run_until(self.next_time(), |packet| take(packet, self));
            if running.next.is_some() || flow.is_break() {
                self.count(&mut running);
                self.running.insert(running.key(), running);
            } else {
                self.settle(&running);
            }
            flow?;
        }
        ControlFlow::Continue(())
    }

    /// The result for each input, in the order in which the inputs were given, with the number of
    /// the capture to which it belongs; and what each capture covers.
    pub(crate) fn finish(mut self) -> (Vec<Settled>, Vec<Coverage>) {
        for running in mem::take(&mut self.running).into_values() {
            self.settle(&running);
        }
        let (numbers, coverage) = self.captures.finish();
        let fates = self.fates.into_iter().zip(numbers);
        let settled = fates.map(|((source, fate), capture)| Settled { source, fate, capture });
        (settled.collect(), coverage)
    }

    /// Whether the user has stopped the run, which may happen while a very large folder is searched.
    fn is_stopped(&self, index: usize) -> bool {
        self.fates.get(index).is_some_and(|(source, _)| source.stop.go_on().is_break())
    }

    fn probe(&mut self, index: usize, alone: bool) {
        self.look(index);
        let Some(running) = self.start(index) else {
            return self.captures.skip(index);
        };
        let size = running.capture.progress().total;
        self.total = self.total.zip(size).map(|(sum, size)| sum + size);
        let Some(first) = running.next.as_ref().map(|packet| packet.time) else {
            return self.settle(&running);
        };
        let mut open = if alone || size.is_none() { Some(running) } else { None };
        match &mut open {
            Some(running) => self.count(running),
            None => drop(self.progress.pop()),
        }
        self.waiting.push(Waiting { index, first, open });
    }

    /// Looks for the phone of an input; a pipe can be read only once.
    fn look(&mut self, index: usize) {
        let spent: u64 = self.looked.iter().map(|looked| looked.packets).sum();
        let source = self.fates.get(index).map(|(source, _)| source);
        let looked = source
            .filter(|source| !is_pipe(source))
            .map(|source| phones::look(source, MOST_LOOKED_AT.saturating_sub(spent)));
        self.looked.push(looked.unwrap_or_default());
    }

    /// Opens an input and reads up to its first packet.
    fn start(&mut self, index: usize) -> Option<Running> {
        let (source, fate) = self.fates.get_mut(index)?;
        match Capture::open(source) {
            Ok(capture) => {
                self.progress.push(capture.progress());
                let (next, payload) = (None, Vec::new());
                let mut running = Running {
                    index,
                    capture,
                    number: 0,
                    has_cellular: false,
                    next,
                    payload,
                    counted_bytes: 0,
                };
                running.advance();
                Some(running)
            }
            Err(error) => {
                *fate = Fate::Failed(error);
                None
            }
        }
    }

    /// Takes out the running input whose packet is the earliest; opens the inputs whose time has
    /// come.
    fn choose(&mut self) -> Option<Running> {
        let earliest = |running: &BTreeMap<(Instant, usize), Running>| {
            running.first_key_value().map_or(Instant::MAX, |((time, _), _)| *time)
        };
        while let Some(waiting) = self.waiting.pop_if(|w| w.first <= earliest(&self.running)) {
            let Waiting { index, first, open } = waiting;
            if let Some(mut running) = open.or_else(|| self.start(index)) {
                running.number = self.captures.begin(index, first);
                running.has_cellular =
                    self.looked.get(index).is_some_and(|looked| looked.has_cellular);
                self.count(&mut running);
                self.running.insert(running.key(), running);
            }
        }
        self.running.pop_first().map(|(_, running)| running)
    }

    /// The time at which the next packet of any other input is due.
    fn next_time(&self) -> Instant {
        let running = self.running.first_key_value().map(|((time, _), _)| *time);
        let waiting = self.waiting.last().map(|waiting| waiting.first);
        running.into_iter().chain(waiting).min().unwrap_or(Instant::MAX)
    }

    /// Counts the memory of an open input again.
    fn count(&mut self, running: &mut Running) {
        let now = running.held_bytes();
        let before = mem::replace(&mut running.counted_bytes, now);
        self.held_bytes = self.held_bytes - before + now;
    }

    fn settle(&mut self, running: &Running) {
        self.held_bytes -= running.counted_bytes;
        let report = running.capture.report();
        self.captures.end(running.index, &report);
        if let Some((_, fate)) = self.fates.get_mut(running.index) {
            *fate = Fate::Read(Box::new(report));
        }
    }
}

impl Running {
    /// The time of the packet that waits, and the number of the input. An input that has ended
    /// comes after all others.
    fn key(&self) -> (Instant, usize) {
        (self.next.as_ref().map_or(Instant::MAX, |packet| packet.time), self.index)
    }

    fn held_bytes(&self) -> u64 {
        self.capture.held_bytes() + self.payload.capacity() as u64
    }

    /// Reads one packet and keeps it.
    fn advance(&mut self) {
        self.next = self.capture.next_packet().map(|packet| keep(&packet, &mut self.payload));
    }

    /// Passes packets on up to `limit`, and the waiting packet in any case; keeps the first packet
    /// after `limit`.
    fn run_until(
        &mut self,
        limit: Instant,
        mut take: impl FnMut(&Packet<'_>) -> ControlFlow<()>,
    ) -> ControlFlow<()> {
        if let Some(packet) = self.next.take() {
            let access = if self.has_cellular { packet.access } else { alone(packet.access) };
            let number = self.number;
            take(&Packet { payload: &self.payload, capture: number, access, ..packet })?;
        }
        while let Some(mut packet) = self.capture.next_packet() {
            packet.capture = self.number;
            if packet.access != Access::Unknown && !self.has_cellular {
                packet.access = alone(packet.access);
            }
            if packet.time > limit {
                self.next = Some(keep(&packet, &mut self.payload));
                break;
            }
            take(&packet)?;
        }
        ControlFlow::Continue(())
    }
}

/// The network of an interface in a capture without a cellular one: a tunnel or a cable may lead to
/// a cellular network as well as to any other.
const fn alone(access: Access) -> Access {
    match access {
        Access::Cellular | Access::Wlan => access,
        _ => Access::Unknown,
    }
}

/// Whether a source is a pipe, which cannot be read twice.
pub(crate) fn is_pipe(source: &Source) -> bool {
    match &source.place {
        Place::Stdin => true,
        Place::Link(_) => false,
        Place::File(path) => path.exists() && !path.is_file(),
    }
}

/// A copy of a packet without its payload, which is copied into `payload`.
fn keep(packet: &Packet<'_>, payload: &mut Vec<u8>) -> Packet<'static> {
    payload.clear();
    payload.extend_from_slice(packet.payload);
    Packet { payload: &[], ..packet.clone() }
}

#[cfg(test)]
mod tests {
    use std::path::PathBuf;

    use super::*;

    /// Writes a raw-IP capture with one packet, without payload, at each of these seconds; `host`
    /// is the last octet of the source address.
    #[expect(clippy::disallowed_methods, reason = "the test writes its own input")]
    fn capture(folder: &tempfile::TempDir, host: u8, seconds: &[u32]) -> Source {
        let header: [u32; 6] = [0xa1b2_c3d4, 0x0004_0002, 0, 0, 65_535, 101];
        let mut bytes: Vec<u8> = header.iter().flat_map(|word| word.to_le_bytes()).collect();
        for second in seconds {
            bytes.extend([*second, 0, 20, 20].iter().flat_map(|word| word.to_le_bytes()));
            bytes.extend([
                0x45, 0, 0, 20, 0, 0, 0x40, 0, 64, 253, 0, 0, 10, 0, 0, host, 10, 9, 9, 9,
            ]);
        }
        let path: PathBuf = folder.path().join(format!("{host}.pcap"));
        std::fs::write(&path, bytes).unwrap();
        Source::file(path)
    }

    /// The second and the host of each packet, in the order of the stream.
    fn order(sources: Vec<Source>) -> Vec<(i64, u8)> {
        let mut seen = Vec::new();
        let done = Feed::open(sources).run(|packet, _| {
            let second = packet.time.as_nanos() / 1_000_000_000;
            seen.push((second, packet.source.bits() as u8));
            ControlFlow::Continue(())
        });
        assert!(done.is_continue());
        seen
    }

    #[test]
    fn overlapping_captures_are_merged_and_others_follow() {
        let folder = tempfile::tempdir().unwrap();
        let late = capture(&folder, 1, &[20, 21]);
        let long = capture(&folder, 2, &[1, 4, 9, 30]);
        let short = capture(&folder, 3, &[2, 3, 5]);
        let seen = order(vec![late, long, short]);
        let expected = [(1, 2), (2, 3), (3, 3), (4, 2), (5, 3), (9, 2), (20, 1), (21, 1), (30, 2)];
        assert_eq!(seen, expected);
    }

    #[test]
    fn a_clock_that_steps_back_keeps_the_order_of_its_file() {
        let folder = tempfile::tempdir().unwrap();
        let stepping = capture(&folder, 1, &[10, 12, 3, 4]);
        let other = capture(&folder, 2, &[11, 13]);
        let seen = order(vec![stepping, other]);
        assert_eq!(seen, [(10, 1), (11, 2), (12, 1), (3, 1), (4, 1), (13, 2)]);
    }

    #[test]
    fn many_inputs_at_once_take_a_small_block_each() {
        let folder = tempfile::tempdir().unwrap();
        let paths: Vec<String> =
            (0..200).map(|host| capture(&folder, host, &[1, 2, 3]).to_string()).collect();
        let mut feed = Feed::open(airmile_read::expand(&paths).unwrap());
        let mut most = 0;
        let done = feed.run(|_, feed| {
            most = most.max(feed.held_bytes());
            ControlFlow::Continue(())
        });
        assert!(done.is_continue());
        assert!((8 << 20..16 << 20).contains(&most), "{most} bytes");
        assert_eq!(feed.held_bytes(), 0);
    }

    #[test]
    fn every_input_has_its_fate() {
        let folder = tempfile::tempdir().unwrap();
        let sources = vec![
            capture(&folder, 1, &[1]),
            Source::file(folder.path().join("missing")),
            capture(&folder, 2, &[]),
            capture(&folder, 3, &[9]),
        ];
        let mut feed = Feed::open(sources);
        assert!(feed.run(|_, _| ControlFlow::Break(())).is_break());
        let fates: Vec<Fate> = feed.finish().0.into_iter().map(|settled| settled.fate).collect();
        let packets = |fate: &Fate| match fate {
            Fate::Read(report) => Some(report.counts.ip_packets),
            Fate::Failed(_) | Fate::Unread => None,
        };
        assert_eq!(fates.iter().map(packets).collect::<Vec<_>>(), [Some(1), None, Some(0), None]);
        assert!(matches!(fates[1], Fate::Failed(_)) && matches!(fates[3], Fate::Unread));
    }
}
