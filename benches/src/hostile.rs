//! Writes a capture that is made to fill memory and to cost time: packets that open a state of
//! their own and never end it, mixed with connections whose scoreboards are kept as fragmented as
//! possible.

use std::io::{self, Write};

use crate::frame::{ACK, PSH, SYN, Tcp, frame, scatter};
use crate::many;
use crate::writer::{Out, create, file_header, record};

/// The time between packets is one microsecond: a hundred million packets last 100 s, less than one
/// `flow_gap`.
const GAP_NS: u64 = 1_000;
const START_NS: u64 = 1_700_000_000_000_000_000;
/// The greatest error of a wrong clock, in either direction.
const CLOCK_ERROR_NS: u64 = 2_000_000_000;

const SERVER: [u8; 4] = [203, 0, 113, 9];
const DATA: u8 = ACK | PSH;
/// The number of connections whose data arrives in pieces of 8 bytes all over a window of 64 MB.
const TORN: u64 = 64;
const TORN_WINDOW: u64 = 1 << 26;
const PIECE_BYTES: u16 = 8;
/// The options NOP, NOP and SACK with three blocks (RFC 2018 section 3).
const SACK: [u8; 4] = [1, 1, 5, 26];

/// Writes `packets` packets; the same number gives the same packets.
///
/// # Errors
/// Returns the error of the system, with the name of the file.
pub(crate) fn write(out: &str, packets: u64) -> io::Result<u64> {
    let mut out = create(out)?;
    file_header(&mut out)?;
    let mut bytes = Vec::new();
    for number in 0..packets {
        packet(&mut out, number, &mut bytes)?;
    }
    out.flush()?;
    Ok(packets)
}

fn packet(out: &mut Out, number: u64, bytes: &mut Vec<u8>) -> io::Result<()> {
    let random = scatter(number);
    let time = START_NS + number * GAP_NS;
    let tcp = |packet: Tcp, options: &[u8], out: &mut Out, bytes: &mut Vec<u8>| {
        let wire = frame(&packet, options, bytes);
        record(out, time, bytes, wire)
    };
    match random % 32 {
        0..4 => tcp(syn(random), &[], out, bytes),
        4..9 => many::packet("flows", number, time, out),
        9..12 => many::packet("phones", number, time, out),
        12..15 => many::packet("names", number, time, out),
        15..18 => many::packet("tunnels", number, time, out),
        18..21 => many::packet("fragments", number, time, out),
        21..23 => tcp(mid_stream(random), &[], out, bytes),
        23..27 => tcp(torn_data(number, random), &[], out, bytes),
        27..29 => tcp(torn_ack(number), &sack(random), out, bytes),
        29 => {
            let wire = frame(&torn_data(number, random), &[], bytes);
            let error = (random >> 32) & (CLOCK_ERROR_NS.next_power_of_two() - 1);
            record(out, time + error - CLOCK_ERROR_NS / 2, bytes, wire)
        }
        _ => record(out, time, &noise(random), 60),
    }
}

/// A connection attempt of a new phone.
fn syn(random: u64) -> Tcp {
    Tcp {
        source: ((random >> 32) as u32).to_be_bytes(),
        destination: SERVER,
        source_port: (random >> 16) as u16 | 1024,
        destination_port: 443,
        sequence: random as u32,
        flags: SYN,
        window: 1024,
        ..Tcp::default()
    }
}

/// A packet from the middle of a new connection, whose state cannot wait for a handshake.
fn mid_stream(random: u64) -> Tcp {
    Tcp { flags: DATA, acknowledgement: 1, payload_bytes: 512, ..syn(random.rotate_left(17)) }
}

/// Eight bytes at a random place in the window of one of a few connections.
fn torn_data(number: u64, random: u64) -> Tcp {
    Tcp {
        source: SERVER,
        destination: [10, 99, 0, (number % TORN) as u8],
        source_port: 443,
        destination_port: 50_000,
        sequence: ((random >> 24) & (TORN_WINDOW - 1)) as u32,
        acknowledgement: 1,
        flags: DATA,
        window: u16::MAX,
        payload_bytes: PIECE_BYTES,
    }
}

/// The answer on the same connection, which contains only the selected options.
fn torn_ack(number: u64) -> Tcp {
    let data = torn_data(number, 0);
    Tcp {
        source: data.destination,
        destination: data.source,
        source_port: data.destination_port,
        destination_port: data.source_port,
        sequence: 1,
        acknowledgement: 1,
        flags: ACK,
        payload_bytes: 0,
        ..data
    }
}

/// Three blocks far from each other; the last block covers half of the window.
fn sack(random: u64) -> Vec<u8> {
    let mut options = SACK.to_vec();
    for (block, bytes) in
        [u32::from(PIECE_BYTES), 4096, (TORN_WINDOW / 2) as u32].iter().enumerate()
    {
        let start = (scatter(random ^ block as u64) & (TORN_WINDOW - 1)) as u32;
        options.extend_from_slice(&start.to_be_bytes());
        options.extend_from_slice(&start.wrapping_add(*bytes).to_be_bytes());
    }
    options
}

/// Sixty random bytes; every second packet begins like IPv4 in Ethernet.
fn noise(random: u64) -> [u8; 60] {
    let mut bytes = [0; 60];
    for (place, chunk) in bytes.chunks_mut(8).enumerate() {
        let word = scatter(random ^ place as u64).to_be_bytes();
        chunk.copy_from_slice(word.get(..chunk.len()).unwrap_or_default());
    }
    if random >> 63 == 1 {
        bytes[12..15].copy_from_slice(&[8, 0, 0x45]);
    }
    bytes
}
