//! Compares B4 with a model that keeps, for every byte, each time at which the byte passed.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write as _;

use proptest::prelude::*;

use crate::script::{Value, run};

/// A packet that passes the capture point. Offsets are in blocks of 100 bytes.
#[derive(Clone, Copy, Debug)]
enum Event {
    /// Downlink data: the first block, and the number of blocks.
    Data(usize, usize),
    /// A cumulative ACK up to a block, with at most one SACK block above it.
    Ack(usize, Option<(usize, usize)>),
}

/// Generates exchanges in which receiver and network lose, repeat, delay and acknowledge at random.
fn exchanges() -> impl Strategy<Value = Vec<(u32, Event)>> {
    let event = prop_oneof![
        3 => (0_usize..12, 1_usize..4).prop_map(|(block, blocks)| Event::Data(block, blocks)),
        2 => (0_usize..15, proptest::option::of((1_usize..12, 1_usize..4)))
            .prop_map(|(ack, sack)| Event::Ack(ack, sack.map(|(from, blocks)| (ack + from, ack + from + blocks)))),
    ];
    proptest::collection::vec((6_u32..400, event), 1..60)
}

/// The state that the definition uses: for each byte, when it passed and what reported it.
#[derive(Default)]
struct Model {
    passed: BTreeMap<usize, Vec<u64>>,
    sacked: BTreeSet<usize>,
    highest: usize,
    acked: usize,
    samples: Vec<f64>,
}

impl Model {
    fn data(&mut self, now: u64, block: usize, blocks: usize) {
        for block in block..block + blocks {
            self.passed.entry(block).or_default().push(now);
        }
        self.highest = self.highest.max(block + blocks);
    }

    fn ack(&mut self, now: u64, ack: usize, sack: Option<(usize, usize)>) {
        if ack > self.acked {
            self.sample(now, ack);
            self.acked = ack;
            self.highest = self.highest.max(ack);
        }
        if let Some((from, to)) = sack {
            let range = from.max(self.acked)..to.min(self.highest);
            self.sacked.extend(range.filter(|block| self.passed.contains_key(block)));
        }
    }

    /// Methods B4, word by word: the time since the transmission that carried byte ack-1. There is
    /// no sample when that byte or any newly acknowledged one was retransmitted, when that byte was
    /// SACKed before, or when a hole below it was open.
    fn sample(&mut self, now: u64, ack: usize) {
        let newly: Vec<Option<&Vec<u64>>> = (self.acked..ack).map(|block| self.passed.get(&block)).collect();
        let Some(Some(last)) = newly.last() else { return };
        let never_seen = newly.iter().any(Option::is_none);
        let retransmitted = newly.iter().flatten().any(|passings| passings.len() > 1);
        let newest = newly.iter().flatten().filter_map(|passings| passings.last()).max();
        let hole_filled_later = newest != last.last();
        if !never_seen && !retransmitted && !hole_filled_later && !self.sacked.contains(&(ack - 1)) {
            self.samples.push((now - last[0]) as f64);
        }
    }
}

/// Makes the exchange as a packet script, and runs the model beside it.
fn both(events: &[(u32, Event)]) -> (String, Model) {
    let mut script = String::from(
        "vantage = monitor\nsamples = on\n+0 > S 0:0(0) <sackOK>\n+.02 < S. 0:0(0) ack 1 <sackOK>\n+.03 > . ack 1\n",
    );
    let (mut model, mut now) = (Model::default(), 0);
    for (wait, event) in events {
        now += u64::from(*wait);
        let at = |block: usize| 1 + block * 100;
        match *event {
            Event::Data(block, blocks) => {
                let _ = writeln!(script, "+{wait}ms < . {}:{} ack 1", at(block), at(block + blocks));
                // Acknowledged bytes have been received, so repeating them changes nothing.
                model.data(now, block, blocks);
            }
            Event::Ack(ack, sack) => {
                let sack_text = sack.map(|(from, to)| format!("<sack {}:{}>", at(from), at(to)));
                let _ = writeln!(script, "+{wait}ms > . ack {} {}", at(ack), sack_text.unwrap_or_default());
                model.ack(now, ack, sack);
            }
        }
    }
    (script, model)
}

proptest! {
    #[test]
    fn samples_are_those_of_the_definition(events in exchanges()) {
        let (script, model) = both(&events);
        let outcome = run(&script).unwrap();
        let found: Vec<f64> = outcome.table("rtt_samples").map_or_else(Vec::new, |table| {
            (0..table.rows.len())
                .filter_map(|row| match table.cell(row, "rtt_ms") {
                    Some(Value::F64(rtt_ms)) => Some(*rtt_ms),
                    _ => None,
                })
                .collect()
        });
        prop_assert_eq!(found, model.samples, "{}", script);
    }
}
