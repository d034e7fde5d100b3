//! Tests DIAG logs that an encoder in the tests writes: framing, containers, subscriptions, and the
//! messages about allocations and cells.

#[path = "support/diag.rs"]
mod diag;

use std::io::{Cursor, Read};

use airmile_read::modem::{
    CellInfo, ModemLog, ModemReport, Modulation, PrbSource, Record, Rnti, Tti, User,
};
use diag::{
    BLOCK, Block, MS, STAMP, Subframe, frame, log, of_subscription, pdcch, pdsch, pdsch_stat,
};
use proptest::prelude::*;

fn read(input: impl Read + Send + 'static) -> (Vec<Record>, ModemReport) {
    let mut log = ModemLog::from_reader("a test", input).unwrap_or_else(|error| panic!("{error}"));
    let mut records = Vec::new();
    while log.read(&mut records) {}
    (records, log.report())
}

fn ttis(records: &[Record]) -> Vec<&Tti> {
    fn tti(record: &Record) -> Option<&Tti> {
        if let Record::Tti(tti) = record { Some(tti) } else { None }
    }
    records.iter().filter_map(tti).collect()
}

fn one(count: u16, block: Block) -> Subframe {
    Subframe { count, layers: 1, carrier: 0, blocks: vec![block] }
}

/// A packet with one block in subframe `count`, logged 1 ms later.
fn packet(count: u16) -> Vec<u8> {
    log(0xb173, STAMP + u64::from(count) * MS, &pdsch_stat(24, &[one(count, BLOCK)]))
}

fn packets(count: u16) -> Vec<u8> {
    (0..count).flat_map(|at| frame(&packet(at * 3))).collect()
}

/// A reader that returns one byte at a time.
struct Slow(Cursor<Vec<u8>>);

impl Read for Slow {
    fn read(&mut self, buffer: &mut [u8]) -> std::io::Result<usize> {
        let one = buffer.len().min(1);
        self.0.read(&mut buffer[..one])
    }
}

#[test]
fn frames_may_come_in_any_pieces() {
    let bytes = packets(60);
    assert!(bytes.contains(&0x7d), "there are escapes to be cut");
    let (whole, report) = read(Cursor::new(bytes.clone()));
    assert_eq!((ttis(&whole).len(), report.format.as_str()), (60, "diag"));
    assert_eq!((report.notes.problems.len(), report.notes.understood.values().sum()), (0, 60_u64));
    assert_eq!(read(Slow(Cursor::new(bytes))).0, whole);
}

#[test]
fn a_cut_log_gives_what_is_before_the_cut() {
    let bytes = packets(4);
    let ends: Vec<usize> = (0..bytes.len()).filter(|at| bytes[*at] == 0x7e).collect();
    for cut in ends[0] + 1..bytes.len() {
        let (records, report) = read(Cursor::new(bytes[..cut].to_vec()));
        let whole = ends.iter().filter(|end| **end < cut).count();
        assert_eq!(ttis(&records).len(), whole, "cut at {cut}");
        let cut_within = !ends.contains(&(cut - 1));
        assert_eq!(report.notes.problems.len(), usize::from(cut_within), "cut at {cut}");
    }
}

#[test]
fn garbage_costs_no_frame_but_the_one_that_it_hits() {
    let garbage = [0x55, 0x7d, 0x5d, 0x7e, 0x10, 0x00, 0x99, 0x7e, 0x7d, 0x7e];
    let (clean, _) = read(Cursor::new(packets(2)));
    let bytes = [&garbage[..], &packets(2), &garbage, &packets(2)].concat();
    let (records, report) = read(Cursor::new(bytes));
    assert_eq!(ttis(&records).len(), 2 * clean.len());
    let problems: Vec<_> = report.notes.problems.iter().map(|problem| problem.kind).collect();
    assert_eq!(problems, ["frame_crc"; 3]);
    assert_eq!(report.notes.skipped["bytes before the first frame"], 3);
}

#[test]
fn what_has_no_whole_frame_is_no_log() {
    let mut bytes = packets(3);
    for byte in bytes.iter_mut().filter(|byte| ![0x7e, 0x7d].contains(*byte)) {
        *byte ^= 0x04;
    }
    assert!(ModemLog::from_reader("a test", Cursor::new(bytes)).is_err());
}

#[test]
fn a_log_is_opened_by_the_first_of_its_frames() {
    // This reader returns more than one read takes, and then nothing; a further read fails the
    // test.
    struct Waiting(Cursor<Vec<u8>>);
    impl Read for Waiting {
        fn read(&mut self, buffer: &mut [u8]) -> std::io::Result<usize> {
            let got = self.0.read(buffer)?;
            assert!(got > 0, "a read after the end of the bytes");
            Ok(got)
        }
    }
    for frames in [1, 40] {
        let input = Waiting(Cursor::new(packets(frames)));
        let mut log = ModemLog::from_reader("a pipe", input).unwrap_or_else(|e| panic!("{e}"));
        let mut records = Vec::new();
        assert!(log.read(&mut records));
        assert!(!records.is_empty());
    }
}

#[test]
fn subscriptions_are_kept_apart() {
    let wrapped = |id| frame(&of_subscription(id, &packet(7)));
    let bytes = [wrapped(1), wrapped(2), frame(&packet(7)), frame(&[0x60, 1, 2, 3])].concat();
    let (records, report) = read(Cursor::new(bytes));
    let users: Vec<_> = ttis(&records).iter().map(|tti| tti.user).collect();
    assert_eq!(users, [User(1), User(2), User(0)]);
    assert_eq!(report.notes.other["command 0x60"], 1);
}

#[test]
fn every_layout_of_0xb173() {
    for version in [5, 16, 24, 32, 34, 36, 37, 40, 48, 50] {
        let counted = version < 48;
        let size = if counted { 2127 } else { 2124 };
        let block = Block { size, ..BLOCK };
        let second = Block { index: 1, rv: 2, crc_ok: false, rnti: 5, ..block };
        let pair = Subframe { count: 10_239, layers: 2, carrier: 3, blocks: vec![block, second] };
        let more = [4, 14, 24].map(|count| one(count, block));
        let payload = pdsch_stat(version, &[&[pair], &more[..]].concat());
        let (records, report) = read(Cursor::new(frame(&log(0xb173, STAMP, &payload))));
        let ttis = ttis(&records);
        assert_eq!(ttis.len(), 5, "version {version}: {report:?}");
        let (first, second) = (ttis[0], ttis[1]);
        assert_eq!((first.tti, first.block, first.crc_ok), (10_239, 0, Some(true)));
        assert_eq!((second.tti, second.block, second.crc_ok), (10_239, 1, Some(false)));
        assert_eq!((first.rnti, second.rnti), (Rnti::C, Rnti::Other));
        assert_eq!((first.carrier, first.layers, first.harq), (3, Some(2), Some(3)));
        assert_eq!((first.prbs, first.mcs), (Some(32), Some(24)));
        assert_eq!(first.tbs_bytes, Some(2124), "version {version}");
        let modulation = (version > 16).then_some(Modulation::Qam64);
        assert_eq!(first.modulation, modulation, "version {version}");
        assert_eq!(ttis[2].tti, 10_244, "the count begins anew");
        let kind = ("0xB173", u32::from(version));
        assert_eq!(report.notes.checks[&kind]["size"].passed, 4, "version {version}");
        assert!(report.notes.unverified.is_empty(), "version {version}");
    }
}

#[test]
fn versions_of_0xb173_that_are_not_known_are_counted() {
    let unknown = frame(&log(0xb173, STAMP, &pdsch_stat(77, &[one(1, BLOCK)])));
    // The length is not that of the version, and the blocks are impossible.
    let mut other = pdsch_stat(40, &[one(1, BLOCK)]);
    other.push(0);
    let odd = pdsch_stat(37, &[one(1, Block { mcs: 77, ..BLOCK })]);
    let odd = [frame(&log(0xb173, STAMP, &other)), frame(&log(0xb173, STAMP, &odd))].concat();
    let (records, report) = read(Cursor::new([unknown, odd].concat()));
    assert_eq!(records, []);
    assert_eq!(report.not_understood(), ["1 record of 0xB173 version 77 not understood, skipped"]);
    let why = |version| {
        format!("1 record of 0xB173 version {version} refused: the check shape held in 0 of 1")
    };
    assert_eq!(report.refused(), [why(37), why(40)]);
}

#[test]
fn blocks_tell_whether_their_sizes_count_the_crc() {
    // Version 48 should not include the CRC; in this log it does, and every size shows that.
    let blocks = (0..40).map(|at| one(at, BLOCK)).collect::<Vec<_>>();
    let (records, _) = read(Cursor::new(frame(&log(0xb173, STAMP, &pdsch_stat(48, &blocks)))));
    let sizes: Vec<_> = ttis(&records).iter().map(|tti| tti.tbs_bytes).collect();
    assert_eq!((sizes[0], sizes[39]), (Some(2127), Some(2124)));
}

#[test]
fn a_block_is_sent_again_when_its_version_or_indicator_says_so() {
    let sent = |rv, ndi, rnti| Block { rv, ndi, rnti, ..BLOCK };
    let blocks = [
        (sent(0, true, 0), None),
        (sent(2, true, 0), Some(true)),
        (sent(0, false, 0), Some(false)),
        (sent(0, false, 0), Some(true)),
        (sent(0, true, 1), Some(true)),
        (sent(0, false, 1), Some(false)),
        (sent(1, false, 5), None),
    ];
    let subframes: Vec<_> =
        blocks.iter().zip(1..).map(|((block, _), at)| one(at * 8, *block)).collect();
    let (records, _) = read(Cursor::new(frame(&log(0xb173, STAMP, &pdsch_stat(24, &subframes)))));
    let parsed: Vec<_> = ttis(&records).iter().map(|tti| tti.retransmission).collect();
    assert_eq!(parsed, blocks.map(|(_, want)| want));
}

#[test]
fn layouts_of_0xb126() {
    for version in [23, 28, 122, 123] {
        // The blocks use 64QAM on 12 PRBs, with I_TBS 15 and 20.
        let at = |count: u16| {
            let payload = pdsch(version, 405, 5525 + count, 12, [3624, 5544]);
            frame(&log(0xb126, STAMP + u64::from(count) * MS, &payload))
        };
        let (records, report) = read(Cursor::new([at(0), at(1)].concat()));
        let ttis = ttis(&records);
        assert_eq!(ttis.len(), 4, "version {version}: {report:?}");
        assert_eq!((ttis[0].cell, ttis[0].prbs, ttis[0].tti), (Some(405), Some(12), 5525));
        assert_eq!((ttis[0].tbs_bytes, ttis[1].tbs_bytes), (Some(453), Some(693)));
        assert_eq!((ttis[1].block, ttis[1].carrier, ttis[1].layers), (1, 1, Some(2)));
        assert_eq!(ttis[0].modulation, Some(Modulation::Qam64));
    }
    let odd = pdsch(122, 405, 5525, 12, [2224, 0]);
    let (records, report) = read(Cursor::new(frame(&log(0xb126, STAMP, &odd))));
    let why = ["1 record of 0xB126 version 122 refused: the check size held in 0 of 1"];
    assert_eq!((records.len(), report.refused()), (0, why.map(String::from).to_vec()));
}

#[test]
fn the_width_of_a_carrier_is_reported_once_a_second_by_messages_that_were_found() {
    let at = |ms: u64, carrier, status| {
        frame(&log(0xb130, STAMP + ms * MS, &pdcch((ms % 10_240) as u32, 5, carrier, status)))
    };
    let bytes = [at(0, 0, 9), at(5, 0, 3), at(9, 1, 6), at(800, 0, 6), at(1100, 0, 1)].concat();
    let (records, _) = read(Cursor::new(bytes));
    let parsed: Vec<_> = records
        .iter()
        .map(|record| match record {
            Record::CellInfo(CellInfo { carrier, downlink_prbs, source, .. }) => {
                (*carrier, *downlink_prbs, *source)
            }
            other => panic!("{other:?}"),
        })
        .collect();
    let width = |carrier| (Some(carrier), 100, PrbSource::Pdcch);
    assert_eq!(parsed, [width(0), width(1), width(0)]);
}

#[test]
fn version_43_of_0xb130_has_its_carrier_behind_the_others() {
    // Two records with eleven slots; the second subframe has a message. They are as long as format
    // 1A on 50 PRBs.
    let record = |status: u32| {
        let mut slots = [0; 11 * 28];
        for slot in slots.chunks_exact_mut(28).take(3) {
            slot[8..12].copy_from_slice(&((43_u32 << 14) | (2 << 6)).to_le_bytes());
            slot[16..20].copy_from_slice(&status.to_le_bytes());
        }
        [&[0, 0, 3 << 3, 0][..], &slots].concat()
    };
    let mut payload = vec![43];
    payload.extend((2_u32 | 5 << 4 | 100 << 8 | 3 << 18).to_le_bytes());
    payload.extend([0, 0, 1 << 4]);
    payload.extend([record(9), record(3)].concat());
    let (records, report) = read(Cursor::new(frame(&log(0xb130, STAMP, &payload))));
    let [Record::CellInfo(info)] = &records[..] else { panic!("{records:?}, {report:?}") };
    assert_eq!((info.carrier, info.downlink_prbs), (Some(1), 50));
    assert_eq!(report.notes.checks[&("0xB130", 43)]["width"].passed, 3);
}

#[test]
fn cells_tell_their_width() {
    let mib = [&[2, 44, 0][..], &38_400_u32.to_le_bytes(), &[1, 1, 2, 100]].concat();
    let mut serving =
        [&[3, 44, 0][..], &38_400_u32.to_le_bytes(), &38_401_u32.to_le_bytes()].concat();
    serving.extend([75, 50]);
    serving.resize(29, 9);
    let bytes = [frame(&log(0xb0c1, STAMP, &mib)), frame(&log(0xb0c2, STAMP, &serving))].concat();
    let (records, _) = read(Cursor::new(bytes));
    let info = |at: usize| match &records[at] {
        Record::CellInfo(info) => {
            (info.cell, info.earfcn, info.downlink_prbs, info.uplink_prbs, info.source)
        }
        other => panic!("{other:?}"),
    };
    assert_eq!(info(0), (Some(44), Some(38_400), 100, None, PrbSource::Mib));
    assert_eq!(info(1), (Some(44), Some(38_400), 75, Some(50), PrbSource::ServingCell));
}

#[test]
fn what_antennas_did_not_measure_is_unknown() {
    // 0xB193, subpacket 18, of which only the cell is present; 0 is -180 dBm.
    let serving = |rsrp: u16| {
        let mut data = [0; 80];
        data[4..6].copy_from_slice(&(5_u16 | 1 << 12).to_le_bytes());
        data[29..31].copy_from_slice(&(rsrp << 4).to_le_bytes());
        frame(&log(0xb193, STAMP, &[&[1, 1, 0, 0, 25, 18, 84, 0][..], &data].concat()))
    };
    let (records, _) = read(Cursor::new([serving(1600), serving(0)].concat()));
    let parsed: Vec<_> = records
        .iter()
        .map(|record| match record {
            Record::Cell(cell) => (cell.rsrp_dbm, cell.rsrq_db, cell.sinr_db, cell.rssi_dbm),
            other => panic!("{other:?}"),
        })
        .collect();
    assert_eq!(parsed, [(Some(-80.0), None, None, None), (None, None, None, None)]);
}

#[test]
fn a_log_from_before_the_network_sent_the_time_is_dated_1980() {
    let bytes = frame(&log(0xb173, 5 * 52_428_800, &pdsch_stat(24, &[one(1, BLOCK)])));
    let (records, report) = read(Cursor::new(bytes));
    assert_eq!(ttis(&records)[0].time.as_nanos() / 1_000_000_000, 315_964_805);
    assert_eq!(report.notes.warnings.len(), 1);
}

#[test]
fn logs_without_frames() {
    let bare: Vec<u8> = (0..5).flat_map(|at| packet(at * 3)[4..].to_vec()).collect();
    let (records, report) = read(Cursor::new(bare.clone()));
    assert_eq!((ttis(&records).len(), report.format.as_str()), (5, "dlf"));
    let lost = [&bare[..], &[0xff; 9], &bare].concat();
    let (records, report) = read(Cursor::new(lost));
    assert_eq!((ttis(&records).len(), report.notes.problems.len()), (10, 1));

    let among: Vec<u8> =
        (0..5).flat_map(|at| [&[0x10, 7, 0x10, 0][..], &packet(at * 3)].concat()).collect();
    let among = [b"\x08\x31\x60\xab a notice and a table of offsets ", &among[..]].concat();
    let (records, report) = read(Slow(Cursor::new(among)));
    assert_eq!((ttis(&records).len(), report.format.as_str()), (5, "isf"));

    let buffer = |at: u16| {
        let frames = frame(&packet(at));
        [&(frames.len() as u32).to_le_bytes(), &frames[..]].concat()
    };
    let message =
        |from| [[32, 0, 0, 0, 2, 0, 0, 0].to_vec(), buffer(from), buffer(from + 3)].concat();
    let (records, report) = read(Slow(Cursor::new([message(0), message(6)].concat())));
    assert_eq!((ttis(&records).len(), report.format.as_str()), (4, "dev_diag"));
    assert_eq!(report.notes.problems, []);
}

#[test]
fn buffers_of_linux_may_hold_many_frames() {
    let frames: Vec<u8> = (0..100).flat_map(|at| frame(&packet(at))).collect();
    assert!(frames.len() > 4096, "they are more than what is looked at first");
    let head = [32, 1, frames.len() as u32].map(u32::to_le_bytes).concat();
    let message = [&head[..], &frames].concat();
    let (records, report) = read(Cursor::new([&message[..], &message].concat()));
    assert_eq!((ttis(&records).len(), report.format.as_str()), (200, "dev_diag"));
    assert_eq!(report.notes.problems, []);
    let cut = [&message[..], &message[..message.len() - 1]].concat();
    let (records, report) = read(Cursor::new(cut));
    assert_eq!((ttis(&records).len(), report.notes.problems.len()), (199, 1));
}

#[test]
fn what_looks_like_a_header_in_garbage_hides_no_packet() {
    let bare = |from: u16| -> Vec<u8> {
        (from..from + 20).flat_map(|at| packet(at * 3)[4..].to_vec()).collect()
    };
    // A length of 600, a possible code and a possible time.
    let like = [&600_u16.to_le_bytes()[..], &[0x73, 0xb1], &STAMP.to_le_bytes()].concat();
    let garbage = [&[0xff; 5][..], &like].concat();
    let log = [&bare(0)[..], &garbage, &bare(20)].concat();
    let one_more = [&bare(0)[..], &garbage, &packet(90)[4..]].concat();
    for (input, expected) in [(log, 40), (one_more, 21), ([bare(0), garbage].concat(), 20)] {
        let (records, report) = read(Cursor::new(input.clone()));
        assert_eq!((ttis(&records).len(), report.format.as_str()), (expected, "dlf"));
        assert_eq!(ttis(&read(Slow(Cursor::new(input))).0).len(), expected);
    }
}

proptest! {
    #[test]
    fn a_damaged_log_without_frames_is_the_same_from_a_pipe(
        damages in prop::collection::vec((any::<usize>(), any::<u8>()), 0..8),
        cut in 0_usize..40,
    ) {
        let mut bytes: Vec<u8> = (0..30).flat_map(|at| packet(at * 3)[4..].to_vec()).collect();
        // The first two packets show the format.
        let (first, length) = (2 * (packet(0).len() - 4), bytes.len());
        for (at, byte) in damages {
            bytes[first + at % (length - first)] = byte;
        }
        bytes.truncate(length - cut);
        let whole = read(Cursor::new(bytes.clone())).0;
        prop_assert!(ttis(&whole).len() >= 2);
        prop_assert_eq!(read(Slow(Cursor::new(bytes))).0, whole);
    }
}

#[test]
fn hostile_packets_give_errors_and_no_more() {
    let payload = pdsch_stat(24, &[one(1, BLOCK), one(2, BLOCK)]);
    for cut in 0..payload.len() {
        let bytes = frame(&log(0xb173, STAMP, &payload[..cut]));
        assert_eq!(read(Cursor::new(bytes)).0, [], "cut at {cut}");
    }
    for lengths in [[0, 0], [11, 11], [255, 255], [30, 31]] {
        let mut bytes = packet(3);
        (bytes[2], bytes[4]) = (lengths[0], lengths[1]);
        let (records, report) = read(Cursor::new([frame(&bytes), packets(1)].concat()));
        assert_eq!((records.len(), report.notes.skipped.values().sum::<u64>()), (1, 1));
    }
}
