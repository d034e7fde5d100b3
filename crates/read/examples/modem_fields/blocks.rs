//! Prints transport blocks, and the bytes that wait for them.

use airmile_read::modem::diag::messages::mac_header::{Control, Element};
use airmile_read::modem::diag::messages::uplink_buffer::{Channel, Sample, UplinkBuffer};
use airmile_read::modem::diag::messages::uplink_shared::{Sent, UplinkShared};
use airmile_read::modem::diag::messages::{downlink_blocks, uplink_blocks};
use serde_json::{Map, Value, json};

pub(crate) fn downlink(message: &downlink_blocks::Blocks) -> Value {
    let sample = |block: &downlink_blocks::Block| {
        json!({
            "Sub-FN": block.subframe,
            "SFN": block.frame,
            "RNTI Type": block.rnti,
            "HARQ ID": block.harq,
            "Area ID": block.area,
            "PMCH ID": block.multicast_channel,
            "DL TBS (bytes)": block.bytes,
            "RLC PDUs": block.pdus,
            "Padding (bytes)": block.padding_bytes,
            "HDR LEN": block.header_bytes,
            "Mac Hdr + CE": block.elements.iter().map(element).collect::<Vec<_>>(),
        })
    };
    samples(message.version, message.blocks.iter().map(sample).collect())
}

pub(crate) fn uplink(message: &uplink_blocks::Blocks) -> Value {
    let sample = |block: &uplink_blocks::Block| {
        json!({
            "HARQ ID": block.harq,
            "RNTI Type": block.rnti,
            "Sub-FN": block.subframe,
            "SFN": block.frame,
            "Grant (bytes)": block.grant_bytes,
            "RLC PDUs": block.pdus,
            "Padding (bytes)": block.padding_bytes,
            "BSR event": block.bsr_event,
            "BSR trig": block.bsr_trigger,
            "HDR LEN": block.header_bytes,
            "Mac Hdr + CE": block.elements.iter().map(element).collect::<Vec<_>>(),
        })
    };
    samples(message.version, message.blocks.iter().map(sample).collect())
}

pub(crate) fn buffer(message: &UplinkBuffer) -> Value {
    let channel = |channel: &Channel| {
        let new = channel.compressed_bytes.unwrap_or(channel.new_bytes);
        json!({
            "Ld Id": channel.id,
            "Priority": channel.priority,
            "New Uncompressed Bytes": channel.new_bytes,
            "New Compressed Bytes": new,
            "Retx bytes": channel.repeated_bytes,
            "Ctrl bytes": channel.control_bytes,
            "Total Bytes": channel.bytes(),
        })
    };
    let sample = |sample: &Sample| {
        json!({
            "Sub Id": sample.stack,
            "Sub FN": sample.subframe,
            "Sys FN": sample.frame,
            "Number of active LCID": sample.channels.len(),
            "LCIDs": sample.channels.iter().map(channel).collect::<Vec<_>>(),
        })
    };
    samples(message.version, message.samples.iter().map(sample).collect())
}

pub(crate) fn shared(message: &UplinkShared) -> Value {
    json!({
        "Serving Cell ID": message.pci,
        "Number of Records": message.sent.len(),
        "Dispatch SFN SF": message.dispatched,
        "Records": message.sent.iter().map(sent).collect::<Vec<_>>(),
    })
}

fn samples(version: u8, samples: Vec<Value>) -> Value {
    let subpacket = json!({ "Version": version, "Num Samples": samples.len(), "Samples": samples });
    json!({ "Num SubPkt": 1, "Subpackets": [subpacket] })
}

fn element(element: &Element) -> Value {
    // MobileInsight prints 0 for data that extend to the end of the block, and -1 for padding.
    let length = if element.channel <= 10 { json!(0) } else { json!(-1) };
    let mut fields = Map::new();
    let mut put = |name: &str, value: Value| fields.insert(name.to_owned(), value);
    put("Header Field", json!(element.header));
    put("LC ID", json!(element.channel));
    put("Len", element.length.map_or(length, |length| json!(length)));
    match element.control {
        Some(Control::PowerHeadroom(level)) => {
            put("PHR Ind", json!(level));
        }
        Some(Control::TimingAdvance { group, command }) => {
            put("TAG Id", json!(group));
            put("TA Command", json!(command));
        }
        Some(control) => control.levels().for_each(|(lcg, index)| {
            put(&format!("BSR LCG {lcg}"), json!(index));
        }),
        None => {}
    }
    Value::Object(fields)
}

fn sent(sent: &Sent) -> Value {
    let mut fields = Map::new();
    let mut put = |name: &str, value: Value| fields.insert(name.to_owned(), value);
    put("Current SFN SF", json!(sent.subframe));
    put("Start RB Slot 0", json!(sent.first_prb[0]));
    put("Start RB Slot 1", json!(sent.first_prb[1]));
    put("Num of RB", json!(sent.prbs));
    put("PUSCH TB Size", json!(sent.bytes));
    put("Re-tx Index", json!(sent.repetition));
    put("PUSCH Mod Order", json!(sent.modulation));
    put("PUSCH Digital Gain (dB)", json!(sent.gain_db));
    put("PUSCH Tx Power (dBm)", json!(sent.power_dbm));
    for (name, value) in [("Carrier Index", sent.carrier), ("Redund Ver", sent.redundancy)] {
        if let Some(value) = value {
            put(name, json!(value));
        }
    }
    for (name, value) in [("Frequency Hopping", sent.hopping), ("Num CQI Bits", sent.cqi_bits)] {
        if let Some(value) = value {
            put(name, json!(value));
        }
    }
    if let Some(rate) = sent.code_rate {
        put("Coding Rate", json!(rate));
    }
    for (name, there) in ["ACK", "CQI", "RI"].into_iter().zip(sent.control.into_iter().flatten()) {
        put(name, json!(u8::from(there)));
    }
    Value::Object(fields)
}
