//! Tests with messages in the form in which MobileInsight writes them.

use airmile_types::{Direction, Instant};
use serde_json::{Value, json};

use crate::modem::text::tests::{check_cuts, read};
use crate::modem::{
    BufferStatus, CellInfo, CellMeasurement, ModemLog, Modulation, PrbSource, Record, Rnti,
    RrcEvent, RrcStep, Tti, User,
};

const LOGGED: &str = "2019-06-01 03:44:29.574046";
const LOGGED_NS: i64 = 1_559_360_669_574_046_000;

fn message(kind: &str, fields: Value) -> Value {
    let mut message = json!({"log_msg_len": 1, "type_id": kind, "timestamp": LOGGED});
    let both = message.as_object_mut().zip(fields.as_object());
    both.into_iter().for_each(|(message, fields)| message.extend(fields.clone()));
    message
}

fn lines(messages: &[Value]) -> String {
    messages.iter().map(|message| format!("{message}\n")).collect()
}

/// A message in the form in which MobileInsight writes XML.
fn xml(value: &Value) -> String {
    match value {
        Value::Object(pairs) => {
            let pair = |(key, value): (&String, &Value)| {
                let of =
                    |kind| format!("<pair key=\"{key}\" type=\"{kind}\">{}</pair>", xml(value));
                match value {
                    Value::Object(_) => of("dict"),
                    Value::Array(_) => of("list"),
                    _ => format!("<pair key=\"{key}\">{}</pair>", xml(value)),
                }
            };
            format!("<dict>{}</dict>", pairs.iter().map(pair).collect::<String>())
        }
        Value::Array(items) => {
            let item = |item| format!("<item type=\"dict\">{}</item>", xml(item));
            format!("<list>{}</list>", items.iter().map(item).collect::<String>())
        }
        Value::String(text) => text.replace('&', "&amp;").replace('<', "&lt;"),
        other => other.to_string(),
    }
}

fn xml_lines(messages: &[Value]) -> String {
    let one = |message| {
        let dict = xml(message).replacen("<dict>", "<dm_log_packet>", 1);
        let pairs = dict.strip_suffix("</dict>").expect("a message is an object");
        format!("{pairs}</dm_log_packet>\n")
    };
    messages.iter().map(one).collect()
}

fn stat(version: u32) -> Value {
    let block = |size: u32, crc: &str, index: u32, rv: u32| {
        json!({"HARQ ID": 4, "RV": rv, "NDI": 0, "CRC Result": crc, "RNTI Type": "C-RNTI",
            "TB Index": index, "TB Size": size, "MCS": 24, "Num RBs": 32,
            "Modulation Type": "64QAM"})
    };
    let record = |frame: u32, subframe: u32, cell: &str, blocks: Value| {
        json!({"Subframe Num": subframe, "Frame Num": frame, "Num RBs": 32, "Num Layers": 2,
            "Serving Cell Index": cell, "Transport Blocks": blocks})
    };
    message(
        "LTE_PHY_PDSCH_Stat_Indication",
        json!({"Version": version, "Records": [
            record(732, 3, "PCell", json!([block(2127, "Pass", 0, 0), block(938, "Fail", 1, 2)])),
            record(732, 4, "1_SCell", json!([block(2127, "Pass", 0, 0)])),
        ]}),
    )
}

fn block() -> Tti {
    Tti {
        time: Instant::from_nanos(LOGGED_NS),
        tti: 7323,
        epoch: 0,
        user: User(0),
        rnti: Rnti::C,
        direction: Direction::Downlink,
        cell: None,
        carrier: 0,
        prbs: Some(32),
        prb_total: None,
        tbs_bytes: Some(2124),
        block: 0,
        mcs: Some(24),
        modulation: Some(Modulation::Qam64),
        layers: Some(2),
        harq: Some(4),
        retransmission: None,
        crc_ok: Some(true),
        padding_bytes: None,
        source: "0xB173",
    }
}

#[test]
fn blocks_with_their_decoding_and_without_the_crc_that_the_version_counts() {
    let (records, report) = read(&lines(&[stat(24)]));
    let second = Tti {
        tbs_bytes: Some(935),
        block: 1,
        retransmission: Some(true),
        crc_ok: Some(false),
        ..block()
    };
    let ttis: Vec<Tti> = records.into_iter().filter_map(tti).collect();
    let [first, next, other] = ttis.as_slice() else { panic!("{ttis:?}") };
    assert_eq!(Tti { time: block().time, ..first.clone() }, block());
    assert_eq!(Tti { time: block().time, ..next.clone() }, second);
    assert_eq!((other.tti, other.carrier), (7324, 1));
    assert_eq!(report.format, "mobile_insight");
    assert_eq!(report.notes.understood.get(&("0xB173", 24)), Some(&1));
    let sizes = read(&lines(&[stat(48)])).0.into_iter().filter_map(tti);
    assert_eq!(sizes.filter_map(|tti| tti.tbs_bytes).collect::<Vec<_>>(), [2127, 938, 2127]);
}

#[test]
fn a_packet_that_was_logged_late_is_mended_by_those_after_it() {
    // The first packet is logged 200 ms after its last subframe, the others at once.
    let at = |ms: u32, frame: u32| {
        let mut message = stat(24);
        message["timestamp"] = json!(format!("2019-06-01 03:44:29.{ms:03}"));
        for (record, subframe) in [(0, 3), (1, 4)] {
            message["Records"][record]["Frame Num"] = json!(frame);
            message["Records"][record]["Subframe Num"] = json!(subframe);
        }
        message
    };
    let text = lines(&[at(200, 100), at(104, 110), at(204, 120), at(304, 130)]);
    let bytes = std::io::Cursor::new(text.into_bytes());
    let mut log = ModemLog::from_reader("log", bytes).expect("it is MobileInsight's");
    let mut records = Vec::new();
    while log.read(&mut records) {}
    log.refine(&mut records.iter_mut().filter_map(Record::subframe));
    let times =
        records.into_iter().filter_map(tti).map(|tti| tti.time.as_nanos() - tti.tti * 1_000_000);
    let phases: std::collections::BTreeSet<i64> = times.collect();
    assert_eq!(phases.len(), 1, "{phases:?}");
}

#[test]
fn xml_gives_what_json_gives() {
    let all = [stat(24), demapper(), serving(22), rrc("<a name=\"b\"/>")];
    let (records, report) = read(&xml_lines(&all));
    assert_eq!(records, read(&lines(&all)).0);
    assert_eq!((records.len(), report.format.as_str()), (7, "mobile_insight-xml"));
    assert_eq!(report.notes.problems, []);
}

#[test]
fn a_message_of_xml_may_take_many_lines_and_hold_a_tree_of_wiresharks() {
    let text = xml_lines(&[serving(22)]).replace("</pair><pair", "</pair>\n<pair").replace(
        "</dm_log_packet>",
        "<pair key=\"Msg\" type=\"list\"><msg><packet/></msg></pair></dm_log_packet>",
    );
    assert_eq!(read(&text).0, read(&lines(&[serving(22)])).0);
}

#[test]
fn what_the_logger_puts_before_a_message_is_left_out() {
    let prefix = "2019-06-01 03:44:29,574 [INFO] [MsgLogger]:  ";
    let text = format!("{prefix}{}{prefix}nothing\n", lines(&[stat(24)]));
    let (records, report) = read(&text);
    assert_eq!((records.len(), report.notes.skipped.get("no_message")), (3, Some(&1)));
}

fn demapper() -> Value {
    message(
        "LTE_PHY_PDSCH_Packet",
        json!({"Version": 23, "Serving Cell ID": 405, "System Frame Number": 552,
            "Subframe Number": 5, "PDSCH RNTI Type": "C-RNTI", "Spatial Rank": "Rank 2",
            "RB Allocation Slot 0[0]": "0xffffffffffffffff",
            "RB Allocation Slot 0[1]": "0x0000000fffffffff",
            "RB Allocation Slot 1[0]": "0xffffffffffffffff",
            "RB Allocation Slot 1[1]": "0x0000000fffffffff",
            "TBS 0": 224, "MCS 0": "QPSK", "TBS 1": 448, "MCS 1": "16QAM",
            "Carrier Index": "SCC"}),
    )
}

#[test]
fn the_demapper_counts_prbs_beyond_the_first_64() {
    let ttis: Vec<Tti> = read(&lines(&[demapper()])).0.into_iter().filter_map(tti).collect();
    let fields = |tti: &Tti| (tti.block, tti.prbs, tti.tbs_bytes, tti.modulation, tti.layers);
    let expected = [
        (0, Some(100), Some(28), Some(Modulation::Qpsk), Some(2)),
        (1, Some(100), Some(56), Some(Modulation::Qam16), Some(2)),
    ];
    assert_eq!(ttis.iter().map(fields).collect::<Vec<_>>(), expected);
    let first = ttis.first().expect("there are two");
    assert_eq!(
        (first.cell, first.carrier, first.tti, first.source),
        (Some(405), 1, 5525, "0xB126")
    );
}

fn serving(version: u32) -> Value {
    let cell = json!({"SubPacket ID": 25, "SubPacket Version": version, "E-ARFCN": 850,
        "Physical Cell ID": 279, "Serving Cell Index": "PCell", "Is Serving Cell": 1,
        "RSRP Rx[0]": -104.9375, "RSRP Rx[1]": -107.1875, "RSRP": -104.9375,
        "RSRQ Rx[0]": -15.8125, "RSRQ Rx[1]": -16.9375, "RSRQ": -16.9375,
        "RSSI Rx[0]": -69.0625, "RSSI Rx[1]": -70.25, "FTL SNR Rx[0]": 9.0, "FTL SNR Rx[1]": 8.1});
    message("LTE_PHY_Serv_Cell_Measurement", json!({"Version": 1, "Subpackets": [cell]}))
}

#[test]
fn a_cells_quality_is_the_better_antennas_whatever_was_called_combined() {
    let expected = CellMeasurement {
        time: Instant::from_nanos(LOGGED_NS),
        user: User(0),
        cell: Some(279),
        earfcn: Some(850),
        carrier: Some(0),
        serving: Some(true),
        rsrp_dbm: Some(-104.9375),
        rsrq_db: Some(-15.8125),
        sinr_db: Some(9.0),
        rssi_dbm: Some(-69.0625),
        cqi: None,
        source: "0xB193",
    };
    assert_eq!(read(&lines(&[serving(22)])).0, [Record::Cell(expected)]);
}

#[test]
fn words_and_values_that_stand_for_nothing_are_unknown_and_lose_no_message() {
    let mut cell = serving(22);
    for (name, value) in [
        ("RSRP Rx[0]", json!(-180.0)),
        ("RSRP Rx[1]", json!(-180.0)),
        ("Serving Cell Index", json!("(MI)Unknown")),
    ] {
        cell["Subpackets"][0][name] = value;
    }
    let mut blocks = demapper();
    blocks["Spatial Rank"] = json!("(MI)Unknown");
    let (records, report) = read(&lines(&[cell, blocks]));
    let [Record::Cell(cell), Record::Tti(tti), _] = &records[..] else { panic!("{report:?}") };
    assert_eq!((cell.rsrp_dbm, cell.rsrq_db, cell.carrier), (None, Some(-15.8125), None));
    assert_eq!((tti.prbs, tti.layers), (Some(100), None));
}

#[test]
fn widths_of_cells_and_nothing_that_names_a_place() {
    let mib = json!({"Version": 2, "Physical Cell ID": 44, "Freq": 38400, "DL BW": "1 MHz"});
    let cell = json!({"Version": 3, "Cell ID": 44, "Downlink frequency": 38400,
        "Downlink bandwidth": "20 MHz", "Uplink bandwidth": "10 MHz", "Cell Identity": 7777777});
    let pdcch = json!({"Version": 101, "Band Width (MHz)": 15, "Carrier Index": "SCC"});
    let pdcch = message("LTE_PHY_PDCCH_Decoding_Result", pdcch);
    let all = [
        message("LTE_RRC_MIB_Packet", mib),
        message("LTE_RRC_Serv_Cell_Info", cell),
        pdcch.clone(),
        pdcch,
    ];
    let records = read(&lines(&all)).0;
    assert!(!format!("{records:?}").contains("7777777"));
    let fields = |record: Record| match record {
        Record::CellInfo(CellInfo {
            cell, carrier, downlink_prbs, uplink_prbs, source, ..
        }) => (cell, carrier, downlink_prbs, uplink_prbs, source),
        other => panic!("{other:?}"),
    };
    let expected = [
        (Some(44), None, 6, None, PrbSource::Mib),
        (Some(44), None, 100, Some(50), PrbSource::ServingCell),
        (None, Some(1), 75, None, PrbSource::Pdcch),
    ];
    assert_eq!(records.into_iter().map(fields).collect::<Vec<_>>(), expected);
}

fn rrc(text: &str) -> Value {
    message(
        "LTE_RRC_OTA_Packet",
        json!({"Pkt Version": 26, "Physical Cell ID": 72, "Freq": 900,
            "SysFrameNum/SubFrameNum": 0x8830_0001_u32, "MsgType": "LTE-RRC_DL_DCCH", "Msg": text}),
    )
}

#[test]
fn an_order_to_move_names_its_target_and_the_frequency_is_put_together_again() {
    let text = "<field name=\"lte-rrc.rrcConnectionReconfiguration_element\"/>\
        <field name=\"lte-rrc.mobilityControlInfo_element\"/>\
        <field name=\"lte-rrc.targetPhysCellId\" pos=\"1\" show=\"311\" value=\"9b\"/>\
        <field name=\"lte-rrc.dl_CarrierFreq\" show=\"38400\"/>";
    let expected = RrcEvent {
        time: Instant::from_nanos(LOGGED_NS),
        user: User(0),
        step: RrcStep::Command,
        cell: Some(72),
        earfcn: Some(65536 + 900),
        target_cell: Some(311),
        target_earfcn: Some(38400),
        nr: false,
    };
    assert_eq!(read(&lines(&[rrc(text)])).0, [Record::Rrc(expected.clone())]);
    let seen = RrcEvent { step: RrcStep::Seen, target_cell: None, target_earfcn: None, ..expected };
    assert_eq!(read(&lines(&[rrc("<packet/>")])).0, [Record::Rrc(seen)]);
}

#[test]
fn a_frequency_above_65535_stands_in_an_extension() {
    let text = "<field name=\"lte-rrc.mobilityControlInfo_element\"/>\
        <field name=\"lte-rrc.targetPhysCellId\" show=\"311\"/>\
        <field name=\"lte-rrc.dl_CarrierFreq\" show=\"65535\"/>";
    let extended = format!("{text}<field name=\"lte-rrc.dl_CarrierFreq_v9e0\" show=\"66986\"/>");
    let fields = [text, &extended].map(|text| match &read(&lines(&[rrc(text)])).0[..] {
        [Record::Rrc(event)] => (event.step, event.target_cell, event.target_earfcn),
        other => panic!("{other:?}"),
    });
    let command = |cell, earfcn| (RrcStep::Command, cell, earfcn);
    assert_eq!(fields, [command(None, None), command(Some(311), Some(66_986))]);
}

#[test]
fn reestablishment_ends_and_a_rejected_phone_has_no_connection() {
    let of = |name: &str| rrc(&format!("<field name=\"lte-rrc.{name}_element\"/>"));
    let all = [
        of("rrcConnectionReestablishmentComplete"),
        of("rrcConnectionReestablishmentReject"),
        of("rrcConnectionReject"),
    ];
    let steps: Vec<_> = read(&lines(&all)).0;
    let steps: Vec<_> = steps
        .iter()
        .map(|record| if let Record::Rrc(event) = record { Some(event.step) } else { None })
        .collect();
    assert_eq!(steps, [RrcStep::Complete, RrcStep::Release, RrcStep::Release].map(Some));
}

#[test]
fn in_xml_what_wireshark_took_apart_stands_as_elements() {
    // The nesting is deeper than that of MobileInsight's own lists.
    let (down, up) = ("<field name=\"a\">".repeat(100), "</field>".repeat(100));
    let nested = format!(
        "<msg>\n<packet>\n<proto name=\"lte_rrc\">{down}\n\
         <field name=\"lte-rrc.mobilityControlInfo_element\" show=\"\">\n\
         <field name=\"lte-rrc.targetPhysCellId\" showname=\"targetPhysCellId: 311\" show=\"311\"/>\n\
         </field>{up}</proto>\n</packet>\n</msg>\n"
    );
    let text = xml_lines(&[rrc("HERE")]).replace("HERE", &nested);
    let (records, report) = read(&text);
    let [Record::Rrc(event)] = &records[..] else { panic!("{records:?} {report:?}") };
    assert_eq!((event.step, event.target_cell), (RrcStep::Command, Some(311)));
    assert_eq!(records, read(&lines(&[rrc(&nested)])).0);
}

#[test]
fn a_message_in_hexadecimal_is_known_by_its_first_bits() {
    // DL-DCCH: rrcConnectionReconfiguration (4), transaction 0, r8, without measurements, with
    // mobilityControlInfo that has no optional parts, and in it physical cell 311.
    let bits = "0 0100 00 0 000 0 1 0000 0 0 000 100110111".replace(' ', "");
    let byte = |chunk: &[u8]| {
        let byte = chunk.iter().fold(0, |byte, bit| byte << 1 | (bit - b'0'));
        byte << (8 - chunk.len())
    };
    let bytes = bits.as_bytes().chunks(8).map(byte);
    let hex: String = bytes.map(|byte| format!("{byte:02x}")).collect();
    let records = read(&lines(&[rrc(&hex)])).0;
    let [Record::Rrc(event)] = records.as_slice() else { panic!("{records:?}") };
    let fields = (event.step, event.target_cell, event.target_earfcn);
    assert_eq!(fields, (RrcStep::Command, Some(311), None));
    assert_eq!(read(&lines(&[rrc("2011f")])).1.notes.problems.len(), 1);
}

#[test]
fn paging_is_no_step() {
    let mut paging = rrc("4001");
    paging["MsgType"] = json!("LTE-RRC_PCCH");
    assert_eq!(read(&lines(&[paging])).0, []);
}

#[test]
fn the_uplinks_grants_and_its_queue() {
    let sample = json!({"HARQ ID": 2, "RNTI Type": "C-RNTI", "Sub-FN": 6, "SFN": 979,
        "Grant (bytes)": 26, "Padding (bytes)": 21});
    let report = json!({"LC ID": "L-BSR", "BSR LCG 0": 0, "BSR LCG 2": 63, "BSR LCG 2 (bytes)": 9});
    let mut sample = sample;
    sample["Mac Hdr + CE"] = json!([report, {"LC ID": "Padding", "Len": -1}]);
    let grants = json!({"Version": 1, "Subpackets": [{"Samples": [sample]}]});
    let channel = |bytes: u32| json!({"Ld Id": 1, "Total Bytes": bytes});
    let sample = |frame: u32, subframe: u32| json!({"Sub FN": subframe, "Sys FN": frame, "LCIDs": [channel(40_000), channel(77)]});
    let samples = [sample(1023, 15), sample(979, 7)];
    let buffer = json!({"Version": 1, "Subpackets": [{"Samples": samples}]});
    let all = [
        message("LTE_MAC_UL_Transport_Block", grants),
        message("LTE_MAC_UL_Buffer_Status_Internal", buffer),
    ];
    let records = read(&lines(&all)).0;
    let [Record::Tti(grant), Record::Buffer(none), Record::Buffer(top), Record::Buffer(queue)] =
        records.as_slice()
    else {
        panic!("{records:?}")
    };
    let fields = (grant.direction, grant.tbs_bytes, grant.padding_bytes, grant.tti);
    assert_eq!(fields, (Direction::Uplink, Some(26), Some(21), 9796));
    let level = |status: &BufferStatus| (status.lcg, status.low_bytes, status.high_bytes);
    assert_eq!(level(none), (Some(0), Some(0), Some(0)));
    assert_eq!(level(top), (Some(2), Some(150_001), None));
    let BufferStatus { tti, firmware_queue_bytes, .. } = queue;
    assert_eq!((*tti, *firmware_queue_bytes), (Some(9797), Some(40_077)));
}

#[test]
fn a_message_that_lies_gives_nothing_of_it_and_is_reported_without_its_content() {
    let mut lying = stat(24);
    lying["Records"][1]["Frame Num"] = json!(4242);
    let (records, report) = read(&lines(&[lying, stat(24)]));
    assert_eq!(records.len(), 3);
    let problem = report.notes.problems.first().expect("it is reported");
    assert_eq!(
        problem.text,
        "line 1: Frame Num: not a whole number from 0 to 1023; it was skipped"
    );
}

#[test]
fn other_messages_are_counted_by_their_name() {
    let (records, report) = read(&lines(&[message("LTE_NAS_EMM_State", json!({"IMSI": "x"}))]));
    assert_eq!((records.len(), report.notes.other.get("LTE_NAS_EMM_State")), (0, Some(&1)));
}

#[test]
fn a_cut_loses_one_message_at_most() {
    check_cuts(&lines(&[serving(22), demapper(), serving(19)]));
    check_cuts(&xml_lines(&[serving(22), serving(19)]));
}

fn tti(record: Record) -> Option<Tti> {
    if let Record::Tti(tti) = record { Some(tti) } else { None }
}
