//! Tests the worked cases of `clock.md`. Each line says what passes the capture point or is served,
//! by the capture's clock.

use airmile_types::{Duration, Instant, Vantage};

use super::{NotAligned, ServedLog, align};
use crate::queue::Passed;
use crate::queue::PhoneCapture;
use crate::tti::Ms;

const PAGE: &str = include_str!("clock.md");
const BEGIN: i64 = 1_700_000_000_000_000_000;

pub(super) fn at(ms: f64) -> Instant {
    Instant::from_nanos(BEGIN + (ms * 1e6) as i64)
}

/// A millisecond with one decoded block of `bytes` bytes and `padding` more bytes of padding.
pub(super) fn block(ms: i64, bytes: u64, padding: u64) -> Ms {
    Ms {
        tti: ms,
        time: at(ms as f64),
        cell: Some(1),
        share: Some(1.0),
        bytes: Some(bytes + padding),
        failed_bytes: 0,
        padding_bytes: Some(padding),
        retransmission: Some(false),
        after_gap: false,
    }
}

/// The events of a case, and how the modem's clock relates to the capture's.
#[derive(Debug)]
struct Story {
    downlink: Vec<Ms>,
    uplink: Vec<Ms>,
    capture: PhoneCapture,
    modem_s: f64,
    /// The span of time that the log covers.
    logged: (f64, f64),
}

impl Story {
    fn of(text: &str) -> Self {
        let mut story = Self {
            downlink: Vec::new(),
            uplink: Vec::new(),
            capture: PhoneCapture::new(Vantage::Monitor),
            modem_s: 0.0,
            logged: (f64::MIN, f64::MAX),
        };
        let mut vantage = Vantage::Monitor;
        for line in text.lines() {
            let line = line.split("//").next().unwrap_or_default();
            let words: Vec<&str> = line.split_whitespace().collect();
            match words[..] {
                [] => {}
                ["captured", "at", "phone"] => vantage = Vantage::Ue,
                ["modem", seconds] => story.modem_s = number(seconds),
                ["logged", from, to] => story.logged = (number(from), number(to)),
                [from, what, ref rest @ ..] => story.line(number(from), what, rest),
                _ => panic!("`{line}` is not understood"),
            }
        }
        story.capture.passed.sort_by_key(|packet| packet.time);
        story.capture.sent.sort_by_key(|packet| packet.time);
        story.capture.set_vantage(vantage);
        story
    }

    /// Reads a line `MS down|up COUNTxBYTES [every MS] [acked MS]`, or `MS served|granted|repeated
    /// COUNTxBYTES [padded BYTES]` with one block in each millisecond.
    fn line(&mut self, from: f64, what: &str, rest: &[&str]) {
        let (count, bytes) = rest[0].split_once('x').unwrap_or(("1", rest[0]));
        let (count, bytes) = (number(count) as i64, number(bytes) as u64);
        let after = |name: &str| rest.iter().position(|word| *word == name);
        let value = |name: &str| after(name).map(|place| number(rest[place + 1]));
        for n in 0..count {
            let ms = from + n as f64 * value("every").unwrap_or(1.0);
            let mut packet = Passed::new(at(ms), bytes as u32, bytes as u32, false);
            packet.acknowledged = value("acked").map(|later| at(ms + later));
            packet.silent = packet.acknowledged.is_none();
            let served = block(ms as i64, bytes, value("padded").unwrap_or(0.0) as u64);
            let served = Ms { after_gap: n == 0 && after("gap").is_some(), ..served };
            match what {
                "down" => self.capture.passed.push(packet),
                "up" => self.capture.sent.push(packet),
                "served" => self.downlink.push(served),
                "granted" => self.uplink.push(served),
                "repeated" => {
                    self.downlink.push(Ms { retransmission: Some(true), bytes: Some(0), ..served });
                }
                _ => panic!("`{what}` is not understood"),
            }
        }
    }

    fn by_modem(&self, all: &[Ms]) -> Vec<Ms> {
        let (from, to) = (at(self.logged.0.max(-1e9)), at(self.logged.1.min(1e9)));
        let kept = all.iter().filter(|ms| (from..=to).contains(&ms.time));
        let shift = Duration::from_secs_f64(self.modem_s);
        kept.map(|ms| Ms { time: ms.time + shift, ..*ms }).collect()
    }

    fn answer(&self) -> String {
        let (downlink, uplink) = (self.by_modem(&self.downlink), self.by_modem(&self.uplink));
        match align(ServedLog { downlink: &downlink, uplink: &uplink }, &self.capture) {
            Ok(fit) => format!(
                "{:.1} within {:.1}, {:.0} % explained",
                fit.offset.as_millis_f64(),
                fit.uncertainty.as_millis_f64(),
                fit.explained_ratio.unwrap_or(f64::NAN) * 100.0
            ),
            Err(NotAligned::Ambiguous(_)) => "several offsets".into(),
            Err(NotAligned::Violated) => "nowhere".into(),
            Err(why) => why.to_string(),
        }
    }
}

fn number(word: &str) -> f64 {
    word.parse().unwrap_or_else(|_| panic!("`{word}` is no number"))
}

/// The text in `section` of the code block that the fence named `fence` opens.
fn fenced<'a>(section: &'a str, fence: &str) -> Option<&'a str> {
    let (_, rest) = section.split_once(&format!("```{fence}\n"))?;
    rest.split_once("```").map(|(block, _)| block)
}

/// Checks an answer. `OFFSET within AT_MOST` (ms) requires that the true offset lies within the
/// uncertainty of the answer, and that the uncertainty is at most `AT_MOST`. Other words must occur
/// in the answer.
fn check(title: &str, answer: &str, expected: &str) {
    let Some((offset, most)) = expected.split_once(" within ") else {
        assert!(answer.contains(expected), "{title}: {answer}, not {expected}");
        return;
    };
    let Some((found, rest)) = answer.split_once(" within ") else {
        panic!("{title}: {answer}, not {expected}");
    };
    let (unsure, _) = rest.split_once(',').unwrap_or((rest, ""));
    let error = (number(found) - number(offset)).abs();
    assert!(error <= number(unsure), "{title}: {answer}, not {expected}");
    assert!(number(unsure) <= number(most), "{title}: {answer}, not {expected}");
}

#[test]
fn every_case_of_the_page_holds() {
    let mut cases = 0;
    for section in PAGE.split("\n### ").skip(1) {
        let title = section.lines().next().unwrap_or_default();
        let blocks = fenced(section, "clock").zip(fenced(section, "answer"));
        let Some((story, expected)) = blocks else { panic!("{title}: no story and answer") };
        let answer = Story::of(story).answer();
        for line in expected.lines() {
            check(title, &answer, line);
        }
        cases += 1;
    }
    assert!(cases > 12);
}
