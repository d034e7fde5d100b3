//! Sends TLS over one TCP connection through the engine: records with arbitrary headers and bodies,
//! in segments that repeat, overlap, leave holes, and are captured only in part.

use airmile_read::{Packet, TcpFlags, TcpHeader, Transport};
use airmile_types::{Address, Instant};
use arbitrary::Arbitrary;

use crate::input::made;
use crate::null::Null;

/// One segment.
#[derive(Arbitrary, Debug)]
struct Step {
    uplink: bool,
    syn: bool,
    /// The distance from the next expected byte: negative for bytes before it, positive for bytes
    /// after it.
    shift: i8,
    /// The number of payload bytes that were not captured.
    cut: u16,
    pieces: Vec<Piece>,
}

#[derive(Arbitrary, Debug)]
enum Piece {
    Record { content: u8, length: u16, body: Vec<u8> },
    Bytes(Vec<u8>),
    Filling(u16),
}

pub(crate) fn run(input: &[u8]) {
    let Some(steps) = made::<Vec<Step>>(input) else { return };
    Null::run(|take| {
        let mut next = [0_u32; 2];
        for (index, step) in steps.iter().enumerate() {
            let payload: Vec<u8> = step.pieces.iter().flat_map(Piece::bytes).collect();
            let [own, peer] = if step.uplink { [next[0], next[1]] } else { [next[1], next[0]] };
            let sequence = own.wrapping_add_signed(step.shift.into());
            take(&step.packet(index, &payload, sequence, peer));
            let end = sequence.wrapping_add(payload.len() as u32 + u32::from(step.syn));
            next[usize::from(!step.uplink)] = end;
        }
    });
}

impl Piece {
    fn bytes(&self) -> Vec<u8> {
        match self {
            Self::Record { content, length, body } => {
                let [high, low] = length.to_be_bytes();
                [&[20 + content % 4, 3, 3, high, low], body.as_slice()].concat()
            }
            Self::Bytes(bytes) => bytes.clone(),
            Self::Filling(count) => vec![0; (count % 4096).into()],
        }
    }
}

impl Step {
    fn packet<'a>(&self, index: usize, payload: &'a [u8], sequence: u32, peer: u32) -> Packet<'a> {
        let (phone, server) = (Address::v4([10, 0, 0, 1]), Address::v4([203, 0, 113, 9]));
        let (source, destination) = if self.uplink { (phone, server) } else { (server, phone) };
        let (source_port, destination_port) =
            if self.uplink { (40_000, 443) } else { (443, 40_000) };
        let flags = if self.syn { TcpFlags::SYN } else { TcpFlags::ACK };
        let payload_bytes = payload.len() as u32;
        let header = TcpHeader {
            source_port,
            destination_port,
            sequence,
            acknowledgement: peer,
            flags: if self.uplink { flags } else { flags | TcpFlags::ACK },
            window: u16::MAX,
            ..TcpHeader::default()
        };
        Packet {
            time: Instant::from_nanos(1_600_000_000_000_000_000 + index as i64 * 10_000_000),
            frame: index as u64 + 1,
            source,
            destination,
            ip_protocol: 6,
            ip_version: 4,
            hop_limit: 64,
            ip_bytes: payload_bytes.saturating_add(40),
            payload_bytes,
            payload: &payload[..payload.len().saturating_sub(self.cut.into())],
            transport: Transport::Tcp(header),
            ..Packet::default()
        }
    }
}
