//! Prints each log packet of a DIAG log as a line of JSON, with the fields that are read under
//! MobileInsight's names: `cargo run --example modem_fields -- LOG`. `make corpus` compares the
//! output with MobileInsight's. For RRC messages, only length and step are printed, and keys are
//! never printed.
#![expect(clippy::print_stdout, reason = "it is what the example is for")]

mod blocks;
mod cells;
mod downlink;
mod layers;

use airmile_read::Source;
use airmile_read::modem::diag::{Fields, Watched};
use airmile_read::modem::{ModemLog, Record};
use serde_json::{Value, json};

fn main() {
    let Some(path) = std::env::args_os().nth(1) else {
        return println!("usage: modem_fields LOG");
    };
    let mut log = match ModemLog::open(&Source::file(path)) {
        Ok(log) => log,
        Err(error) => return println!("{error}"),
    };
    log.watch(|packet| println!("{}", line(packet)));
    let mut records = Vec::new();
    while log.read(&mut records) {
        records.clear();
    }
}

/// The number of bytes of a log packet includes the twelve bytes of its header.
fn line(packet: &Watched<'_>) -> Value {
    json!({
        "code": format!("0x{:04X}", packet.code),
        "ns": packet.time.as_nanos(),
        "radio": packet.user.0,
        "log_msg_len": packet.bytes + 12,
        "ver": packet.version,
        "fields": fields(packet),
    })
}

fn fields(packet: &Watched<'_>) -> Option<Value> {
    let fields = packet.fields()?.ok()?;
    Some(named(&fields, packet.code, packet.records))
}

fn named(fields: &Fields, code: u16, records: &[Record]) -> Value {
    match fields {
        Fields::DownlinkBlocks(message) => blocks::downlink(message),
        Fields::UplinkBlocks(message) => blocks::uplink(message),
        Fields::UplinkBuffer(message) => blocks::buffer(message),
        Fields::UplinkShared(message) => blocks::shared(message),
        Fields::Rlc(bearers) => layers::rlc(bearers, code == 0xB082),
        Fields::Pdcp(subpackets) => layers::pdcp(subpackets, code == 0xB0A3),
        Fields::RrcLte(header) => layers::rrc_lte(header, records),
        Fields::RrcNr(header) => layers::rrc_nr(header),
        Fields::ControlChannel(message) => downlink::control(message),
        Fields::Demapped(message) => downlink::demapped(message, records),
        Fields::SharedChannel(message) => downlink::shared(message, records),
        Fields::Mib(mib) => cells::mib(mib, records),
        Fields::ServingCell(cell) => cells::serving_cell(cell, records),
        Fields::ChannelState(message) => cells::channel_state(message),
        Fields::Neighbours(message) => cells::neighbours(message),
        Fields::RadioLink(evaluations) => cells::radio_link(evaluations),
        Fields::ServingCells(carriers) => cells::serving(carriers),
    }
}
