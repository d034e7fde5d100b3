//! Prints RLC, PDCP and RRC.

use airmile_read::modem::diag::messages::pdcp::{self, Ciphered};
use airmile_read::modem::diag::messages::rlc::{self, Bearer, Header};
use airmile_read::modem::diag::messages::{rrc_lte, rrc_nr};
use airmile_read::modem::{Record, RrcStep};
use serde_json::{Map, Value, json};

/// The names of the state variables of a bearer, for received and for sent PDUs.
const RECEIVED: [&str; 5] = ["VR(R)", "VR(X)", "VR(MS)", "VR(H)", ""];
const SENT: [&str; 5] = ["VT(A)", "VT(S)", "PDU Without Poll", "Byte Without Poll", "Poll SN"];

pub(crate) fn rlc(bearers: &[Bearer], received: bool) -> Value {
    let subpackets: Vec<_> = bearers.iter().map(|one| bearer(one, received)).collect();
    json!({ "Number of Subpackets": subpackets.len(), "Subpackets": subpackets })
}

fn bearer(bearer: &Bearer, received: bool) -> Value {
    let (pdus, state) = if received { ("RLCDL PDUs", RECEIVED) } else { ("RLCUL PDUs", SENT) };
    let mut fields = Map::new();
    fields.insert("RB Cfg Idx".to_owned(), json!(bearer.index));
    fields.insert("RB Mode".to_owned(), json!(bearer.mode));
    fields.insert("SN Length".to_owned(), json!(bearer.sequence_bits));
    fields.insert("Number of PDUs".to_owned(), json!(bearer.pdus.len()));
    for (name, value) in state.iter().zip(&bearer.state) {
        fields.insert((*name).to_owned(), json!(value));
    }
    let listed: Vec<_> = bearer.pdus.iter().map(|one| pdu(one, bearer.index, &pdus[..5])).collect();
    fields.insert(pdus.to_owned(), Value::Array(listed));
    Value::Object(fields)
}

/// Prints a PDU of RLC; `way` is RLCDL or RLCUL.
fn pdu(pdu: &rlc::Pdu, index: u8, way: &str) -> Value {
    let mut fields = Map::new();
    let mut put = |name: &str, value: Value| fields.insert(name.to_owned(), value);
    put("rb_cfg_idx", json!(index));
    put("sys_fn", json!(pdu.frame));
    put("sub_fn", json!(pdu.subframe));
    put("pdu_bytes", json!(pdu.bytes));
    put("logged_bytes", json!(pdu.logged_bytes));
    put("D/C LookAhead", json!(pdu.first));
    if let Some(header) = &pdu.header {
        let kind = if matches!(header, Header::Data { .. }) { "DATA" } else { "CTRL" };
        put("PDU TYPE", json!(format!("{way} {kind}")));
        put("Status", json!(format!("PDU {kind}")));
    }
    match &pdu.header {
        Some(Header::Data { segment, poll, framing, extension, sequence, segment_at, lengths }) => {
            put("SN", json!(sequence));
            put("RF", json!(u8::from(*segment)));
            put("P", json!(u8::from(*poll)));
            put("FI", json!(framing));
            put("E", json!(u8::from(*extension)));
            if let Some((last, offset)) = segment_at {
                put("LSF", json!(u8::from(*last)));
                put("SO", json!(offset));
            }
            if !lengths.is_empty() {
                put("RLC DATA LI", lengths.iter().map(|length| json!({ "LI": length })).collect());
            }
        }
        Some(Header::Status { kind, ack, missing }) => {
            put("cpt", json!(kind));
            put("SN", json!(ack));
            if !missing.is_empty() {
                let nacks = missing.iter().map(|number| json!({ "NACK_SN": number })).collect();
                put("RLC CTRL NACK", nacks);
            }
        }
        None => {}
    }
    Value::Object(fields)
}

pub(crate) fn pdcp(subpackets: &[Ciphered], received: bool) -> Value {
    let pdus = if received { "PDCPDL CIPH DATA" } else { "PDCPUL CIPH DATA" };
    let subpacket = |one: &Ciphered| {
        json!({
            "SRB Cipher Algorithm": one.signalling_algorithm,
            "DRB Cipher Algorithm": one.data_algorithm,
            "Num PDUs": one.pdus.len(),
            pdus: one.pdus.iter().map(ciphered).collect::<Vec<_>>(),
        })
    };
    json!({
        "Num Subpkts": subpackets.len(),
        "Subpackets": subpackets.iter().map(subpacket).collect::<Vec<_>>(),
    })
}

/// Prints a PDU of PDCP; the sequence number is modulo 2^12, as MobileInsight prints it for data.
fn ciphered(pdu: &pdcp::Pdu) -> Value {
    let bits = if pdu.index == 3 { 12 } else { 5 };
    json!({
        "Cfg Idx": pdu.index,
        "Bearer ID": pdu.bearer,
        "PDU Size": pdu.bytes,
        "Logged Bytes": pdu.logged_bytes,
        "Sys FN": pdu.frame,
        "Sub FN": pdu.subframe,
        "SN": pdu.count & ((1 << bits) - 1),
    })
}

pub(crate) fn rrc_lte(header: &rrc_lte::Header, records: &[Record]) -> Value {
    json!({
        "RRC Release Number": header.release[0],
        "Major/minor": header.release[1],
        "NR RRC Release Number": header.nr_release.map(|release| release[0]),
        "Radio Bearer ID": header.bearer,
        "Physical Cell ID": header.pci,
        "PDU Number": header.pdu,
        "SIB Mask in SI": header.blocks,
        "Msg Length": header.length,
        "Msg": header.length,
        "norm": {
            "pci": header.pci,
            "earfcn": header.earfcn,
            "sfn": header.frame,
            "subframe": header.subframe,
            "sfn_top2": header.above_frame,
            "channel": header.channel.map(|channel| channel.as_str()),
            "msg_len": header.length,
        },
        "rrc": step(records),
    })
}

fn step(records: &[Record]) -> Value {
    let mut fields = Map::new();
    let mut put = |name: &str, value: Value| fields.insert(name.to_owned(), value);
    let Some(Record::Rrc(event)) = records.first() else { return json!({ "name": "none" }) };
    put("name", json!(format!("{:?}", event.step).to_lowercase()));
    if event.step == RrcStep::Command {
        put("handover", json!(true));
        if let Some(cell) = event.target_cell {
            put("target_pci", json!(cell));
            put("target_dl_earfcn", json!(event.target_earfcn.or(event.earfcn)));
        }
    }
    Value::Object(fields)
}

pub(crate) fn rrc_nr(header: &rrc_nr::Header) -> Value {
    json!({
        "RRC Release Number": header.release[0],
        "Radio Bearer ID": header.bearer,
        "Physical Cell ID": header.pci,
        "Freq": header.arfcn,
        "SysFrameNum/SubFrameNum": header.time,
        "PDU Number": header.pdu,
        "Msg Length": header.length,
        "Msg": header.length,
    })
}
