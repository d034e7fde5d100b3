//! Tests the worked cases of `bursts.md`, which write one word for each millisecond.

use airmile_types::{Instant, Parameters};

use super::{Burst, bursts};
use crate::tti::Ms;

const PAGE: &str = include_str!("bursts.md");

/// A scheduled millisecond with 100 bytes on one carrier.
pub(super) fn scheduled(tti: i64, share: Option<f64>) -> Ms {
    Ms {
        tti,
        time: Instant::from_nanos(tti * 1_000_000),
        cell: Some(1),
        share,
        bytes: Some(100),
        failed_bytes: 0,
        padding_bytes: None,
        retransmission: Some(false),
        after_gap: false,
    }
}

/// The milliseconds that the notation of a case describes.
pub(super) fn script(text: &str) -> Vec<Ms> {
    let (mut tti, mut gap) = (0, false);
    let mut all = Vec::new();
    for word in text.split_whitespace() {
        if word == "|" {
            gap = true;
            continue;
        }
        let (what, times) = word.split_once('x').unwrap_or((word, "1"));
        for _ in 0..number(times) as usize {
            if what != "." {
                all.push(Ms { after_gap: std::mem::take(&mut gap), ..millisecond(tti, what) });
            }
            tti += 1;
        }
    }
    all
}

fn millisecond(tti: i64, what: &str) -> Ms {
    let (share, bytes) = what.split_once(':').unwrap_or((what, "100"));
    let share = (share != "?").then(|| number(share) / 100.0);
    Ms { bytes: Some(number(bytes) as u64), ..scheduled(tti, share) }
}

fn number(word: &str) -> f64 {
    word.parse().unwrap_or_else(|_| panic!("`{word}` is no number"))
}

fn cells(burst: &Burst) -> [String; 7] {
    [
        burst.start_tti.to_string(),
        burst.end_tti.to_string(),
        burst.throughput_time_ms().to_string(),
        burst.active_ms().to_string(),
        burst.contention_ms().to_string(),
        burst.bytes.map_or("?".into(), |bytes| bytes.to_string()),
        if burst.closed { "yes" } else { "no" }.to_owned(),
    ]
}

/// The text in `section` of the code block that the fence named `fence` opens.
fn block<'a>(section: &'a str, fence: &str) -> Option<&'a str> {
    let (_, rest) = section.split_once(&format!("```{fence}\n"))?;
    rest.split_once("```").map(|(block, _)| block)
}

#[test]
fn every_case_of_the_page_holds() {
    let mut cases = 0;
    for section in PAGE.split("\n### ").skip(1) {
        let title = section.lines().next().unwrap_or_default();
        let Some((flow, expected)) = block(section, "ttis").zip(block(section, "bursts")) else {
            panic!("{title}: no block of ttis and one of bursts");
        };
        let (found, unclassified) = bursts(&script(flow), &Parameters::default());
        let mut rows: Vec<Vec<String>> = found.iter().map(|burst| cells(burst).to_vec()).collect();
        if unclassified > 0 {
            rows.push(vec!["unclassified".into(), unclassified.to_string()]);
        }
        let words = |line: &str| line.split_whitespace().map(str::to_owned).collect::<Vec<_>>();
        assert_eq!(rows, expected.lines().skip(1).map(words).collect::<Vec<_>>(), "{title}");
        cases += 1;
    }
    assert!(cases > 5);
}
