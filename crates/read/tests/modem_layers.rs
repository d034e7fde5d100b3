//! Tests messages of DIAG logs about blocks, buffers, PDUs and RRC. The messages are written from
//! the tables of their layouts.

mod layout;

use airmile_read::modem::diag::messages::mac_header::Control;
use airmile_read::modem::diag::messages::rlc::Header;
use airmile_read::modem::diag::messages::{
    Misfit, downlink_blocks, pdcp, rlc, rrc_lte, rrc_nr, uplink_blocks, uplink_buffer,
    uplink_shared,
};
use airmile_read::modem::rrc::Channel;
use layout::{Layout, cut_anywhere};

/// A message with one subpacket.
fn subpacket(id: u8, version: u8, data: Layout) -> Layout {
    let size = data.0.len() as u32 + 4;
    let head = Layout(vec![1, 1, 0, 0]).then(Layout(vec![id, version, 0, 0]).number(2, 2, size));
    head.then(data)
}

#[test]
fn blocks_downlink() {
    let fields = Layout::of(12).number(0, 2, 7 | 876 << 4).number(2, 1, 0).number(3, 1, 5);
    let fields = fields.number(6, 2, 105).number(8, 1, 1).number(9, 2, 29).number(11, 1, 3);
    let block = fields.then(Layout(vec![0x21, 73, 0x1F]));
    let message = subpacket(7, 2, Layout(vec![1]).then(block.clone()));
    let parsed = downlink_blocks::parse(&message.0).expect("it is whole");
    let [found] = &parsed.blocks[..] else { panic!("{} blocks", parsed.blocks.len()) };
    assert_eq!((found.frame, found.subframe, found.harq, found.carrier), (876, 7, 5, None));
    assert_eq!((found.bytes, found.padding_bytes, found.pdus), (105, 29, 1));
    assert_eq!(found.elements[0].length, Some(73));
    cut_anywhere(&message, downlink_blocks::parse);
    let newer = subpacket(7, 4, Layout(vec![1, 0, 2]).then(block));
    let newer = downlink_blocks::parse(&newer.0).expect("it is whole");
    assert_eq!((newer.blocks[0].carrier, newer.blocks[0].bytes), (Some(2), 105));
}

#[test]
fn blocks_uplink_with_a_report() {
    let fields = Layout::of(12).number(0, 1, 2).number(2, 2, 6 | 979 << 4).number(4, 2, 26);
    let fields = fields.number(7, 2, 21).number(9, 1, 1).number(10, 1, 4).number(11, 1, 5);
    let block = fields.then(Layout(vec![0x3E, 0x1F, 0x00, 0x10, 0x83]));
    let message = subpacket(8, 1, Layout(vec![1]).then(block));
    let parsed = uplink_blocks::parse(&message.0).expect("it is whole");
    let found = &parsed.blocks[0];
    assert_eq!((found.harq, found.frame, found.subframe, found.grant_bytes), (2, 979, 6, 26));
    assert_eq!((found.padding_bytes, found.bsr_event, found.bsr_trigger), (21, 1, 4));
    assert_eq!(found.elements[0].control, Some(Control::LongBsr([0, 1, 2, 3])));
    cut_anywhere(&message, uplink_blocks::parse);
    let damaged = message.number(8, 1, 255);
    assert_eq!(uplink_blocks::parse(&damaged.0), Err(Misfit::Short));
}

#[test]
fn what_the_modem_holds() {
    let row = Layout::of(16).number(0, 1, 3).number(1, 1, 11).number(6, 4, 700);
    let row = row.number(10, 4, 50).number(14, 2, 9);
    let sample = Layout(vec![0]).then(Layout::of(3).number(0, 2, 4 | 100 << 4).number(2, 1, 2));
    let unused = Layout(vec![0]).then(Layout::of(3).number(0, 2, 15 | 1023 << 4));
    let samples = sample.then(row.clone()).then(row).then(unused);
    let message = subpacket(10, 24, Layout(vec![2]).then(samples));
    let parsed = uplink_buffer::parse(&message.0).expect("it is whole");
    let used: Vec<_> =
        parsed.samples.iter().map(|sample| (sample.is_used(), sample.bytes())).collect();
    assert_eq!(used, [(true, 2 * 759), (false, 0)]);
    assert_eq!((parsed.samples[0].frame, parsed.samples[0].subframe), (100, 4));
    cut_anywhere(&message, uplink_buffer::parse);
    let row = Layout::of(12).number(0, 1, 3).number(2, 4, 700).number(6, 4, 50).number(10, 2, 9);
    let older = Layout(vec![1, 0x44, 0x06, 1]).then(row);
    let older = uplink_buffer::parse(&subpacket(10, 3, older).0).expect("it is whole");
    assert_eq!(older.samples[0].bytes(), 759);
}

#[test]
fn blocks_on_the_air() {
    let head = |version| Layout::of(8).number(0, 1, version).number(1, 2, 30 | 1 << 9);
    let record = Layout::of(68).number(0, 2, 9923).number(2, 2, 1 << 2 | 1 << 7 | 2 << 12);
    let record = record.bits(4, 1, 7, 93).bits(4, 8, 7, 94).bits(4, 15, 7, 3).number(8, 2, 113);
    let record = record.number(10, 2, 512).bits(20, 0, 2, 2).bits(24, 0, 7, 19);
    let message = head(102).number(4, 2, 9933).then(record);
    let parsed = uplink_shared::parse(&message.0).expect("it is whole");
    assert_eq!((parsed.pci, parsed.dispatched), (30, 9933));
    let sent = &parsed.sent[0];
    assert_eq!((sent.subframe, sent.first_prb, sent.prbs, sent.bytes), (9923, [93, 94], 3, 113));
    assert_eq!((sent.repetition, sent.redundancy, sent.modulation), (1, Some(2), 2));
    assert_eq!((sent.power_dbm, sent.code_rate), (19, Some(0.5)));
    cut_anywhere(&message, uplink_shared::parse);
    let record =
        Layout::of(64).bits(8, 25, 7, 2).number(12, 2, 9).bits(20, 15, 2, 1).bits(24, 0, 7, 22);
    let older = uplink_shared::parse(&head(43).then(record).0).expect("it is whole");
    assert_eq!((older.sent[0].prbs, older.sent[0].bytes, older.sent[0].power_dbm), (2, 9, 22));
}

#[test]
fn pdus_of_rlc() {
    // Data PDU 300 with one length of 50, and a report of all up to 134 except 130 (TS 36.322
    // section 6.2.1).
    let data = [0b1000_1101, 0x2C, 0b0000_0011, 0b0010_0000];
    let status = [0b0000_0010, 0b0001_1010, 0b0100_0001, 0];
    let pdu = |logged: &[u8]| {
        let fields = Layout::of(7).number(0, 2, 8 | 952 << 4).number(2, 2, 800);
        fields.number(4, 2, logged.len() as u32).then(Layout(logged.to_vec()))
    };
    let head = Layout::of(16).number(0, 1, 3).number(1, 1, 1).number(2, 1, 10).number(6, 2, 298);
    let bearer = head.number(14, 2, 2).then(pdu(&data)).then(pdu(&status));
    let message = subpacket(65, 3, bearer);
    let parsed = rlc::parse_received(&message.0).expect("it is whole");
    let Some(Header::Data { sequence, lengths, poll, .. }) = &parsed[0].pdus[0].header else {
        panic!("no data")
    };
    assert_eq!((*sequence, &lengths[..], *poll), (300, &[50][..], false));
    let missing = Header::Status { kind: 0, ack: 134, missing: vec![130] };
    assert_eq!(parsed[0].pdus[1].header, Some(missing));
    assert_eq!((parsed[0].state[0], parsed[0].pdus[0].frame), (298, 952));
    cut_anywhere(&message, rlc::parse_received);
    assert_eq!(rlc::parse_sent(&message.0), Ok(vec![]));
}

#[test]
fn ciphered_pdus_without_their_keys() {
    let pdu = Layout::of(13).number(0, 2, 3 | 2 << 9).number(2, 2, 1263).number(4, 2, 1);
    let pdu = pdu.number(6, 2, 3 | 211 << 4).number(8, 4, 5 << 12 | 1183).then(Layout(vec![0]));
    let keys = Layout(vec![0xEE; 32]);
    let message = subpacket(195, 24, keys.then(Layout(vec![3, 3, 1, 0])).then(pdu));
    let parsed = pdcp::parse(&message.0).expect("it is whole");
    let pdu = parsed[0].pdus[0];
    assert_eq!((pdu.index, pdu.bearer, pdu.bytes, pdu.frame), (3, 2, 1263, 211));
    assert_eq!(pdu.count & 0xFFF, 1183);
    assert!(!format!("{parsed:?}").contains("238"), "a key was kept");
    cut_anywhere(&message, |bytes| pdcp::parse(&bytes[..bytes.len()]));
}

#[test]
fn headers_of_rrc() {
    for (version, size, pdu, channel) in [
        (4, 13, 6, Channel::DlDcch),
        (7, 17, 8, Channel::UlDcch),
        (8, 19, 5, Channel::DlCcch),
        (9, 19, 8, Channel::BcchBch),
        (15, 19, 7, Channel::DlDcch),
        (26, 21, 3, Channel::BcchDlSch),
        (26, 21, 9, Channel::DlDcch),
    ] {
        let bearer = if version >= 25 { 5 } else { 3 };
        let time = bearer + if version >= 8 { 7 } else { 5 };
        let message = Layout::of(size).number(0, 1, version).number(bearer, 1, 1);
        let message = message.number(bearer + 1, 2, 217).number(bearer + 3, 2, 38_098);
        let message = message.number(time, 2, 3 | 929 << 4).number(time + 2, 1, pdu);
        let message = message.number(size - 2, 2, 2).then(Layout(vec![0, 0]));
        let parsed = rrc_lte::parse(&message.0).expect("it is whole");
        assert_eq!(
            (parsed.bearer, parsed.pci, parsed.earfcn),
            (1, 217, 38_098),
            "version {version}"
        );
        assert_eq!((parsed.frame, parsed.subframe, parsed.length), (929, 3, 2));
        assert_eq!(parsed.channel, Some(channel), "version {version}");
        cut_anywhere(&message, rrc_lte::parse);
    }
    for version in [0, 10, 30, 255] {
        let unknown = Layout::of(40).number(0, 1, version);
        assert_eq!(rrc_lte::parse(&unknown.0), Err(Misfit::UnknownVersion(version)));
    }
}

#[test]
fn the_header_of_5g_rrc() {
    let message = Layout::of(24).number(0, 1, 8).number(7, 2, 283).number(9, 4, 504_990);
    let message = message.number(17, 1, 8).number(22, 2, 1).then(Layout(vec![0]));
    let parsed = rrc_nr::parse(&message.0).expect("it is whole");
    assert_eq!((parsed.pci, parsed.arfcn, parsed.channel), (283, 504_990, Some(Channel::UlDcch)));
    cut_anywhere(&message, rrc_nr::parse);
}
