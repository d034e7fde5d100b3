#![doc = include_str!("handshake.md")]

use airmile_track::{Analysis, Events, FlowFacts, NoEvents, Scope};
use airmile_types::{Direction, Duration, Parameters, Protocol, Side, Vantage, columns};

columns! {
    /// Round trips of the three-way handshake.
    #[derive(Default)]
    pub struct HandshakeRow {
        /// Whole round trip between phone and server. Null when SYN or SYN-ACK were repeated or not
        /// seen, and when the ACK that the measurement needs carried payload.
        #[unit("ms")] #[cite("B1, LTE13 section 4.2")] pub handshake_rtt_ms: Option<f64>,
        /// The part of the round trip between capture point and server, at a monitor; null elsewhere.
        #[unit("ms")] #[cite("B1")] pub upstream_rtt_ms: Option<f64>,
        /// The part of the round trip between capture point and phone, at a monitor; null elsewhere.
        #[unit("ms")] #[cite("B1")] pub downstream_rtt_ms: Option<f64>,
        /// Whether the UE had been silent long enough for its radio to be idle, so that a whole
        /// round trip measured at the phone contains a promotion. Null without handshake, and when
        /// the capture does not cover the silence.
        #[unit("")] #[cite("B1, B2")] pub handshake_after_idle: Option<bool>,
        /// Whether the operator's proxy answers at the server's port (`handshake.pep_ports`). Then
        /// upstream is the path to the proxy, and downstream the path from it. Null for protocols
        /// other than TCP.
        #[unit("")] #[cite("B1, LTE13 section 4.2")] pub pep: Option<bool>,
    }
}

/// The analysis keeps no state, because the facts of the flow contain all that it needs.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct Handshake;

airmile_types::held!(Handshake {});

impl Analysis for Handshake {
    const NAME: &'static str = "handshake";
    const PAGE: &'static str = include_str!("handshake.md");
    const SCOPE: Scope = Scope::Flow;
    const WANTS: Events = Events::NONE;
    type Row = HandshakeRow;
    type Event = NoEvents;

    fn row(&self, flow: &FlowFacts, _: Direction, parameters: &Parameters) -> HandshakeRow {
        let idle = Duration::from_secs_f64(parameters.idle_before_s);
        let legs = legs(flow);
        let (answer, confirm) = (legs.map(|legs| legs.0), legs.and_then(|legs| legs.1));
        let both = answer.zip(confirm).map(|(answer, confirm)| answer + confirm);
        let (upstream, downstream) = match flow.initiator {
            Some(Side::Server) => (confirm, answer),
            _ => (answer, confirm),
        };
        let at_monitor = flow.vantage == Some(Vantage::Monitor);
        let whole = match flow.vantage {
            // The host at the capture point answers in no time.
            Some(Vantage::Ue) => upstream,
            Some(Vantage::Server) => downstream,
            Some(Vantage::Monitor) | None => both,
        };
        HandshakeRow {
            handshake_rtt_ms: whole.map(Duration::as_millis_f64),
            upstream_rtt_ms: upstream.filter(|_| at_monitor).map(Duration::as_millis_f64),
            downstream_rtt_ms: downstream.filter(|_| at_monitor).map(Duration::as_millis_f64),
            handshake_after_idle: flow.syn.and_then(|_| flow.after_idle(idle)),
            pep: (flow.protocol == Protocol::Tcp).then(|| is_proxied(flow, parameters)),
        }
    }
}

/// Whether a proxy of the operator answers for the server (methods B1).
pub(crate) fn is_proxied(flow: &FlowFacts, parameters: &Parameters) -> bool {
    parameters.pep_ports.holds(flow.server_port)
}

/// The times from SYN to SYN-ACK, and from SYN-ACK to the ACK unless the ACK carries payload.
/// `None` when SYN or SYN-ACK were repeated, because it is unknown which copy was answered (Karn,
/// RFC 6298 section 3). A step of the clock may give a negative time (methods A10), which is left
/// out.
pub(crate) fn legs(flow: &FlowFacts) -> Option<(Duration, Option<Duration>)> {
    let (syn, syn_ack) = (flow.syn?, flow.syn_ack?);
    if syn.copies > 1 || syn_ack.copies > 1 {
        return None;
    }
    let ack = flow.handshake_ack.filter(|_| !flow.handshake_ack_had_payload);
    let sound = |leg: &Duration| *leg >= Duration::ZERO;
    let answer = Some(syn_ack.time - syn.time).filter(sound)?;
    Some((answer, ack.map(|ack| ack.time - syn_ack.time).filter(sound)))
}
