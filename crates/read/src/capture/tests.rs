//! Tests that the fast decoders give the same packets and report as the general decoder alone.
#![expect(clippy::print_stdout, reason = "a skipped test says why")]

use std::io::Cursor;
use std::path::PathBuf;

use proptest::prelude::*;

use super::*;
use crate::bytes::Order;

/// Two frames: one that the shortest decoder reads, and one that it does not.
const FRAMES: [&[u8]; 2] = [
    &[
        2, 2, 2, 2, 2, 2, 4, 4, 4, 4, 4, 4, 8, 0, 0x45, 1, 0, 62, 7, 7, 0x40, 0, 64, 6, 0, 0, 10,
        0, 0, 1, 192, 0, 2, 1, 0x9c, 0x40, 1, 187, 0, 0, 0, 1, 0, 0, 0, 9, 0x80, 0x18, 1, 0, 0, 0,
        0, 0, 1, 1, 8, 10, 0, 0, 0, 5, 0, 0, 0, 6, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10,
    ],
    &[
        2, 2, 2, 2, 2, 2, 4, 4, 4, 4, 4, 4, 8, 0, 0x45, 0, 0, 31, 7, 7, 0x20, 0, 64, 17, 0, 0, 10,
        0, 0, 1, 192, 0, 2, 1, 0, 53, 0, 53, 0, 11, 0, 0, 1, 2, 3,
    ],
];

/// The next packet, as the general decoder reads it.
fn general_packet(capture: &mut Capture) -> Option<String> {
    loop {
        let Capture { window, walker, used, log, .. } = capture;
        window.step(std::mem::take(used));
        let record = match walker {
            Walker::Classic(classic) => classic.next(window, log),
            Walker::PcapNg(pcapng) => pcapng.next(window, log),
        }?;
        *used = record.bytes;
        if let Some(located) = capture.locate(&record) {
            return capture.finish(&record, &located).map(|packet| format!("{packet:?}"));
        }
    }
}

/// Reads a file with the fast decoders and with the general one, and compares the results.
fn compare(name: &str, file: &[u8]) {
    let open = || Capture::from_reader(name, Cursor::new(file.to_vec()));
    let (Ok(mut short), Ok(mut general)) = (open(), open()) else {
        assert!(open().is_err());
        return;
    };
    loop {
        let packet = short.next_packet().map(|packet| format!("{packet:?}"));
        assert_eq!(packet, general_packet(&mut general), "{name}");
        if packet.is_none() {
            break;
        }
    }
    assert_eq!(format!("{:?}", short.report()), format!("{:?}", general.report()), "{name}");
}

/// A classic pcap with these records: time, frame, and the number of further bytes on the wire.
fn classic(order: Order, nanoseconds: bool, records: &[(u64, usize, u32)]) -> Vec<u8> {
    let magic = if nanoseconds { 0xa1b2_3c4d } else { 0xa1b2_c3d4 };
    let units = if nanoseconds { 1_000_000_000 } else { 1_000_000 };
    let mut file = words(order, &[magic, 0, 0, 0, 65_535, 1]);
    file.splice(4..8, [order.u16([2, 0]), order.u16([4, 0])].map(u16::to_ne_bytes).concat());
    for (time, frame, more) in records {
        let frame = FRAMES[*frame];
        let (seconds, fraction) = ((time / units) as u32, (time % units) as u32);
        let captured = frame.len() as u32;
        file.extend(words(order, &[seconds, fraction, captured, captured + more]));
        file.extend(frame);
    }
    file
}

/// The same records as enhanced packet blocks.
fn pcapng(order: Order, records: &[(u64, usize, u32)]) -> Vec<u8> {
    let mut file = words(order, &[0x0a0d_0d0a, 28, 0x1a2b_3c4d, 0, u32::MAX, u32::MAX, 28]);
    file.extend(words(order, &[1, 20]));
    file.extend([order.u16([1, 0]), 0].map(u16::to_ne_bytes).concat());
    file.extend(words(order, &[65_535, 20]));
    for (time, frame, more) in records {
        let frame = FRAMES[*frame];
        let (captured, padded) = (frame.len() as u32, frame.len().next_multiple_of(4));
        let length = 32 + padded as u32;
        let (high, low) = ((time >> 32) as u32, *time as u32);
        file.extend(words(order, &[6, length, 0, high, low, captured, captured + more]));
        file.extend(frame);
        file.resize(file.len() + padded - frame.len(), 0);
        file.extend(words(order, &[length]));
    }
    file
}

fn words(order: Order, words: &[u32]) -> Vec<u8> {
    let bytes = |word: &u32| match order {
        Order::Little => word.to_le_bytes(),
        Order::Big => word.to_be_bytes(),
    };
    words.iter().flat_map(bytes).collect()
}

fn records() -> impl Strategy<Value = Vec<(u64, usize, u32)>> {
    let step = prop_oneof![8 => 0..2_000_000_u64, 1 => Just(1 << 47), 1 => Just(u64::MAX - 5)];
    let record = (step, 0..FRAMES.len(), prop_oneof![Just(0), 0..70_000_u32]);
    prop::collection::vec(record, 0..30).prop_map(|mut records| {
        let mut now = 1_700_000_000_000_000_u64;
        for (time, ..) in &mut records {
            now = now.wrapping_add(*time) % (1 << 60);
            *time = now;
        }
        records
    })
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(airmile_share::cases(
        200, 2000, "damaged captures, read in two ways",
    )))]

    /// Tests random files with random damage.
    #[test]
    fn the_shortcuts_read_what_the_general_way_reads(
        records in records(),
        order in prop::sample::select(vec![Order::Little, Order::Big]),
        nanoseconds in any::<bool>(),
        is_pcapng in any::<bool>(),
        damage in prop::collection::vec((any::<prop::sample::Index>(), any::<u8>()), 0..4),
        cut in prop::option::of(any::<prop::sample::Index>()),
    ) {
        let mut file = match is_pcapng {
            true => pcapng(order, &records),
            false => classic(order, nanoseconds, &records),
        };
        for (at, byte) in damage {
            let at = at.index(file.len());
            file[at] = byte;
        }
        file.truncate(cut.map_or(file.len(), |cut| cut.index(file.len() + 1)));
        compare("generated", &file);
    }
}

/// Tests the captures of the corpus, unchanged and with some bytes changed.
#[test]
#[expect(clippy::disallowed_methods, reason = "a test reads its own captures")]
fn the_shortcuts_read_recorded_captures_as_the_general_way_does() {
    let Some(corpus) = std::env::var_os("AIRMILE_CORPUS").map(PathBuf::from) else {
        return println!("skipped: AIRMILE_CORPUS does not name the corpus folder");
    };
    let folder = std::fs::read_dir(corpus.join("pcap")).expect("the corpus has captures");
    let mut captures = 0;
    let paths = folder.map(|entry| entry.expect("it can be listed").path());
    for path in paths.filter(|path| path.is_file()) {
        let mut file = std::fs::read(&path).expect("it can be read");
        file.truncate(8 << 20);
        let name = path.display().to_string();
        compare(&name, &file);
        // About every 97th byte is changed: several in the headers of each packet, and some in each
        // record header.
        let mut at = 24;
        while at < file.len() {
            file[at] = file[at].wrapping_add(at as u8 | 1);
            at += 1 + (at * 7919) % 193;
        }
        file.truncate(1 << 20);
        compare(&name, &file);
        captures += 1;
    }
    assert!(captures >= 60, "{captures} captures");
}
