//! Tests the headers that a capturing system puts before each packet: PKTAP, NFLOG, and
//! Per-Packet Information.

mod support;

use airmile_read::{Frame, LinkType, OpenError, Packet, Skip, decode};
use airmile_types::Instant;
use support::{Pcap, PcapNg, ethernet, ipv4, ipv6, read, read_ok, tcp, tcp_of};

const SECOND: u64 = 1_000_000_000;

fn on(link: LinkType, bytes: &[u8]) -> Result<Packet<'_>, Skip> {
    let time = Instant::from_nanos(5);
    decode(Frame { link, bytes, wire_bytes: bytes.len(), time, interface: 0 })
}

fn ip() -> Vec<u8> {
    ipv4(6, &tcp(&[], &[b'd'; 33]))
}

/// Why a frame has no packet.
fn reason(link: LinkType, bytes: &[u8]) -> Skip {
    on(link, bytes).expect_err("no packet")
}

fn assert_read(link: LinkType, bytes: &[u8], case: &str) {
    let packet = on(link, bytes).unwrap_or_else(|skip| panic!("{case}: {skip}"));
    assert_eq!(tcp_of(packet.transport).destination_port, 443, "{case}");
    assert_eq!((packet.payload_bytes, packet.payload), (33, &[b'd'; 33][..]), "{case}");
}

/// A frame behind a PKTAP header of this length.
fn pktap(length: usize, next: u32, link: u32, frame: &[u8]) -> Vec<u8> {
    let mut header = vec![0; length.max(16)];
    header[..4].copy_from_slice(&(length as u32).to_le_bytes());
    header[4..8].copy_from_slice(&next.to_le_bytes());
    header[8..12].copy_from_slice(&link.to_le_bytes());
    header[12..16].copy_from_slice(b"en0\0");
    [&header, frame].concat()
}

/// A frame behind a PPI header with one field of 4 bytes.
fn ppi(version: u8, length: u16, link: u32, frame: &[u8]) -> Vec<u8> {
    let length = length.to_le_bytes();
    let header = [version, 0, length[0], length[1]];
    [&header, &link.to_le_bytes()[..], &[2, 0, 0, 0], frame].concat()
}

/// The attributes of an NFLOG record, each with its type and its value.
fn nflog(number: fn(u16) -> [u8; 2], attributes: &[(u16, &[u8])]) -> Vec<u8> {
    let mut bytes = vec![2, 0, 0, 30];
    for (kind, value) in attributes {
        bytes.extend([number(4 + value.len() as u16), number(*kind)].concat());
        bytes.extend(*value);
        bytes.resize(bytes.len().next_multiple_of(4), 0);
    }
    bytes
}

#[test]
fn a_pktap_header_names_the_link_type_that_follows() {
    let inner: [(u32, Vec<u8>); 5] = [
        (12, ip()),
        (101, ip()),
        (1, ethernet(0x0800, &ip())),
        // DLT_NULL is what XNU announces for cellular interfaces.
        (0, [&[2, 0, 0, 0][..], &ip()].concat()),
        (0, [&[30, 0, 0, 0][..], &ipv6(6, &tcp(&[], &[b'd'; 33]))].concat()),
    ];
    for length in [40, 108, 156, 192] {
        for (number, frame) in &inner {
            let case = format!("link type {number} behind {length} bytes");
            let bytes = pktap(length, 1, *number, frame);
            assert_read(LinkType::Pktap, &bytes, &case);
            assert_read(LinkType::User2, &bytes, &case);
            assert_read(LinkType::Ethernet, &bytes, &case);
        }
    }
}

#[test]
fn a_pktap_header_that_leads_to_no_packet() {
    let reason = |bytes: &[u8]| reason(LinkType::Pktap, bytes);
    assert_eq!(reason(&pktap(108, 0, 12, &[])), Skip::Empty);
    assert_eq!(reason(&pktap(108, 7, 12, &ip())), Skip::LinkHeader);
    assert_eq!(reason(&pktap(39, 1, 12, &ip())), Skip::LinkHeader);
    assert_eq!(reason(&pktap(0, 1, 12, &ip())), Skip::LinkHeader);
    assert_eq!(reason(&pktap(108, 1, 163, &ip())), Skip::LinkType(163));
    // A header within a header.
    for nested in [149, 192, 239, 258] {
        let twice = pktap(108, 1, nested, &pktap(108, 1, 12, &ip()));
        assert_eq!(reason(&twice), Skip::LinkType(nested));
    }
    let mut long = pktap(108, 1, 12, &ip());
    long[..4].copy_from_slice(&u32::MAX.to_le_bytes());
    assert_eq!(reason(&long), Skip::Cut);
    let whole = pktap(108, 1, 12, &ip());
    for cut in 1..108 + 20 {
        assert_eq!(reason(&whole[..cut]), Skip::Cut, "{cut} bytes");
    }
}

#[test]
fn a_capture_of_several_interfaces_of_a_device_says_so() {
    let of = |name: &[u8; 4]| {
        let mut bytes = pktap(156, 1, 12, &ip());
        bytes[12..16].copy_from_slice(name);
        bytes
    };
    let file = |names: &[&[u8; 4]]| {
        let add = |file: Pcap, name: &&[u8; 4]| file.record(SECOND, &of(name));
        read_ok(&names.iter().fold(Pcap::new(258), add).bytes).1.warnings
    };
    assert_eq!(file(&[b"en0\0", b"en0\0"]), Vec::<String>::new());
    let [warning] = &file(&[b"en0\0", b"lo0\0", b"lo0\0"])[..] else { panic!("one warning") };
    assert!(warning.contains("of the device: lo0 2, en0 1; "), "{warning}");
    // Names that are no names, and more than are counted.
    assert_eq!(file(&[b"en0\0", b"e\xff0\0", b"e 0\0"]), Vec::<String>::new());
    let many: Vec<_> = (0..200).map(|at| [b'a' + at / 26, b'a' + at % 26, b'0', 0]).collect();
    let [warning] = &file(&many.iter().collect::<Vec<_>>())[..] else { panic!("one warning") };
    assert!(warning.contains(" 1, ...; "), "{warning}");
}

/// DLT_USER2 is for private use: what is no PKTAP stays unread.
#[test]
fn other_frames_of_dlt_user2_are_not_read() {
    let message = [0x32, 1, 0, 0, 9, 9, 9, 9, 1, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0];
    assert_eq!(reason(LinkType::User2, &message), Skip::LinkType(149));
    let refused = read(&Pcap::new(149).record(SECOND, &message).bytes);
    assert!(matches!(refused, Err(OpenError::LinkType { number: 149, .. })));
    let refused = read(&Pcap::new(149).bytes);
    assert!(matches!(refused, Err(OpenError::LinkType { number: 149, .. })));

    let good = pktap(156, 1, 12, &ip());
    let file = Pcap::new(149).record(SECOND, &good).record(2 * SECOND, &message);
    let (packets, report) = read_ok(&file.bytes);
    assert_eq!((packets.len(), report.skipped.get(&Skip::LinkType(149))), (1, Some(&1)));
    let file = PcapNg::new(support::Order::Little)
        .interface(149, 0, &[])
        .enhanced(0, 1, &message, 20)
        .enhanced(0, 2, &good, good.len());
    assert_eq!(read_ok(&file.bytes).0.len(), 1);
}

#[test]
fn an_ethernet_frame_is_not_taken_for_pktap() {
    let arp = ethernet(0x0806, &[0; 46]);
    assert_eq!(reason(LinkType::Ethernet, &arp), Skip::NotIp(0x0806));
    // The interface has no name, and the header is longer than any version of it.
    let mut nameless = pktap(156, 1, 12, &ip());
    nameless[12] = 0;
    assert_eq!(reason(LinkType::Ethernet, &nameless), Skip::NotIp(u16::from(b'n')));
    let long = pktap(1025, 1, 12, &ip());
    assert_eq!(reason(LinkType::Ethernet, &long), Skip::NotIp(u16::from_be_bytes(*b"en")));
}

#[test]
fn the_payload_of_an_nflog_record_is_the_packet() {
    let packet = ip();
    for number in [u16::to_le_bytes, u16::to_be_bytes] {
        let before: [(u16, &[u8]); 4] =
            [(1, &[8, 0, 1, 0]), (10, b"a\0"), (5, &[0; 4]), (8, &[7; 12])];
        for count in 0..=before.len() {
            let after: [(u16, &[u8]); 2] = [(9, &packet), (14, &[0; 4])];
            let attributes = [&before[..count], &after].concat();
            assert_read(
                LinkType::Nflog,
                &nflog(number, &attributes),
                "attributes before and after",
            );
        }
        let flagged = nflog(number, &[(0x8009, &ip())]);
        assert_read(LinkType::Nflog, &flagged, "a flag in the type");
        let v6 = ipv6(6, &tcp(&[], &[b'd'; 33]));
        assert_read(LinkType::Nflog, &nflog(number, &[(9, &v6)]), "IPv6");
    }
}

#[test]
fn an_nflog_record_that_leads_to_no_packet() {
    let reason = |bytes: &[u8]| reason(LinkType::Nflog, bytes);
    let le = u16::to_le_bytes;
    assert_eq!(reason(&nflog(le, &[])), Skip::Empty);
    assert_eq!(reason(&nflog(le, &[(10, b"name")])), Skip::Empty);
    assert_eq!(reason(&nflog(le, &[(9, &[])])), Skip::Cut);
    // What a bridge logs of another protocol; NFPROTO_BRIDGE is 7.
    let mut arp = nflog(le, &[(9, &[0; 28])]);
    arp[0] = 7;
    assert_eq!(reason(&arp), Skip::NotIp(7));
    assert_eq!(reason(&[2, 1, 0, 30, 8, 0, 9, 0, 0x45, 0, 0, 0]), Skip::LinkHeader);
    assert_eq!(reason(&[2, 0, 0, 30, 3, 0, 9, 0, 0x45, 0, 0, 0]), Skip::LinkHeader);
    assert_eq!(reason(&[2, 0, 0, 30, 0, 0, 1, 0]), Skip::LinkHeader);
    assert_eq!(reason(&[2, 0, 0, 30, 0xff, 0xff, 1, 0, 0, 0]), Skip::Cut);
    let whole = nflog(le, &[(1, &[0; 4]), (9, &ip())]);
    for cut in (1..4 + 8 + 4 + 20).filter(|cut| ![4, 12].contains(cut)) {
        assert_eq!(reason(&whole[..cut]), Skip::Cut, "{cut} bytes");
    }
}

#[test]
fn a_ppi_header_names_the_link_type_that_follows() {
    assert_read(LinkType::Ppi, &ppi(0, 12, 101, &ip()), "raw IP");
    assert_read(LinkType::Ppi, &ppi(0, 12, 1, &ethernet(0x0800, &ip())), "Ethernet");
    let mut wireless = vec![0; 24];
    wireless[..2].copy_from_slice(&[8, 1]);
    wireless.extend([0xaa, 0xaa, 3, 0, 0, 0, 8, 0]);
    wireless.extend(ip());
    assert_read(LinkType::Ppi, &ppi(0, 12, 105, &wireless), "IEEE 802.11");
}

#[test]
fn a_ppi_header_that_leads_to_no_packet() {
    let reason = |bytes: &[u8]| reason(LinkType::Ppi, bytes);
    assert_eq!(reason(&ppi(1, 12, 101, &ip())), Skip::LinkHeader);
    assert_eq!(reason(&ppi(0, 7, 101, &ip())), Skip::LinkHeader);
    assert_eq!(reason(&ppi(0, 12, 192, &ip())), Skip::LinkType(192));
    assert_eq!(reason(&ppi(0, 12, 163, &ip())), Skip::LinkType(163));
    assert_eq!(reason(&ppi(0, u16::MAX, 101, &ip())), Skip::Cut);
    for cut in 1..12 + 20 {
        assert_eq!(reason(&ppi(0, 12, 101, &ip())[..cut]), Skip::Cut, "{cut} bytes");
    }
}

/// Whatever the bytes are, a frame is read or skipped.
#[test]
fn every_byte_may_be_any() {
    let frames = [
        (LinkType::Pktap, pktap(108, 1, 12, &ip())),
        (LinkType::Ethernet, pktap(108, 1, 12, &ip())),
        (LinkType::Ppi, ppi(0, 12, 101, &ip())),
        (LinkType::Nflog, nflog(u16::to_le_bytes, &[(1, &[0; 4]), (9, &ip())])),
    ];
    for (link, whole) in frames {
        for at in 0..whole.len() {
            let mut bytes = whole.clone();
            for value in 0..=255 {
                bytes[at] = value;
                if let Ok(packet) = on(link, &bytes) {
                    assert!(packet.payload.len() <= packet.payload_bytes as usize);
                }
            }
        }
    }
}
