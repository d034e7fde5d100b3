//! Tests messages of DIAG logs with measurements. The messages are written from the tables of their
//! layouts.

mod layout;

use airmile_read::modem::diag::messages::{
    Misfit, channel_state, neighbours, radio_link, serving_cell,
};
use layout::{Layout, cut_anywhere};

/// A field: byte, first bit and width.
type Field = (usize, u32, u32);

/// The positions of fields in the data of a subpacket, for one version of 0xB193.
struct Version {
    version: u8,
    /// The number of bytes of the data.
    size: usize,
    /// The number of bytes from one cell to the next.
    slot: usize,
    /// The combined RSRP and RSRQ.
    combined: [Field; 2],
    /// The fields of the first antenna.
    snr: Option<Field>,
}

const SERVING: [Version; 3] = [
    Version {
        version: 19,
        size: 360,
        slot: 88,
        combined: [(32, 12, 12), (40, 20, 10)],
        snr: Some((72, 0, 9)),
    },
    Version {
        version: 22,
        size: 488,
        slot: 120,
        combined: [(36, 12, 12), (48, 10, 10)],
        snr: Some((84, 0, 9)),
    },
    Version { version: 36, size: 520, slot: 128, combined: [(40, 0, 12), (52, 0, 10)], snr: None },
];

fn serving(of: &Version) -> Layout {
    let &Version { version, size, slot, combined: fields, snr } = of;
    let mut data = Layout::of(size).number(0, 4, 1825).number(4, 2, 2);
    for (cell, word) in [(0, 73 | 1 << 9 | 1 << 12), (1, 220)] {
        let base = cell * slot;
        data = data.number(8 + base, 2, word).number(12 + base, 2, 612 | 7 << 10);
        for ((at, low, width), value) in fields.into_iter().zip([1300, 300]) {
            data = data.bits(at + base, low, width, value + cell as u32);
        }
        if let Some((at, low, width)) = snr {
            data = data.bits(at + base, low, width, 333);
        }
    }
    let head = Layout::of(4).number(0, 1, 1).number(1, 1, 1);
    let subpacket = Layout::of(4).number(0, 1, 25).number(1, 1, version.into());
    head.then(subpacket.number(2, 2, size as u32 + 4)).then(data)
}

#[test]
fn serving_cells_of_every_version() {
    for of in &SERVING {
        let &Version { version, snr, .. } = of;
        let message = serving(of);
        let carriers = serving_cell::parse(&message.0).expect("it is whole");
        let [carrier] = &carriers[..] else { panic!("{} carriers", carriers.len()) };
        assert_eq!((carrier.version, carrier.earfcn, carrier.cells.len()), (version, 1825, 2));
        let parsed: Vec<_> = carrier
            .cells
            .iter()
            .map(|cell| (cell.pci, cell.index, cell.serving, cell.frame, cell.subframe))
            .collect();
        assert_eq!(parsed, [(73, 1, true, 612, 7), (220, 0, false, 612, 7)]);
        assert_eq!(carrier.cells[0].rsrp_dbm[2], 1300.0 / 16.0 - 180.0);
        assert_eq!(carrier.cells[1].rsrq_db[2], 301.0 / 16.0 - 30.0);
        let snr_db = carrier.cells[0].snr_db.map(|snr| snr[0]);
        assert_eq!(snr_db, snr.map(|_| 333.0 / 10.0 - 20.0));
        cut_anywhere(&message, serving_cell::parse);
    }
}

#[test]
fn one_cell_of_version_18() {
    let data = Layout::of(80).number(0, 4, 2000).number(4, 2, 5 | 1 << 12).bits(29, 4, 11, 1600);
    let subpacket = Layout(vec![25, 18, 84, 0]).then(data);
    let message = Layout(vec![1, 1, 0, 0]).then(subpacket);
    let carriers = serving_cell::parse(&message.0).expect("it is whole");
    let cell = &carriers[0].cells[0];
    assert_eq!((cell.pci, cell.serving, cell.rsrp_dbm[2]), (5, true, -80.0));
}

#[test]
fn what_cannot_be_is_refused() {
    let message = serving(&SERVING[2]);
    let many = message.clone().number(12, 2, 5);
    assert!(matches!(serving_cell::parse(&many.0), Err(Misfit::Lies(_))));
    let unknown = message.clone().number(5, 1, 60);
    assert_eq!(serving_cell::parse(&unknown.0), Err(Misfit::UnknownVersion(60)));
    let more = message.clone().number(1, 1, 200);
    assert_eq!(serving_cell::parse(&more.0), Err(Misfit::Short));
    let tiny = message.number(6, 2, 3);
    assert!(matches!(serving_cell::parse(&tiny.0), Err(Misfit::Lies(_))));
}

fn neighbouring() -> Layout {
    let head = Layout::of(28).number(0, 1, 4).number(4, 1, 1).number(8, 4, 5780);
    let head = head.number(12, 2, 185).number(14, 2, 9980).number(16, 2, 1147).number(20, 2, 343);
    let neighbour = Layout::of(12).number(0, 2, 173).number(2, 2, 1009).number(6, 2, 218);
    let detected =
        Layout::of(16).number(0, 2, 160).number(4, 4, 1055).number(8, 4, 7).number(12, 4, 6);
    head.number(24, 1, 1).number(25, 1, 1).then(neighbour).then(detected)
}

#[test]
fn neighbours_and_detected_cells() {
    let message = neighbouring();
    let parsed = neighbours::parse(&message.0).expect("it is whole");
    assert_eq!((parsed.index, parsed.earfcn, parsed.subframe), (1, 5780, 9980));
    assert_eq!((parsed.serving.pci, parsed.serving.rsrp_dbm), (185, -108.3125));
    assert_eq!((parsed.neighbours[0].pci, parsed.neighbours[0].rsrq_db), (173, -16.375));
    assert_eq!(parsed.detected[0].reference_time, 6 << 32 | 7);
    cut_anywhere(&message, neighbours::parse);
    assert_eq!(neighbours::parse(&message.clone().number(24, 1, 255).0), Err(Misfit::Short));
    assert_eq!(neighbours::parse(&message.number(0, 1, 5).0), Err(Misfit::UnknownVersion(5)));
}

#[test]
fn channel_quality() {
    let message = Layout::of(36).number(0, 1, 101).number(1, 2, 9 | 1008 << 4).number(3, 1, 1 << 2);
    let message = message.bits(4, 0, 5, 13).bits(4, 5, 4, 11).bits(4, 9, 4, 10).number(35, 1, 1);
    let parsed = channel_state::parse(&message.0).expect("it is whole");
    assert_eq!((parsed.frame, parsed.subframe, parsed.rank), (1008, 9, Some(2)));
    assert_eq!((parsed.subbands, parsed.cqi, parsed.carrier), (13, [11, 10], 1));
    cut_anywhere(&message, channel_state::parse);
    let older = channel_state::parse(&message.number(0, 1, 42).0).expect("it is whole");
    assert_eq!((older.rank, older.cqi), (None, [11, 10]));
}

#[test]
fn the_radio_link() {
    let record = Layout::of(12).number(0, 2, 818 | 2 << 10).number(2, 2, 16_384);
    let record = record.number(6, 2, 3 | 4 << 5).number(8, 1, 1);
    let message = Layout(vec![1, 0, 0, 2]).then(record.clone()).then(record);
    let parsed = radio_link::parse(&message.0).expect("it is whole");
    let last = &parsed[1];
    assert_eq!((last.frame, last.subframe, last.out_of_sync_bler), (818, 2, 0.5));
    assert_eq!((last.out_of_sync, last.in_sync, last.t310), (3, 4, 1));
    cut_anywhere(&message, radio_link::parse);
}
