//! Compares the decoder with etherparse: for frames that etherparse builds, and for damaged ones
//! that it still accepts, both must give the same result.

use std::net::IpAddr;

use airmile_read::{Fragment, Frame, LinkType, Packet, TcpHeader, Transport, decode};
use airmile_types::Instant;
use etherparse::{
    NetSlice, PacketBuilder, SlicedPacket, TcpOptionElement, TcpSlice, TransportSlice,
};
use proptest::prelude::*;
use proptest::sample::Index;

#[derive(Clone, Debug)]
struct Made {
    v6: bool,
    vlan: Option<u16>,
    udp: bool,
    ports: (u16, u16),
    sequence: u32,
    acknowledgement: u32,
    window: u16,
    flags: [bool; 8],
    options: Vec<TcpOptionElement>,
    payload: usize,
}

fn made() -> impl Strategy<Value = Made> {
    let option = prop_oneof![
        Just(TcpOptionElement::Noop),
        any::<u16>().prop_map(TcpOptionElement::MaximumSegmentSize),
        any::<u8>().prop_map(TcpOptionElement::WindowScale),
        Just(TcpOptionElement::SelectiveAcknowledgementPermitted),
        (any::<u32>(), any::<u32>()).prop_map(|(v, e)| TcpOptionElement::Timestamp(v, e)),
        ((any::<u32>(), any::<u32>()), any::<Option<(u32, u32)>>()).prop_map(|(first, second)| {
            TcpOptionElement::SelectiveAcknowledgement(first, [second, None, None])
        }),
    ];
    // etherparse's builder accepts at most 40 bytes of options.
    let options = prop_oneof![
        2 => prop::collection::vec(option, 0..3),
        1 => (any::<u32>(), any::<u32>()).prop_map(|(v, e)| {
            vec![TcpOptionElement::Noop, TcpOptionElement::Noop, TcpOptionElement::Timestamp(v, e)]
        }),
    ];
    let numbers = (any::<u32>(), any::<u32>(), any::<u16>(), any::<[bool; 8]>());
    let shape = (any::<bool>(), prop::option::of(0..4096_u16), any::<bool>(), any::<(u16, u16)>());
    (shape, numbers, options, 0..1600_usize).prop_map(|(shape, numbers, options, payload)| {
        let (v6, vlan, udp, ports) = shape;
        let (sequence, acknowledgement, window, flags) = numbers;
        Made { v6, vlan, udp, ports, sequence, acknowledgement, window, flags, options, payload }
    })
}

fn build(made: &Made) -> Vec<u8> {
    let link = PacketBuilder::ethernet2([1; 6], [2; 6]);
    let ip = match (made.vlan, made.v6) {
        (None, false) => link.ipv4([10, 1, 2, 3], [192, 0, 2, 7], 61),
        (None, true) => link.ipv6([0x20; 16], [0xfd; 16], 62),
        (Some(id), false) => {
            link.single_vlan(id.try_into().unwrap()).ipv4([10, 1, 2, 3], [192, 0, 2, 7], 61)
        }
        (Some(id), true) => {
            link.single_vlan(id.try_into().unwrap()).ipv6([0x20; 16], [0xfd; 16], 62)
        }
    };
    let payload = vec![0x5a; made.payload];
    let mut bytes = Vec::new();
    if made.udp {
        ip.udp(made.ports.0, made.ports.1).write(&mut bytes, &payload).unwrap();
        return bytes;
    }
    let mut tcp = ip.tcp(made.ports.0, made.ports.1, made.sequence, made.window);
    let [ns, fin, syn, rst, psh, urg, ece, cwr] = made.flags;
    if ns {
        tcp = tcp.ns();
    }
    if fin {
        tcp = tcp.fin();
    }
    if syn {
        tcp = tcp.syn();
    }
    if rst {
        tcp = tcp.rst();
    }
    if psh {
        tcp = tcp.psh();
    }
    if urg {
        tcp = tcp.urg(0);
    }
    if ece {
        tcp = tcp.ece();
    }
    if cwr {
        tcp = tcp.cwr();
    }
    let tcp = tcp.ack(made.acknowledgement).options(&made.options).unwrap();
    tcp.write(&mut bytes, &payload).unwrap();
    bytes
}

fn ours(bytes: &[u8]) -> Option<Packet<'_>> {
    let time = Instant::from_nanos(0);
    let wire_bytes = bytes.len();
    decode(Frame { link: LinkType::Ethernet, bytes, wire_bytes, time, interface: 0 }).ok()
}

/// Compares both results for a packet that etherparse accepts.
fn assert_same(packet: &Packet<'_>, oracle: &SlicedPacket<'_>) {
    let (source, destination, hop_limit, payload) = match oracle.net.as_ref().unwrap() {
        NetSlice::Ipv4(ip) => {
            let header = ip.header();
            assert_eq!(packet.ip_id, header.identification());
            assert_eq!(packet.ecn, header.ecn().value());
            let ends = (header.source_addr().into(), header.destination_addr().into());
            (ends.0, ends.1, header.ttl(), ip.payload().payload.len())
        }
        NetSlice::Ipv6(ip) => {
            let header = ip.header();
            let ends = (header.source_addr().into(), header.destination_addr().into());
            (ends.0, ends.1, header.hop_limit(), ip.payload().payload.len())
        }
        NetSlice::Arp(_) => panic!("ARP is no IP"),
    };
    let ends: (IpAddr, IpAddr) = (packet.source.to_ip(), packet.destination.to_ip());
    assert_eq!(ends, (source, destination));
    assert_eq!(packet.hop_limit, hop_limit);
    match (&packet.transport, oracle.transport.as_ref()) {
        (Transport::Tcp(ours), Some(TransportSlice::Tcp(theirs))) => {
            assert_eq!(packet.payload, theirs.payload());
            assert_same_tcp(ours, theirs);
        }
        (Transport::Udp { source_port, destination_port }, Some(TransportSlice::Udp(theirs))) => {
            assert_eq!(
                (*source_port, *destination_port),
                (theirs.source_port(), theirs.destination_port())
            );
            // The length follows from the IP header; the length in the UDP header may be smaller.
            assert_eq!(packet.payload_bytes as usize, payload - 8);
        }
        // The decoder reads the ports of a first fragment; etherparse reads no fragment.
        (_, None) if packet.fragment == Fragment::First => {}
        (Transport::Tcp(_) | Transport::Udp { .. }, other) => panic!("they saw {other:?}"),
        (ours, Some(TransportSlice::Tcp(_) | TransportSlice::Udp(_))) => panic!("we saw {ours:?}"),
        _ => {}
    }
}

fn assert_same_tcp(ours: &TcpHeader, theirs: &TcpSlice<'_>) {
    assert_eq!(
        (ours.source_port, ours.destination_port),
        (theirs.source_port(), theirs.destination_port())
    );
    assert_eq!(
        (ours.sequence, ours.acknowledgement),
        (theirs.sequence_number(), theirs.acknowledgment_number())
    );
    assert_eq!(ours.window, theirs.window_size());
    let flags = [
        theirs.fin(),
        theirs.syn(),
        theirs.rst(),
        theirs.psh(),
        theirs.ack(),
        theirs.urg(),
        theirs.ece(),
        theirs.cwr(),
        theirs.ns(),
    ];
    let bits = flags.iter().rev().fold(0, |bits, flag| bits << 1 | u16::from(*flag));
    assert_eq!(ours.flags.0, bits);
    // Both decoders omit the options after an error in the list.
    let elements: Vec<TcpOptionElement> = theirs.options_iterator().map_while(Result::ok).collect();
    let last =
        |pick: &dyn Fn(&TcpOptionElement) -> Option<u32>| elements.iter().filter_map(pick).last();
    let mss = last(&|e| {
        if let TcpOptionElement::MaximumSegmentSize(n) = e { Some(u32::from(*n)) } else { None }
    });
    let scale = last(&|e| {
        if let TcpOptionElement::WindowScale(n) = e { Some(u32::from(*n).min(14)) } else { None }
    });
    let echo =
        last(&|e| if let TcpOptionElement::Timestamp(_, echo) = e { Some(*echo) } else { None });
    let sound = theirs.options_iterator().all(|e| e.is_ok());
    if sound {
        assert_eq!(ours.options.mss.map(u32::from), mss);
        assert_eq!(ours.options.window_scale.map(u32::from), scale);
        assert_eq!(ours.options.timestamps.map(|t| t.echo), echo);
        assert!(!ours.options.cut);
    }
    let sack = elements.iter().rev().find_map(|e| match e {
        TcpOptionElement::SelectiveAcknowledgement(first, rest) => Some(
            [Some(*first), rest[0], rest[1], rest[2]].into_iter().flatten().collect::<Vec<_>>(),
        ),
        _ => None,
    });
    if sound {
        assert_eq!(ours.options.sack(), sack.unwrap_or_default());
    }
}

/// Whether the packet is in a tunnel, which etherparse does not remove.
fn tunnel_like(packet: &Packet<'_>, made: &Made) -> bool {
    packet.teid.is_some()
        || (made.udp && [made.ports.0, made.ports.1].iter().any(|p| [2152, 4789].contains(p)))
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(2000))]

    #[test]
    fn both_see_the_same_in_sound_frames(made in made()) {
        let bytes = build(&made);
        let oracle = SlicedPacket::from_ethernet(&bytes).expect("its own frame");
        let packet = ours(&bytes).expect("a sound frame");
        prop_assert_eq!(packet.payload_bytes as usize, made.payload);
        assert_same(&packet, &oracle);
    }

    /// One to three bytes of the headers are changed. A packet that etherparse still accepts must
    /// decode to the same result; if etherparse finds no IP packet, the decoder must find none.
    #[test]
    fn both_see_the_same_in_damaged_frames(
        made in made(),
        damage in prop::collection::vec((any::<Index>(), any::<u8>()), 1..4),
    ) {
        let mut bytes = build(&made);
        let headers = bytes.len().min(70);
        for (index, byte) in &damage {
            bytes[index.index(headers)] = *byte;
        }
        let (Ok(oracle), Some(packet)) = (SlicedPacket::from_ethernet(&bytes), ours(&bytes)) else {
            return Ok(());
        };
        let Some(net) = &oracle.net else { return Ok(()) };
        let (zero_length, protocol) = match net {
            NetSlice::Ipv4(ip) => (ip.header().total_len() == 0, ip.header().protocol().0),
            NetSlice::Ipv6(ip) => (ip.header().payload_length() == 0, ip.header().next_header().0),
            NetSlice::Arp(_) => return Ok(()),
        };
        // etherparse reads neither tunnels nor segmentation offload.
        if !zero_length && ![4, 41, 47].contains(&protocol) && !tunnel_like(&packet, &made) {
            assert_same(&packet, &oracle);
        }
    }

    #[test]
    fn any_cut_of_a_frame_gives_the_same_header_or_none(made in made(), cut in any::<Index>()) {
        let bytes = build(&made);
        let cut = cut.index(bytes.len());
        let time = Instant::from_nanos(0);
        let frame = Frame {
            link: LinkType::Ethernet, bytes: &bytes[..cut], wire_bytes: bytes.len(), time, interface: 0,
        };
        let whole = ours(&bytes).unwrap();
        if let Ok(packet) = decode(frame) {
            prop_assert_eq!(packet.ip_bytes, whole.ip_bytes);
            prop_assert!(whole.payload.starts_with(packet.payload) || packet.transport == Transport::None);
            if let (Transport::Tcp(part), Transport::Tcp(all)) = (packet.transport, whole.transport) {
                prop_assert_eq!(part.sequence, all.sequence);
                prop_assert_eq!(packet.payload_bytes, whole.payload_bytes);
                prop_assert!(part.options.cut || part.options == all.options);
            }
        }
    }
}
