//! Tests with packets in the form in which an old and a new version of QCAT write them.

use airmile_types::{Direction, Instant};

use crate::modem::text::tests::{check_cuts, read};
use crate::modem::{CellInfo, Modulation, PrbSource, Record, Rnti, Tti, User};

/// A table as QCAT draws it: the words of a name above each other, columns as wide as needed, and a
/// heading over the columns of `group`.
fn table(names: &[&str], group: std::ops::Range<usize>, rows: &[&[&str]]) -> String {
    let words: Vec<Vec<&str>> = names.iter().map(|name| name.split(' ').collect()).collect();
    let height = words.iter().map(Vec::len).max().unwrap_or(0);
    let width = |i: usize| {
        let of_rows = rows.iter().map(|row| row[i].len()).max().unwrap_or(0);
        words[i].iter().map(|word| word.len()).max().unwrap_or(0).max(of_rows)
    };
    let line = |cells: Vec<String>| format!("   |{}|\n", cells.join("|"));
    let mut heading: Vec<String> = (0..group.start).map(|i| " ".repeat(width(i))).collect();
    let spanned = group.clone().map(width).sum::<usize>() + group.len() - 1;
    heading.push(format!("{:<spanned$}", "Transport Blocks"));
    heading.extend((group.end..names.len()).map(|i| " ".repeat(width(i))));
    let mut text = line(heading);
    for level in 0..height {
        let cell = |i: usize| {
            let from = height - words[i].len();
            let word = level.checked_sub(from).map_or("", |at| words[i][at]);
            format!("{word:<0$}", width(i))
        };
        text += &line((0..names.len()).map(cell).collect());
    }
    let rule = format!("   {}\n", "-".repeat(40));
    let row =
        |row: &&[&str]| line((0..row.len()).map(|i| format!("{:>1$}", row[i], width(i))).collect());
    let rows: String = rows.iter().map(row).collect();
    format!("{rule}{text}{rule}{rows}")
}

fn new_export() -> String {
    let names = [
        "#",
        "Subframe Num",
        "Frame Num",
        "Num RBs",
        "Num Layers",
        "Num Transport Blocks Present",
        "Serving Cell Index",
        "HARQ ID",
        "RV",
        "NDI",
        "CRC Result",
        "RNTI Type",
        "TB Index",
        "Discarded reTx Present",
        "Discarded ReTx",
        "Did Recombining",
        "TB Size (bytes)",
        "MCS",
        "Num RBs",
        "Modulation Type",
        "ACK/NACK Decision",
        "PMCH ID",
    ];
    let rows: [&[&str]; 3] = [
        &[
            "0",
            "6",
            "155",
            "6",
            "2",
            "2",
            "PCELL",
            "5",
            "0",
            "1",
            "Pass",
            "C",
            "0",
            "None",
            "NO_DISCARD",
            "No",
            "225",
            "17",
            "6",
            "64QAM",
            "ACK",
            "",
        ],
        &[
            "",
            "",
            "",
            "",
            "",
            "",
            "",
            "5",
            "2",
            "0",
            "Fail",
            "C",
            "1",
            "None",
            "NO_DISCARD",
            "No",
            "113",
            "16",
            "5",
            "16QAM",
            "NACK",
            "",
        ],
        &[
            "1",
            "8",
            "155",
            "3",
            "1",
            "1",
            "SCELL",
            "6",
            "0",
            "1",
            "Pass",
            "SI",
            "0",
            "None",
            "NO_DISCARD",
            "No",
            "7",
            "0",
            "3",
            "QPSK",
            "ACK",
            "",
        ],
    ];
    format!(
        "2023 Jun  8  21:16:02.785  [80]  0xB173  LTE PDSCH Stat Indication\n\
         Subscription ID = 1\nVersion      = 48\nNum Records  = 2\nRecords\n{}\n\n",
        table(&names, 7..20, &rows)
    )
}

fn old_export() -> String {
    let names = [
        "#",
        "Subframe Num",
        "Frame Num",
        "Num RBs",
        "Num Layers",
        "Num Transport Blocks Present",
        "Serving Cell Index",
        "HARQ ID",
        "RV",
        "NDI",
        "CRC Result",
        "RNTI Type",
        "TB Index",
        "Discarded reTx Present",
        "Did Recombining",
        "TB Size (bytes)",
        "MCS",
        "Modulation Type",
    ];
    let rows: [&[&str]; 1] = [&[
        "0", "3", "732", "32", "1", "1", "PCELL", "4", "0", "0", "Pass", "C", "0", "None", "No",
        "2127", "24", "64QAM",
    ]];
    format!(
        "QCAT version 6\n\n2017 Feb  9  01:02:03.456  [0A]  0xB173  LTE PDSCH Stat Indication\n\
         Version = 24\nNum Records = 1\nRecords\n{}\n",
        table(&names, 7..18, &rows)
    )
}

fn pdcch(carrier: &str, width: &str) -> String {
    let names = ["#", "Sub-frame Number", "System Frame Number", "Band Width", "Prune Status"];
    let rows: [&[&str]; 2] = [
        &["0", "0", "107", width, "SUCCESS_DCI0"],
        &["1", "2", "107", width, "FAIL_SURVIVOR_SELECT"],
    ];
    format!(
        "2024 Jan 15  07:15:35.477  [89]  0xB130  LTE LL1 PDCCH Decoding Result\n\
         Subscription ID = 1\nVersion = 163\nCarrier Index = {carrier}\nHypothesis\n{}\n",
        table(&names, 4..5, &rows)
    )
}

fn first_block() -> Tti {
    Tti {
        time: Instant::from_nanos(1_686_258_962_785_000_000),
        tti: 1556,
        epoch: 0,
        user: User(1),
        rnti: Rnti::C,
        direction: Direction::Downlink,
        cell: None,
        carrier: 0,
        prbs: Some(6),
        prb_total: None,
        tbs_bytes: Some(225),
        block: 0,
        mcs: Some(17),
        modulation: Some(Modulation::Qam64),
        layers: Some(2),
        harq: Some(5),
        retransmission: None,
        crc_ok: Some(true),
        padding_bytes: None,
        source: "0xB173",
    }
}

fn ttis(text: &str) -> Vec<Tti> {
    let of = |record| if let Record::Tti(tti) = record { Some(tti) } else { None };
    read(text).0.into_iter().filter_map(of).collect()
}

#[test]
fn columns_of_a_new_export_and_a_second_block_with_blank_cells() {
    let second = Tti {
        block: 1,
        prbs: Some(5),
        tbs_bytes: Some(113),
        mcs: Some(16),
        modulation: Some(Modulation::Qam16),
        retransmission: Some(true),
        crc_ok: Some(false),
        ..first_block()
    };
    let found = ttis(&new_export());
    let [first, next, other] = found.as_slice() else { panic!("{found:?}") };
    assert_eq!((first, next), (&first_block(), &second));
    assert_eq!((other.tti, other.carrier, other.rnti), (1558, 1, Rnti::Other));
    assert_eq!(read(&new_export()).1.notes.understood.get(&("0xB173", 48)), Some(&1));
}

#[test]
fn a_block_whose_new_data_indicator_was_not_toggled_was_sent_before() {
    let text = new_export() + &new_export().replace("|  1|  Pass|", "|  0|  Pass|");
    let fields: Vec<_> = ttis(&text).iter().map(|tti| (tti.tti, tti.retransmission)).collect();
    let first = [(1556, None), (1556, Some(true)), (1558, None)];
    assert_eq!(fields, [first, [(1556, Some(false)), (1556, Some(true)), (1558, None)]].concat());
}

#[test]
fn an_old_export_has_fewer_columns_and_sizes_with_their_crc() {
    let expected = Tti {
        time: Instant::from_nanos(1_486_602_123_456_000_000),
        tti: 7323,
        epoch: 0,
        user: User(0),
        prbs: Some(32),
        tbs_bytes: Some(2124),
        mcs: Some(24),
        layers: Some(1),
        harq: Some(4),
        ..first_block()
    };
    assert_eq!(ttis(&old_export()), [expected]);
}

#[test]
fn the_pdcch_gives_the_width_of_each_carrier_once() {
    let text = [pdcch("PCC", "20 MHz"), pdcch("SCC", "10 MHz"), pdcch("PCC", "20 MHz")].concat();
    let (records, report) = read(&text);
    let fields = |record: &Record| match record {
        Record::CellInfo(CellInfo { carrier, downlink_prbs, source, user, .. }) => {
            (*carrier, *downlink_prbs, *source, *user)
        }
        other => panic!("{other:?}"),
    };
    let expected =
        [(Some(0), 100, PrbSource::Pdcch, User(1)), (Some(1), 50, PrbSource::Pdcch, User(1))];
    assert_eq!(records.iter().map(fields).collect::<Vec<_>>(), expected);
    assert_eq!(report.notes.understood.get(&("0xB130", 163)), Some(&3));
}

#[test]
fn a_table_without_the_size_is_said_to_be_without_it() {
    let text = new_export().replace("(bytes)", "(words)");
    let (records, report) = read(&text);
    assert_eq!(records, []);
    assert_eq!(report.notes.not_understood.get(&("0xB173", 48)), Some(&1));
    let last = report.notes.problems.last().expect("it is reported");
    assert_eq!((last.offset, last.text.contains("tb size (bytes)")), (0, true));
}

#[test]
fn a_row_that_cannot_be_is_skipped_and_the_others_stand() {
    let text = new_export().replace(" 225|", "9999999|");
    let found: Vec<u8> = ttis(&text).iter().map(|tti| tti.block).collect();
    assert_eq!(found, [1, 0]);
    let problem = read(&text).1.notes.problems.into_iter().next().expect("it is reported");
    assert!(problem.text.contains("tb size (bytes): not a whole number from 0 to 65535"));
}

#[test]
fn other_packets_are_counted_by_their_code() {
    let text =
        format!("2023 Jun  8  21:14:27.078  [28]  0xB821  NR5G RRC OTA\nX = 1\n{}", new_export());
    let (records, report) = read(&text);
    assert_eq!((records.len(), report.notes.other.get("0xB821")), (3, Some(&1)));
}

#[test]
fn a_cut_loses_one_row_at_most() {
    check_cuts(&[old_export(), pdcch("SCC", "10 MHz"), new_export()].concat());
}
