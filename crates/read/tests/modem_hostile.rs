//! Modem logs that are text, damaged anywhere: reading ends, and a pipe that gives a few bytes at a
//! time gives the same records.

use std::io::{self, Cursor, Read};

use airmile_read::modem::{ModemLog, Record, Tti};
use proptest::prelude::*;

/// For each format: what tells it, and rows.
const LOGS: [(&str, &str); 10] = [
    (
        "t_unix,tti,prb,tbs_bytes,user,direction,prb_total,modulation,retx,padding_bytes\n",
        "1795246301.879599,415,3,60,,downlink,50,,0,\n1795246301.9,492,50,1894,7,uplink,100,256QAM,1,9\n",
    ),
    (
        "{\"type_id\":\"LTE_NAS\",\"timestamp\":\"2019-06-01 03:44:29.574046\"}\n",
        include_str!("../../../fuzz/seeds/modem_mobile_insight_json/rows"),
    ),
    (
        "<dm_log_packet><pair key=\"type_id\">LTE_NAS</pair></dm_log_packet>\n",
        include_str!("../../../fuzz/seeds/modem_mobile_insight_xml/rows"),
    ),
    (
        "2023 Jun  8  21:16:02.785  [80]  0xB173  LTE PDSCH Stat Indication\nVersion = 48\n",
        include_str!("../../../fuzz/seeds/modem_qcat/rows"),
    ),
    (
        "0\t0\t4660\t1\t20\t50\t36696\t36696\t-1\t2\t1\t-1\t3\t4\t2\t2\t99\n",
        include_str!("../../../fuzz/seeds/modem_owl/rows"),
    ),
    (
        "1546300800.0005\t100\t5\t4660\t1\t20\t50\t36696\t36696\t-1\t3\t1\t-1\t3\t4\t2\t2\t5\t44\t0f\n",
        include_str!("../../../fuzz/seeds/modem_falcon/rows"),
    ),
    (
        "0\t4660\t100\t100\t27\t0\t75376\t27\t2\t75376\t4\t1546300800001500\t1\t0\n",
        include_str!("../../../fuzz/seeds/modem_ngscope/rows"),
    ),
    (
        "% time\tcellId\tIMSI\tframe\tsframe\tRNTI\tmcsTb1\tsizeTb1\tmcsTb2\tsizeTb2\tccId\n",
        include_str!("../../../fuzz/seeds/modem_ns3/rows"),
    ),
    (
        "time;cc;earfcn;pci;rsrp;pl;cfo;pci_neigh;rsrp_neigh;cfo_neigh;dl_mcs;dl_snr\n",
        include_str!("../../../fuzz/seeds/modem_srsran/rows"),
    ),
    ("1700000000.5\nlast known state:\n", include_str!("../../../fuzz/seeds/modem_dumpsys/rows")),
];

/// Bytes that mean something to one of the formats, and some that mean nothing to any.
const BYTES: &[u8] = b"0123456789-.,;|\t\n\r \"{}[]<>=/%xe\0\xff";

#[derive(Clone, Debug)]
enum Damage {
    Set(usize, u8),
    Insert(usize, u8),
    Remove(usize, usize),
    Repeat(usize, usize),
}

fn damage() -> impl Strategy<Value = Damage> {
    let byte = || prop::sample::select(BYTES);
    prop_oneof![
        (any::<usize>(), byte()).prop_map(|(at, byte)| Damage::Set(at, byte)),
        (any::<usize>(), byte()).prop_map(|(at, byte)| Damage::Insert(at, byte)),
        (any::<usize>(), 1usize..40).prop_map(|(at, length)| Damage::Remove(at, length)),
        (any::<usize>(), 1usize..200).prop_map(|(at, length)| Damage::Repeat(at, length)),
    ]
}

fn damaged(rows: &str, damages: &[Damage]) -> Vec<u8> {
    let mut bytes = rows.as_bytes().to_vec();
    for damage in damages {
        let at = |at: &usize| at % (bytes.len() + 1);
        match damage {
            Damage::Set(place, byte) => {
                let place = at(place);
                bytes.iter_mut().skip(place).take(1).for_each(|old| *old = *byte);
            }
            Damage::Insert(place, byte) => bytes.insert(at(place), *byte),
            Damage::Remove(place, length) => {
                let (from, to) = (at(place), bytes.len().min(at(place) + length));
                bytes.drain(from..to);
            }
            Damage::Repeat(place, length) => {
                let (from, to) = (at(place), bytes.len().min(at(place) + length));
                bytes.extend_from_within(from..to);
            }
        }
    }
    bytes
}

fn records(input: impl Read + Send + 'static) -> Vec<Record> {
    let mut log = ModemLog::from_reader("log", input).expect("the start tells the format");
    let mut records = Vec::new();
    while log.read(&mut records) {}
    let counted: u64 = log.report().notes.understood.values().sum();
    assert!(counted > 0 || records.is_empty());
    records
}

/// Gives seven bytes at most.
struct Trickle(Cursor<Vec<u8>>);

impl Read for Trickle {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let few = buffer.len().min(7);
        self.0.read(&mut buffer[..few])
    }
}

proptest! {
    #[test]
    fn whatever_follows_the_start_is_read_to_its_end(
        log in prop::sample::select(&LOGS[..]),
        damages in prop::collection::vec(damage(), 0..12),
    ) {
        let (start, rows) = log;
        let log = [start.as_bytes(), &damaged(rows, &damages)].concat();
        let whole = records(Cursor::new(log.clone()));
        for record in &whole {
            let Record::Tti(Tti { prbs, prb_total, tbs_bytes, padding_bytes, .. }) = record else {
                continue;
            };
            prop_assert!(prbs.zip(*prb_total).is_none_or(|(prbs, total)| prbs <= total));
            prop_assert!(padding_bytes.zip(*tbs_bytes).is_none_or(|(less, size)| less <= size));
        }
        prop_assert_eq!(records(Trickle(Cursor::new(log))), whole);
    }
}

#[test]
fn rows_that_are_whole_are_all_read() {
    for (start, rows) in LOGS {
        let log = [start, rows].concat();
        assert!(!records(Cursor::new(log.into_bytes())).is_empty(), "{start}");
    }
}
