//! Compares the test of the burst rule's assumption with the truth of emulated links: where the
//! test says that the rule can be trusted, the rule must be right.
#![expect(clippy::print_stdout, reason = "the table is there to be read: run it with --nocapture")]

use std::path::Path;

use airmile_radio::{
    Assumption, Burst, Ms, QueueTimes, TimeSpan, Trust, TtiScope, assumption, bursts, milliseconds,
    throughput_time_ms,
};
use airmile_read::Source;
use airmile_read::modem::{ModemLog, Record, Tti, User};
use airmile_types::{Instant, Parameters};

/// The truth, which `burst_truth.py` computes from the queues of the sets.
const TRUTH: &str = include_str!("burst_truth.csv");
/// The rule is right when its error is below this.
const RIGHT: f64 = 0.05;
/// The rule is wrong when its error is above this.
const WRONG: f64 = 0.1;
/// The bandwidth in PRBs of the six sets whose logs do not contain it (`emulator.nprb` of their
/// `meta.json`).
const PRBS: u16 = 50;

#[test]
fn the_rule_is_trusted_where_it_is_right() {
    let parameters = Parameters::default();
    let mut faults = Vec::new();
    println!(
        "{:26} {:>6} {:>6} {:>6} {:>9}  verdict",
        "set", "truth", "rule", "error", "undecided"
    );
    for Set { name, span, demand: truth } in sets() {
        let all = scheduled(name);
        let rule = demand(&bursts(&all, &parameters).0, span);
        let test = assumption(&all, &parameters);
        println!("{}", line(name, truth, rule, &test));
        let error = (rule - truth).abs();
        let (right, wrong) = (error <= RIGHT, error > WRONG);
        let trust = test.trust();
        if (right && trust == Trust::DoesNotHold) || (wrong && trust != Trust::DoesNotHold) {
            faults.push(name);
        }
    }
    assert!(faults.is_empty(), "{faults:?}");
}

/// The link demand by the burst rule.
fn demand(bursts: &[Burst], span: TimeSpan) -> f64 {
    let times = QueueTimes::certain(throughput_time_ms(bursts, span), span.length_ms());
    times.link_demand().unwrap().ratio
}

fn line(name: &str, truth: f64, rule: f64, test: &Assumption) -> String {
    let undecided = test.undecided_ratio().unwrap_or(f64::NAN);
    let error = rule - truth;
    let verdict = test.trust().as_str();
    format!("{name:26} {truth:6.3} {rule:6.3} {error:+6.3} {undecided:9.3}  {verdict}")
}

/// A row of `burst_truth.csv`.
struct Set {
    name: &'static str,
    /// The span from the first to the last millisecond with data at the base station.
    span: TimeSpan,
    /// The part of it that is ACTIVE or CONTENTION.
    demand: f64,
}

fn sets() -> Vec<Set> {
    let sets: Vec<Set> = TRUTH.lines().skip(1).map(set_of).collect();
    assert!(sets.len() >= 30, "{} sets", sets.len());
    sets
}

fn set_of(line: &'static str) -> Set {
    let cells: Vec<&str> = line.split(',').collect();
    let number = |cell: usize| cells[cell].parse::<i64>().unwrap();
    let span = TimeSpan { from: at(number(1)), until: at(number(2)) };
    Set { name: cells[0], span, demand: number(3) as f64 / span.length_ms() }
}

/// Scheduled downlink milliseconds of a set.
fn scheduled(set: &str) -> Vec<Ms> {
    let set = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../tests/data/emu").join(set);
    let path = ["modem.csv.gz", "modem_dl.csv.gz"].map(|name| set.join(name));
    let path = path.iter().find(|path| path.exists()).unwrap();
    let mut log = ModemLog::open(&Source::file(path)).unwrap_or_else(|error| panic!("{error}"));
    let mut records = Vec::new();
    while log.read(&mut records) {}
    let ttis = records.iter().filter_map(|record| match record {
        Record::Tti(tti) => Some(tti),
        _ => None,
    });
    let ttis: Vec<Tti> = ttis.map(|tti| Tti { time: at(tti.tti), ..tti.clone() }).collect();
    milliseconds(TtiScope::downlink(User(0)), &ttis, |_, _| Some(PRBS))
}

/// The log and the truth count milliseconds in the same way, and their clocks do not matter.
fn at(tti: i64) -> Instant {
    Instant::from_nanos(tti * 1_000_000)
}
