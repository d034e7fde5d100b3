//! Measures the cost of decoding one frame, by the headers before the TCP header.

use airmile_read::{Frame, LinkType, decode};
use airmile_types::Instant;
use divan::counter::ItemsCount;
use divan::{Bencher, black_box};

const TCP: [u8; 32] = [
    0x01, 0xbb, 0x9c, 0x40, 0, 0, 0x10, 0, 0, 0, 0x20, 0, 0x80, 0x10, 0x08, 0, 0, 0, 0, 0, 1, 1, 8,
    10, 0, 0, 1, 0, 0, 0, 2, 0,
];

fn main() {
    divan::main();
}

#[divan::bench(args = ["ethernet", "vlan", "ipv6", "gtp_u", "without_options"])]
fn frame(bencher: Bencher<'_, '_>, kind: &str) {
    let bytes = bytes(kind);
    bencher.counter(ItemsCount::new(1_usize)).bench(|| {
        let frame = Frame {
            link: LinkType::Ethernet,
            bytes: black_box(&bytes),
            wire_bytes: bytes.len(),
            time: Instant::from_nanos(1),
            interface: 0,
        };
        decode(frame).is_ok()
    });
}

fn bytes(kind: &str) -> Vec<u8> {
    let (macs, tcp) = ([2; 12], TCP.to_vec());
    match kind {
        "vlan" => [&macs[..], &[0x81, 0, 0, 7, 8, 0], &v4(6, &tcp)].concat(),
        "ipv6" => [&macs[..], &[0x86, 0xdd], &v6(&tcp)].concat(),
        "gtp_u" => {
            let inner = v4(6, &tcp);
            let length = (inner.len() as u16).to_be_bytes();
            let gtp = [&[0x30, 255][..], &length, &[0, 0, 0, 9], &inner].concat();
            let udp_length = (gtp.len() as u16 + 8).to_be_bytes();
            let udp = [&[8, 104, 8, 104][..], &udp_length, &[0, 0], &gtp].concat();
            [&macs[..], &[8, 0], &v4(17, &udp)].concat()
        }
        "without_options" => {
            let mut tcp = tcp[..20].to_vec();
            tcp[12] = 0x50;
            [&macs[..], &[8, 0], &v4(6, &tcp)].concat()
        }
        _ => [&macs[..], &[8, 0], &v4(6, &tcp)].concat(),
    }
}

fn v4(protocol: u8, payload: &[u8]) -> Vec<u8> {
    let total = (payload.len() as u16 + 20).to_be_bytes();
    let header = [0x45, 0, total[0], total[1], 0, 1, 0x40, 0, 64, protocol, 0, 0];
    [&header[..], &[10, 0, 0, 1, 203, 0, 113, 9], payload].concat()
}

fn v6(payload: &[u8]) -> Vec<u8> {
    let length = (payload.len() as u16).to_be_bytes();
    let header = [0x60, 0, 0, 0, length[0], length[1], 6, 64];
    [&header[..], &[0x20; 16], &[0x21; 16], payload].concat()
}
