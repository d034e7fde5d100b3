//! Compares the memory that busy flows report with the memory that they have allocated.
#![allow(missing_docs, reason = "tests write their own inputs")]

use std::alloc::{GlobalAlloc, Layout, System};
use std::sync::atomic::{AtomicUsize, Ordering};

use airmile_analyze::{Engine, FlowRow, Output};
use airmile_read::{Packet, TcpFlags, TcpHeader, TcpOptions, Timestamps, Transport};
use airmile_track::{TrackConfig, Tracker};
use airmile_types::{Address, Duration, Instant, Parameters};

#[global_allocator]
static ALLOCATOR: Counting = Counting;
static TAKEN: AtomicUsize = AtomicUsize::new(0);

struct Counting;

#[expect(unsafe_code, reason = "there is no other way to count; each call is handed on as it came")]
// SAFETY: every method passes its arguments on to the system's allocator and returns its result.
unsafe impl GlobalAlloc for Counting {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        TAKEN.fetch_add(layout.size(), Ordering::Relaxed);
        // SAFETY: as above.
        unsafe { System.alloc(layout) }
    }

    unsafe fn dealloc(&self, memory: *mut u8, layout: Layout) {
        TAKEN.fetch_sub(layout.size(), Ordering::Relaxed);
        // SAFETY: as above.
        unsafe { System.dealloc(memory, layout) }
    }
}

struct Nothing;

impl Output for Nothing {
    fn flow(&mut self, _: &FlowRow<'_>) {}

    fn rows<T: airmile_types::EventTable>(&mut self, rows: &mut Vec<T>) {
        rows.clear();
    }
}

const HOSTS: u8 = 30;
/// The round-trip times from the capture point to the server and to the phone.
const SERVER_MS: u32 = 10;
const PHONE_MS: u32 = 20;
const SEGMENT_BYTES: u32 = 1000;
/// The greatest number of open look-ups: with one more, the oldest ends and makes a row.
const OPEN_LOOK_UPS: u32 = 60;

/// The traffic of each phone.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Load {
    /// The phone receives a segment in each millisecond.
    Download,
    /// A download without TCP timestamps.
    Unstamped,
    /// A download of which one segment in a hundred is lost after the capture point.
    Lossy,
    /// The phone sends a segment in each millisecond.
    Upload,
    /// In each millisecond the phone looks a name up, and the answer to a query arrives that was
    /// not captured. A query with its answer would make a row, which belongs to no flow.
    LookUps,
}

/// The packets of one phone in one millisecond.
fn packets(load: Load, host: u8, ms: u32) -> Vec<Sent> {
    if load == Load::LookUps {
        let query = (ms < OPEN_LOOK_UPS).then(|| Sent::look_up(host, ms, ms, true));
        let answer = Sent::look_up(host, ms, ms + OPEN_LOOK_UPS, false);
        return query.into_iter().chain([answer]).collect();
    }
    let receives = match ms {
        0..=3 => ms == 1,
        _ => true,
    };
    let sends = matches!(ms, 0 | 3) || ms > 3 + PHONE_MS;
    let data = receives.then(|| Sent::segment(load, host, ms, false));
    let again = (load == Load::Lossy).then(|| Sent::again(host, ms)).flatten();
    let ack = sends.then(|| Sent::segment(load, host, ms, true));
    [data, again, ack].into_iter().flatten().collect()
}

/// A packet of the phone 10.0.0.`host`.
struct Sent {
    time: Instant,
    /// Whether the phone sends it to the server.
    up: bool,
    host: u8,
    payload: Vec<u8>,
    payload_bytes: u32,
    transport: Transport,
}

impl Sent {
    /// One packet of a transfer that begins with a handshake and a request; `asks` is true for the
    /// side that opened the transfer.
    fn segment(load: Load, host: u8, ms: u32, asks: bool) -> Self {
        let passed = SEGMENT_BYTES * ms.saturating_sub(if asks { 3 + PHONE_MS } else { 4 });
        let (flags, sequence, acknowledgement, payload_bytes) = match (ms, asks) {
            (0, true) => (TcpFlags::SYN, 0, 0, 0),
            (1, false) => (TcpFlags::SYN | TcpFlags::ACK, 0, 1, 0),
            (3, true) => (TcpFlags::ACK, 1, 1, 100),
            (_, true) => (TcpFlags::ACK, 101, 1 + passed, 0),
            (_, false) => (TcpFlags::ACK, 1 + passed, 101, SEGMENT_BYTES),
        };
        let loop_ms = if asks { PHONE_MS } else { SERVER_MS };
        let opens = flags.has(TcpFlags::SYN);
        let timestamps = Timestamps { value: ms, echo: ms.saturating_sub(loop_ms) };
        let mut header = TcpHeader {
            source_port: if asks { 40_000 } else { 443 },
            destination_port: if asks { 443 } else { 40_000 },
            sequence,
            acknowledgement,
            flags,
            window: 5000,
            options: TcpOptions {
                mss: opens.then_some(1460),
                window_scale: opens.then_some(7),
                sack_permitted: opens,
                timestamps: (load != Load::Unstamped).then_some(timestamps),
                ..TcpOptions::default()
            },
        };
        if let Some(lost) = lost(ms).filter(|_| load == Load::Lossy && asks)
            && (lost + PHONE_MS..lost + 55).contains(&ms)
        {
            header.acknowledgement = number(lost);
            header.options.sack_blocks[0] = (number(lost + 1), number(ms - PHONE_MS + 1));
            header.options.sack_count = 1;
        }
        let up = asks != (load == Load::Upload);
        let time = at(ms);
        Self {
            time,
            up,
            host,
            payload: Vec::new(),
            payload_bytes,
            transport: Transport::Tcp(header),
        }
    }

    /// The retransmission of the newest lost segment, when it is due.
    fn again(host: u8, ms: u32) -> Option<Self> {
        let lost = lost(ms).filter(|lost| lost + 35 == ms)?;
        let mut sent = Self::segment(Load::Lossy, host, ms, false);
        let Transport::Tcp(header) = &mut sent.transport else { return None };
        header.sequence = number(lost);
        Some(sent)
    }

    /// A query with the number `asked`, or its answer with one address (RFC 1035 section 4.1).
    fn look_up(host: u8, ms: u32, asked: u32, up: bool) -> Self {
        let (flags, answers) = if up { (0x0100_u16, 0_u8) } else { (0x8180, 1) };
        let mut payload = (asked as u16).to_be_bytes().to_vec();
        payload.extend(flags.to_be_bytes());
        payload.extend([0, 1, 0, answers, 0, 0, 0, 0, 14]);
        payload.extend(format!("host-{asked:09}").bytes());
        payload.extend(b"\x07example\0\0\x01\0\x01");
        if !up {
            payload.extend(b"\xc0\x0c\0\x01\0\x01\0\0\0\x3c\0\x04");
            payload.extend((0x0100_0000 + asked).to_be_bytes());
        }
        let (source_port, destination_port) = if up { (50_000, 53) } else { (53, 50_000) };
        let transport = Transport::Udp { source_port, destination_port };
        Self { time: at(ms), up, host, payload_bytes: payload.len() as u32, payload, transport }
    }

    fn packet(&self) -> Packet<'_> {
        let (phone, server) = (Address::v4([10, 0, 0, self.host]), Address::v4([192, 0, 2, 1]));
        let (source, destination) = if self.up { (phone, server) } else { (server, phone) };
        Packet {
            time: self.time,
            frame: 1,
            source,
            destination,
            ip_protocol: if matches!(self.transport, Transport::Tcp(_)) { 6 } else { 17 },
            ip_version: 4,
            hop_limit: 64,
            ip_bytes: 52 + self.payload_bytes,
            payload_bytes: self.payload_bytes,
            payload: &self.payload,
            transport: self.transport,
            ..Packet::default()
        }
    }
}

fn at(ms: u32) -> Instant {
    Instant::default() + Duration::from_millis(i64::from(ms))
}

/// The sequence number of the segment sent in this millisecond.
fn number(ms: u32) -> u32 {
    1 + SEGMENT_BYTES * (ms - 4)
}

/// The millisecond of the newest lost segment.
fn lost(ms: u32) -> Option<u32> {
    (ms + 50).checked_sub(100).map(|since| since / 100 * 100 + 50)
}

/// The bytes that the phones' flows have allocated after a time, and the bytes that they report.
fn taken_and_counted(load: Load, length_ms: u32) -> (usize, usize) {
    let before = TAKEN.load(Ordering::Relaxed);
    let mut tracker =
        Tracker::new(TrackConfig::default(), Engine::new(Parameters::default(), Nothing));
    let empty = TAKEN.load(Ordering::Relaxed) - before;
    for ms in 0..length_ms {
        for host in 1..=HOSTS {
            for sent in packets(load, host, ms) {
                tracker.packet(&sent.packet());
            }
        }
    }
    let taken = TAKEN.load(Ordering::Relaxed) - before - empty;
    (taken, tracker.held().map(|each| each.bytes as usize).sum())
}

#[test]
fn what_flows_have_taken_is_counted() {
    let lengths = [1, 4, 40, 300, 1500, 5000];
    for load in [Load::Download, Load::Unstamped, Load::Lossy, Load::Upload, Load::LookUps] {
        for length_ms in lengths {
            let (taken, counted) = taken_and_counted(load, length_ms);
            let hosts = usize::from(HOSTS);
            let (each, all) = (counted / hosts, taken / hosts);
            let said = format!("{load:?}, {length_ms} ms: {each} of {all} bytes a phone");
            assert!(counted * 10 >= taken * 9, "too little is counted after {said}");
            assert!(counted * 10 <= taken * 11, "too much is counted after {said}");
        }
    }
}
