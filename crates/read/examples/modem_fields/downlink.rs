//! Prints the downlink: control messages, and the blocks that they announce. Fields of a block that
//! a record contains are taken from the record, so that the comparison covers the source of the
//! tables.

use airmile_read::modem::diag::messages::pdcch::{ControlChannel, Hypothesis, Search};
use airmile_read::modem::diag::messages::pdsch::Demapped;
use airmile_read::modem::diag::messages::pdsch_stat::{Block, Subframe};
use airmile_read::modem::{Record, Tti};
use serde_json::{Map, Value, json};

/// Bandwidths in MHz by the modem's code, without fractions.
const MHZ: [u8; 6] = [1, 3, 5, 10, 15, 20];

/// Prints blocks; each has given a record, in the order of the message.
pub(crate) fn shared(message: &[Subframe], records: &[Record]) -> Value {
    let mut blocks = records.iter().filter_map(tti);
    let records: Vec<_> = message.iter().map(|one| subframe(one, &mut blocks)).collect();
    json!({ "Num Records": records.len(), "Records": records })
}

fn tti(record: &Record) -> Option<&Tti> {
    match record {
        Record::Tti(tti) => Some(tti),
        _ => None,
    }
}

fn subframe<'a>(subframe: &Subframe, ttis: &mut impl Iterator<Item = &'a Tti>) -> Value {
    let ttis: Vec<_> = ttis.take(subframe.blocks.len()).collect();
    let number = ttis.first().map(|tti| tti.tti.rem_euclid(10_240));
    let blocks = subframe.blocks.iter().zip(&ttis);
    json!({
        "Frame Num": number.map(|number| number / 10),
        "Subframe Num": number.map(|number| number % 10),
        "Num RBs": subframe.head.prbs,
        "Num Layers": ttis.first().and_then(|tti| tti.layers),
        "Num Transport Blocks Present": subframe.head.blocks,
        "Serving Cell Index": ttis.first().map(|tti| tti.carrier),
        "HSIC Enabled": subframe.head.interference_cancelled,
        "Transport Blocks": blocks.map(|(one, tti)| block(one, tti)).collect::<Vec<_>>(),
        "PMCH ID": subframe.multicast_channel,
        "Area ID": subframe.area,
    })
}

/// Prints a block; the sizes of the versions in the corpus include the CRC of three bytes.
fn block(block: &Block, tti: &Tti) -> Value {
    json!({
        "HARQ ID": tti.harq,
        "RV": block.redundancy,
        "NDI": u8::from(block.new_data),
        "CRC Result": tti.crc_ok.map(u8::from),
        "RNTI Type": block.rnti,
        "TB Index": tti.block,
        "Discarded reTx Present": u8::from(block.discarded),
        "Did Recombining": u8::from(block.recombined),
        "TB Size": tti.tbs_bytes.map(|bytes| bytes + 3),
        "MCS": tti.mcs,
        "Num RBs": tti.prbs,
        "Modulation Type": tti.modulation.map(|modulation| modulation.as_str()),
        // The phone sends ACK if the CRC is right, otherwise NACK.
        "ACK/NACK Decision": u8::from(block.crc_ok),
    })
}

/// Prints blocks; a block that is not used has given no record.
pub(crate) fn demapped(message: &Demapped, records: &[Record]) -> Value {
    let of = |block: u8| records.iter().filter_map(tti).find(|tti| tti.block == block);
    let first = of(0).or(of(1));
    let number = first.map(|tti| tti.tti.rem_euclid(10_240));
    let bits = |block| of(block).and_then(|tti| tti.tbs_bytes).map_or(0, |bytes| bytes * 8);
    let mut fields = allocation(message);
    let mut put = |name: &str, value: Value| fields.insert(name.to_owned(), value);
    put("Serving Cell ID", json!(first.and_then(|tti| tti.cell)));
    put("System Frame Number", json!(number.map(|number| number / 10)));
    put("Subframe Number", json!(number.map(|number| number % 10)));
    put("PDSCH RNTIl ID", json!(message.rnti));
    put("PDSCH RNTI Type", json!(message.rnti_kind));
    put("Number of Tx Antennas(M)", json!(message.cell_antennas));
    put("Number of Rx Antennas(N)", json!(message.phone_antennas));
    put("Spatial Rank", json!(first.and_then(|tti| tti.layers)));
    put("TBS 0", json!(bits(0)));
    put("TBS 1", json!(bits(1)));
    put("MCS 0", json!(message.blocks[0].modulation_order));
    put("MCS 1", json!(message.blocks[1].modulation_order));
    put("Traffic to Pilot Ratio", json!(message.traffic_to_pilot));
    put("Carrier Index", json!(first.map(|tti| tti.carrier)));
    put("Frequency Selective PMI", json!(message.precoding.by_subband));
    put("PMI Index", json!(message.precoding.pmi));
    put("Transmission Scheme", json!(message.precoding.scheme));
    Value::Object(fields)
}

fn allocation(message: &Demapped) -> Map<String, Value> {
    let words = message.allocation.iter().zip(0..).flat_map(|(words, slot)| {
        let name = move |at| format!("RB Allocation Slot {slot}[{at}]");
        words.iter().zip(0..).map(move |(word, at)| (name(at), json!(format!("0x{word:016x}"))))
    });
    words.collect()
}

pub(crate) fn control(message: &ControlChannel) -> Value {
    let mut fields = Map::new();
    let mut put = |name: &str, value: Value| fields.insert(name.to_owned(), value);
    put("System Frame Number", json!(message.frame));
    put("Subframe Number", json!(message.subframe));
    put("Band Width (MHz)", json!(MHZ.get(usize::from(message.bandwidth))));
    put("Frame Structure", json!(message.frame_structure));
    put("Num eNB Antennas", json!(message.antennas));
    put("Demback Mode Select", json!(message.demapping));
    put("Carrier Index", json!(message.carrier));
    if let Some(more) = message.more {
        put("DL CP", json!(more.cyclic_prefix));
        put("SSC", json!(more.special_subframe));
        put("CA FDD TDD", json!(more.mixed_duplex));
        message.searches.iter().for_each(|one| fields.extend(search(one)));
    } else {
        put("Num Records", json!(message.searches.len()));
        put("SF", message.searches.iter().map(search).collect());
    }
    Value::Object(fields)
}

fn search(search: &Search) -> Map<String, Value> {
    let mut fields = Map::new();
    let mut put = |name: &str, value: Value| fields.insert(name.to_owned(), value);
    put("Subframe Offset", json!(search.offset));
    put("CIF Configured", json!(u8::from(search.names_carriers)));
    put("Two bits CSI Configured", json!(u8::from(search.two_bit_csi)));
    put("Aperiodic SRS Configured", json!(u8::from(search.aperiodic_sounding)));
    put("Number of Hypothesis", json!(search.hypotheses.len()));
    put("Hypothesis", search.hypotheses.iter().map(hypothesis).collect());
    fields
}

fn hypothesis(hypothesis: &Hypothesis) -> Value {
    let payload = hypothesis.payload.map(|byte| format!("{byte:02x}")).concat();
    json!({
        "Payload": format!("0x{payload}"),
        "Payload Size": hypothesis.payload_bits,
        "Aggregation Level": 1 << hypothesis.aggregation_log2,
        "Candidate": hypothesis.candidate,
        "Search Space Type": hypothesis.search_space,
        "DCI Format": hypothesis.format,
        "Decode States": hypothesis.addressed,
        "Tail Match": u8::from(hypothesis.tail_matches),
        "Non Zero Symbol Mismatch Count": hypothesis.wrong_symbols,
        "Start CCE": hypothesis.first_element,
        "Non Zero Llr Count": hypothesis.soft_bits,
        "Normal": hypothesis.full_energy,
        "Prune Status": hypothesis.outcome,
        "Energy Metric": hypothesis.energy,
        "Norm Energy Metric": hypothesis.energy_share,
        "Symbol Error Rate": hypothesis.symbol_error_rate,
    })
}
