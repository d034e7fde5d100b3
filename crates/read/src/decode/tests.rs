//! Tests that the fast decoders give the same packets as the general decoder, which is the
//! specification.

use airmile_types::{Instant, Protocol};
use proptest::prelude::*;

use super::general::{finish, locate};
use super::*;
use crate::link_type::LinkType;

/// A TCP segment with timestamps and ten bytes of payload, in an IPv4 packet.
const STAMPED: [u8; 62] = [
    0x45, 1, 0, 62, 7, 7, 0x40, 0, 64, 6, 0, 0, 10, 0, 0, 1, 192, 0, 2, 1, 0x9c, 0x40, 1, 187, 0,
    0, 0, 1, 0, 0, 0, 9, 0x80, 0x18, 1, 0, 0, 0, 0, 0, 1, 1, 8, 10, 0, 0, 0, 5, 0, 0, 0, 6, 1, 2,
    3, 4, 5, 6, 7, 8, 9, 10,
];
const ETHERNET: [u8; 14] = [2, 2, 2, 2, 2, 2, 4, 4, 4, 4, 4, 4, 8, 0];
const KINDS: [&str; 14] = [
    "stamped",
    "bare",
    "sack",
    "raw",
    "vlan",
    "cooked 1",
    "cooked 2",
    "v6",
    "v6 udp",
    "udp",
    "gtp-u",
    "gtp-u with extensions",
    "gtp-u v6",
    "dns in gtp-u",
];

/// A frame of one of the kinds that a fast decoder reads.
fn frame_of(kind: &str) -> (LinkType, Vec<u8>) {
    let on_ethernet = |ip: &[u8]| (LinkType::Ethernet, [&ETHERNET, ip].concat());
    match kind {
        "bare" => on_ethernet(&v4(6, &bare())),
        "sack" => on_ethernet(&v4(6, &sack())),
        "raw" => (LinkType::Raw, STAMPED.to_vec()),
        "vlan" => {
            (LinkType::Ethernet, [&ETHERNET[..12], &[0x81, 0, 0, 7, 8, 0], &STAMPED].concat())
        }
        "cooked 1" => {
            (LinkType::Cooked1, [&[0, 0, 0, 1, 0, 6], &[7; 8][..], &[8, 0], &STAMPED].concat())
        }
        "cooked 2" => {
            let header = [8, 0, 0, 0, 0, 0, 0, 2, 0, 1, 0, 6, 1, 2, 3, 4, 5, 6, 0, 0];
            (LinkType::Cooked2, [&header[..], &STAMPED].concat())
        }
        "v6" => (LinkType::Ethernet, [&ETHERNET[..12], &[0x86, 0xdd], &v6(6, &bare())].concat()),
        "v6 udp" => (LinkType::Raw, v6(17, &udp(5353, 5353, &[1, 2, 3]))),
        "udp" => on_ethernet(&v4(17, &udp(443, 50_000, &[9; 30]))),
        "gtp-u" => on_ethernet(&v4(17, &udp(2152, 2152, &gtp(0x30, &[], &STAMPED)))),
        "gtp-u with extensions" => {
            let extension = [0, 0, 0, 0x85, 1, 16, 9, 0];
            on_ethernet(&v4(17, &udp(50_000, 2152, &gtp(0x34, &extension, &STAMPED))))
        }
        "gtp-u v6" => on_ethernet(&v4(17, &udp(2152, 2152, &gtp(0x30, &[], &v6(6, &sack()))))),
        "dns in gtp-u" => {
            let question = v4(17, &udp(50_000, 53, &[0; 20]));
            on_ethernet(&v4(17, &udp(2152, 2152, &gtp(0x30, &[], &question))))
        }
        _ => on_ethernet(&STAMPED),
    }
}

fn bare() -> Vec<u8> {
    let mut header = STAMPED[20..40].to_vec();
    header[12] = 0x50;
    [header, vec![7; 9]].concat()
}

/// A TCP header with a selective acknowledgement after the timestamps.
fn sack() -> Vec<u8> {
    let mut header = STAMPED[20..52].to_vec();
    header[12] = 0xb0;
    [header, vec![1, 1, 5, 10, 0, 0, 0, 50, 0, 0, 0, 60]].concat()
}

fn v4(protocol: u8, payload: &[u8]) -> Vec<u8> {
    let mut header = STAMPED[..20].to_vec();
    header[2..4].copy_from_slice(&(20 + payload.len() as u16).to_be_bytes());
    header[9] = protocol;
    [&header, payload].concat()
}

fn v6(protocol: u8, payload: &[u8]) -> Vec<u8> {
    let length = (payload.len() as u16).to_be_bytes();
    let fixed = [0x60, 0x20, 0, 0, length[0], length[1], protocol, 60];
    [&fixed[..], &[0x20; 16], &[0xfd; 16], payload].concat()
}

fn udp(source: u16, destination: u16, payload: &[u8]) -> Vec<u8> {
    let length = 8 + payload.len() as u16;
    let words = [source, destination, length, 0].map(u16::to_be_bytes);
    [words.as_flattened(), payload].concat()
}

fn gtp(flags: u8, extensions: &[u8], inner: &[u8]) -> Vec<u8> {
    let length = ((extensions.len() + inner.len()) as u16).to_be_bytes();
    [&[flags, 255, length[0], length[1], 0, 0, 0, 9], extensions, inner].concat()
}

fn frame(link: LinkType, bytes: &[u8], wire_bytes: usize) -> Frame<'_> {
    Frame { link, bytes, wire_bytes, time: Instant::from_nanos(5), interface: 3 }
}

/// The packet that the general decoder gives, and whether a fast decoder may read the frame: it has
/// no fragment, and no remark except that of the tunnel.
fn general(frame: Frame<'_>) -> (String, bool) {
    let located = locate(&frame).expect("what a shortcut takes is sound");
    assert!(!located.fragmented);
    let (packet, remarks) = finish(frame, &located);
    let tunnelled = remarks.count(Remarks::TUNNEL) == 1;
    assert!(remarks.is_empty() || remarks == Remarks::TUNNEL, "{remarks:?}");
    (format!("{packet:?}"), tunnelled)
}

/// The packet that each fast decoder gives, if it reads the frame.
fn shortcuts(frame: Frame<'_>) -> [Option<(String, bool)>; 2] {
    let said = |packet: Option<Packet<'_>>| format!("{:?}", packet.expect("it was located"));
    let bulk = bulk::locate(frame.link, frame.bytes, frame.wire_bytes).map(|bulk| {
        let ip = &frame.bytes[bulk::ETHERNET..];
        let packet = bulk.packet::<{ bulk::STAMPED }>(ip, (frame.time, frame.interface, 0), None);
        let super_segment = packet.as_ref().is_some_and(|packet| packet.super_segment);
        assert_eq!(super_segment, bulk.is_super_segment::<{ bulk::STAMPED }>());
        (said(packet), false)
    });
    let plain = plain::locate(&frame).map(|plain| {
        let packet = plain.packet(frame, 0);
        let facts = packet.as_ref().map(|p| (p.super_segment, p.protocol()));
        let protocol = if plain.is_tcp() { Protocol::Tcp } else { Protocol::Udp };
        assert_eq!(facts, Some((plain.is_super_segment(), protocol)));
        (said(packet), plain.is_tunnelled())
    });
    [bulk, plain]
}

#[test]
fn every_kind_that_has_a_shortcut_takes_it() {
    for kind in KINDS {
        let (link, bytes) = frame_of(kind);
        let [bulk, plain] = shortcuts(frame(link, &bytes, bytes.len()));
        assert!(plain.is_some(), "{kind}");
        assert_eq!(bulk.is_some(), kind == "stamped", "{kind}");
    }
}

/// Changes one byte at a time to each of its values.
#[test]
fn the_shortcuts_see_every_byte_that_matters() {
    for kind in KINDS {
        let (link, whole) = frame_of(kind);
        for at in 0..whole.len() {
            let mut bytes = whole.clone();
            for value in 0..=255 {
                bytes[at] = value;
                same(frame(link, &bytes, bytes.len()));
            }
        }
    }
}

/// Tests all snap lengths with all lengths on the wire near that of the frame.
#[test]
fn the_shortcuts_see_every_cut() {
    for kind in KINDS {
        let (link, bytes) = frame_of(kind);
        for cut in 0..=bytes.len() {
            for wire in bytes.len() - 12..bytes.len() + 4 {
                same(frame(link, &bytes[..cut], wire));
            }
        }
    }
}

fn same(frame: Frame<'_>) {
    for short in shortcuts(frame).into_iter().flatten() {
        assert_eq!(general(frame), short, "{frame:?}");
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(airmile_share::cases(
        2_000, 20_000, "damaged frames, decoded in two ways",
    )))]

    /// A fast decoder gives the same packet as the general decoder, or leaves the frame to it.
    #[test]
    fn the_shortcuts_are_the_general_way(
        kind in prop::sample::select(KINDS.to_vec()),
        damage in prop::collection::vec((any::<prop::sample::Index>(), any::<u8>()), 0..4),
        cut in prop::option::of(any::<prop::sample::Index>()),
        more in prop::collection::vec(any::<u8>(), 0..4),
        wire in prop::option::of(0..3000_usize),
    ) {
        let (link, mut bytes) = frame_of(kind);
        bytes.extend(more);
        for (at, byte) in damage {
            let at = at.index(bytes.len());
            bytes[at] = byte;
        }
        bytes.truncate(cut.map_or(bytes.len(), |cut| cut.index(bytes.len() + 1)));
        let frame = frame(link, &bytes, wire.unwrap_or(bytes.len()));
        same(frame);
    }
}
