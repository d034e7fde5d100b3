//! Measures the cost of all analyses beyond the cost of the facts of a packet; the rows are
//! dropped.

#[path = "../../../benches/transfer.rs"]
mod transfer;

use airmile_analyze::{Engine, FlowRow, Output};
use airmile_track::{TrackConfig, Tracker};
use airmile_types::{EventTable, Parameters};
use divan::Bencher;
use divan::counter::ItemsCount;

fn main() {
    divan::main();
}

#[divan::bench(args = transfer::KINDS)]
fn analyses(bencher: Bencher<'_, '_>, kind: &str) {
    let packets = transfer::packets(kind);
    bencher.counter(ItemsCount::new(packets.len())).bench(|| {
        let engine = Engine::new(Parameters::default(), Nothing);
        let mut tracker = Tracker::new(TrackConfig::default(), engine);
        packets.iter().for_each(|packet| tracker.packet(packet));
        tracker.finish().finish();
    });
}

struct Nothing;

impl Output for Nothing {
    fn flow(&mut self, _: &FlowRow<'_>) {}
    fn rows<T: EventTable>(&mut self, rows: &mut Vec<T>) {
        rows.clear();
    }
}
