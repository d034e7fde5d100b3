//! Reads the public captures of the corpus: each must have the number of TCP packets in the index.
//!
//! The captures are public but not part of this repository, so the test needs `AIRMILE_CORPUS`.
#![expect(clippy::print_stdout, reason = "a skipped test says why")]

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

use airmile_read::{Capture, OpenError, Skip, Source, Transport};

/// The index was made with a rough scanner; these are the differences, with the reason.
const KNOWN: [(&str, u64); 1] = [
    // First fragments of 16 bytes are too short for a TCP header; tshark also finds 3 TCP packets.
    ("ipsumdump__trashed-packets.trace", 3),
];

#[expect(clippy::disallowed_methods, reason = "a test reads its own expectations")]
fn index(folder: &Path) -> BTreeMap<String, (u64, u64)> {
    let text = std::fs::read(folder.join("INDEX.md")).expect("the corpus has an index");
    let text = String::from_utf8(text).expect("the index is text");
    let row = |line: &str| {
        let cells: Vec<&str> = line.split('|').map(str::trim).collect();
        let count = |i: usize| cells.get(i)?.parse().ok();
        Some((cells.get(1)?.to_string(), (count(5)?, count(6)?)))
    };
    text.lines().filter_map(row).collect()
}

#[test]
fn packets_and_tcp_packets_of_every_capture() {
    let Some(corpus) = std::env::var_os("AIRMILE_CORPUS").map(PathBuf::from) else {
        return println!("skipped: AIRMILE_CORPUS does not name the corpus folder");
    };
    let folder = corpus.join("pcap");
    let index = index(&folder);
    assert!(index.len() >= 60, "{} captures in the index", index.len());
    for (name, (records, mut tcp)) in index {
        let opened = Capture::open(&Source::file(folder.join(&name)));
        if let Err(OpenError::LinkType { number: 147, .. }) = opened {
            assert_eq!(name, "LTESniffer__ltesniffer_ul_mode.pcap");
            continue;
        }
        let mut capture = opened.unwrap_or_else(|error| panic!("{error}"));
        while capture.next_packet().is_some() {}
        let report = capture.report();
        if let Some((_, known)) = KNOWN.iter().find(|(known, _)| *known == name) {
            tcp = *known;
        }
        assert_eq!((report.counts.records, report.counts.tcp_packets), (records, tcp), "{name}");
        assert_eq!(report.problems, [], "{name}");
    }
}

/// A capture of the corpus; `None` if the corpus or the capture is missing.
fn capture(name: &str) -> Option<Capture> {
    let Some(corpus) = std::env::var_os("AIRMILE_CORPUS").map(PathBuf::from) else {
        println!("skipped: AIRMILE_CORPUS does not name the corpus folder");
        return None;
    };
    let source = Source::file(corpus.join("pcap").join(name));
    Some(Capture::open(&source).unwrap_or_else(|error| panic!("{error}")))
}

#[test]
fn both_subflows_of_a_recorded_connection_tell_one_token() {
    let Some(mut capture) = capture("tcpdump__mptcp-v0.pcap") else { return };
    let mut subflows = BTreeMap::<_, BTreeSet<u32>>::new();
    while let Some(packet) = capture.next_packet() {
        let ends = [packet.source, packet.destination];
        let Transport::Tcp(tcp) = packet.transport else { continue };
        if let Some(token) = tcp.options.mptcp_token {
            let ends = (ends.iter().min().copied(), tcp.source_port ^ tcp.destination_port);
            subflows.entry(ends).or_default().insert(token.get());
        }
    }
    let tokens: BTreeSet<u32> = subflows.values().flatten().copied().collect();
    assert_eq!((subflows.len(), tokens.len()), (2, 1), "{subflows:?}");
}

#[test]
fn recorded_outer_fragments_count_with_their_packets() {
    let Some(mut capture) = capture("zeek__gtp1_gn_normal_incl_fragmentation.pcap") else {
        return;
    };
    while capture.next_packet().is_some() {}
    let report = capture.report();
    let parts = report.skipped.get(&Skip::TunnelFragment).copied();
    assert_eq!((report.counts.tunnelled, parts, report.counts.later_fragments), (72, Some(36), 0));
}
