//! What comes before a request: name look-up, handshake, and the radio's waking up.

use airmile_track::{FlowFacts, Segment};
use airmile_types::{Cause, Duration, Instant, Side, Vantage};

use crate::Parameters;

/// A span before the request, with its cause.
pub(super) type Span = (Instant, Instant, Cause);

/// A name looked up this long before the SYN belongs to the flow's opening.
const DNS_BEFORE_SYN: Duration = Duration::from_secs(1);

/// Before a flow's first request: look-up, promotion and handshake (methods T1).
pub(super) fn of_flow(
    flow: &FlowFacts,
    request: Instant,
    tick_ns: Option<f64>,
    parameters: &Parameters,
) -> Vec<Span> {
    let mut spans = Vec::new();
    let Some(syn) = flow.syn.or(flow.syn_ack) else { return spans };
    let done = flow.handshake_ack.map_or(request, |ack| ack.time).min(request);
    if let Some(delay) = promotion(flow, tick_ns, parameters) {
        spans.push((syn.time - delay, syn.time, Cause::PromotionDelay));
    } else if let Some((query, answer)) = flow.dns
        && answer <= syn.time
        && syn.time - answer <= DNS_BEFORE_SYN
    {
        spans.push((query, syn.time, Cause::HandshakeDns));
    }
    if done > syn.time {
        spans.push((syn.time, done, Cause::HandshakeDns));
    }
    spans
}

/// Before a request on a connection that has rested: the radio's waking up, seen from how late
/// the request came (methods B2, as an upper bound).
pub(super) fn of_request(
    segment: &Segment<'_>,
    excess: Option<Duration>,
    parameters: &Parameters,
) -> Vec<Span> {
    let rested =
        segment.ue.last_packet.is_some_and(|last| is_idle(segment.time - last, parameters));
    let late = excess.filter(|e| rested && e.as_millis_f64() >= parameters.promotion_floor_ms);
    late.map(|delay| (segment.time - delay, segment.time, Cause::PromotionDelay))
        .into_iter()
        .collect()
}

/// Methods B2: G (TSval_ack - TSval_syn) - (t_ack - t_syn), after the UE was idle. At the UE it
/// is 0 by construction: the radio wakes between SYN and SYN-ACK there, inside the handshake.
fn promotion(flow: &FlowFacts, tick_ns: Option<f64>, parameters: &Parameters) -> Option<Duration> {
    if !was_idle(flow, parameters) || flow.vantage == Some(Vantage::Ue) {
        return None;
    }
    if flow.initiator != Some(Side::Ue) {
        return None;
    }
    let (syn, ack) = (flow.syn?, flow.handshake_ack?);
    let ticks = ack.timestamps?.value.wrapping_sub(syn.timestamps?.value) as i32;
    let delay = Duration::from_nanos((f64::from(ticks) * tick_ns?) as i64) - (ack.time - syn.time);
    (delay.as_millis_f64() >= parameters.promotion_floor_ms).then_some(delay)
}

/// The UE was silent long enough, and the capture long enough to know.
fn was_idle(flow: &FlowFacts, parameters: &Parameters) -> bool {
    is_idle(flow.ue_idle_before.unwrap_or(flow.since_capture_start), parameters)
}

fn is_idle(silence: Duration, parameters: &Parameters) -> bool {
    silence.as_secs_f64() >= parameters.idle_before_s
}
