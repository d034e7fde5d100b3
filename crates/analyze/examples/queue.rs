//! The queue at the base station from a modem log, as lines of `from_ns,to_ns,state,surely,perhaps`,
//! for tests that know the truth:
//! `cargo run -p airmile-analyze --example queue -- LOG [CAPTURE monitor|ue|server]`.

use std::error::Error;
use std::io::{BufWriter, Write, stdout};

use airmile_analyze::{CaptureCollector, CaptureFacts, RadioLog, TtiScope, estimate, milliseconds};
use airmile_read::modem::{ModemLog, Record, Tti};
use airmile_read::{Capture, Source};
use airmile_track::{TrackConfig, Tracker};
use airmile_types::{Direction, Instant, Vantage};

fn main() -> Result<(), Box<dyn Error>> {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let [log, rest @ ..] = arguments.as_slice() else { return Err("name a modem log".into()) };
    let ttis = ttis(log)?;
    let user = ttis.first().ok_or("no allocation")?.user;
    let widest = ttis.iter().filter(|tti| tti.direction == Direction::Downlink);
    let widest = widest.filter_map(|tti| tti.prbs).max();
    let downlink = milliseconds(TtiScope::downlink(user), &ttis, |_, _| widest);
    let uplink = ttis.iter().filter(|tti| tti.direction == Direction::Uplink);
    let uplink: Vec<Instant> = uplink.map(|tti| tti.time).collect();
    let capture = match rest {
        [capture, vantage] => facts(capture, vantage)?,
        _ => None,
    };
    let radio = RadioLog { downlink: &downlink, uplink: &uplink };
    let queue = estimate(&radio, capture.as_ref())?;
    let mut out = BufWriter::new(stdout());
    for run in queue.runs() {
        let (from, to) = (queue.time(run.from).as_nanos(), queue.time(run.to).as_nanos());
        writeln!(out, "{from},{to},{:?},{},{}", run.state, run.surely, run.perhaps)?;
    }
    Ok(out.flush()?)
}

fn ttis(path: &str) -> Result<Vec<Tti>, Box<dyn Error>> {
    let mut log = ModemLog::open(&Source::file(path))?;
    let mut records = Vec::new();
    while log.read(&mut records) {}
    let tti = |record| if let Record::Tti(tti) = record { Some(tti) } else { None };
    Ok(records.into_iter().filter_map(tti).collect())
}

/// What passed to the phone that got the most packets.
fn facts(path: &str, vantage: &str) -> Result<Option<CaptureFacts>, Box<dyn Error>> {
    let all = [Vantage::Ue, Vantage::Monitor, Vantage::Server];
    let vantage = all.into_iter().find(|v| v.as_str() == vantage).ok_or("which vantage?")?;
    let config = TrackConfig { vantage: Some(vantage), ..TrackConfig::default() };
    let mut tracker = Tracker::new(config, CaptureCollector::new(vantage));
    let mut capture = Capture::open(&Source::file(path))?;
    while let Some(packet) = capture.next_packet() {
        tracker.packet(&packet);
    }
    let phones = tracker.finish().finish();
    Ok(phones.into_values().max_by_key(|facts| facts.passed.len()))
}
