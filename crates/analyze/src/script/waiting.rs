//! Tests that a flow whose first packets wait makes the same rows as a flow whose packets do not.

use std::fmt::Write;

use airmile_track::{Datagram, FlowFacts, Handler, Scoreboard, Segment, SessionFacts};
use airmile_types::PerDirection;
use proptest::prelude::*;

use super::script::Script;
use super::{Collected, play, play_to};
use crate::{Engine, FlowState, UeState};

/// An engine that gets every packet at once.
struct AtOnce(Engine<Collected>);

impl Handler for AtOnce {
    type Flow = FlowState;
    type Ue = UeState;

    fn open(&mut self, flow: &FlowFacts) -> FlowState {
        self.0.open(flow)
    }

    fn segment(&mut self, state: &mut FlowState, ue: &mut UeState, segment: &Segment<'_>) {
        self.0.segment(state, ue, segment);
    }

    fn datagram(&mut self, state: &mut FlowState, ue: &mut UeState, datagram: &Datagram<'_>) {
        self.0.datagram(state, ue, datagram);
    }

    fn end(
        &mut self,
        state: FlowState,
        ue: &mut UeState,
        flow: &FlowFacts,
        boards: Option<&PerDirection<Scoreboard>>,
    ) {
        self.0.end(state, ue, flow, boards);
    }

    fn session(&mut self, ue: UeState, session: &SessionFacts) {
        self.0.session(ue, session);
    }
}

const HEAD: &str = "vantage = ue\nsamples = on\nset throughput.bin_s = 0.01\n\
    flow 1 = 10.0.0.1:40001 - 203.0.113.9:9000\n\
    flow 2 = 10.0.0.1:40002 - 203.0.113.9:443\n\
    flow 3 = 10.0.0.1:40003 - 203.0.113.53:53\n\
    flow 4 = 10.0.0.2:40004 - 203.0.113.9:9000\n";

/// Generates one packet: of a plain flow, a QUIC Initial, a DNS query or answer, a ping, or TCP.
fn packet() -> impl Strategy<Value = String> {
    let way = prop_oneof![Just('>'), Just('<')];
    (way, 0..12u32, 0..1400u32).prop_map(|(way, kind, bytes)| match kind {
        0..4 => format!("{way} udp ({bytes}) {{flow 1}}"),
        4..6 => format!("{way} udp ({bytes}) {{flow 4}}"),
        6 => format!("{way} udp (1200) {{flow 4 hex \"c0 00 00 00 01 08\"}}"),
        7 => format!("{way} udp ({bytes}) {{flow 2}}"),
        8 if way == '>' => format!("> udp {{flow 3 dns query {} A a.example}}", bytes % 3),
        8 => format!("< udp {{flow 3 dns answer {} A a.example 203.0.113.9}}", bytes % 3),
        9 => format!("{way} echo {}", bytes % 3),
        10 => format!("{way} . +{bytes} ack 1 {{flow 5}}"),
        _ => format!("{way} udp ({bytes}) {{flow 1 teid 7}}"),
    })
}

/// Generates pauses in milliseconds: within a bin, within a session, or longer than a session.
fn pause() -> impl Strategy<Value = u32> {
    prop_oneof![0u32..5, 5u32..2_000, 3_000_000u32..8_000_000]
}

proptest! {
    #[test]
    fn flows_that_wait_make_the_same_rows(packets in prop::collection::vec((pause(), packet()), 1..24)) {
        let mut text = HEAD.to_owned();
        for (pause, packet) in &packets {
            writeln!(text, "+{:.3} {packet}", f64::from(*pause) / 1e3).expect("a String");
        }
        let script = Script::read(&text).map_err(TestCaseError::fail)?;
        let engine = Engine::new(script.parameters.clone(), Collected::default());
        let at_once = play_to(&script, AtOnce(engine)).0.finish();
        prop_assert_eq!(play(&script), at_once);
    }
}
