#![doc = include_str!("first_reply.md")]

use airmile_track::{Analysis, Datagram, Events, FlowFacts, NoEvents, Scope};
use airmile_types::{Direction, Duration, Instant, Parameters, Vantage, columns};

use crate::flows::service::{is_dns, is_quic_initial};

columns! {
    /// An upper bound of the promotion delay, from a first packet without timestamps.
    #[derive(Default)]
    pub struct FirstReplyRow {
        /// Time from the first packet of a phone that had been silent for `promotion.silence_s` to
        /// the reply, seen at the phone. It contains promotion and round trip, so the promotion was
        /// not longer. Null otherwise.
        #[unit("ms")] #[cite("B2")] pub promotion_bound_ms: Option<f64>,
        /// Kind of the first packet: dns (a query), quic (an Initial).
        #[unit("")] #[cite("B2")] pub promotion_bound_source: Option<&'static str>,
    }
}

/// Whether the first packet waits for its reply.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct FirstReply {
    begun: bool,
    waits: Option<(Instant, &'static str)>,
    bound: Option<(Duration, &'static str)>,
}

airmile_types::held!(FirstReply {});

impl Analysis for FirstReply {
    const NAME: &'static str = "first_reply";
    const PAGE: &'static str = include_str!("first_reply.md");
    const SCOPE: Scope = Scope::Flow;
    const WANTS: Events = Events::NONE;
    type Row = FirstReplyRow;
    type Event = NoEvents;

    fn on_datagram(&mut self, datagram: &Datagram<'_>, parameters: &Parameters, _: &mut Vec<NoEvents>) {
        if !self.begun {
            self.begun = true;
            self.waits = what(datagram, parameters).map(|what| (datagram.time, what));
        } else if datagram.direction == Direction::Downlink
            && let Some((asked, what)) = self.waits.take()
        {
            self.bound = Some((datagram.time - asked, what));
        }
    }

    fn row(&self, _: &FlowFacts, _: Direction, _: &Parameters) -> FirstReplyRow {
        FirstReplyRow {
            promotion_bound_ms: self.bound.map(|(bound, _)| bound.as_millis_f64()),
            promotion_bound_source: self.bound.map(|(_, what)| what),
        }
    }
}

/// The kind of the flow's first packet, if it found the radio idle, requests a reply and was
/// captured at the phone; otherwise `None`.
fn what(datagram: &Datagram<'_>, parameters: &Parameters) -> Option<&'static str> {
    let flow = datagram.flow;
    let wakes = datagram.direction == Direction::Uplink && flow.after_silence(parameters) == Some(true);
    if !wakes || flow.vantage != Some(Vantage::Ue) {
        return None;
    }
    if is_dns(flow) {
        Some("dns")
    } else {
        is_quic_initial(datagram.payload).then_some("quic")
    }
}
