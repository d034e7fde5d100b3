//! Reads the IP fragments of tunnels and of TCP in any order, with gaps, copies and overlaps.

use arbitrary::Arbitrary;

use crate::input::{made, read_all};

#[derive(Arbitrary, Debug)]
struct Piece {
    /// The IP version, the identification, and the datagram that the fragment belongs to.
    select: u8,
    /// The offset and the length of the fragment, in units of 8 bytes.
    offset: u8,
    units: u8,
    /// The number of additional bytes, so that not every length is a multiple of 8.
    odd: u8,
    more: bool,
    seconds: u8,
    snap: u8,
    damage: Option<(u8, u8)>,
}

/// The file header: little-endian, microseconds, raw IP.
const FILE: [u32; 6] = [0xa1b2_c3d4, 0x0004_0002, 0, 0, 65_535, 101];

pub(crate) fn run(input: &[u8]) {
    let Some(pieces) = made::<Vec<Piece>>(input) else { return };
    let mut file: Vec<u8> = FILE.iter().flat_map(|word| word.to_le_bytes()).collect();
    let mut now = 1_600_000_000_u32;
    for piece in &pieces {
        now += u32::from(piece.seconds);
        let packet = piece.packet();
        let captured = packet.len() - packet.len().min(usize::from(piece.snap >> 1));
        let header = [now, 0, captured as u32, packet.len() as u32];
        file.extend(header.iter().flat_map(|word| word.to_le_bytes()));
        file.extend(&packet[..captured]);
    }
    read_all(file);
}

impl Piece {
    fn packet(&self) -> Vec<u8> {
        let (protocol, datagram) = match self.select >> 4 & 7 {
            0 => (17, udp(2152, &gtp())),
            1 => (47, [&[0, 0, 8, 0][..], &inner()].concat()),
            2 => (4, inner()),
            4..8 => (6, inner().split_off(20)),
            _ => (17, udp(53, &[7; 300])),
        };
        let start = (usize::from(self.offset) * 8).min(datagram.len());
        let length = usize::from(self.units) * 8 + usize::from(self.odd & 7);
        let mut part = datagram[start..datagram.len().min(start + length)].to_vec();
        if let Some((at, value)) = self.damage
            && let Some(byte) = part.get_mut(usize::from(at))
        {
            *byte = value;
        }
        let (id, more) = (self.select & 7, u16::from(self.more));
        if self.select & 8 == 0 {
            let field = (u16::from(self.offset) | more << 13).to_be_bytes();
            let mut packet = vec![0x45, 0, 0, 0, 0, id, field[0], field[1], 64, protocol, 0, 0];
            packet[2..4].copy_from_slice(&(20 + part.len() as u16).to_be_bytes());
            [&packet[..], &[10, 0, 0, 1, 192, 0, 2, 1], &part].concat()
        } else {
            let field = (u16::from(self.offset) << 3 | more).to_be_bytes();
            let mut packet = vec![0x60, 0, 0, 0, 0, 0, 44, 64];
            packet[4..6].copy_from_slice(&(8 + part.len() as u16).to_be_bytes());
            packet.extend([0x20; 32]);
            packet.extend([protocol, 0, field[0], field[1], 0, 0, 0, id]);
            [packet, part].concat()
        }
    }
}

fn udp(port: u16, payload: &[u8]) -> Vec<u8> {
    let length = 8 + payload.len() as u16;
    [&[port, port, length, 0].map(u16::to_be_bytes).concat()[..], payload].concat()
}

fn gtp() -> Vec<u8> {
    [&[0x30, 255, 1, 0, 0, 0, 0, 9][..], &inner()].concat()
}

fn inner() -> Vec<u8> {
    let mut ip = vec![0x45, 0, 1, 0x68, 0, 1, 0, 0, 64, 6, 0, 0, 10, 0, 0, 7, 203, 0, 113, 9];
    ip.extend([0x9c, 0x40, 1, 187, 0, 0, 0, 1, 0, 0, 0, 9, 0x50, 0x10, 1, 0, 0, 0, 0, 0]);
    ip.resize(0x168, b'i');
    ip
}
