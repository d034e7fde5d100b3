//! Messages that records tell all of that is read.

use airmile_read::modem::{CellInfo, Record, Rnti, Tti};
use serde_json::{Value, json};

pub(crate) fn fields(code: u16, records: &[Record]) -> Option<Value> {
    match code {
        0xB0C1 | 0xB0C2 => records.iter().find_map(info).map(cell),
        0xB126 => demapped(&records.iter().filter_map(tti).collect::<Vec<_>>()),
        0xB173 => Some(json!({ "Records": subframes(records) })),
        _ => None,
    }
}

fn info(record: &Record) -> Option<&CellInfo> {
    match record {
        Record::CellInfo(info) => Some(info),
        _ => None,
    }
}

fn cell(info: &CellInfo) -> Value {
    let mut norm = json!({ "dl_prb": info.downlink_prbs });
    if let (Some(norm), Some(prbs)) = (norm.as_object_mut(), info.uplink_prbs) {
        norm.insert("ul_prb".to_owned(), json!(prbs));
    }
    let (pci, earfcn) = (info.cell, info.earfcn);
    json!({ "Physical Cell ID": pci, "Cell ID": pci, "Freq": earfcn, "Downlink frequency": earfcn, "norm": norm })
}

/// The blocks of each subframe and carrier, in the order of the message.
fn subframes(records: &[Record]) -> Vec<Value> {
    let blocks: Vec<&Tti> = records.iter().filter_map(tti).collect();
    let same = |one: &&Tti, next: &&Tti| {
        (one.tti, one.carrier, one.block + 1) == (next.tti, next.carrier, next.block)
    };
    blocks.chunk_by(same).map(subframe).collect()
}

fn tti(record: &Record) -> Option<&Tti> {
    match record {
        Record::Tti(tti) => Some(tti),
        _ => None,
    }
}

/// One subframe: a block that is not used has no record.
fn demapped(blocks: &[&Tti]) -> Option<Value> {
    let first = blocks.first()?;
    let number = first.tti.rem_euclid(10_240);
    let of = |block: u8| blocks.iter().find(|tti| tti.block == block);
    let bits = |block| of(block).and_then(|tti| tti.tbs_bytes).map_or(0, |bytes| bytes * 8);
    let modulation = |block| of(block).and_then(|tti| tti.modulation).map(|name| name.as_str());
    Some(json!({
        "Serving Cell ID": first.cell,
        "System Frame Number": number / 10,
        "Subframe Number": number % 10,
        "PDSCH RNTI Type": rnti(first.rnti),
        "Spatial Rank": first.layers,
        "PRBs": first.prbs,
        "TBS 0": bits(0),
        "MCS 0": modulation(0),
        "TBS 1": bits(1),
        "MCS 1": modulation(1),
        "Carrier Index": first.carrier,
    }))
}

fn subframe(blocks: &[&Tti]) -> Value {
    let first = blocks.first();
    let number = first.map(|tti| tti.tti.rem_euclid(10_240));
    json!({
        "Frame Num": number.map(|number| number / 10),
        "Subframe Num": number.map(|number| number % 10),
        "Num Layers": first.and_then(|tti| tti.layers),
        "Num Transport Blocks Present": blocks.len(),
        "Serving Cell Index": first.map(|tti| tti.carrier),
        "Transport Blocks": blocks.iter().map(|tti| block(tti)).collect::<Vec<_>>(),
    })
}

/// Sizes of the versions of the corpus count the CRC of three bytes.
fn block(tti: &Tti) -> Value {
    json!({
        "HARQ ID": tti.harq,
        "CRC Result": tti.crc_ok.map(u8::from),
        "RNTI Type": rnti(tti.rnti),
        "TB Index": tti.block,
        "TB Size": tti.tbs_bytes.map(|bytes| bytes + 3),
        "MCS": tti.mcs,
        "Num RBs": tti.prbs,
        "Modulation Type": tti.modulation.map(|modulation| modulation.as_str()),
    })
}

fn rnti(rnti: Rnti) -> u8 {
    match rnti {
        Rnti::C => 0,
        Rnti::Sps => 1,
        Rnti::Other => 2,
    }
}
