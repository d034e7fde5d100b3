//! Writes a SYN flood: every packet opens a flow that sends nothing else.
//!
//! The sources are scattered over all addresses, so that each is also a subscriber of its own. The
//! memory that this takes shows the cost of flows and subscribers alone.

use std::io::{self, Write};

use crate::frame::{SYN, Tcp, frame, scatter};
use crate::writer::{create, file_header, record};

/// The time between packets is two microseconds: half a million packets a second, which fill 340
/// Mbps.
const GAP_NS: u64 = 2_000;

const START_NS: u64 = 1_700_000_000_000_000_000;

/// The option MSS 1460, the only one that flooding tools send.
const OPTIONS: [u8; 4] = [2, 4, 5, 180];

/// Writes `flows` SYN packets.
pub(crate) fn write(out: &str, flows: u64) -> io::Result<u64> {
    let mut out = create(out)?;
    file_header(&mut out)?;
    let mut bytes = Vec::new();
    for number in 0..flows {
        let random = scatter(number);
        let packet = Tcp {
            source: ((random >> 32) as u32).to_be_bytes(),
            destination: [203, 0, 113, 9],
            source_port: (random >> 16) as u16 | 1024,
            destination_port: 443,
            sequence: random as u32,
            flags: SYN,
            window: 1024,
            ..Tcp::default()
        };
        let wire = frame(&packet, &OPTIONS, &mut bytes);
        record(&mut out, START_NS + number * GAP_NS, &bytes, wire)?;
    }
    out.flush()?;
    Ok(flows)
}
