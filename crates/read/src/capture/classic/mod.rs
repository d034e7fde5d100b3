//! Reads classic pcap: a 24-byte file header, then records (tcpdump.org, pcap-savefile(5)).

mod header;
mod repair;

pub(super) use header::{FILE_HEADER, RECORD_HEADER, is_magic};

use airmile_types::Instant;

use self::header::{Header, Judgement, KUZNETZOV_HEADER, is_usual, magic};
use crate::bytes::{Order, chunk};
use crate::capture::log::Log;
use crate::capture::record::{DAY_NS, Record};
use crate::capture::window::Window;
use crate::decode::device::Access;
use crate::link_type::LinkType;

/// Reads the records of a file one after another.
pub(crate) struct Classic {
    order: Order,
    /// The number of nanoseconds in one unit of the fraction field.
    unit_ns: u32,
    /// The number of units in a second.
    units: u32,
    header: usize,
    /// Whether the two lengths may be swapped: writers before version 2.4 put the wire length first
    /// (libpcap, sf-pcap.c).
    maybe_swapped: bool,
    /// The number of bytes kept of each frame; 0 if the file does not contain it.
    pub(crate) snap_length: u32,
    pub(crate) link_number: u32,
    pub(crate) link: Option<LinkType>,
    fcs_bytes: usize,
    /// The number of units in a second for [`Classic::ordinary`]. It is 0 in files that this
    /// function does not read, so that no fraction is below it.
    ordinary_units: u32,
    /// The time of the record before, in nanoseconds; `i64::MIN` before the first record.
    last: i64,
}

/// The fields of an ordinary record, small enough for registers.
#[derive(Clone, Copy)]
pub(crate) struct Ordinary {
    pub(crate) time: Instant,
    pub(crate) captured: usize,
    pub(crate) wire: usize,
}

impl Classic {
    /// Reads the file header; `None` if the magic number belongs to another format.
    pub(crate) fn new(h: &[u8; FILE_HEADER]) -> Option<Self> {
        let (order, unit_ns, header) = magic([h[0], h[1], h[2], h[3]])?;
        let at = |i| order.u32_at(h, i).unwrap_or_default();
        let version = (order.u16([h[4], h[5]]), order.u16([h[6], h[7]]));
        let network = at(20);
        // The upper bits of the field are the FCS length in 16-bit words, if bit 26 is set.
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

    /// The length of the header of a record, in bytes.
    pub(crate) const fn record_header(&self) -> usize {
        self.header
    }

    /// The name of the format, such as `pcap-us-le`.
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

    /// The record at the start of `seen`, if it needs no further checks: it is little-endian and
    /// complete, its header is plausible on its own, and its time is not before that of the last
    /// record. Otherwise nothing changes, and [`Classic::next`] reads the record. Both give the
    /// same record (a test compares them).
    #[inline(always)]
    pub(crate) fn ordinary(&self, seen: &[u8]) -> Option<Ordinary> {
        let header = Header::little_endian(seen.first_chunk()?);
        let (captured, wire) = (header.captured as usize, header.wire as usize);
        let time = self.time(&header);
        // Before the first record, `last` is so early that no step from it is less than a day.
        let step = time.wrapping_sub(self.last) as u64;
        let ordinary = is_usual(&header, self.ordinary_units) && step < DAY_NS;
        let whole = ordinary && RECORD_HEADER + captured <= seen.len();
        let time = Instant::from_nanos(time);
        whole.then_some(Ordinary { time, captured, wire })
    }

    /// Notes that an ordinary record was read.
    #[inline(always)]
    pub(crate) const fn take(&mut self, ordinary: &Ordinary) {
        self.last = ordinary.time.as_nanos();
    }

    /// An ordinary record in the general form.
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
            access: Access::Unknown,
        }
    }

    /// The next plausible record.
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
        // No length includes the frame check sequence; if it was captured, it is cut off.
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
            access: Access::Unknown,
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
}
