//! Tests messages of DIAG logs about the downlink's channels and about cells. The messages are
//! written from the tables of their layouts.

mod layout;

use airmile_read::modem::diag::messages::{
    Misfit, cell, grants, nr_cells, pdcch, pdsch, pdsch_stat, uplink_counters,
};
use layout::{Layout, cut_anywhere};

/// The layout of a version of 0xB173: bytes of head and slot, the offset of the size in a slot,
/// bytes for broadcast, and whether it contains the modulation and the PRBs of the subframe.
const SHARED: [(u8, usize, usize, usize, usize, bool, bool); 4] = [
    (16, 6, 6, 2, 2, false, true),
    (24, 6, 8, 2, 2, true, true),
    (40, 12, 12, 4, 4, true, true),
    (50, 12, 12, 4, 4, true, false),
];

#[test]
fn subframes_of_the_shared_channel() {
    for (version, head, slot, size, tail, modulated, with_prbs) in SHARED {
        let shift = usize::from(with_prbs);
        let first = Layout::of(head).number(0, 2, 9 | 1023 << 4).number(2, 1, 77 * shift as u32);
        let first = first.number(2 + shift, 1, 2).number(3 + shift, 1, 1);
        let first = first.number(4 + shift, 1, 3 | 5 << 3);
        let mut block = Layout::of(slot)
            .number(0, 1, 6 | 2 << 4 | 1 << 6)
            .number(1, 1, 1 | 1 << 4 | 1 << 5)
            .number(size, 2, 2127);
        block = block.number(size + 2, 1, 24).number(size + 3, 1, 32);
        if modulated {
            block = block.number(size + 4, 1, 6);
        }
        let broadcast = Layout::of(tail).number(0, 1, 11).number(1, 1, 12);
        let record = first.then(block).then(Layout::of(slot)).then(broadcast);
        let message = Layout(vec![version, 1, 0, 0]).then(record);
        let parsed = pdsch_stat::parse(&message.0).expect("it is whole");
        let head = pdsch_stat::Head {
            frame: 1023,
            subframe: 9,
            prbs: with_prbs.then_some(77),
            layers: 2,
            blocks: 1,
            carrier: 3,
            interference_cancelled: 5,
        };
        let block = pdsch_stat::Block {
            harq: 6,
            redundancy: 2,
            new_data: true,
            crc_ok: false,
            rnti: 1,
            index: 1,
            discarded: true,
            recombined: false,
            logged_bytes: 2127,
            mcs: 24,
            prbs: 32,
            modulation_order: modulated.then_some(6),
        };
        let blocks = vec![block];
        let subframe = pdsch_stat::Subframe { head, blocks, multicast_channel: 11, area: 12 };
        assert_eq!(parsed, [subframe], "version {version}");
        cut_anywhere(&message, pdsch_stat::parse);
    }
    assert_eq!(pdsch_stat::parse(&[99, 0, 0, 0]), Err(Misfit::UnknownVersion(99)));
}

#[test]
fn a_block_that_was_recombined_and_one_that_cannot_be() {
    let head = Layout::of(6).number(2, 1, 50).number(4, 1, 1);
    let record = |mcs, prbs| {
        let slot = Layout::of(8).number(0, 1, 1 << 7).number(1, 1, 1 << 6);
        let slot = slot.number(4, 1, mcs).number(5, 1, prbs);
        Layout(vec![24, 1, 0, 0]).then(head.clone()).then(slot).then(Layout::of(10))
    };
    let parsed = pdsch_stat::parse(&record(31, 110).0).expect("it is whole");
    let block = &parsed[0].blocks[0];
    assert_eq!((block.recombined, block.discarded, block.crc_ok), (true, false, true));
    for (mcs, prbs) in [(32, 110), (31, 111)] {
        assert!(matches!(pdsch_stat::parse(&record(mcs, prbs).0), Err(Misfit::Lies(_))));
    }
}

fn demapped(version: u32) -> Layout {
    let newer = version >= 122;
    let message = Layout::of(if newer { 64 } else { 56 }).number(0, 1, version).number(1, 1, 0x95);
    let message = message.number(2, 2, 1 | 7 << 1 | 1000 << 5).number(4, 2, 0x1234);
    // The message allocates PRBs 0-2 and 64 in the first slot, and PRB 127 in the second.
    let message = message.number(8, 4, 7).number(16, 4, 1).number(36, 4, 1 << 31);
    let message = message.number(44, 2, 2216).number(48, 2, 4392);
    if newer {
        let message = message.number(6, 2, 1 | 2 << 6 | 1 << 8 | 1 << 12 | 1 << 15);
        let message = message.number(40, 2, 9 << 2 | 4 << 6).number(46, 2, 2 << 2 | 362 << 4);
        return message.number(50, 2, 1 << 2 | 1 << 6);
    }
    let message = message.number(6, 2, 1 | 2 << 8 | 1 << 10 | 1 << 14);
    let message = message.number(40, 1, 1 << 1 | 9 << 4).number(41, 1, 4);
    message.number(46, 2, 2 << 1 | 362 << 3).number(50, 2, 1 << 1 | 1 << 9)
}

#[test]
fn the_settings_of_the_demapper() {
    for version in [23, 28, 122, 123] {
        let message = demapped(version);
        let parsed = pdsch::parse(&message.0).expect("it is whole");
        assert_eq!(
            (parsed.pci, parsed.frame, parsed.subframe),
            (0x195, 1000, 7),
            "version {version}"
        );
        assert_eq!((parsed.rnti, parsed.rnti_kind, parsed.layers), (0x1234, 1, 2));
        assert_eq!((parsed.cell_antennas, parsed.phone_antennas, parsed.carrier), (Some(4), 2, 1));
        assert_eq!(parsed.allocation, [[7, 1], [0, 1 << 63]]);
        assert_eq!(parsed.prbs(), 4);
        let precoding = pdsch::Precoding { by_subband: 1, pmi: 9, scheme: 4 };
        assert_eq!(parsed.precoding, precoding);
        let blocks = parsed.blocks.map(|block| (block.bits, block.modulation_order));
        assert_eq!((blocks, parsed.traffic_to_pilot), ([(2216, 6), (4392, 4)], 1.4140625));
        cut_anywhere(&message, pdsch::parse);
    }
    let message = demapped(23);
    let no_code = message.clone().number(6, 2, 3 << 8);
    assert_eq!(pdsch::parse(&no_code.0).map(|parsed| parsed.cell_antennas), Ok(None));
    assert!(matches!(pdsch::parse(&message.then(Layout::of(1)).0), Err(Misfit::Lies(_))));
}

fn hypothesis() -> Layout {
    let payload = Layout(vec![0, 0x40, 1, 2, 3, 4, 0xFC, 7]);
    let form = Layout::of(4).bits(0, 0, 2, 3).bits(0, 2, 3, 5).bits(0, 5, 1, 1).bits(0, 6, 4, 6);
    let form = form.bits(0, 10, 4, 2).bits(0, 14, 8, 70).bits(0, 22, 1, 1).bits(0, 23, 9, 300);
    let place = Layout::of(4).bits(0, 1, 7, 83).bits(0, 8, 9, 144).bits(0, 17, 15, 32_000);
    let outcome = Layout::of(4).bits(0, 0, 11, 64).bits(0, 11, 21, 70_000);
    let shares = Layout::of(8).number(0, 4, 65_535).number(4, 4, 1 << 29);
    payload.then(form).then(place).then(outcome).then(shares)
}

fn assert_parsed(parsed: &pdcch::Hypothesis) {
    assert_eq!(parsed.payload, [0, 0x40, 1, 2, 3, 4, 0xFC, 7]);
    assert_eq!((parsed.payload_bits, parsed.aggregation_log2, parsed.candidate), (70, 3, 5));
    assert_eq!((parsed.search_space, parsed.format, parsed.addressed), (1, 6, 2));
    assert_eq!((parsed.tail_matches, parsed.wrong_symbols), (true, 300));
    assert_eq!((parsed.first_element, parsed.soft_bits, parsed.full_energy), (83, 144, 32_000));
    assert_eq!((parsed.outcome, parsed.energy), (64, 70_000));
    assert_eq!((parsed.energy_share, parsed.symbol_error_rate), (1.0, 0.25));
}

#[test]
fn a_search_for_control_messages() {
    let head = Layout::of(8).number(0, 1, 101).bits(1, 0, 4, 4).bits(1, 4, 10, 734);
    let head = head.bits(1, 14, 3, 5).bits(1, 18, 1, 1).bits(1, 20, 2, 1).bits(1, 22, 2, 2);
    let head = head.bits(1, 24, 2, 1).bits(1, 26, 2, 2).bits(1, 28, 2, 3);
    let message = head.number(6, 1, 13 | 1 << 4).number(7, 1, 2);
    let message = message.then(hypothesis()).then(hypothesis());
    let parsed = pdcch::parse(&message.0).expect("it is whole");
    assert_eq!((parsed.frame, parsed.subframe, parsed.bandwidth), (734, 4, 5));
    assert_eq!((parsed.frame_structure, parsed.antennas), (1, 2));
    assert_eq!((parsed.demapping, parsed.carrier), (13, 1));
    let more = pdcch::More { cyclic_prefix: 1, special_subframe: 2, mixed_duplex: 3 };
    assert_eq!(parsed.more, Some(more));
    let [search] = &parsed.searches[..] else { panic!("{} searches", parsed.searches.len()) };
    assert!(!search.names_carriers && search.two_bit_csi && !search.aperiodic_sounding);
    assert_eq!((search.offset, search.hypotheses.len()), (None, 2));
    search.hypotheses.iter().for_each(assert_parsed);
    cut_anywhere(&message, pdcch::parse);
    assert_eq!(pdcch::parse(&message.number(0, 1, 9).0), Err(Misfit::UnknownVersion(9)));
}

#[test]
fn a_search_of_several_subframes() {
    let head = Layout::of(8).number(0, 1, 43).bits(1, 0, 4, 2).bits(1, 4, 4, 5);
    let head = head.bits(1, 8, 10, 552).bits(1, 18, 4, 3).bits(1, 22, 2, 1).bits(1, 24, 3, 4);
    let record = |offset, count: u32| {
        let head = Layout::of(4).number(0, 2, offset).number(2, 2, 1 | 1 << 2 | count << 3);
        head.then(hypothesis()).then(Layout::of(10 * 28))
    };
    let message = head.number(7, 1, 13 | 1 << 4).then(record(0, 1)).then(record(75, 255));
    let parsed = pdcch::parse(&message.0).expect("it is whole");
    assert_eq!((parsed.frame, parsed.subframe, parsed.bandwidth), (552, 5, 3));
    assert_eq!((parsed.frame_structure, parsed.antennas, parsed.more), (1, 4, None));
    assert_eq!((parsed.demapping, parsed.carrier), (13, 1));
    let searches: Vec<_> =
        parsed.searches.iter().map(|one| (one.offset, one.hypotheses.len())).collect();
    // A record has at most eleven slots, whatever its count says.
    assert_eq!(searches, [(Some(0), 1), (Some(75), 11)]);
    let flags = &parsed.searches[1];
    assert!(flags.names_carriers && !flags.two_bit_csi && flags.aperiodic_sounding);
    assert_parsed(&parsed.searches[1].hypotheses[0]);
    cut_anywhere(&message, pdcch::parse);
}

#[test]
fn cells() {
    for (version, wide) in [(1, 2), (2, 4)] {
        let mib = Layout::of(7 + wide).number(0, 1, version).number(1, 2, 44);
        let mib = mib.number(3, wide, 38_400).number(3 + wide, 2, 1020);
        let mib = mib.number(5 + wide, 1, 4).number(6 + wide, 1, 100);
        let parsed = cell::Mib { pci: 44, earfcn: 38_400, frame: 1020, antennas: 4, prbs: 100 };
        assert_eq!(cell::parse_mib(&mib.0), Ok(parsed), "version {version}");
        cut_anywhere(&mib, cell::parse_mib);
    }
    for (version, wide) in [(2, 2), (3, 4)] {
        let rest = 3 + 2 * wide;
        let serving = Layout::of(rest + 18).number(0, 1, version).number(1, 2, 44);
        let serving = serving.number(3, wide, 1300).number(3 + wide, wide, 19_300);
        let serving = serving.number(rest, 1, 75).number(rest + 1, 1, 50);
        let serving = serving.number(rest + 8, 4, 3).number(rest + 17, 1, 1);
        let parsed = cell::ServingCell {
            pci: 44,
            earfcn: 1300,
            uplink_earfcn: 19_300,
            prbs: [75, 50],
            band: Some(3),
            access: Some(1),
        };
        assert_eq!(cell::parse_serving(&serving.0), Ok(parsed), "version {version}");
        // The tables need only the PRBs, so the fields after them may be cut.
        let short = cell::ServingCell { band: None, access: None, ..parsed };
        assert_eq!(cell::parse_serving(&serving.0[..rest + 2]), Ok(short), "version {version}");
        cut_anywhere(&Layout(serving.0[..rest + 2].to_vec()), cell::parse_serving);
    }
}

#[test]
fn subframes_of_0xb126_without_sizes() {
    let record = |count: u32| {
        let record = Layout::of(48).number(0, 2, (count % 10) | ((count / 10) << 4));
        let record = record.bits(0, 17, 3, 4).bits(0, 20, 2, 3).number(4, 1, 1);
        record.number(8, 4, 0x3F).number(12, 4, 1).number(24, 4, 0x3F).number(28, 4, 1)
    };
    let head = Layout::of(8).number(0, 1, 163);
    let message = (0..20).fold(head, |message, at| message.then(record(10_230 + at % 10)));
    let parsed = pdsch::subframes::parse(&message.0).expect("it is whole");
    assert_eq!(parsed.len(), 20);
    assert_eq!((parsed[3].frame, parsed[3].subframe, parsed[3].prbs()), (1023, 3, 7));
    assert_eq!((parsed[3].cell_antennas, parsed[3].phone_antennas, parsed[3].layers), (4, 4, 2));
    cut_anywhere(&message, pdsch::subframes::parse);
    assert!(pdsch::parse(&message.0).is_err());
}

#[test]
fn grants_of_0xb16c_end_with_the_message() {
    let element = |grants: u32, assignments: u32| {
        Layout::of(4).bits(0, 0, 10, 700).bits(0, 10, 4, 9).bits(0, 14, 2, grants).bits(
            0,
            17,
            3,
            assignments,
        )
    };
    // Bits 43-49 contain the first PRB, 41, and bits 50-56 the number of PRBs, 6.
    let grant = Layout::of(16).bits(5, 3, 7, 41).bits(6, 2, 7, 6);
    let message = Layout::of(4).number(0, 1, 50).number(1, 2, 2 << 6);
    let message = message.then(element(1, 1)).then(grant).then(Layout::of(8)).then(element(0, 0));
    let parsed = grants::parse(&message.0).expect("it is whole");
    assert_eq!((parsed[0].frame, parsed[0].subframe, parsed[0].assignments), (700, 9, 1));
    assert_eq!((&parsed[0].grants[..], parsed[1].grants.len()), (&[(41, 6)][..], 0));
    cut_anywhere(&message, grants::parse);
    assert!(matches!(grants::parse(&message.then(Layout::of(1)).0), Err(Misfit::Lies(_))));
}

#[test]
fn cells_of_5g_end_with_the_message() {
    // -85.5 dBm and -11.25 dB in steps of 1/128, as 15 bits with sign.
    let step = |level: f64| ((level + 256.0) * 128.0) as u32;
    let head = Layout::of(20).number(2, 2, 3).number(8, 1, 1);
    let carrier = Layout::of(40).number(0, 4, 174_770).number(5, 1, 1).number(6, 2, 431);
    let cell = Layout::of(16).number(0, 2, 431).number(4, 1, 1);
    let cell = cell.number(8, 4, step(-85.5)).number(12, 4, step(-11.25));
    let message = head.then(carrier).then(cell).then(Layout::of(84));
    let parsed = nr_cells::parse(&message.0).expect("it is whole");
    assert_eq!((parsed[0].arfcn, parsed[0].pci, parsed[0].serving), (174_770, 431, true));
    assert_eq!((parsed[0].rsrp_dbm, parsed[0].rsrq_db), (Some(-85.5), Some(-11.25)));
    cut_anywhere(&message, nr_cells::parse);
    let other = message.number(0, 2, 9);
    assert_eq!(nr_cells::parse(&other.0), Err(Misfit::UnknownVersion(309)));
}

#[test]
fn counters_of_the_uplink() {
    for (version, at) in [(1, 0), (2, 1)] {
        let window = Layout::of(16).number(at, 1, 100);
        let window = window.number(at + 5, 4, 25_597).number(at + 9, 4, 12_714);
        let message = Layout(vec![1, 1, 0, 0, 11, version, 20, 0]).then(window);
        let parsed = uplink_counters::parse(&message.0).expect("it is whole");
        assert_eq!(
            (parsed[0].samples, parsed[0].granted_bytes),
            (100, 25_597),
            "version {version}"
        );
        assert_eq!(parsed[0].used_bytes, 12_714);
        cut_anywhere(&message, uplink_counters::parse);
    }
}
