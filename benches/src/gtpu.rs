//! Writes a capture as it would pass between base station and core: each packet in GTP-U (3GPP TS
//! 29.281 section 5.1), with an outer IPv4 and UDP header.

use std::io::{self, Write};

use crate::records::{Record, Records};
use crate::writer::{create, file_header};

const ETHERNET: usize = 14;
const PORT: u16 = 2152;
/// The addresses of the base station and of the core's gateway (RFC 5737).
const ENDS: [[u8; 4]; 2] = [[192, 0, 2, 1], [192, 0, 2, 2]];
/// The first two octets of the recorded phones, 10.45.x.y.
const PHONES: [u8; 2] = [10, 45];

/// Wraps every IPv4 frame of `input`; other frames are left out.
pub(crate) fn wrap(input: &str, out: &str) -> io::Result<u64> {
    let mut records = Records::open(input)?;
    let mut out = create(out)?;
    file_header(&mut out)?;
    let (mut packets, mut bytes) = (0, Vec::new());
    while let Some(record) = records.next()? {
        if record.frame.get(12..14) != Some(&[8, 0]) {
            continue;
        }
        packets += 1;
        outer(&record, &mut bytes);
        let added = (bytes.len() - record.frame.len()) as u32;
        let Record { seconds, nanos, wire_bytes, .. } = record;
        for word in [seconds, nanos, bytes.len() as u32, wire_bytes + added] {
            out.write_all(&word.to_le_bytes())?;
        }
        out.write_all(&bytes)?;
    }
    out.flush()?;
    Ok(packets)
}

fn outer(record: &Record<'_>, bytes: &mut Vec<u8>) {
    let inner = record.frame.get(ETHERNET..).unwrap_or_default();
    let uplink = inner.get(12..14) == Some(&PHONES);
    let phone = if uplink { inner.get(12..16) } else { inner.get(16..20) }.unwrap_or_default();
    let on_wire = (record.wire_bytes as usize).saturating_sub(ETHERNET);
    let [source, destination] = if uplink { ENDS } else { [ENDS[1], ENDS[0]] };
    bytes.clear();
    bytes.extend_from_slice(record.frame.get(..ETHERNET).unwrap_or_default());
    bytes.extend_from_slice(&[0x45, 0]);
    bytes.extend_from_slice(&((on_wire + 36) as u16).to_be_bytes());
    bytes.extend_from_slice(&[0, 0, 0x40, 0, 64, 17, 0, 0]);
    bytes.extend_from_slice(&source);
    bytes.extend_from_slice(&destination);
    for word in [PORT, PORT, (on_wire + 16) as u16, 0] {
        bytes.extend_from_slice(&word.to_be_bytes());
    }
    // Version 1, a G-PDU. Each phone has one tunnel, whose number is the phone's address.
    bytes.extend_from_slice(&[0x30, 255]);
    bytes.extend_from_slice(&(on_wire as u16).to_be_bytes());
    bytes.extend_from_slice(phone);
    bytes.extend_from_slice(inner);
}
