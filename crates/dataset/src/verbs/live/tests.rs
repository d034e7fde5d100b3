//! Tests that a stream gives the same bursts as the whole log, and that a burst ends even if
//! nothing follows.

use std::fmt::Write as _;
use std::io::Write as _;
use std::time::Duration as Wait;

use airmile_radio::{GivenBandwidths, TtiScope, bursts, milliseconds, ordered};
use airmile_read::Source;
use airmile_read::modem::{ModemLog, Record, Rnti, Tti, User};
use airmile_types::{Duration, Instant, Parameters};

use super::Live;
use super::burst::LiveBurst;
use super::follower::Follower;
use super::totals::Totals;
use crate::options::Options;

/// Makes a log of `count` blocks whose sizes and gaps are neither regular nor random.
fn log(count: i64, users: i64) -> String {
    let mut text = "t_unix,tti,prb,tbs_bytes,user,prb_total\n".to_owned();
    let mut tti = 0;
    for n in 0..count {
        tti += if n % 37 == 0 { 60 + n % 11 } else { 1 + i64::from(n % 7 == 0) };
        let prbs = if n % 37 == 36 { 11 } else { 30 + n * n % 21 };
        let (s, ms, user) = (1_700_000_000 + tti / 1000, tti % 1000, n % users);
        writeln!(text, "{s}.{ms:03},{tti},{prbs},{},{user},50", 100 * prbs).unwrap();
    }
    text
}

fn followed(text: &str) -> Vec<LiveBurst> {
    let mut file = tempfile::NamedTempFile::new().unwrap();
    file.write_all(text.as_bytes()).unwrap();
    let path = file.path().to_str().unwrap();
    let mut live = Live::open(path, &Options::default()).unwrap();
    let mut found = Vec::new();
    while let Some(batch) = live.take(Wait::from_secs(60), Duration::default()).unwrap() {
        found.extend(batch.bursts);
    }
    assert_eq!(live.report().unwrap().status, "ok");
    found
}

fn at_once(text: &str, user: User) -> Vec<(i64, i64, Option<u64>, bool)> {
    let mut file = tempfile::NamedTempFile::new().unwrap();
    file.write_all(text.as_bytes()).unwrap();
    let mut log = ModemLog::open(&Source::file(file.path())).unwrap();
    let mut records = Vec::new();
    while log.read(&mut records) {}
    let ttis = ordered(records.into_iter().filter_map(|record| match record {
        Record::Tti(tti) => Some(tti),
        _ => None,
    }));
    let milliseconds = milliseconds(TtiScope::downlink(user), &ttis, |_, _| None);
    let found = bursts(&milliseconds, &Parameters::default()).0.into_iter();
    found.map(|b| (b.start.as_nanos(), b.end.as_nanos(), b.bytes, b.closed)).collect()
}

#[test]
fn a_stream_gives_the_bursts_of_the_whole_log() {
    let text = log(3000, 3);
    let found = followed(&text);
    for user in 0..3 {
        let streamed: Vec<_> = found
            .iter()
            .filter(|burst| burst.user == user)
            .map(|b| (b.start_ns, b.end_ns, b.bytes, b.closed))
            .collect();
        assert!(streamed.len() > 3);
        assert_eq!(streamed, at_once(&text, User(user)));
    }
}

#[test]
fn the_average_is_that_of_the_last_five() {
    let found: Vec<_> =
        followed(&log(3000, 1)).into_iter().filter(|b| b.throughput_bps.is_some()).collect();
    let (last, five) = (found.last().unwrap(), &found[found.len() - 5..]);
    let bits: f64 = five.iter().map(|b| b.bytes.unwrap() as f64 * 8e3).sum();
    let ms: u64 = five.iter().map(|b| b.throughput_time_ms).sum();
    assert!((last.average_bps.unwrap() / (bits / ms as f64) - 1.0).abs() < 1e-12);
    let rates = || five.iter().map(|b| b.throughput_bps.unwrap());
    assert_eq!(last.average_low_bps, rates().reduce(f64::min));
    assert_eq!(last.average_high_bps, rates().reduce(f64::max));
}

#[test]
fn a_log_that_is_none_is_an_error_and_then_over() {
    let mut live = Live::open("/nothing/there", &Options::default()).unwrap();
    let error = live.take(Wait::from_secs(60), Duration::default()).unwrap_err();
    assert!(error.message.contains("/nothing/there"), "{error}");
    assert!(live.report().is_none());
}

fn block(ms: i64, prbs: u16) -> Tti {
    let time = Instant::from_nanos(0) + Duration::from_millis(ms);
    let plain = Tti::plain(time, ms, User(0), "test");
    Tti { rnti: Rnti::C, cell: Some(7), prbs: Some(prbs), tbs_bytes: Some(1000), ..plain }
}

#[test]
fn a_burst_ends_when_time_goes_on_without_a_block() {
    let mut totals = Totals::new(GivenBandwidths::read(&["7:50".to_owned()]).unwrap());
    let mut follower = Follower::new(User(0), &Parameters::default());
    let mut bursts = Vec::new();
    for tti in [block(0, 50), block(1, 50), block(2, 10)] {
        totals.seen(&tti);
        follower.push(&tti, &totals, &mut bursts);
    }
    let at = |ms| Instant::from_nanos(0) + Duration::from_millis(ms);
    // A block of these milliseconds may still be logged.
    follower.passed(at(300), &totals, &mut bursts);
    assert!(bursts.is_empty());
    follower.passed(at(303), &totals, &mut bursts);
    assert_eq!(bursts.len(), 1);
    let found = &bursts[0];
    assert_eq!((found.throughput_time_ms, found.bytes, found.closed), (2, Some(2000), true));
    assert!(follower.open().is_none());
}

#[test]
fn the_most_seen_stands_in_for_a_total_and_is_said() {
    let mut totals = Totals::new(GivenBandwidths::default());
    totals.seen(&block(0, 20));
    totals.seen(&block(1, 12));
    assert_eq!((totals.of(User(0), 0), totals.unsure()), (Some(20), true));
    // Another cell may be narrower.
    totals.seen(&Tti { cell: Some(8), ..block(2, 6) });
    assert_eq!(totals.of(User(0), 0), Some(6));
    totals.forget(User(0));
    assert_eq!((totals.of(User(0), 0), totals.unsure()), (None, false));
}
