//! Reads DIAG logs: random bytes, and messages of every kind that airmile reads, in valid frames.

use std::io::Cursor;

use airmile_read::modem::{ModemLog, Record};

/// The codes of messages that are read.
const CODES: [u16; 20] = [
    0xb063, 0xb064, 0xb066, 0xb082, 0xb092, 0xb0c0, 0xb0c1, 0xb0c2, 0xb126, 0xb130, 0xb139, 0xb14e,
    0xb173, 0xb179, 0xb18a, 0xb193, 0xb821, 0xb067, 0xb16c, 0xb97f,
];

/// Reads arbitrary bytes as a log. The frame before the bytes makes airmile take them for a log.
pub(crate) fn read_any(input: &[u8]) {
    read(input.to_vec());
    read([&frame(&log(CODES[0], 0, 0, &[])), input].concat());
}

/// Reads messages. Each is one byte for its kind, one for the subscription, one for its length, two
/// for the milliseconds since the message before, and its payload.
pub(crate) fn read_messages(mut input: &[u8]) {
    let (mut bytes, mut stamp) = (Vec::new(), 65_189_753_366_723_782_u64);
    while let [kind, user, length, low, high, rest @ ..] = input {
        let (payload, left) = rest.split_at(rest.len().min(usize::from(*length) * 4));
        stamp += u64::from(u16::from_le_bytes([*low, *high])) * 52_429;
        let code = CODES[usize::from(*kind) % CODES.len()];
        bytes.extend(frame(&log(code, *user, stamp, payload)));
        input = left;
    }
    read(bytes);
}

fn read(bytes: Vec<u8>) {
    let size = bytes.len();
    let Ok(mut log) = ModemLog::from_reader("fuzz", Cursor::new(bytes)) else { return };
    let mut records = Vec::<Record>::new();
    while log.read(&mut records) {}
    log.refine(&mut records.iter_mut().filter_map(Record::subframe));
    // A record takes at least one byte of a message.
    assert!(records.len() <= size);
    let report = log.report();
    assert!(report.notes.problems.len() <= 100);
}

fn log(code: u16, user: u8, stamp: u64, payload: &[u8]) -> Vec<u8> {
    let length = (payload.len() as u16 + 12).to_le_bytes();
    let mut packet = vec![0x98, 1, 0, 0, user % 3, 0, 0, 0, 0x10, 0];
    packet.extend([length, length, code.to_le_bytes()].concat());
    packet.extend(stamp.to_le_bytes());
    packet.extend(payload);
    packet
}

fn frame(packet: &[u8]) -> Vec<u8> {
    let shift = |sum: u16| if sum & 1 == 1 { (sum >> 1) ^ 0x8408 } else { sum >> 1 };
    let byte = |sum, byte: &u8| (0..8).fold(sum ^ u16::from(*byte), |sum, _| shift(sum));
    let sum = !packet.iter().fold(0xffff, byte);
    let mut frame = Vec::with_capacity(packet.len() + 8);
    for byte in packet.iter().copied().chain(sum.to_le_bytes()) {
        match byte {
            0x7d | 0x7e => frame.extend([0x7d, byte ^ 0x20]),
            _ => frame.push(byte),
        }
    }
    frame.push(0x7e);
    frame
}
