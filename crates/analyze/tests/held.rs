//! What busy flows hold, as it is counted, beside what they have taken from the allocator.
#![allow(missing_docs, reason = "tests write their own inputs")]

use std::alloc::{GlobalAlloc, Layout, System};
use std::sync::atomic::{AtomicUsize, Ordering};

use airmile_analyze::{Engine, FlowRow, Output};
use airmile_read::{Fragment, Packet, TcpFlags, TcpHeader, TcpOptions, Timestamps, Transport};
use airmile_track::{TrackConfig, Tracker};
use airmile_types::{Address, Duration, Instant, Parameters};

#[global_allocator]
static ALLOCATOR: Counting = Counting;
static TAKEN: AtomicUsize = AtomicUsize::new(0);

struct Counting;

#[expect(unsafe_code, reason = "there is no other way to count; each call is handed on as it came")]
// SAFETY: every method hands its arguments to the system's allocator and returns what it gave.
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

const FLOWS: u8 = 30;
/// From the tap to the server and back, and to the phone and back.
const SERVER_MS: u32 = 10;
const PHONE_MS: u32 = 20;
const SEGMENT_BYTES: u32 = 1000;

/// A packet of the download of phone 10.0.0.`host`: at most one each way in a millisecond.
struct Sent {
    host: u8,
    ms: u32,
    up: bool,
    flags: TcpFlags,
    sequence: u32,
    acknowledgement: u32,
    payload_bytes: u32,
}

impl Sent {
    /// Packet `ms` of a download that has begun with a handshake and a request.
    fn new(host: u8, ms: u32, up: bool) -> Self {
        let passed = SEGMENT_BYTES * ms.saturating_sub(if up { 3 + PHONE_MS } else { 4 });
        let (flags, sequence, acknowledgement, payload_bytes) = match (ms, up) {
            (0, true) => (TcpFlags::SYN, 0, 0, 0),
            (1, false) => (TcpFlags::SYN | TcpFlags::ACK, 0, 1, 0),
            (3, true) => (TcpFlags::ACK, 1, 1, 100),
            (_, true) => (TcpFlags::ACK, 101, 1 + passed, 0),
            (_, false) => (TcpFlags::ACK, 1 + passed, 101, SEGMENT_BYTES),
        };
        Self { host, ms, up, flags, sequence, acknowledgement, payload_bytes }
    }

    fn packet(&self) -> Packet<'static> {
        let (phone, server) = (Address::v4([10, 0, 0, self.host]), Address::v4([192, 0, 2, 1]));
        let (here, there) = ((phone, 40_000), (server, 443));
        let (from, to) = if self.up { (here, there) } else { (there, here) };
        let loop_ms = if self.up { PHONE_MS } else { SERVER_MS };
        let timestamps = Timestamps { value: self.ms, echo: self.ms.saturating_sub(loop_ms) };
        let opens = self.flags.has(TcpFlags::SYN);
        Packet {
            time: Instant::default() + Duration::from_millis(i64::from(self.ms)),
            frame: 1,
            source: from.0,
            destination: to.0,
            ip_protocol: 6,
            ip_version: 4,
            hop_limit: 64,
            ecn: 0,
            ip_id: 0,
            fragment: Fragment::Whole,
            teid: None,
            interface: 0,
            super_segment: false,
            ip_bytes: 52 + self.payload_bytes,
            payload_bytes: self.payload_bytes,
            payload: &[],
            transport: Transport::Tcp(TcpHeader {
                source_port: from.1,
                destination_port: to.1,
                sequence: self.sequence,
                acknowledgement: self.acknowledgement,
                flags: self.flags,
                window: 5000,
                options: TcpOptions {
                    mss: opens.then_some(1460),
                    window_scale: opens.then_some(7),
                    sack_permitted: opens,
                    timestamps: Some(timestamps),
                    ..TcpOptions::default()
                },
            }),
        }
    }
}

/// Bytes that `FLOWS` downloads of so many milliseconds have taken, and those that are counted.
fn taken_and_counted(length_ms: u32) -> (usize, usize) {
    let before = TAKEN.load(Ordering::Relaxed);
    let mut tracker =
        Tracker::new(TrackConfig::default(), Engine::new(Parameters::default(), Nothing));
    let empty = TAKEN.load(Ordering::Relaxed) - before;
    for ms in 0..length_ms {
        for up in [false, true] {
            let passes = match ms {
                0..=3 => (up && ms != 2 && ms != 1) || (!up && ms == 1),
                _ => !up || ms > 3 + PHONE_MS,
            };
            let hosts = (1..=FLOWS).filter(|_| passes);
            hosts.for_each(|host| tracker.packet(&Sent::new(host, ms, up).packet()));
        }
    }
    let taken = TAKEN.load(Ordering::Relaxed) - before - empty;
    (taken, tracker.held().map(|each| each.bytes as usize).sum())
}

#[test]
fn what_flows_have_taken_is_counted() {
    for length_ms in [1, 4, 40, 300, 1500, 5000] {
        let (taken, counted) = taken_and_counted(length_ms);
        let flows = usize::from(FLOWS);
        let said = format!("{length_ms} ms: {} of {} bytes a flow", counted / flows, taken / flows);
        assert!(counted * 10 >= taken * 9, "too little is counted after {said}");
        assert!(counted * 10 <= taken * 11, "too much is counted after {said}");
    }
}
