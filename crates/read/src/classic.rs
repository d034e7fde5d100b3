//! Classic pcap: a 24-byte file header, then records (tcpdump.org, pcap-savefile(5)).

use airmile_types::Instant;

use crate::bytes::{Order, chunk};
use crate::link_type::LinkType;
use crate::log::Log;
use crate::record::{DAY_NS, LARGEST_CAPTURED, LARGEST_PLAUSIBLE_WIRE, Record};
use crate::window::Window;

/// Length of the file header.
pub(crate) const FILE_HEADER: usize = 24;
/// Alexey Kuznetzov's variant has interface, protocol and packet type in each record header.
const KUZNETZOV_HEADER: usize = 24;
pub(crate) const RECORD_HEADER: usize = 16;
/// A snap length beyond this in the file header says nothing.
const LARGEST_SNAP: u32 = 16 << 20;

/// The walker over the records.
pub(crate) struct Classic {
    order: Order,
    /// Nanoseconds in one unit of the fraction field.
    unit_ns: u32,
    /// Units in a second.
    units: u32,
    header: usize,
    /// Writers before version 2.4 put the wire length first (libpcap, sf-pcap.c).
    maybe_swapped: bool,
    /// 0 when the file does not say.
    pub(crate) snap_length: u32,
    pub(crate) link_number: u32,
    pub(crate) link: Option<LinkType>,
    fcs_bytes: usize,
    /// Units in a second for [`Classic::ordinary`]; 0, which none is below, in other files.
    ordinary_units: u32,
    /// Time of the record before, in nanoseconds; the least number before the first.
    last: i64,
}

/// The four numbers of a record header.
#[derive(Clone, Copy)]
struct Header {
    seconds: u32,
    fraction: u32,
    captured: u32,
    wire: u32,
}

/// What there is to know of an ordinary record, small enough for registers.
#[derive(Clone, Copy)]
pub(crate) struct Ordinary {
    pub(crate) time: Instant,
    pub(crate) captured: usize,
    pub(crate) wire: usize,
}

#[derive(PartialEq, Eq)]
enum Judgement {
    Fine,
    /// To be believed only when another record follows.
    Odd,
    Corrupt,
}

impl Header {
    #[inline]
    const fn little_endian(h: &[u8; RECORD_HEADER]) -> Self {
        Self {
            seconds: u32::from_le_bytes([h[0], h[1], h[2], h[3]]),
            fraction: u32::from_le_bytes([h[4], h[5], h[6], h[7]]),
            captured: u32::from_le_bytes([h[8], h[9], h[10], h[11]]),
            wire: u32::from_le_bytes([h[12], h[13], h[14], h[15]]),
        }
    }
}

impl Classic {
    /// Reads the file header, unless the magic number is another format's.
    pub(crate) fn new(h: &[u8; FILE_HEADER]) -> Option<Self> {
        let (order, unit_ns, header) = magic([h[0], h[1], h[2], h[3]])?;
        let at = |i| order.u32_at(h, i).unwrap_or_default();
        let version = (order.u16([h[4], h[5]]), order.u16([h[6], h[7]]));
        let network = at(20);
        // The upper bits of the field tell the FCS length in 16-bit words, when bit 26 is set.
        let fcs_bytes = if network & 1 << 26 != 0 { (network >> 28) as usize * 2 } else { 0 };
        let link_number = network & 0x03ff_ffff;
        let maybe_swapped = version < (2, 4);
        let ordinary =
            order == Order::Little && header == RECORD_HEADER && !maybe_swapped && fcs_bytes == 0;
        let units = 1_000_000_000 / unit_ns;
        Some(Self {
            order,
            unit_ns,
            units,
            header,
            maybe_swapped,
            snap_length: at(16),
            link_number,
            link: LinkType::from_number(link_number),
            fcs_bytes,
            ordinary_units: if ordinary { units } else { 0 },
            last: i64::MIN,
        })
    }

    /// `pcap-us-le` and the like.
    pub(crate) const fn name(&self) -> &'static str {
        match (self.unit_ns, self.order, self.header) {
            (_, Order::Little, KUZNETZOV_HEADER) => "pcap-kuznetzov-le",
            (_, Order::Big, KUZNETZOV_HEADER) => "pcap-kuznetzov-be",
            (1, Order::Little, _) => "pcap-ns-le",
            (1, Order::Big, _) => "pcap-ns-be",
            (_, Order::Little, _) => "pcap-us-le",
            (_, Order::Big, _) => "pcap-us-be",
        }
    }

    /// The record that `seen` begins with, when nothing about it asks for a closer look:
    /// little-endian, seen whole, fit to be believed by itself, and not before the last. Otherwise
    /// nothing has happened, and [`Classic::next`] says what it is; that gives the same (a test
    /// holds them together).
    #[inline(always)]
    pub(crate) fn ordinary(&self, seen: &[u8]) -> Option<Ordinary> {
        let header = Header::little_endian(seen.first_chunk()?);
        let (captured, wire) = (header.captured as usize, header.wire as usize);
        let time = self.time(&header);
        // Before the first record `last` is so early that no step from there is less than a day.
        let step = time.wrapping_sub(self.last) as u64;
        let ordinary = is_usual(&header, self.ordinary_units) && step < DAY_NS;
        let whole = ordinary && RECORD_HEADER + captured <= seen.len();
        let time = Instant::from_nanos(time);
        whole.then_some(Ordinary { time, captured, wire })
    }

    /// Steps over an ordinary record.
    #[inline(always)]
    pub(crate) const fn take(&mut self, ordinary: &Ordinary) {
        self.last = ordinary.time.as_nanos();
    }

    /// All that there is to say of an ordinary record.
    #[inline]
    pub(crate) const fn record(&self, ordinary: &Ordinary) -> Record {
        let &Ordinary { time, captured, wire } = ordinary;
        Record {
            time,
            start: RECORD_HEADER,
            captured,
            wire,
            bytes: RECORD_HEADER + captured,
            interface: 0,
            link: self.link,
            link_number: self.link_number,
        }
    }

    /// The next record that can be believed.
    #[inline(never)]
    pub(crate) fn next(&mut self, window: &mut Window, log: &mut Log) -> Option<Record> {
        loop {
            if !window.have(self.header) {
                log.end(window, "a record header", self.header);
                return None;
            }
            let header = self.header_at(window.bytes(), 0)?;
            let judgement = self.judge(&header);
            if judgement != Judgement::Fine && !self.believed(&header, &judgement, window, log) {
                if !self.resynchronise(&header, window, log) {
                    return None;
                }
                continue;
            }
            let bytes = self.header + header.captured as usize;
            if !window.have(bytes) {
                if !self.beyond_the_end(window, log, bytes) {
                    return None;
                }
                continue;
            }
            let record = self.any_record(&header);
            log.record(record.time);
            return Some(record);
        }
    }

    fn any_record(&mut self, header: &Header) -> Record {
        let time = self.time(header);
        self.last = time;
        let captured = header.captured as usize;
        let wire = (header.wire as usize).max(captured);
        // A check sequence is no part of any length; it is cut off where it was captured.
        let wire_bytes = wire.saturating_sub(self.fcs_bytes);
        Record {
            time: Instant::from_nanos(time),
            start: self.header,
            captured: captured.min(wire_bytes),
            wire: wire_bytes,
            bytes: self.header + captured,
            interface: 0,
            link: self.link,
            link_number: self.link_number,
        }
    }

    fn header_at(&self, bytes: &[u8], at: usize) -> Option<Header> {
        let h = chunk::<RECORD_HEADER>(bytes, at)?;
        let order = self.order;
        let seconds = order.u32([h[0], h[1], h[2], h[3]]);
        let fraction = order.u32([h[4], h[5], h[6], h[7]]);
        let mut captured = order.u32([h[8], h[9], h[10], h[11]]);
        let mut wire = order.u32([h[12], h[13], h[14], h[15]]);
        if self.maybe_swapped && captured > wire {
            std::mem::swap(&mut captured, &mut wire);
        }
        Some(Header { seconds, fraction, captured, wire })
    }

    #[inline]
    fn time(&self, header: &Header) -> i64 {
        i64::from(header.seconds) * 1_000_000_000
            + i64::from(header.fraction) * i64::from(self.unit_ns)
    }

    fn judge(&self, header: &Header) -> Judgement {
        let jump = self.time(header).abs_diff(self.last);
        let fine = is_usual(header, self.units) && jump < DAY_NS;
        if fine { Judgement::Fine } else { self.judge_odd(header) }
    }

    /// What no writer produces is corrupt; what some do is odd.
    fn judge_odd(&self, header: &Header) -> Judgement {
        let snap = if self.snap_length <= LARGEST_SNAP { self.snap_length } else { 0 };
        let empty = header.captured == 0 && header.wire == 0;
        let longer_than_frame = header.captured > header.wire && header.captured > snap && snap > 0;
        if empty || longer_than_frame || header.captured > LARGEST_CAPTURED.max(snap) {
            Judgement::Corrupt
        } else {
            Judgement::Odd
        }
    }

    /// An odd record is believed when what follows it has the shape of a record, or nothing does.
    fn believed(
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
            h.captured <= LARGEST_CAPTURED
                && h.wire <= LARGEST_PLAUSIBLE_WIRE
                && h.wire > 0
                && h.fraction < 1_000_000_000
        })
    }

    /// A record that is longer than the rest of the input: cut off, unless records follow its
    /// header, for then its length is wrong.
    #[cold]
    fn beyond_the_end(&self, window: &mut Window, log: &mut Log, wanted: usize) -> bool {
        let (offset, bytes) = (window.offset(), window.bytes());
        if let Some(at) = (1..bytes.len()).find(|at| self.two_records(bytes, *at)) {
            window.skip(at);
            log.resumed(offset, window.offset(), "a record's length exceeds the file");
            return true;
        }
        log.end(window, "a record", wanted);
        false
    }

    /// Looks for the next place where two records in a row make sense, and says what was lost.
    #[cold]
    fn resynchronise(&mut self, bad: &Header, window: &mut Window, log: &mut Log) -> bool {
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
        self.header_at(bytes, next).is_some_and(|h| self.sound(&h, self.time(&first)))
    }

    fn sound(&self, header: &Header, near: i64) -> bool {
        (1..=LARGEST_CAPTURED).contains(&header.captured)
            && header.captured <= header.wire
            && header.wire <= LARGEST_PLAUSIBLE_WIRE
            && header.fraction < self.units
            && (near == i64::MIN || self.time(header).abs_diff(near) < DAY_NS)
    }
}

/// Lengths and time within what any writer gives.
#[inline]
const fn is_usual(header: &Header, units: u32) -> bool {
    // One test, since all of it nearly always holds.
    (header.captured.wrapping_sub(1) < LARGEST_CAPTURED)
        & (header.captured <= header.wire)
        & (header.wire <= LARGEST_PLAUSIBLE_WIRE)
        & (header.fraction < units)
}

/// Byte order, nanoseconds in a unit, record header length.
const fn magic(bytes: [u8; 4]) -> Option<(Order, u32, usize)> {
    let little = u32::from_le_bytes(bytes);
    let big = u32::from_be_bytes(bytes);
    Some(match (little, big) {
        (0xa1b2_c3d4, _) => (Order::Little, 1_000, RECORD_HEADER),
        (_, 0xa1b2_c3d4) => (Order::Big, 1_000, RECORD_HEADER),
        (0xa1b2_3c4d, _) => (Order::Little, 1, RECORD_HEADER),
        (_, 0xa1b2_3c4d) => (Order::Big, 1, RECORD_HEADER),
        (0xa1b2_cd34, _) => (Order::Little, 1_000, KUZNETZOV_HEADER),
        (_, 0xa1b2_cd34) => (Order::Big, 1_000, KUZNETZOV_HEADER),
        _ => return None,
    })
}

/// Whether a file with these first bytes is a classic pcap.
pub(crate) const fn is_magic(bytes: [u8; 4]) -> bool {
    magic(bytes).is_some()
}
