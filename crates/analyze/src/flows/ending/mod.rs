#![doc = include_str!("ending.md")]

use airmile_track::{Analysis, Ending as HowItEnded, FlowFacts, NoEvents, Scope, Segment};
use airmile_types::{Direction, Instant, Parameters, columns};

columns! {
    /// How late a flow was closed, and how much radio-on time that added.
    #[derive(Default)]
    pub struct EndingRow {
        /// Time from the last payload of either direction to the last packet, for a flow that ended
        /// by FIN or RST; null for other endings and without payload.
        #[unit("s")] #[cite("A6, LTE13 section 4.1")] pub ending_gap_s: Option<f64>,
        /// Radio-on time that the packets after the last payload added; null with `ending_gap_s`.
        #[unit("s")] #[cite("A6")] pub ending_cost_s: Option<f64>,
    }
}

/// The radio-on time that packets since the last payload have added.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct Ending {
    last_payload: Option<Instant>,
    cost_s: f64,
}

airmile_types::held!(Ending {});

impl Analysis for Ending {
    const NAME: &'static str = "ending";
    const PAGE: &'static str = include_str!("ending.md");
    const SCOPE: Scope = Scope::Flow;
    type Row = EndingRow;
    type Event = NoEvents;

    fn on_segment(&mut self, segment: &Segment<'_>, parameters: &Parameters, _: &mut Vec<NoEvents>) {
        if segment.payload_bytes > 0 {
            let last = self.last_payload.get_or_insert(segment.time);
            *last = (*last).max(segment.time);
            self.cost_s = 0.0;
        } else if let Some(before) = segment.ue.last_packet
            && before < segment.time
        {
            self.cost_s += added_s((segment.time - before).as_secs_f64(), parameters.tail_s);
        }
    }

    fn row(&self, flow: &FlowFacts, _: Direction, _: &Parameters) -> EndingRow {
        let closed = matches!(flow.ending, HowItEnded::Fin | HowItEnded::Rst);
        let Some(last) = self.last_payload.filter(|_| closed) else { return EndingRow::default() };
        EndingRow {
            ending_gap_s: Some((flow.end - last).as_secs_f64()),
            ending_cost_s: Some(self.cost_s),
        }
    }
}

/// The radio stays on for one tail after each packet. A packet that follows another by `gap_s`
/// makes the radio stay on for that much longer, but never for more than one tail.
fn added_s(gap_s: f64, tail_s: f64) -> f64 {
    if gap_s < tail_s { gap_s } else { tail_s }
}
