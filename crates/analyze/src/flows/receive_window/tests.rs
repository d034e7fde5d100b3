//! Compares C6 with its definition, evaluated for each millisecond.

use std::fmt::Write;

use proptest::prelude::*;

use crate::script::{self, Value};

const SEGMENT: i64 = 1000;
/// The time from the capture point to the server and back.
const LOOP_MS: i64 = 20;
/// Every ACK comes this long after its data or later, so no smoothed RTT is below
/// `SHORTEST_RTT_MS + LOOP_MS`.
const SHORTEST_RTT_MS: i64 = 30;
/// The largest smoothed RTT.
const LONGEST_RTT_MS: i64 = 2_000;

/// What one step of the conversation does after `wait_ms`.
#[derive(Clone, Copy, Debug)]
enum Step {
    Send { wait_ms: i64, segments: i64 },
    Acknowledge { wait_ms: i64, window: i64 },
}

/// A conversation at the capture point: (ms, highest byte + 1) for data, and (ms, right edge) for
/// ACKs.
#[derive(Debug, Default)]
struct Seen {
    script: String,
    data: Vec<(i64, i64)>,
    edges: Vec<(i64, i64)>,
    end_ms: i64,
}

fn play(first_window: i64, steps: &[Step]) -> Seen {
    let mut seen = Seen { script: format!(
        "vantage = monitor\n\
         0 > S 0:0(0) win {first_window} <mss {SEGMENT}>\n\
         .02 < S. 0:0(0) ack 1 win 65535 <mss {SEGMENT}>\n\
         .05 > . ack 1 win {first_window}\n"
    ), ..Seen::default() };
    seen.edges = vec![(50, 1 + first_window)];
    let (mut now, mut next) = (100, 1);
    for step in steps {
        match *step {
            Step::Send { wait_ms, segments } => {
                now += wait_ms;
                for _ in 0..segments {
                    writeln!(seen.script, "{}ms < . {next}:{}", now, next + SEGMENT).unwrap();
                    next += SEGMENT;
                    seen.data.push((now, next));
                }
            }
            Step::Acknowledge { wait_ms, window } => {
                now += wait_ms.max(SHORTEST_RTT_MS);
                let ack = seen.data.iter().rev().find(|sent| sent.0 <= now - SHORTEST_RTT_MS).map_or(1, |sent| sent.1);
                writeln!(seen.script, "{now}ms > . ack {ack} win {window}").unwrap();
                let edge = seen.edges.last().unwrap().1.max(ack + window);
                seen.edges.push((now, edge));
            }
        }
    }
    seen.end_ms = now;
    seen
}

/// The full milliseconds by the definition; `None` when the result depends on the exact RTT.
fn naive(seen: &Seen) -> Option<i64> {
    let mut full_ms = 0;
    for (index, &(sent, next)) in seen.data.iter().enumerate() {
        let until = seen.data.get(index + 1).map_or(seen.end_ms, |following| following.0);
        let known = seen.edges.iter().rev().find(|edge| edge.0 <= sent - LOOP_MS).unwrap().1;
        if next + SEGMENT <= known {
            continue;
        }
        let opening = seen.edges.iter().find(|edge| edge.1 >= next + SEGMENT).map(|edge| edge.0 + LOOP_MS);
        // An edge that passed before the packet reaches the sender at most one round trip after it.
        let learnt = opening.filter(|at| *at <= until).map(|at| (until - at, at));
        match learnt {
            Some((unused, at)) if unused > LONGEST_RTT_MS => full_ms += (at - sent).max(0),
            Some((unused, _)) if unused > SHORTEST_RTT_MS + LOOP_MS => return None,
            _ => full_ms += until - sent,
        }
    }
    Some(full_ms)
}

fn step() -> impl Strategy<Value = Step> {
    prop_oneof![
        4 => (0_i64..30, 1_i64..4).prop_map(|(wait_ms, segments)| Step::Send { wait_ms, segments }),
        4 => (0_i64..60, 0_i64..8).prop_map(|(wait_ms, window)| Step::Acknowledge { wait_ms, window: window * 500 }),
        1 => (1_i64..4).prop_map(|segments| Step::Send { wait_ms: 5_000, segments }),
    ]
}

proptest! {
    #![proptest_config(ProptestConfig { max_global_rejects: 100_000, ..ProptestConfig::default() })]
    #[test]
    fn full_time_is_that_of_the_definition(first in 1_i64..8, rest in prop::collection::vec(step(), 0..24)) {
        // The analysis begins with the first payload. It does not know the times of edges within a
        // round trip before that.
        let steps = [vec![Step::Send { wait_ms: 0, segments: 1 }], rest].concat();
        let seen = play(first * 500, &steps);
        let Some(full_ms) = naive(&seen) else { return Err(TestCaseError::reject("depends on the RTT")) };
        let rows = script::run(&seen.script).map_err(TestCaseError::fail)?;
        let cell = rows.table("flows").and_then(|flows| flows.cell(0, "window_full_s")).cloned();
        prop_assert_eq!(cell, Some(Value::F64(full_ms as f64 / 1e3)), "{}", seen.script);
    }
}
