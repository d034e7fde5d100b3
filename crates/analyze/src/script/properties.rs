//! Tests properties of the slices and transfers of random conversations.

use std::fmt::Write;

use proptest::prelude::*;

use super::{Collected, Value, run};

/// One event of a conversation, after a pause.
#[derive(Clone, Debug)]
pub(super) enum Event {
    Request(u16),
    Answer(u16),
    Download(u8),
    Upload(u8),
    UplinkAck,
    DownlinkAck,
    Repeat,
    CloseWindow,
    OpenWindow,
    Fin,
    Reset,
}

pub(super) fn event() -> impl Strategy<Value = Event> {
    prop_oneof![
        8 => (1u16..1400).prop_map(Event::Request),
        3 => (30u16..70).prop_map(Event::Request),
        8 => (1u16..1400).prop_map(Event::Answer),
        3 => (1u8..40).prop_map(Event::Download),
        2 => (1u8..30).prop_map(Event::Upload),
        8 => Just(Event::UplinkAck),
        8 => Just(Event::DownlinkAck),
        3 => Just(Event::Repeat),
        1 => Just(Event::CloseWindow),
        1 => Just(Event::OpenWindow),
        1 => Just(Event::Fin),
        1 => Just(Event::Reset),
    ]
}

/// Generates pauses in microseconds: none, within a round trip, seconds, or minutes.
pub(super) fn pause() -> impl Strategy<Value = u32> {
    prop_oneof![
        6 => Just(0u32),
        8 => 0u32..5_000,
        8 => 5_000u32..200_000,
        3 => 200_000u32..3_000_000,
        2 => 9_000_000u32..30_000_000,
        1 => 50_000_000u32..120_000_000,
    ]
}

/// The packet script of a conversation.
pub(super) fn script(
    vantage: &str,
    tls: bool,
    stamps: bool,
    syn: bool,
    events: &[(u32, Event)],
) -> String {
    let mut text = format!("vantage = {vantage}\n");
    if tls {
        text += "flow 1 = 10.0.0.1:40000 - 203.0.113.9:443\n";
    }
    if syn {
        text += "+0 > S 0:0(0) <mss 1400,sackOK,TS val 1000 ecr 0,nop,wscale 7>\n";
        text += "+.02 < S. 0:0(0) ack 1 <mss 1400,sackOK,TS val 1000 ecr 1000,nop,wscale 7>\n";
    }
    if tls {
        text += "+.03 > P. ack all {tls client_hello(a.example)}\n";
        text += "+.03 < P. ack all {tls server_hello app(1000)}\n";
        text += "+.03 > P. ack all {tls ccs finished}\n";
    }
    for (pause, event) in events {
        let at = format!("+{:.6}", f64::from(*pause) / 1e6);
        let ticks = pause / 1000;
        let options = if stamps { format!("<TS val +{ticks} ecr last>") } else { String::new() };
        let data = |bytes: u16| match tls {
            true => format!("ack all {options} {{tls app({bytes})}}"),
            false => format!("+{bytes} ack all {options}"),
        };
        let line = match event {
            Event::Request(bytes) => format!("{at} > P. {}", data(*bytes)),
            Event::Answer(bytes) => format!("{at} < P. {}", data(*bytes)),
            Event::Download(count) => {
                format!("{at} repeat {count} every .0003: < . {}", data(1395))
            }
            Event::Upload(count) => format!("{at} repeat {count} every .0003: > . {}", data(1395)),
            Event::UplinkAck => format!("{at} > . ack all {options}"),
            Event::DownlinkAck => format!("{at} < . ack all {options}"),
            Event::Repeat => format!("{at} > . 1:2(1) ack all {options}"),
            Event::CloseWindow => format!("{at} > . ack all win 0 {options}"),
            Event::OpenWindow => format!("{at} > . ack all win 65535 {options}"),
            Event::Fin => format!("{at} > F. ack all {options}"),
            Event::Reset => format!("{at} < R. ack all {options}"),
        };
        writeln!(text, "{line}").expect("a String takes every text");
    }
    text
}

/// Start, end and transfer of each slice, in order of time.
fn slices(rows: &Collected) -> Vec<(i64, i64, Option<u64>)> {
    let Some(table) = rows.table("slices") else { return Vec::new() };
    let mut slices: Vec<_> = (0..table.rows.len())
        .map(|row| {
            let transfer = match table.cell(row, "transfer_id") {
                Some(Value::U64(id)) => Some(*id),
                _ => None,
            };
            let at = |name| instant(table.cell(row, name));
            (at("start_ns"), at("end_ns"), transfer)
        })
        .collect();
    slices.sort_unstable();
    slices
}

fn instant(cell: Option<&Value>) -> i64 {
    match cell {
        Some(Value::I64(ns)) => *ns,
        other => panic!("{other:?} is no instant"),
    }
}

proptest! {
    #[test]
    fn slices_neither_overlap_nor_leave_a_transfer_uncovered(
        vantage in prop::sample::select(vec!["ue", "monitor", "server"]),
        (tls, stamps, syn) in (any::<bool>(), any::<bool>(), any::<bool>()),
        events in prop::collection::vec((pause(), event()), 1..40),
    ) {
        let text = script(vantage, tls, stamps, syn, &events);
        let rows = run(&text).map_err(|error| TestCaseError::fail(format!("{error}\n{text}")))?;
        let slices = slices(&rows);
        for (start, end, _) in &slices {
            prop_assert!(start < end, "an empty slice\n{}", text);
        }
        for pair in slices.windows(2) {
            prop_assert!(pair[0].1 <= pair[1].0, "{:?} overlaps {:?}\n{}", pair[0], pair[1], text);
        }
        let Some(transfers) = rows.table("transfers") else { return Ok(()) };
        for row in 0..transfers.rows.len() {
            let (from, to) = (
                instant(transfers.cell(row, "request_ns")),
                instant(transfers.cell(row, "end_ns")),
            );
            let Some(Value::U64(id)) = transfers.cell(row, "transfer_id") else { continue };
            let own = slices.iter().filter(|slice| slice.2 == Some(*id));
            let covered: i64 = own.map(|(start, end, _)| (end - from.max(*start)).max(0)).sum();
            prop_assert_eq!(covered, to - from, "slices of a transfer\n{}", text);
            let shares = transfers.columns.iter().filter(|name| name.starts_with("share_"));
            let sum: f64 = shares
                .map(|name| match transfers.cell(row, name) {
                    Some(Value::F64(share)) => *share,
                    _ => 0.0,
                })
                .sum();
            prop_assert!(sum == 0.0 || (sum - 1.0).abs() < 1e-9, "shares of {}\n{}", sum, text);
        }
    }
}
