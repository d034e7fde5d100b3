//! Tests that outer fragments of tunnels are joined if the inner headers need it, and only then.

mod support;

use airmile_read::{InputReport, Skip, Transport};
use support::{Pcap, PcapNg, Seen, fragments4, fragments6, ipv4, read_ok, tcp, tcp_of, udp};

const SECOND: u64 = 1_000_000_000;

/// A G-PDU with a TCP segment of 900 bytes.
fn gpdu() -> Vec<u8> {
    let inner = ipv4(6, &tcp(&[], &[b'i'; 900]));
    udp(2152, 2152, &[&[0x30, 255, 3, 0xac, 0, 0, 0x12, 0x34][..], &inner].concat())
}

/// Reads raw IP packets that are a second apart.
fn read_raw<'a>(packets: impl IntoIterator<Item = &'a Vec<u8>>) -> (Vec<Seen>, InputReport) {
    let times = (1..).map(|second| second * SECOND);
    let add = |file: Pcap, (time, packet): (u64, &Vec<u8>)| file.record(time, packet);
    read_ok(&times.zip(packets).fold(Pcap::new(101), add).bytes)
}

fn parts(report: &InputReport) -> u64 {
    report.skipped.get(&Skip::TunnelFragment).copied().unwrap_or(0)
}

fn assert_whole(packet: &Seen) {
    assert_eq!(tcp_of(packet.transport).destination_port, 443);
    assert_eq!((packet.payload_bytes, packet.payload.len()), (900, 900));
}

#[test]
fn headers_in_the_second_fragment_are_found_in_any_order() {
    // Cuts within the inner IP header, within the TCP header, and after the outer UDP header.
    for cuts in [&[24][..], &[48], &[8], &[8, 16, 24, 32, 40, 48, 56]] {
        let sets = [fragments4(7, 17, &gpdu(), cuts), fragments6(7, 17, &gpdu(), cuts)];
        for fragments in sets {
            let (packets, report) = read_raw(&fragments);
            assert_eq!(packets.len(), 1, "{cuts:?}");
            assert_whole(&packets[0]);
            assert_eq!(packets[0].teid, Some(0x1234));
            assert_eq!(packets[0].time_ns, fragments.len() as i64 * SECOND as i64, "the last's");
            assert_eq!((parts(&report), report.counts.tunnelled), (cuts.len() as u64, 1));

            // A later fragment that comes before the first is counted on its own, because its
            // datagram is not known yet.
            let (packets, _) = read_raw(fragments.iter().rev());
            assert_eq!(packets.len(), fragments.len());
            assert_whole(packets.last().unwrap());
        }
    }
}

#[test]
fn headers_in_the_first_fragment_are_handed_out_at_once() {
    let (packets, report) = read_raw(&fragments4(7, 17, &gpdu(), &[56, 400]));
    assert_eq!((packets.len(), packets[0].time_ns), (1, SECOND as i64));
    // The inner IP header contains the length; this record's captured bytes end before.
    assert_eq!((packets[0].payload_bytes, packets[0].payload.len()), (900, 0));
    assert_eq!((parts(&report), report.counts.later_fragments), (2, 0));
}

#[test]
fn other_tunnels_are_joined_too() {
    let inner = ipv4(6, &tcp(&[], &[b'i'; 900]));
    let gre = [&[0, 0, 8, 0][..], &inner].concat();
    let cases = [(4, inner.clone()), (47, gre), (17, udp(9, 4789, &vxlan(&inner)))];
    for (protocol, payload) in cases {
        let (packets, _) = read_raw(&fragments4(1, protocol, &payload, &[24]));
        assert_eq!(packets.len(), 1, "protocol {protocol}");
        assert_whole(&packets[0]);
    }
    // Fragments in a tunnel, of a packet that is itself a tunnel.
    let nested = fragments4(1, 4, &inner, &[24]);
    let in_gtp = |packet: &Vec<u8>| {
        ipv4(17, &udp(2152, 2152, &[&[0x30, 255, 0, 0, 0, 0, 0, 9][..], packet].concat()))
    };
    let (packets, _) = read_raw(&nested.iter().map(in_gtp).collect::<Vec<_>>());
    assert_eq!((packets.len(), packets[0].teid), (1, Some(9)));
    assert_whole(&packets[0]);
}

fn vxlan(inner: &[u8]) -> Vec<u8> {
    [&[8, 0, 0, 0, 0, 0, 42, 0][..], &support::ethernet(0x0800, inner)].concat()
}

#[test]
fn fragments_of_no_tunnel_pass_as_they_are() {
    let (packets, report) = read_raw(&fragments4(7, 17, &udp(53, 5353, &[1; 600]), &[24, 400]));
    let known: Vec<_> = packets.iter().map(|p| p.transport != Transport::None).collect();
    assert_eq!(known, [true, false, false]);
    assert_eq!((report.counts.later_fragments, parts(&report)), (2, 0));
}

#[test]
fn a_datagram_that_is_no_packet_of_a_tunnel_after_all_stays_udp() {
    let message = udp(2152, 2152, &[&[0x32, 1][..], &[0; 600]].concat());
    let (packets, report) = read_raw(&fragments4(7, 17, &message, &[8]));
    assert_eq!((packets.len(), parts(&report)), (1, 1));
    assert_eq!((packets[0].payload_bytes, packets[0].payload.len()), (602, 602));
}

#[test]
fn an_overlap_makes_a_datagram_worthless_and_a_copy_does_not() {
    let fragments = fragments4(7, 17, &gpdu(), &[24, 400]);
    let other = fragments4(7, 17, &gpdu(), &[24, 392]);
    let [first, middle, last] = &fragments[..] else { unreachable!() };
    let (packets, _) = read_raw([first, middle, middle, last]);
    assert_whole(packets.last().unwrap());
    // The fragment begins before the end of the one before (RFC 5722).
    let (packets, report) = read_raw([first, middle, &other[2], last]);
    assert_eq!((packets.len(), parts(&report)), (0, 4));
    // The length is not a multiple of 8 bytes although the fragment is not the last (RFC 8200
    // section 4.5).
    let mut odd = middle.clone();
    odd.truncate(odd.len() - 1);
    odd[3] -= 1;
    let (packets, _) = read_raw([first, &odd, last]);
    assert_eq!(packets.len(), 0);
}

#[test]
fn what_is_not_complete_in_a_minute_is_forgotten() {
    let [first, last] = &fragments4(7, 17, &gpdu(), &[24])[..] else { unreachable!() };
    let late = Pcap::new(101).record(SECOND, first).record(62 * SECOND, last);
    let (packets, report) = read_ok(&late.bytes);
    assert_eq!((packets.len(), packets[0].transport), (1, Transport::None));
    assert_eq!(parts(&report), 1);
}

#[test]
fn identifications_come_round_within_a_second() {
    let one = fragments4(7, 17, &gpdu(), &[24]);
    let mut other_payload = gpdu();
    // A packet of the outer tunnel with another sequence number and another length.
    other_payload.truncate(800);
    let other = fragments4(7, 17, &other_payload, &[48]);
    // The last fragment of the first datagram is lost.
    let (packets, _) = read_raw([&one[0], &other[0], &other[1]]);
    assert_eq!(packets.len(), 1);
    assert_eq!((packets[0].payload_bytes, packets[0].payload.len()), (900, 800 - 56));
}

#[test]
fn a_snap_length_within_a_fragment_leaves_what_was_captured() {
    let [first, last] = &fragments4(7, 17, &gpdu(), &[24])[..] else { unreachable!() };
    let file = Pcap::new(101).record(SECOND, first).snapped(2 * SECOND, &last[..96], last.len());
    let (packets, _) = read_ok(&file.bytes);
    assert_eq!((packets[0].payload_bytes, packets[0].payload.len()), (900, 96 - 20 - 32));
    // If the inner IP header was not captured either, no packet is invented.
    let file = Pcap::new(101).record(SECOND, first).snapped(2 * SECOND, &last[..28], last.len());
    let (packets, _) = read_ok(&file.bytes);
    let outer = Transport::Udp { source_port: 2152, destination_port: 2152 };
    assert_eq!((packets[0].transport, packets[0].teid), (outer, None));
}

#[test]
fn a_flood_of_first_fragments_keeps_memory_and_what_follows_works() {
    let whole = gpdu();
    let mut file = PcapNg::new(support::Order::Little).interface(101, 0, &[]);
    for id in 0..5000_u32 {
        let first = &fragments6(id, 17, &whole, &[24])[0];
        file = file.enhanced(0, id.into(), first, first.len());
    }
    for fragment in fragments6(4999, 17, &whole, &[24]) {
        file = file.enhanced(0, 5000, &fragment, fragment.len());
    }
    let (packets, report) = read_ok(&file.bytes);
    assert_eq!((packets.len(), parts(&report)), (1, 5001));
    assert_whole(&packets[0]);
}

#[test]
fn datagrams_that_are_given_up_are_counted() {
    // The first fragments end within the headers, so each waits for the rest.
    let first = |id: u16| fragments4(id, 17, &gpdu(), &[24])[0].clone();
    let packets: Vec<_> = (0..1100).map(first).collect();
    let add = |file: Pcap, packet: &Vec<u8>| file.record(SECOND, packet);
    let report = read_ok(&packets.iter().fold(Pcap::new(101), add).bytes).1;
    let given_up = report.warnings.iter().find(|line| line.contains("too many to be kept"));
    assert!(given_up.is_some_and(|line| line.starts_with("76 records: ")), "{report:?}");

    // Pieces that are more than any link needs.
    let many: Vec<usize> = (1..1000).take_while(|at| at * 8 < 900).map(|at| at * 8).collect();
    let pieces = fragments4(
        7,
        17,
        &[&gpdu()[..], &[0; 600]].concat(),
        &[&many[..], &(0..60).map(|at| 904 + at * 8).collect::<Vec<_>>()].concat(),
    );
    let report = read_ok(&pieces.iter().fold(Pcap::new(101), add).bytes).1;
    assert!(report.warnings.iter().any(|line| line.contains("too many to be kept")), "{report:?}");
}
