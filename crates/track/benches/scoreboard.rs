//! Measures the cost of the facts of one packet: tracker and scoreboard, with a handler that drops
//! the facts.

#[path = "../../../benches/transfer.rs"]
mod transfer;

use airmile_track::{
    Datagram, FlowFacts, Handler, Scoreboard, Segment, SessionFacts, TrackConfig, Tracker,
};
use airmile_types::PerDirection;
use divan::Bencher;
use divan::counter::ItemsCount;

fn main() {
    divan::main();
}

#[divan::bench(args = transfer::KINDS)]
fn facts(bencher: Bencher<'_, '_>, kind: &str) {
    let packets = transfer::packets(kind);
    bencher.counter(ItemsCount::new(packets.len())).bench(|| {
        let mut tracker = Tracker::new(TrackConfig::default(), Nothing);
        packets.iter().for_each(|packet| tracker.packet(packet));
        tracker.finish();
    });
}

struct Nothing;

impl Handler for Nothing {
    type Flow = ();
    type Ue = ();
    fn open(&mut self, _: &FlowFacts) {}
    fn segment(&mut self, (): &mut (), (): &mut (), segment: &Segment<'_>) {
        divan::black_box(segment);
    }
    fn datagram(&mut self, (): &mut (), (): &mut (), _: &Datagram<'_>) {}
    fn end(&mut self, (): (), (): &mut (), _: &FlowFacts, _: Option<&PerDirection<Scoreboard>>) {}
    fn session(&mut self, (): (), _: &SessionFacts) {}
}
