//! Decodes frames made by hand: all paths to the transport header, and all lengths by methods A1.

mod support;

use std::num::NonZeroU32;

use airmile_read::{
    Fragment, Frame, LinkType, Packet, Skip, TcpFlags, TcpOptions, Timestamps, Transport, decode,
};
use airmile_types::{Address, Instant, Protocol};
use support::{ethernet, frame, ipv4, ipv6, tcp, tcp_of, udp};

fn on(link: LinkType, bytes: &[u8], wire_bytes: usize) -> Result<Packet<'_>, Skip> {
    decode(Frame { link, bytes, wire_bytes, time: Instant::from_nanos(5), interface: 0 })
}

fn eth(bytes: &[u8]) -> Packet<'_> {
    on(LinkType::Ethernet, bytes, bytes.len()).expect("an IP packet")
}

/// A segment with 33 bytes of payload, around which most tests put other headers.
fn segment() -> Vec<u8> {
    tcp(&[], &[b'd'; 33])
}

fn assert_holds_segment(packet: &Packet<'_>, case: &str) {
    assert_eq!(tcp_of(packet.transport).destination_port, 443, "{case}");
    assert_eq!((packet.payload_bytes, packet.payload), (33, &[b'd'; 33][..]), "{case}");
}

#[test]
fn addresses_and_fields_of_ipv4() {
    let mut bytes = frame(5);
    bytes[15] = 0b11;
    let packet = eth(&bytes);
    assert_eq!(packet.source, Address::v4([10, 0, 0, 1]));
    assert_eq!(packet.destination, Address::v4([192, 0, 2, 1]));
    assert_eq!((packet.ip_version, packet.hop_limit, packet.ecn, packet.ip_id), (4, 64, 3, 0x1234));
    assert_eq!((packet.ip_bytes, packet.payload_bytes, packet.payload), (45, 5, &b"xxxxx"[..]));
    let header = tcp_of(packet.transport);
    assert_eq!((header.source_port, header.sequence, header.acknowledgement), (40000, 1, 9));
    assert_eq!((header.flags, header.window), (TcpFlags::ACK, 256));
}

#[test]
fn addresses_and_fields_of_ipv6() {
    let mut ip = ipv6(6, &segment());
    ip[1] = 0x20;
    let bytes = ethernet(0x86dd, &ip);
    let packet = eth(&bytes);
    assert_eq!(packet.source.to_string(), "2001:db8::1");
    assert_eq!(packet.destination.to_string(), "2001:db8::2");
    assert_eq!((packet.ip_version, packet.hop_limit, packet.ecn), (6, 60, 2));
    assert_eq!((packet.ip_bytes, packet.ip_protocol), (93, 6));
    assert_holds_segment(&packet, "IPv6");
}

#[test]
fn every_link_header_that_is_read() {
    let v4 = ipv4(6, &segment());
    let v6 = ipv6(6, &segment());
    let snap = [&[0xaa, 0xaa, 3, 0, 0, 0, 8, 0][..], &v4].concat();
    let pppoe = [&[0x11, 0, 0, 1, 0, 95, 0, 0x21][..], &v4].concat();
    let label = [0, 1, 0, 64];
    let bottom = [0, 1, 1, 64];
    let cooked1 =
        |protocol: [u8; 2]| [&[0, 0, 0, 1, 0, 6, 1, 1, 1, 1, 1, 1, 0, 0][..], &protocol].concat();
    let mut cooked2 = vec![0; 20];
    cooked2[..2].copy_from_slice(&[0x86, 0xdd]);
    let tag = |ethertype: u16| [&[0, 7][..], &ethertype.to_be_bytes()].concat();
    let mac = |first: u8, ethertype: u16| [&[first; 12][..], &ethertype.to_be_bytes()].concat();
    // Frame control, and then the rest of an IEEE 802.11 header.
    let wireless = |control: [u8; 2], rest: usize| [&control[..], &vec![0; rest]].concat();
    // Version, length 25 with TSF time after a second presence word, and flags for padding.
    let mut radiotap = vec![0, 0, 25, 0, 3, 0, 0, 0x80];
    radiotap.extend([0; 16]);
    radiotap.push(0x20);
    let cases: Vec<(&str, LinkType, Vec<u8>)> = vec![
        ("Ethernet", LinkType::Ethernet, ethernet(0x0800, &v4)),
        ("802.1Q", LinkType::Ethernet, ethernet(0x8100, &[tag(0x0800), v4.clone()].concat())),
        (
            "QinQ, both orders of tags, IPv6",
            LinkType::Ethernet,
            ethernet(0x88a8, &[tag(0x8100), tag(0x9100), tag(0x86dd), v6.clone()].concat()),
        ),
        ("802.3 SNAP", LinkType::Ethernet, ethernet(101, &snap)),
        (
            "VLAN, then SNAP",
            LinkType::Ethernet,
            ethernet(0x8100, &[tag(101), snap.clone()].concat()),
        ),
        ("MPLS", LinkType::Ethernet, ethernet(0x8847, &[&label[..], &bottom, &v4].concat())),
        (
            "MPLS pseudowire",
            LinkType::Ethernet,
            ethernet(0x8847, &[&bottom[..], &[0; 4], &ethernet(0x0800, &v4)].concat()),
        ),
        (
            "MPLS pseudowire without control word, MAC address as 0",
            LinkType::Ethernet,
            ethernet(0x8847, &[&bottom[..], &mac(0x00, 0x0800), &v4].concat()),
        ),
        (
            "MPLS pseudowire without control word, MAC address like IPv4",
            LinkType::Ethernet,
            ethernet(0x8847, &[&bottom[..], &mac(0x45, 0x0800), &v4].concat()),
        ),
        (
            "MPLS pseudowire without control word, tagged, MAC address like IPv6",
            LinkType::Ethernet,
            ethernet(0x8847, &[&bottom[..], &mac(0x60, 0x8100), &tag(0x86dd), &v6].concat()),
        ),
        (
            "MPLS pseudowire with PPPoE",
            LinkType::Ethernet,
            ethernet(0x8847, &[&bottom[..], &[0; 4], &ethernet(0x8864, &pppoe)].concat()),
        ),
        ("PPPoE without Ethernet", LinkType::PppoE, pppoe.clone()),
        ("PPPoE", LinkType::Ethernet, ethernet(0x8864, &pppoe)),
        (
            "QinQ, PPPoE",
            LinkType::Ethernet,
            ethernet(0x88a8, &[tag(0x8864), pppoe.clone()].concat()),
        ),
        ("raw IPv4", LinkType::Raw, v4.clone()),
        ("raw IPv6", LinkType::Raw, v6.clone()),
        ("loopback, little-endian", LinkType::Loopback, [&[2, 0, 0, 0][..], &v4].concat()),
        ("loopback, big-endian, IPv6", LinkType::Loopback, [&[0, 0, 0, 30][..], &v6].concat()),
        ("PPP, HDLC-like", LinkType::Ppp, [&[0xff, 3, 0, 0x21][..], &v4].concat()),
        ("PPP, compressed protocol", LinkType::Ppp, [&[0x57][..], &v6].concat()),
        ("PPP, Cisco's HDLC", LinkType::Ppp, [&[0x0f, 0, 8, 0][..], &v4].concat()),
        ("PPP, MPLS", LinkType::Ppp, [&[2, 0x81][..], &bottom, &v6].concat()),
        ("cooked v1", LinkType::Cooked1, [cooked1([8, 0]), v4.clone()].concat()),
        ("cooked v1, VLAN", LinkType::Cooked1, [cooked1([0x81, 0]), tag(0x0800), v4].concat()),
        ("cooked v2", LinkType::Cooked2, [cooked2, v6.clone()].concat()),
        ("802.11", LinkType::Wireless, [wireless([0x08, 1], 22), snap.clone()].concat()),
        (
            "802.11 between stations, quality of service, HT control",
            LinkType::Wireless,
            [wireless([0x88, 0x83], 34), snap.clone()].concat(),
        ),
        (
            "radiotap, padded 802.11 header",
            LinkType::Radiotap,
            [radiotap, wireless([0x88, 2], 26), snap].concat(),
        ),
    ];
    for (case, link, bytes) in &cases {
        let packet = on(*link, bytes, bytes.len());
        assert_holds_segment(&packet.unwrap_or_else(|skip| panic!("{case}: {skip}")), case);
        // Padding and a check sequence after the packet change nothing.
        let trailed = [&bytes[..], &[0xee; 9]].concat();
        let packet = on(*link, &trailed, trailed.len()).unwrap();
        assert_holds_segment(&packet, case);
        // No field is invented, however short the capture is.
        for cut in 0..bytes.len() {
            if let Ok(packet) = on(*link, &bytes[..cut], bytes.len()) {
                let known = packet.transport != Transport::None;
                assert!(!known || packet.payload_bytes == 33, "{case} cut at {cut}");
            }
        }
    }
}

#[test]
fn frames_without_ip_say_what_they_hold() {
    let cases: [(LinkType, Vec<u8>, Skip); 15] = [
        (LinkType::Ethernet, ethernet(0x0806, &[0; 46]), Skip::NotIp(0x0806)),
        (LinkType::Ethernet, ethernet(0x8100, &[0, 1, 0x88, 0xcc, 0]), Skip::NotIp(0x88cc)),
        (LinkType::Ethernet, ethernet(38, &[0x42; 46]), Skip::NotIp(38)),
        (LinkType::Ethernet, vec![1; 13], Skip::Cut),
        (LinkType::Ethernet, ethernet(0x0800, &[0x45; 19]), Skip::Cut),
        (LinkType::Raw, vec![0x50; 60], Skip::Malformed),
        (LinkType::Raw, vec![0x44; 60], Skip::Malformed),
        (LinkType::Loopback, vec![0, 0, 0, 7, 1], Skip::NotIp(7)),
        (LinkType::Ppp, vec![0xff, 3, 0xc0, 0x21, 1], Skip::NotIp(0xc021)),
        (LinkType::PppoE, vec![0x11, 9, 0, 0, 0, 4, 1, 1, 0, 0], Skip::NotIp(0x8863)),
        (LinkType::Ethernet, ethernet(0x8100, &[0, 1, 0x81, 0].repeat(40)), Skip::TooDeep),
        (LinkType::Wireless, vec![0x80; 60], Skip::Wireless),
        (LinkType::Wireless, [&[0x08, 0x41][..], &[0; 60]].concat(), Skip::Wireless),
        (LinkType::Wireless, [&[0x48, 1][..], &[0; 60]].concat(), Skip::Wireless),
        (LinkType::Radiotap, vec![0, 0, 200, 0, 0, 0, 0, 0, 8, 0], Skip::Cut),
    ];
    for (link, bytes, skip) in cases {
        assert_eq!(on(link, &bytes, bytes.len()).err(), Some(skip), "{bytes:02x?}");
    }
    let mut netlink = [vec![0; 14], vec![8, 0], ipv4(6, &segment())].concat();
    netlink[2..4].copy_from_slice(&824_u16.to_be_bytes());
    assert_eq!(on(LinkType::Cooked1, &netlink, 200).err(), Some(Skip::NotIp(0x0800)));
    assert_eq!(Skip::NotIp(0x1234).to_string(), "not IP: protocol 0x1234");
}

#[test]
fn lengths_come_from_the_ip_header_whatever_the_snap_length() {
    let bytes = frame(1000);
    for snap in [54, 60, 96, 1054] {
        let packet = on(LinkType::Ethernet, &bytes[..snap], bytes.len()).unwrap();
        assert_eq!((packet.ip_bytes, packet.payload_bytes), (1040, 1000), "snap {snap}");
        assert_eq!(packet.payload.len(), snap - 54);
        assert!(!packet.super_segment);
    }
}

#[test]
fn ip_length_zero_is_offload_and_the_frame_tells() {
    let mut v4 = ethernet(0x8100, &[&[0, 1, 8, 0][..], &ipv4(6, &tcp(&[], &[7; 400]))].concat());
    v4[20..22].fill(0);
    let mut v6 = ethernet(0x86dd, &ipv6(6, &tcp(&[], &[7; 400])));
    v6[18..20].fill(0);
    for (bytes, headers) in [(v4, 18 + 40), (v6, 14 + 60)] {
        let packet = on(LinkType::Ethernet, &bytes[..100], 60_000).unwrap();
        assert_eq!(packet.payload_bytes, 60_000 - headers);
        assert!(packet.super_segment);
    }
}

#[test]
fn ip_length_zero_in_a_padded_frame_is_no_payload() {
    let mut bytes = frame(0);
    bytes[16..18].fill(0);
    bytes.resize(60, 0);
    let packet = eth(&bytes);
    assert_eq!((packet.ip_bytes, packet.payload_bytes, packet.payload), (40, 0, &[][..]));
    assert!(!packet.super_segment);
}

#[test]
fn ipv6_without_payload_is_not_offload() {
    let packet_59 = ethernet(0x86dd, &[ipv6(59, &[]), vec![0; 20]].concat());
    let packet = eth(&packet_59);
    assert_eq!((packet.ip_bytes, packet.super_segment), (40, false));
}

#[test]
fn joined_segments_are_recognised_by_their_size() {
    assert!(!eth(&frame(1500)).super_segment);
    assert!(eth(&frame(1501)).super_segment);
}

#[test]
fn a_frame_that_claims_to_be_shorter_than_its_packet_does_not_shorten_it() {
    // Some tools write the captured length in place of the wire length.
    let packet = on(LinkType::Ethernet, &frame(1000)[..96], 96).map(|p| p.payload_bytes);
    assert_eq!(packet, Ok(1000));
}

#[test]
fn ipv4_options_and_fragments() {
    let mut with_options = ipv4(6, &[&[1; 8][..], &segment()].concat());
    with_options[0] = 0x47;
    let bytes = ethernet(0x0800, &with_options);
    assert_holds_segment(&eth(&bytes), "options");

    for (field, expected) in [
        (0x4000_u16, Fragment::Whole),
        (0x2000, Fragment::First),
        (0x2001, Fragment::Later),
        (0x0005, Fragment::Later),
    ] {
        let mut bytes = frame(33);
        bytes[20..22].copy_from_slice(&field.to_be_bytes());
        let packet = eth(&bytes);
        assert_eq!(packet.fragment, expected);
        let later = expected == Fragment::Later;
        assert_eq!(packet.transport == Transport::None, later);
        assert_eq!(packet.payload_bytes, if later { 53 } else { 33 });
    }
}

#[test]
fn a_cut_header_is_no_payload() {
    let cut = |protocol, transport: &[u8], kept: usize| {
        let bytes = ethernet(0x86dd, &ipv6(protocol, transport));
        on(LinkType::Ethernet, &bytes[..54 + kept], bytes.len()).unwrap().payload_bytes
    };
    let with_options = [&tcp(&[1; 12], &[0; 100])[..]].concat();
    assert_eq!(cut(6, &with_options, 14), 100, "the data offset was captured");
    assert_eq!(cut(6, &with_options, 12), 112, "the fixed header at least");
    assert_eq!(cut(17, &udp(5000, 6000, &[0; 100]), 6), 100);
    assert_eq!(cut(58, &[128, 0, 0, 0, 0, 1, 0, 2, 9, 9], 4), 2);
}

#[test]
fn tcp_without_its_header_is_not_followed_as_tcp() {
    let mut bytes = frame(33);
    bytes[20..22].copy_from_slice(&0x0005_u16.to_be_bytes());
    let later = eth(&bytes);
    assert_eq!((later.protocol(), later.lacks_header()), (Protocol::Other, true));
    let bytes = frame(33);
    assert_eq!((eth(&bytes).protocol(), eth(&bytes).lacks_header()), (Protocol::Tcp, false));
}

#[test]
fn ipv6_extension_headers() {
    let hop_by_hop = [60, 0, 5, 2, 0, 0, 1, 0];
    let destination = [43, 1, 1, 12, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0];
    let routing = [51, 0, 4, 0, 0, 0, 0, 0];
    let authentication = [6, 4, 0, 0, 0, 0, 0, 1, 0, 0, 0, 1, 9, 9, 9, 9, 9, 9, 9, 9, 9, 9, 9, 9];
    let chain = [&hop_by_hop[..], &destination, &routing, &authentication, &segment()].concat();
    let bytes = ethernet(0x86dd, &ipv6(0, &chain));
    let packet = eth(&bytes);
    assert_eq!((packet.ip_protocol, packet.ip_bytes), (6, 40 + 56 + 53));
    assert_holds_segment(&packet, "extension headers");

    // If the capture cuts an extension header, the protocol is the number of that header.
    let packet = on(LinkType::Ethernet, &bytes[..14 + 40 + 10], bytes.len()).unwrap();
    assert_eq!((packet.ip_protocol, packet.transport), (60, Transport::None));

    let atomic = [6, 0, 0, 0, 0xab, 0xcd, 0x12, 0x34];
    let first = [6, 0, 0, 1, 0xab, 0xcd, 0x12, 0x34];
    let later = [6, 0, 0, 8, 0xab, 0xcd, 0x12, 0x34];
    for (header, expected) in
        [(atomic, Fragment::Whole), (first, Fragment::First), (later, Fragment::Later)]
    {
        let bytes = ethernet(0x86dd, &ipv6(44, &[&header[..], &segment()].concat()));
        let packet = eth(&bytes);
        assert_eq!((packet.fragment, packet.ip_id, packet.ip_protocol), (expected, 0x1234, 6));
        assert_eq!(packet.transport == Transport::None, expected == Fragment::Later);
    }
}

#[test]
fn udp_and_echo() {
    let bytes = ethernet(0x0800, &ipv4(17, &udp(53, 5353, b"answer")));
    let packet = eth(&bytes);
    assert_eq!(packet.transport, Transport::Udp { source_port: 53, destination_port: 5353 });
    assert_eq!((packet.payload_bytes, packet.payload), (6, &b"answer"[..]));

    let echo = |kind| [&[kind, 0, 0, 0, 1, 2, 3, 4][..], &[0; 56]].concat();
    for (ethertype, ip, reply) in [
        (0x0800, ipv4(1, &echo(8)), false),
        (0x0800, ipv4(1, &echo(0)), true),
        (0x86dd, ipv6(58, &echo(128)), false),
        (0x86dd, ipv6(58, &echo(129)), true),
    ] {
        let bytes = ethernet(ethertype, &ip);
        let packet = eth(&bytes);
        assert_eq!(packet.transport, Transport::Echo { reply, id: 0x0102, sequence: 0x0304 });
        assert_eq!(packet.payload_bytes, 56);
    }
    let unreachable = ethernet(0x0800, &ipv4(1, &echo(3)));
    assert_eq!(eth(&unreachable).transport, Transport::None);
}

fn options_of(options: &[u8]) -> TcpOptions {
    tcp_of(eth(&ethernet(0x0800, &ipv4(6, &tcp(options, b"")))).transport).options
}

#[test]
fn tcp_options_of_a_syn() {
    let seen = options_of(&[
        2, 4, 5, 0xb4, 4, 2, 8, 10, 0, 0, 0, 7, 0, 0, 0, 9, 1, 3, 3, 8, 34, 2, 30, 4, 0, 1, 1, 0,
    ]);
    assert_eq!((seen.mss, seen.window_scale, seen.sack_permitted), (Some(1460), Some(8), true));
    assert_eq!(seen.timestamps, Some(Timestamps { value: 7, echo: 9 }));
    assert_eq!((seen.fast_open, seen.mptcp, seen.cut, seen.sack()), (true, true, false, &[][..]));
}

/// The token of an option in a packet with these control bits.
fn token_of(flags: u8, option: &[u8]) -> Option<u32> {
    let mut segment = tcp(option, b"");
    segment[13] = flags;
    let bytes = ethernet(0x0800, &ipv4(6, &segment));
    let options = tcp_of(eth(&bytes).transport).options;
    assert!(options.mptcp);
    options.mptcp_token.map(NonZeroU32::get)
}

#[test]
fn mptcp_tokens() {
    let (syn, syn_ack, ack) = (2, 0x12, 0x10);
    let key = [1, 2, 3, 4, 5, 6, 7, 8];
    // These are the first 32 bits of the output of `printf '\1\2\3\4\5\6\7\10' | sha1sum`, and of
    // `sha256sum` in its place.
    let (sha1, sha256) = (0xdd57_83bc, 0x6684_0dda);
    let capable =
        |version: u8, keys: &[u8]| [&[30, 4 + keys.len() as u8, version, 0x81][..], keys].concat();
    let both = [[9; 8], key].concat();
    assert_eq!(token_of(syn, &capable(0, &key)), None, "the opener's key");
    assert_eq!(token_of(syn, &capable(1, &[])), None);
    assert_eq!(token_of(syn_ack, &capable(0, &key)), Some(sha1));
    assert_eq!(token_of(syn_ack, &capable(1, &key)), Some(sha256));
    assert_eq!(token_of(ack, &capable(0, &both)), Some(sha1));
    assert_eq!(token_of(ack, &capable(1, &both)), Some(sha256));
    assert_eq!(token_of(ack, &capable(2, &both)), None, "an unknown version");
    let join = [&[30, 12, 0x10, 1, 0xde, 0xad, 0xbe, 0xef][..], &[7; 4]].concat();
    assert_eq!(token_of(syn, &join), Some(0xdead_beef));
    let answer = [&[30, 16, 0x10, 1][..], &[7; 12]].concat();
    assert_eq!(token_of(syn_ack, &answer), None, "a hash and a nonce");
    let data_ack = [30, 8, 0x20, 1, 0, 0, 0, 5];
    assert_eq!(token_of(ack, &data_ack), None);
}

#[test]
fn window_scale_beyond_14_is_14() {
    assert_eq!(options_of(&[3, 3, 15, 0]).window_scale, Some(14));
    assert_eq!(options_of(&[3, 3, 255, 0]).window_scale, Some(14));
    assert_eq!(options_of(&[3, 3, 14, 0]).window_scale, Some(14));
}

#[test]
fn sack_blocks_up_to_four() {
    let blocks: Vec<u8> = (1..=8_u32).flat_map(u32::to_be_bytes).collect();
    let seen = options_of(&[&[1, 1, 5, 34][..], &blocks].concat());
    assert_eq!(seen.sack(), [(1, 2), (3, 4), (5, 6), (7, 8)]);
    let seen = options_of(&[&[1, 1, 5, 18][..], &blocks[..16]].concat());
    assert_eq!(seen.sack(), [(1, 2), (3, 4)]);
}

#[test]
fn timestamps_are_the_same_on_the_fast_path_and_off_it() {
    let timestamps = [8, 10, 1, 2, 3, 4, 5, 6, 7, 8];
    let fast = options_of(&[&[1, 1][..], &timestamps].concat());
    let slow = options_of(&[&timestamps[..], &[1, 1]].concat());
    let padded = options_of(&[&[1, 1][..], &timestamps, &[0; 4]].concat());
    let expected = Some(Timestamps { value: 0x0102_0304, echo: 0x0506_0708 });
    assert_eq!([fast.timestamps, slow.timestamps, padded.timestamps], [expected; 3]);
    assert_eq!(fast.layout, padded.layout, "the end of the list is no part of the layout");
    assert_ne!(fast.layout, slow.layout);
    assert_eq!(options_of(&[]).layout, 0, "no options");
}

#[test]
fn fast_open_by_experiment() {
    assert!(options_of(&[254, 4, 0xf9, 0x89]).fast_open);
    assert!(!options_of(&[254, 4, 0xf9, 0x8a]).fast_open);
}

#[test]
fn malformed_options_end_the_list_and_are_said() {
    for bad in [[8, 0, 0, 0], [8, 1, 0, 0], [8, 10, 0, 0], [1, 1, 1, 8]] {
        let seen = options_of(&[&[3, 3, 7, 1][..], &bad].concat());
        assert_eq!(
            (seen.window_scale, seen.cut, seen.timestamps),
            (Some(7), true, None),
            "{bad:?}"
        );
    }
    let wrong_length = options_of(&[2, 3, 5, 1]);
    assert_eq!((wrong_length.mss, wrong_length.cut), (None, false));
}

#[test]
fn options_that_the_snap_length_cut() {
    let timestamps = [1, 1, 8, 10, 0, 0, 0, 1, 0, 0, 0, 2];
    let bytes = ethernet(0x0800, &ipv4(6, &tcp(&timestamps, &[0; 500])));
    let packet = on(LinkType::Ethernet, &bytes[..60], bytes.len()).unwrap();
    let options = tcp_of(packet.transport).options;
    assert_eq!((options.timestamps, options.cut), (None, true));
    assert_eq!(packet.payload_bytes, 500);
    let packet = on(LinkType::Ethernet, &bytes[..53], bytes.len()).unwrap();
    // The data offset shows how long the header was.
    assert_eq!((packet.transport, packet.payload_bytes), (Transport::None, 500));
}

#[test]
fn options_beyond_the_end_of_the_packet_are_malformed_and_not_cut_by_the_snap_length() {
    let mut bytes = frame(4);
    // The header claims 40 bytes of options; the packet ends after four bytes.
    bytes[14 + 20 + 12] = 0xf0;
    let claims = tcp_of(eth(&bytes).transport).options;
    assert_eq!((claims.cut, claims.malformed), (true, true));
    let unfit = options_of(&[8, 10, 0, 1]);
    assert_eq!((unfit.cut, unfit.malformed), (true, true));
    let whole = ethernet(0x0800, &ipv4(6, &tcp(&[1, 1, 8, 10, 0, 0, 0, 1, 0, 0, 0, 2], &[0; 9])));
    let short = on(LinkType::Ethernet, &whole[..60], whole.len()).unwrap();
    let cut = tcp_of(short.transport).options;
    assert_eq!((cut.cut, cut.malformed), (true, false));
}

#[test]
fn a_tcp_header_shorter_than_it_can_be_is_none() {
    let mut bytes = frame(10);
    bytes[14 + 20 + 12] = 0x40;
    assert_eq!(eth(&bytes).transport, Transport::None);
}

#[test]
fn the_bit_once_called_ns_is_accurate_ecn() {
    let mut bytes = frame(0);
    bytes[14 + 20 + 12] |= 1;
    assert!(tcp_of(eth(&bytes).transport).flags.has(TcpFlags::AE | TcpFlags::ACK));
}
