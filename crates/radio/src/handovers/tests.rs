//! Runs the cases of `handovers.md`.

use airmile_read::modem::{CellMeasurement, RrcEvent, RrcStep, User};
use airmile_types::{Duration, Instant};

use super::handovers;
use crate::log::HandoverRow;

const PAGE: &str = include_str!("handovers.md");

/// A cell in the notation of the cases, `1@100` or `2`.
fn cell(text: &str) -> (u16, Option<u32>) {
    let (pci, earfcn) = text.split_once('@').unwrap_or((text, ""));
    (pci.parse().expect("a cell"), earfcn.parse().ok())
}

fn at(ms: &str) -> Instant {
    Instant::from_nanos(0) + Duration::from_millis(ms.parse().expect("a time in ms"))
}

fn step(word: &str) -> Option<RrcStep> {
    Some(match word {
        "command" => RrcStep::Command,
        "complete" => RrcStep::Complete,
        "reestablishment" => RrcStep::Reestablishment,
        "connection" => RrcStep::Connection,
        "release" => RrcStep::Release,
        "seen" => RrcStep::Seen,
        _ => return None,
    })
}

fn event(time: Instant, step: RrcStep, words: &[&str]) -> RrcEvent {
    let nr = words[0] == "5g";
    let place = cell(words[usize::from(nr)]);
    let target = words.iter().position(|word| *word == "->").map(|at| cell(words[at + 1]));
    RrcEvent {
        time,
        user: User(1),
        step,
        cell: Some(place.0),
        earfcn: place.1,
        target_cell: target.map(|(pci, _)| pci),
        target_earfcn: target.and_then(|(_, earfcn)| earfcn),
        nr,
    }
}

fn measurement(time: Instant, word: &str, place: &str) -> CellMeasurement {
    let (pci, earfcn) = cell(place);
    CellMeasurement {
        time,
        user: User(1),
        cell: Some(pci),
        earfcn,
        carrier: Some(0),
        serving: Some(word == "serving"),
        rsrp_dbm: None,
        rsrq_db: None,
        sinr_db: None,
        rssi_dbm: None,
        cqi: None,
        source: "test",
    }
}

fn described(row: &HandoverRow) -> String {
    let ms = |time: Instant| (time.as_nanos() / 1_000_000).to_string();
    let place = |pci: Option<i64>, earfcn: Option<i64>| match (pci, earfcn) {
        (Some(pci), Some(earfcn)) => format!("{pci}@{earfcn}"),
        _ => "-".to_owned(),
    };
    format!(
        "{} {} {} {} {} {}",
        row.kind,
        ms(row.start_ns),
        row.end_ns.map_or("-".to_owned(), ms),
        place(row.from_cell, row.from_earfcn),
        place(row.to_cell, row.to_earfcn),
        row.source
    )
}

#[test]
fn the_cases_of_the_page() {
    let cases: Vec<_> = PAGE.split("```case\n").skip(1).collect();
    assert_eq!(cases.len(), 14);
    for case in cases {
        let case = case.split("```").next().expect("a case ends");
        let (mut events, mut cells, mut expected) = (Vec::new(), Vec::new(), Vec::new());
        for line in case.lines() {
            let words: Vec<_> = line.split_whitespace().collect();
            match (words[0], step(words[1])) {
                ("=", _) => expected.push(words[1..].join(" ")),
                (time, Some(step)) => events.push(event(at(time), step, &words[2..])),
                (time, None) => cells.push(measurement(at(time), words[1], words[2])),
            }
        }
        let found: Vec<_> = handovers(&events, &cells).iter().map(described).collect();
        assert_eq!(found, expected, "{case}");
    }
}

#[test]
fn subscriptions_are_kept_apart() {
    let command = event(at("100"), RrcStep::Command, &["1@100", "->", "2"]);
    let done = event(at("140"), RrcStep::Complete, &["2@100"]);
    let other = RrcEvent { user: User(2), ..done };
    assert_eq!(handovers(&[command.clone(), other], &[]), []);
    let mut measured =
        [measurement(at("0"), "serving", "1@1"), measurement(at("9"), "serving", "2@1")];
    for cell in &mut measured {
        cell.user = User(2);
    }
    let found = handovers(&[command], &measured);
    assert_eq!(
        found.iter().map(|row| (row.user, row.source)).collect::<Vec<_>>(),
        [(2, "serving_cell")]
    );
}
