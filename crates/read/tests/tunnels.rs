//! Tests tunnels: GTP-U in all its forms, GRE, IP in IP, VXLAN; and packets that only look like
//! tunnels.

mod support;

use airmile_read::{Fragment, Frame, LinkType, Packet, Skip, Transport, decode};
use airmile_types::Instant;
use support::{ethernet, ipv4, ipv6, read_ok, tcp, udp};

fn raw(bytes: &[u8]) -> Packet<'_> {
    let time = Instant::from_nanos(0);
    let frame = Frame { link: LinkType::Raw, bytes, wire_bytes: bytes.len(), time, interface: 0 };
    decode(frame).expect("an IP packet")
}

fn inner() -> Vec<u8> {
    ipv4(6, &tcp(&[], &[b'i'; 21]))
}

/// A G-PDU with these flags, this optional part and this packet.
fn gtpu(flags: u8, optional: &[u8], packet: &[u8]) -> Vec<u8> {
    let length = (optional.len() + packet.len()) as u16;
    let header = [&[flags, 255][..], &length.to_be_bytes(), &[0, 0, 0x12, 0x34]].concat();
    udp(2152, 2152, &[&header[..], optional, packet].concat())
}

fn assert_inner(packet: &Packet<'_>, teid: Option<u32>, case: &str) {
    assert_eq!((packet.ip_protocol, packet.payload_bytes, packet.teid), (6, 21, teid), "{case}");
    assert_eq!(packet.payload, [b'i'; 21], "{case}");
}

#[test]
fn gtpu_with_every_optional_part() {
    let extension = [1, 2, 3, 0];
    // A PDU session container (3GPP TS 38.415) of 8 bytes, then another extension of 4 bytes.
    let two = [&[2, 0, 0, 0, 0, 0, 0, 0x40][..], &extension].concat();
    let cases: [(&str, u8, Vec<u8>); 6] = [
        ("plain", 0x30, vec![]),
        ("sequence number", 0x32, vec![0, 7, 0, 0]),
        ("N-PDU number", 0x31, vec![0, 0, 9, 0]),
        // The next type has no meaning without its flag.
        ("sequence number, stray next type", 0x32, vec![0, 7, 0, 0x85]),
        ("extension", 0x34, [&[0, 0, 0, 0x85][..], &extension].concat()),
        ("two extensions", 0x36, [&[0, 0, 0, 0x85][..], &two].concat()),
    ];
    for (case, flags, optional) in cases {
        for outer in [
            ipv4(17, &gtpu(flags, &optional, &inner())),
            ipv6(17, &gtpu(flags, &optional, &inner())),
        ] {
            assert_inner(&raw(&outer), Some(0x1234), case);
        }
    }
    let v6 = ipv6(6, &tcp(&[], &[b'i'; 21]));
    let outer = ipv4(17, &gtpu(0x30, &[], &v6));
    assert_inner(&raw(&outer), Some(0x1234), "IPv6 inside");
    assert_eq!(raw(&outer).ip_version, 6);
}

#[test]
fn what_is_no_g_pdu_stays_udp() {
    let cases: [(&str, Vec<u8>); 8] = [
        ("echo request", gtpu(0x32, &[0, 1, 0, 0], &[])),
        ("version 2", gtpu(0x50, &[], &inner())),
        ("GTP prime", gtpu(0x20, &[], &inner())),
        ("no IP inside", gtpu(0x30, &[], &[0xff; 40])),
        ("too short inside", gtpu(0x30, &[], &inner()[..15])),
        ("extension of length 0", gtpu(0x34, &[0, 0, 0, 0x85, 0, 0, 0, 0], &inner())),
        ("extension beyond the packet", gtpu(0x34, &[0, 0, 0, 0x85, 250, 0, 0, 0], &inner())),
        ("message type 26", {
            let mut bytes = gtpu(0x30, &[], &inner());
            bytes[9] = 26;
            bytes
        }),
    ];
    for (case, datagram) in cases {
        let bytes = ipv4(17, &datagram);
        let packet = raw(&bytes);
        let transport = Transport::Udp { source_port: 2152, destination_port: 2152 };
        assert_eq!((packet.transport, packet.teid), (transport, None), "{case}");
    }
}

#[test]
fn outer_fragments_of_gtpu() {
    // The first fragment contains the inner headers, and the inner IP header gives the inner
    // length.
    let whole = ipv4(17, &gtpu(0x30, &[], &ipv4(6, &tcp(&[], &[b'i'; 1400]))));
    let mut first = whole[..800].to_vec();
    first[2..4].copy_from_slice(&800_u16.to_be_bytes());
    first[6] = 0x20;
    let packet = raw(&first);
    assert_eq!((packet.payload_bytes, packet.payload.len()), (1400, 800 - 20 - 8 - 8 - 40));
    assert_eq!((packet.fragment, packet.teid), (Fragment::Whole, Some(0x1234)));

    let mut later = ipv4(17, &whole[800..]);
    later[7] = 100;
    let packet = raw(&later);
    assert_eq!((packet.fragment, packet.transport), (Fragment::Later, Transport::None));

    let file = [first, later].iter().fold(support::Pcap::new(101), |f, p| f.record(9, p));
    let report = read_ok(&file.bytes).1;
    let counts = &report.counts;
    assert_eq!((counts.tunnelled, counts.later_fragments, counts.length_lies), (1, 0, 0));
    assert_eq!(
        report.skipped.get(&Skip::TunnelFragment),
        Some(&1),
        "it was counted with its first"
    );
}

#[test]
fn other_tunnels() {
    let v6 = ipv6(6, &tcp(&[], &[b'i'; 21]));
    let gre = |flags: u16, protocol: u16, optional: usize, packet: &[u8]| {
        let header = [flags, protocol].map(u16::to_be_bytes).concat();
        ipv4(47, &[&header[..], &vec![0; optional], packet].concat())
    };
    let ppp = [&[0xff, 3, 0, 0x21][..], &inner()].concat();
    let frame = ethernet(0x0800, &inner());
    let vxlan = [&[8, 0, 0, 0, 0, 0, 42, 0][..], &frame].concat();
    let gpe = [&[0x0c, 0, 0, 1, 0, 0, 42, 0][..], &inner()].concat();
    let gpe_ethernet = [&[0x0c, 0, 0, 3, 0, 0, 42, 0][..], &frame].concat();
    let geneve = [&[0, 0, 0x65, 0x58, 0, 0, 42, 0][..], &frame].concat();
    let geneve_options = [&[2, 0x40, 0x86, 0xdd, 0, 0, 42, 0][..], &[7; 8], &v6].concat();
    let l2tp = [&[0, 2, 0, 1, 0, 2][..], &ppp].concat();
    // Length, sequence numbers and an offset of 3.
    let l2tp_full = [&[0x4a, 2, 0, 99, 0, 1, 0, 2, 0, 5, 0, 4, 0, 3, 9, 9, 9][..], &ppp].concat();
    let erspan_3 = |last| [&[0x20, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, last][..]].concat();
    let cases: [(&str, Vec<u8>); 21] = [
        ("IPv4 in IPv4", ipv4(4, &inner())),
        ("IPv6 in IPv4", ipv4(41, &v6)),
        ("IPv4 in IPv6", ipv6(4, &inner())),
        ("GRE", gre(0, 0x0800, 0, &inner())),
        ("GRE with checksum, key and sequence number", gre(0xb000, 0x86dd, 12, &v6)),
        ("GRE with Ethernet", gre(0x2000, 0x6558, 4, &ethernet(0x0800, &inner()))),
        ("PPTP with sequence and acknowledgement", gre(0x3081, 0x880b, 12, &ppp)),
        ("VXLAN", ipv4(17, &udp(50_000, 4789, &vxlan))),
        ("VXLAN on the port before IANA's", ipv4(17, &udp(50_000, 8472, &vxlan))),
        ("VXLAN-GPE", ipv4(17, &udp(50_000, 4790, &gpe))),
        ("VXLAN-GPE with Ethernet", ipv6(17, &udp(50_000, 4790, &gpe_ethernet))),
        ("GENEVE", ipv4(17, &udp(50_000, 6081, &geneve))),
        ("GENEVE with options", ipv4(17, &udp(50_000, 6081, &geneve_options))),
        ("L2TP", ipv4(17, &udp(1701, 1701, &l2tp))),
        ("L2TP with every optional part", ipv4(17, &udp(1701, 40_000, &l2tp_full))),
        ("ERSPAN type I", gre(0, 0x88be, 0, &frame)),
        ("ERSPAN type II", gre(0x1000, 0x88be, 4, &[&[0x10; 8][..], &frame].concat())),
        ("ERSPAN type III", gre(0x1000, 0x22eb, 4, &[&erspan_3(0)[..], &frame].concat())),
        (
            "ERSPAN type III with subheader",
            gre(0x1000, 0x22eb, 4, &[&erspan_3(1)[..], &[7; 8], &frame].concat()),
        ),
        ("GRE in IP in IP", ipv4(4, &gre(0, 0x0800, 0, &inner()))),
        ("IP in VLAN in GRE", gre(0, 0x8100, 0, &[&[0, 5, 8, 0][..], &inner()].concat())),
    ];
    for (case, bytes) in cases {
        assert_inner(&raw(&bytes), None, case);
    }
    let nested = ipv4(17, &gtpu(0x30, &[], &ipv4(4, &inner())));
    assert_inner(&raw(&nested), Some(0x1234), "the TEID of the tunnel around");
}

#[test]
fn what_is_no_vxlan_or_gre_stays_what_it_is() {
    let vxlan = [&[8, 0, 0, 1, 0, 0, 42, 0][..], &ethernet(0x0800, &inner())].concat();
    let bytes = ipv4(17, &udp(50_000, 4789, &vxlan));
    assert_eq!(raw(&bytes).ip_protocol, 17);
    let routed = ipv4(47, &[&[0x40, 0, 8, 0, 0, 0, 0, 0][..], &inner()].concat());
    assert_eq!(raw(&routed).ip_protocol, 47);
    let control = ipv4(17, &udp(1701, 1701, &[&[0xc8, 2, 0, 12][..], &inner()].concat()));
    assert_eq!(raw(&control).ip_protocol, 17);
    let future = ipv4(47, &[&[0, 2, 8, 0][..], &inner()].concat());
    assert_eq!(raw(&future).ip_protocol, 47);
}

#[test]
fn ip_length_zero_inside_a_tunnel_takes_the_outer_length() {
    let mut packet = inner();
    packet[2..4].fill(0);
    let bytes = ipv4(17, &gtpu(0x30, &[], &packet));
    let packet = raw(&bytes);
    assert_eq!((packet.payload_bytes, packet.super_segment), (21, true));
}

/// A packet of an outer layer around the given one.
type Wrap = fn(&[u8]) -> Vec<u8>;

const WRAPS: [(&str, Wrap); 7] = [
    ("GTP-U", |packet| ipv4(17, &gtpu(0x30, &[], packet))),
    ("GRE", |packet| ipv4(47, &[&[0, 0, 8, 0][..], packet].concat())),
    ("VXLAN", |packet| {
        let frame = [&[8, 0, 0, 0, 0, 0, 42, 0][..], &ethernet(0x0800, packet)].concat();
        ipv4(17, &udp(50_000, 4789, &frame))
    }),
    ("GENEVE", |packet| {
        let frame = [&[0, 0, 0x65, 0x58, 0, 0, 42, 0][..], &ethernet(0x0800, packet)].concat();
        ipv4(17, &udp(50_000, 6081, &frame))
    }),
    ("L2TP", |packet| {
        ipv4(17, &udp(1701, 1701, &[&[0, 2, 0, 1, 0, 2, 0xff, 3, 0, 0x21][..], packet].concat()))
    }),
    ("IPv4 in IPv4", |packet| ipv4(4, packet)),
    ("IPv4 in IPv6", |packet| ipv6(4, packet)),
];

/// The numbers of packets found in tunnels, and of those that are nested too deep.
fn depths(packet: &[u8], link: u32) -> (u64, u64, Vec<String>) {
    let report = read_ok(&support::Pcap::new(link).record(9, packet).bytes).1;
    (report.counts.tunnelled, report.counts.too_deep, report.warnings)
}

#[test]
fn packets_below_the_last_tunnel_that_is_read_are_counted() {
    for (case, wrap) in WRAPS {
        let nested = |levels: usize| (0..levels).fold(inner(), |packet, _| wrap(&packet));
        assert_eq!(raw(&nested(8)).ip_protocol, 6, "{case}");
        assert_eq!(depths(&nested(8), 101).1, 0, "{case}");
        for levels in [9, 64] {
            let (tunnelled, too_deep, warnings) = depths(&nested(levels), 101);
            assert_eq!((tunnelled, too_deep), (1, 1), "{case}");
            let deep = warnings.iter().find(|line| line.contains("deeper than 8 tunnels"));
            assert!(deep.is_some_and(|line| line.starts_with("1 record: ")), "{warnings:?}");
        }
    }
}

#[test]
fn packets_below_too_many_link_headers_are_counted_in_a_tunnel_and_outside() {
    let tagged = |tags: usize| {
        let tags = [0x81, 0, 0, 5].repeat(tags);
        [&[2, 0, 0, 0, 0, 1, 2, 0, 0, 0, 0, 2][..], &tags, &[8, 0], &inner()].concat()
    };
    let gre = |frame: &[u8]| ipv4(47, &[&[0, 0, 0x65, 0x58][..], frame].concat());
    let vxlan =
        |frame: &[u8]| ipv4(17, &udp(1, 4789, &[&[8, 0, 0, 0, 0, 0, 42, 0][..], frame].concat()));
    assert_eq!(depths(&gre(&tagged(14)), 101).1, 0);
    assert_eq!(depths(&gre(&tagged(1000)), 101).1, 1);
    assert_eq!(depths(&vxlan(&tagged(1000)), 101).1, 1);
    // A pseudowire without a control word below a label, and one with it.
    for word in [&[][..], &[0; 4]] {
        let labelled = [&[0, 1, 1, 64][..], word, &tagged(1000)].concat();
        let frame = ethernet(0x8847, &labelled);
        let report = read_ok(&support::Pcap::new(1).record(9, &frame).bytes).1;
        assert_eq!(report.skipped.get(&Skip::TooDeep), Some(&1), "{:?}", report.skipped);
    }
}

#[test]
fn a_chain_of_extension_headers_has_no_bound() {
    let chain = (0..1000).fold((6, tcp(&[], &[b'i'; 21])), |(next, rest), _| {
        (60, [&[next, 0, 1, 4, 0, 0, 0, 0][..], &rest].concat())
    });
    assert_inner(&raw(&ipv6(chain.0, &chain.1)), None, "a thousand options");
}
