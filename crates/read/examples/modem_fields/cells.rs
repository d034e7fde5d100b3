//! Prints measurements of cells.

use airmile_read::modem::diag::messages::cell::{Mib, ServingCell};
use airmile_read::modem::diag::messages::channel_state::ChannelState;
use airmile_read::modem::diag::messages::neighbours::Neighbours;
use airmile_read::modem::diag::messages::radio_link::Evaluation;
use airmile_read::modem::diag::messages::serving_cell::{Carrier, Cell};
use airmile_read::modem::{CellInfo, Record};
use serde_json::{Map, Value, json};

/// Prints the first cell of each subpacket, as MobileInsight does.
pub(crate) fn serving(carriers: &[Carrier]) -> Value {
    let subpackets: Vec<_> = carriers.iter().map(subpacket).collect();
    json!({ "Number of SubPackets": subpackets.len(), "Subpackets": subpackets })
}

fn subpacket(carrier: &Carrier) -> Value {
    let mut fields = carrier.cells.first().map(cell).unwrap_or_default();
    fields.insert("SubPacket Version".to_owned(), json!(carrier.version));
    fields.insert("E-ARFCN".to_owned(), json!(carrier.earfcn));
    fields.insert("Num-of-cells".to_owned(), json!(carrier.announced_cells));
    Value::Object(fields)
}

fn cell(cell: &Cell) -> Map<String, Value> {
    let mut fields = Map::new();
    let mut put = |name: &str, value: Value| fields.insert(name.to_owned(), value);
    put("Physical Cell ID", json!(cell.pci));
    put("Serving Cell Index", json!(cell.index));
    put("Is Serving Cell", json!(u8::from(cell.serving)));
    put("Current SFN", json!(cell.frame));
    put("Current Subframe Number", json!(cell.subframe));
    for (at, antenna) in [" Rx[0]", " Rx[1]", ""].into_iter().enumerate() {
        put(&format!("RSRP{antenna}"), json!(cell.rsrp_dbm[at]));
        put(&format!("RSRQ{antenna}"), json!(cell.rsrq_db[at]));
        let rssi = cell.rssi_dbm.and_then(|rssi| rssi.get(at).copied());
        if let Some(rssi) = rssi.or(cell.combined_rssi_dbm) {
            put(&format!("RSSI{antenna}"), json!(rssi));
        }
        if let Some(snr) = cell.snr_db.and_then(|snr| snr.get(at).copied()) {
            put(&format!("FTL SNR{antenna}"), json!(snr));
        }
        if let Some(cinr) = cell.cinr.and_then(|cinr| cinr.get(at).copied()) {
            put(&format!("CINR{antenna}"), json!(cinr.cast_unsigned()));
        }
    }
    if let (Some(sir), Some(rsrq)) = (cell.projected_sir, cell.post_ic_rsrq_db) {
        put("Projected SIR", json!(sir / 16));
        put("Post IC RSRQ", json!(rsrq));
    }
    fields
}

pub(crate) fn neighbours(message: &Neighbours) -> Value {
    let neighbour = |cell: &airmile_read::modem::diag::messages::neighbours::Measured| {
        json!({
            "Physical Cell ID": cell.pci,
            "RSRP(dBm)": cell.rsrp_dbm,
            "RSRQ(dB)": cell.rsrq_db,
        })
    };
    let detected = |cell: &airmile_read::modem::diag::messages::neighbours::Detected| {
        json!({
            "Physical Cell ID": cell.pci,
            "SSS Corr Value": cell.correlation,
            "Reference Time": cell.reference_time,
        })
    };
    json!({
        "Serving Cell Index": message.index,
        "E-ARFCN": message.earfcn,
        "Serving Physical Cell ID": message.serving.pci,
        "Sub-frame Number": message.subframe,
        "RSRP(dBm)": message.serving.rsrp_dbm,
        "RSRQ(dB)": message.serving.rsrq_db,
        "Number of Neighbor Cells": message.neighbours.len(),
        "Number of Detected Cells": message.detected.len(),
        "Neighbor Cells": message.neighbours.iter().map(neighbour).collect::<Vec<_>>(),
        "Detected Cells": message.detected.iter().map(detected).collect::<Vec<_>>(),
    })
}

pub(crate) fn channel_state(message: &ChannelState) -> Value {
    json!({
        "Start System Frame Number": message.frame,
        "Start System Sub-frame Number": message.subframe,
        "Rank Index": message.rank,
        "Number of Subbands": message.subbands,
        "WideBand CQI CW0": message.cqi[0],
        "WideBand CQI CW1": message.cqi[1],
        "SubBand Size (k)": message.subband_prbs,
        "Single WB PMI": message.pmi,
        "CSF Tx Mode": message.mode,
        "Carrier Index": message.carrier,
    })
}

pub(crate) fn radio_link(evaluations: &[Evaluation]) -> Value {
    let record = |evaluation: &Evaluation| {
        json!({
            "System Frame Number": evaluation.frame,
            "Sub-frame Number": evaluation.subframe,
            "Out of Sync BLER (%)": 100.0 * evaluation.out_of_sync_bler,
            "In Sync BLER (%)": 100.0 * evaluation.in_sync_bler,
            "Out of Sync Count": evaluation.out_of_sync,
            "In Sync Count": evaluation.in_sync,
            "T310 Timer Status": evaluation.t310,
        })
    };
    json!({
        "Number of Records": evaluations.len(),
        "Records": evaluations.iter().map(record).collect::<Vec<_>>(),
    })
}

pub(crate) fn mib(mib: &Mib, records: &[Record]) -> Value {
    json!({
        "Physical Cell ID": mib.pci,
        "Freq": mib.earfcn,
        "SFN": mib.frame,
        "Number of Antenna": mib.antennas,
        "DL BW": mib.prbs,
        "norm": { "dl_prb": width(records).map(|info| info.downlink_prbs) },
    })
}

pub(crate) fn serving_cell(cell: &ServingCell, records: &[Record]) -> Value {
    json!({
        "Cell ID": cell.pci,
        "Downlink frequency": cell.earfcn,
        "Uplink frequency": cell.uplink_earfcn,
        "Downlink bandwidth": cell.prbs[0],
        "Uplink bandwidth": cell.prbs[1],
        "Band Indicator": cell.band,
        "Allowed Access": cell.access,
        "norm": {
            "dl_prb": width(records).map(|info| info.downlink_prbs),
            "ul_prb": width(records).and_then(|info| info.uplink_prbs),
        },
    })
}

fn width(records: &[Record]) -> Option<&CellInfo> {
    records.iter().find_map(|record| match record {
        Record::CellInfo(info) => Some(info),
        _ => None,
    })
}
