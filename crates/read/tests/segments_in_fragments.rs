//! Tests that TCP segments in IP fragments are joined, in a tunnel and outside.

mod support;

use airmile_read::{InputReport, Skip, Transport};
use support::{Pcap, Seen, fragments4, fragments6, ipv4, read_ok, tcp, tcp_of, udp};

const MILLISECOND: u64 = 1_000_000;

/// A segment with 900 bytes of payload that differ.
fn segment() -> Vec<u8> {
    tcp(&[], &(0..900).map(|at| (at / 4) as u8).collect::<Vec<_>>())
}

/// Reads raw IP packets that are ten milliseconds apart.
fn read_raw<'a>(packets: impl IntoIterator<Item = &'a Vec<u8>>) -> (Vec<Seen>, InputReport) {
    let times = (1..).map(|count| count * 10 * MILLISECOND);
    let add = |file: Pcap, (time, packet): (u64, &Vec<u8>)| file.record(time, packet);
    read_ok(&times.zip(packets).fold(Pcap::new(101), add).bytes)
}

/// A later fragment of another segment, after which segments are joined.
fn another() -> Vec<u8> {
    fragments4(900, 6, &segment(), &[400]).remove(1)
}

fn parts(report: &InputReport) -> u64 {
    report.skipped.get(&Skip::TcpFragment).copied().unwrap_or(0)
}

fn warned(report: &InputReport, text: &str) -> Option<String> {
    report.warnings.iter().find(|line| line.contains(text)).cloned()
}

fn assert_whole(packet: &Seen) {
    assert_eq!(tcp_of(packet.transport).destination_port, 443);
    assert_eq!((packet.payload_bytes, &packet.payload[..]), (900, &segment()[20..]));
}

#[test]
fn a_segment_is_joined_in_any_order() {
    for cuts in [&[400][..], &[24], &[8], &[16, 24, 400], &[400, 800]] {
        for fragments in [fragments4(7, 6, &segment(), cuts), fragments6(7, 6, &segment(), cuts)] {
            let orders = [fragments.clone(), fragments.iter().rev().cloned().collect()];
            for order in orders {
                let (packets, report) = read_raw([&[another()][..], &order].concat().iter());
                assert_eq!(packets.len(), 1, "{cuts:?}");
                assert_whole(&packets[0]);
                assert_eq!(packets[0].frame, order.len() as u64 + 1, "that of the last");
                assert_eq!(parts(&report), order.len() as u64, "{cuts:?}");
            }
        }
    }
}

/// The first fragment was returned before another showed that the capture contains them.
#[test]
fn the_first_segment_of_a_capture_goes_on_with_its_later_fragments() {
    for fragments in
        [fragments4(7, 6, &segment(), &[400, 800]), fragments6(7, 6, &segment(), &[400, 800])]
    {
        let (packets, report) = read_raw(&fragments);
        let seen: Vec<_> = packets
            .iter()
            .map(|packet| (tcp_of(packet.transport).sequence, packet.payload_bytes))
            .collect();
        assert_eq!(seen, [(1, 380), (381, 400), (781, 120)]);
        let payload: Vec<u8> = packets.into_iter().flat_map(|packet| packet.payload).collect();
        assert_eq!(payload, &segment()[20..]);
        assert_eq!((parts(&report), report.warnings), (0, vec![]));
    }
}

#[test]
fn the_fin_of_a_segment_is_not_repeated() {
    let mut segment = segment();
    segment[13] |= 1;
    let (packets, _) = read_raw(&fragments4(7, 6, &segment, &[400]));
    let fins: Vec<_> = packets.iter().map(|packet| tcp_of(packet.transport).flags.0 & 1).collect();
    assert_eq!(fins, [1, 0]);
}

/// What a filter by port leaves.
#[test]
fn first_fragments_alone_are_packets_as_they_are() {
    let first = |id| fragments4(id, 6, &segment(), &[400]).remove(0);
    let (packets, report) = read_raw(&(0..3000).map(first).collect::<Vec<_>>());
    assert_eq!((packets.len(), report.counts.tcp_packets), (3000, 3000));
    assert!(packets.iter().all(|packet| packet.payload_bytes == 380));
    assert_eq!(report.warnings, Vec::<String>::new());
}

#[test]
fn a_header_in_two_fragments_is_awaited_from_the_start() {
    for cuts in [&[8][..], &[8, 16]] {
        let (packets, report) = read_raw(&fragments4(7, 6, &segment(), cuts));
        assert_eq!((packets.len(), parts(&report)), (1, cuts.len() as u64));
        assert_whole(&packets[0]);
    }
}

#[test]
fn overlapping_fragments_are_refused_and_counted() {
    let fragments = fragments4(7, 6, &segment(), &[400, 800]);
    let [first, middle, last] = &fragments[..] else { unreachable!() };
    let across = &fragments4(7, 6, &segment(), &[392, 800])[1];
    for order in [[first, across, last], [last, across, first], [across, first, last]] {
        let packets = [&[another()][..], &order.map(Vec::clone)].concat();
        let (packets, report) = read_raw(&packets);
        assert_eq!((packets.len(), parts(&report)), (0, 4));
        let line = warned(&report, "overlap").expect("a warning");
        assert!(line.starts_with("1 record: "), "{line}");
    }
    // A segment that was begun is not gone on with.
    let (packets, report) = read_raw([first, across, middle, last]);
    assert_eq!((packets.len(), parts(&report)), (1, 3));
    assert!(warned(&report, "overlap").is_some());
}

/// All fragments but the last have a multiple of 8 bytes.
#[test]
fn a_fragment_that_cannot_be_is_refused_and_counted() {
    let mut first = fragments4(7, 6, &segment(), &[400]).remove(0);
    first.truncate(first.len() - 3);
    first[3] -= 3;
    let (packets, report) = read_raw([&first]);
    assert_eq!((packets.len(), parts(&report)), (0, 1));
    assert!(warned(&report, "cannot be").is_some());
}

#[test]
fn a_segment_without_its_first_or_its_last_fragment_is_counted() {
    let fragments = fragments4(7, 6, &segment(), &[400, 800]);
    for missing in 0..3 {
        let mut some = fragments.clone();
        some.remove(missing);
        let (packets, report) = read_raw(&[&[another()][..], &some].concat());
        assert_eq!((packets.len(), parts(&report)), (0, 3), "without {missing}");
        let line = warned(&report, "not all in the capture").expect("a warning");
        assert!(line.starts_with("2 records: "), "{line}");
    }
}

#[test]
fn an_identification_that_comes_again_begins_another_segment() {
    let mut other = segment();
    other[7] = 99;
    let one = fragments4(7, 6, &segment(), &[400]);
    let two = fragments4(7, 6, &other, &[400]);
    let (packets, report) = read_raw([&another(), &one[0], &two[0], &two[1]]);
    assert_eq!((packets.len(), tcp_of(packets[0].transport).sequence), (1, 99));
    assert!(warned(&report, "not all in the capture").is_some());
}

/// Reads raw IP packets that are two microseconds apart, after a fragment of another segment.
fn read_at_once(packets: &[&Vec<u8>]) -> (Vec<Seen>, InputReport) {
    let start = Pcap::new(101).record(MILLISECOND, &another());
    let add = |file: Pcap, (at, packet): (u64, &&Vec<u8>)| {
        file.record(10 * MILLISECOND + at * 2000, packet)
    };
    read_ok(&(0..).zip(packets).fold(start, add).bytes)
}

#[test]
fn fragments_that_were_recorded_twice_leave_nothing_behind() {
    let [first, last] = &fragments4(7, 6, &segment(), &[400])[..] else { unreachable!() };
    let orders = [[first, first, last, last], [last, last, first, first]];
    for (order, copies) in [(orders[0], 1), (orders[1], 1), ([first, last, first, last], 2)] {
        let (packets, report) = read_at_once(&order);
        assert_eq!((packets.len(), parts(&report)), (copies, 5 - copies as u64));
        packets.iter().for_each(assert_whole);
        let line = warned(&report, "not all in the capture").expect("that of the other");
        assert!(line.starts_with("1 record: "), "{line}");
    }
}

/// Identifications may have been removed from a capture.
#[test]
fn segments_with_one_identification_that_follow_each_other_are_joined() {
    let mut other = segment();
    other[7] = 99;
    other[30] = 99;
    other[700] = 99;
    let one = fragments4(0, 6, &segment(), &[400]);
    let two = fragments4(0, 6, &other, &[400]);
    let (packets, _) = read_at_once(&[&one[0], &one[1], &two[0], &two[1], &one[0], &one[1]]);
    let seen: Vec<_> = packets.iter().map(|packet| tcp_of(packet.transport).sequence).collect();
    assert_eq!(seen, [1, 99, 1]);
    let (packets, _) = read_at_once(&[&one[1], &one[0], &two[1], &two[0]]);
    assert_eq!(packets.len(), 2);
    assert_eq!(packets[1].payload, &other[20..]);
}

#[test]
fn the_fragments_of_a_segment_in_a_tunnel_are_joined() {
    let inner = fragments4(7, 6, &segment(), &[400]);
    let in_gtp = |packet: &Vec<u8>| {
        ipv4(17, &udp(2152, 2152, &[&[0x30, 255, 0, 0, 0, 0, 0, 9][..], packet].concat()))
    };
    let (packets, report) = read_raw(&inner.iter().rev().map(in_gtp).collect::<Vec<_>>());
    assert_eq!((packets.len(), packets[0].teid), (1, Some(9)));
    assert_whole(&packets[0]);
    assert_eq!((parts(&report), report.counts.tunnelled), (1, 1));
    // The same fragments in different tunnels belong to different segments.
    let other =
        ipv4(17, &udp(2152, 2152, &[&[0x30, 255, 0, 0, 0, 0, 0, 8][..], &inner[0]].concat()));
    assert_eq!(read_raw([&in_gtp(&inner[1]), &other]).0.len(), 0);
}

#[test]
fn a_snap_length_leaves_the_length_of_the_segment() {
    let [first, last] = &fragments4(7, 6, &segment(), &[400])[..] else { unreachable!() };
    let file = Pcap::new(101).snapped(MILLISECOND, &last[..60], last.len()).snapped(
        20 * MILLISECOND,
        &first[..96],
        first.len(),
    );
    let (packets, _) = read_ok(&file.bytes);
    assert_eq!((packets[0].payload_bytes, packets[0].payload.len()), (900, 96 - 40));
}

#[test]
fn a_flood_of_first_fragments_keeps_memory_and_what_follows_works() {
    let first = |id| fragments4(id, 6, &segment(), &[400]).remove(0);
    let flood: Vec<_> = (1000..6000).map(first).collect();
    let whole = fragments4(7, 6, &segment(), &[400]);
    let (packets, report) = read_raw(&[&[another()][..], &flood, &whole].concat());
    assert_eq!(packets.len(), 1);
    assert_whole(&packets[0]);
    assert!(warned(&report, "too many to be kept").is_some(), "{:?}", report.warnings);
}

#[test]
fn other_datagrams_pass_as_they_are() {
    let fragments = fragments4(7, 17, &udp(53, 5353, &[1; 600]), &[24, 400]);
    let (packets, report) = read_raw(&[&[another()][..], &fragments].concat());
    let known: Vec<_> = packets.iter().map(|p| p.transport != Transport::None).collect();
    assert_eq!((known, report.counts.later_fragments), (vec![true, false, false], 2));
}
