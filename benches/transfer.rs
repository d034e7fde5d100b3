//! The packets of one long download, for the micro-benchmarks of `track` and `analyze`.

use airmile_read::{Fragment, Packet, TcpFlags, TcpHeader, TcpOptions, Timestamps, Transport};
use airmile_types::{Address, Instant};

/// The kinds of downloads. `clean`: an ACK for every second segment. `losses`: every 50th segment
/// is lost behind the capture point, reported by SACK, and retransmitted. `window`: as `clean`,
/// against a small window.
pub(crate) const KINDS: [&str; 3] = ["clean", "losses", "window"];

const SEGMENTS: u32 = 20_000;
const BYTES: u32 = 1400;
/// The number of segments in flight.
const FLIGHT: u32 = 40;
const LOST_EVERY: u32 = 50;
const GAP_NS: i64 = 100_000;

/// The packets, in the order in which they pass the capture point.
pub(crate) fn packets(kind: &str) -> Vec<Packet<'static>> {
    let mut clock = 1_700_000_000_000_000_000;
    let mut next = move || {
        clock += GAP_NS;
        clock
    };
    let field = if kind == "window" { FLIGHT as u16 * 11 } else { 30_000 };
    let syn = TcpOptions { mss: Some(1460), window_scale: Some(7), sack_permitted: true, ..none() };
    let mut packets = vec![
        packet(next(), true, TcpFlags::SYN, (0, 0), 0, syn, field),
        packet(next(), false, TcpFlags::SYN | TcpFlags::ACK, (0, 1), 0, syn, field),
        packet(next(), true, TcpFlags::ACK, (1, 1), 0, none(), field),
    ];
    let lost = |segment: u32| kind == "losses" && segment % LOST_EVERY == LOST_EVERY - 1;
    for segment in 0..SEGMENTS {
        packets.push(data(next(), segment, field));
        let Some(arrived) = segment.checked_sub(FLIGHT) else { continue };
        let hole = (arrived.saturating_sub(FLIGHT)..=arrived).find(|s| lost(*s));
        if let Some(hole) = hole.filter(|hole| arrived > *hole) {
            let sack = TcpOptions {
                sack_blocks: [(at(hole + 1), at(arrived + 1)), (0, 0), (0, 0), (0, 0)],
                sack_count: 1,
                ..none()
            };
            packets.push(ack(next(), hole, sack, field));
            if arrived == hole + 3 {
                packets.push(data(next(), hole, field));
            }
        } else if arrived % 2 == 1 {
            packets.push(ack(next(), arrived + 1, none(), field));
        }
    }
    packets
}

fn none() -> TcpOptions {
    TcpOptions { timestamps: Some(Timestamps { value: 1, echo: 1 }), ..TcpOptions::default() }
}

fn at(segment: u32) -> u32 {
    1 + segment * BYTES
}

fn data(time: i64, segment: u32, field: u16) -> Packet<'static> {
    packet(time, false, TcpFlags::ACK, (at(segment), 1), BYTES, none(), field)
}

fn ack(time: i64, segment: u32, options: TcpOptions, field: u16) -> Packet<'static> {
    packet(time, true, TcpFlags::ACK, (1, at(segment)), 0, options, field)
}

fn packet(
    time: i64,
    from_phone: bool,
    flags: TcpFlags,
    (sequence, acknowledgement): (u32, u32),
    payload_bytes: u32,
    mut options: TcpOptions,
    window: u16,
) -> Packet<'static> {
    let milliseconds = (time / 1_000_000) as u32;
    options.timestamps =
        Some(Timestamps { value: milliseconds, echo: milliseconds.wrapping_sub(20) });
    let (phone, server) = (Address::v4([10, 0, 0, 1]), Address::v4([203, 0, 113, 9]));
    let (source, destination) = if from_phone { (phone, server) } else { (server, phone) };
    let (source_port, destination_port) = if from_phone { (40_000, 443) } else { (443, 40_000) };
    Packet {
        time: Instant::from_nanos(time),
        frame: 0,
        source,
        destination,
        ip_protocol: 6,
        ip_version: 4,
        hop_limit: 60,
        ecn: 0,
        ip_id: sequence as u16,
        fragment: Fragment::Whole,
        teid: None,
        interface: 0,
        capture: 0,
        access: airmile_read::Access::Unknown,
        outgoing: None,
        super_segment: false,
        ip_bytes: payload_bytes + 52,
        payload_bytes,
        payload: &[],
        transport: Transport::Tcp(TcpHeader {
            source_port,
            destination_port,
            sequence,
            acknowledgement,
            flags,
            window,
            options,
        }),
    }
}
