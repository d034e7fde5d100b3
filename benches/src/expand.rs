//! Makes time-shifted copies of a recorded capture, each with other phones, and merges them by
//! time.
//!
//! Addresses 10.45.x.y become 10.(45 + copy).x.y, and the checksums of IP, TCP and UDP are adjusted
//! (RFC 1624). So every copy contains flows of its own that are as valid as the original.

use std::io::{self, Read, Write};

use crate::writer::{create, open};

const FILE_HEADER: usize = 24;
const RECORD_HEADER: usize = 16;

/// The second octet of the recorded phones.
const PHONES: u8 = 45;

/// Writes `copies` copies of the capture `base` (plain or zstd); copy k is `k * shift_ns` later.
pub(crate) fn expand(base: &str, out: &str, copies: u8, shift_ns: u64) -> io::Result<u64> {
    let capture = load(base)?;
    let mut out = create(out)?;
    out.write_all(capture.get(..FILE_HEADER).unwrap_or_default())?;
    let mut heads: Vec<usize> = vec![FILE_HEADER; copies.into()];
    let mut packets = 0;
    let mut frame = Vec::new();
    while let Some((copy, record, time_ns)) = earliest(&capture, &heads, shift_ns) {
        frame.clear();
        frame.extend_from_slice(record.frame);
        readdress(&mut frame, copy as u8);
        let (seconds, nanos) = (time_ns / 1_000_000_000, time_ns % 1_000_000_000);
        out.write_all(&(seconds as u32).to_le_bytes())?;
        out.write_all(&(nanos as u32).to_le_bytes())?;
        out.write_all(record.lengths)?;
        out.write_all(&frame)?;
        heads[copy] += RECORD_HEADER + frame.len();
        packets += 1;
    }
    out.flush()?;
    Ok(packets)
}

fn load(base: &str) -> io::Result<Vec<u8>> {
    let mut capture = Vec::new();
    let mut file = open(base)?;
    if base.ends_with(".zst") {
        zstd::Decoder::new(file)?.read_to_end(&mut capture)?;
    } else {
        file.read_to_end(&mut capture)?;
    }
    let nanoseconds = capture.starts_with(&0xa1b2_3c4d_u32.to_le_bytes());
    let why = "not a little-endian capture with nanoseconds, which is all that is expanded";
    if nanoseconds { Ok(capture) } else { Err(io::Error::other(format!("{base}: {why}"))) }
}

struct Record<'a> {
    time_ns: u64,
    lengths: &'a [u8],
    frame: &'a [u8],
}

/// The earliest next record of all copies; of equal times, the one of the first copy.
fn earliest<'a>(
    capture: &'a [u8],
    heads: &[usize],
    shift_ns: u64,
) -> Option<(usize, Record<'a>, u64)> {
    let next = heads.iter().enumerate().filter_map(|(copy, head)| {
        let record = record_at(capture, *head)?;
        let time_ns = record.time_ns + copy as u64 * shift_ns;
        Some((copy, record, time_ns))
    });
    next.min_by_key(|(copy, _, time_ns)| (*time_ns, *copy))
}

fn record_at(capture: &[u8], head: usize) -> Option<Record<'_>> {
    let header = capture.get(head..head + RECORD_HEADER)?;
    let word = |at: usize| Some(u32::from_le_bytes(*header.get(at..)?.first_chunk()?));
    let start = head + RECORD_HEADER;
    Some(Record {
        time_ns: u64::from(word(0)?) * 1_000_000_000 + u64::from(word(4)?),
        lengths: header.get(8..)?,
        frame: capture.get(start..start + word(8)? as usize)?,
    })
}

/// Gives the phones of a copy their own addresses.
fn readdress(frame: &mut [u8], copy: u8) {
    for address in [26, 30] {
        let Some(&[10, PHONES]) = frame.get(address..address + 2) else { continue };
        let (old, new) =
            (u16::from_be_bytes([10, PHONES]), u16::from_be_bytes([10, PHONES + copy]));
        frame[address + 1] = PHONES + copy;
        patch(frame, 24, old, new);
        let transport = 14 + usize::from(frame[14] & 15) * 4;
        match frame[23] {
            6 => patch(frame, transport + 16, old, new),
            // A checksum of 0 means that there is none (RFC 768).
            17 if frame.get(transport + 6..transport + 8) != Some(&[0, 0]) => {
                patch(frame, transport + 6, old, new);
            }
            _ => {}
        }
    }
}

/// RFC 1624 section 3, equation 3: HC' = ~(~HC + ~m + m').
fn patch(frame: &mut [u8], at: usize, old: u16, new: u16) {
    let Some(field) = frame.get_mut(at..at + 2) else { return };
    let checksum = u16::from_be_bytes([field[0], field[1]]);
    let sum = u32::from(!checksum) + u32::from(!old) + u32::from(new);
    let folded = (sum & 0xffff) + (sum >> 16);
    let folded = (folded & 0xffff) + (folded >> 16);
    field.copy_from_slice(&(!(folded as u16)).to_be_bytes());
}
