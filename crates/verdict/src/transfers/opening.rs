//! Finds what the time before a request was spent on: name look-up, handshake, and the radio's
//! waking up.

use airmile_track::{FlowFacts, Segment};
use airmile_types::{Cause, Duration, Instant, Parameters, Side, Vantage};

/// A span before the request, with its cause and the reason.
pub(crate) type OpeningSpan = (Instant, Instant, Cause, &'static str);

const BEFORE: &str = "before the flow's first request";
const LOOKUP: &str = "the address of the server is looked up (DNS)";
const LOST_SYN: &str = "the SYN was lost, and its sender waited for its timer";
const REPEATED_SYN: &str = "the SYN was repeated: the first was lost, or late";

/// How long before the SYN a name look-up may end and still belong to the flow's opening.
const DNS_BEFORE_SYN: Duration = Duration::from_secs(1);

/// The spans before a flow's first request: name look-up, promotion (as in
/// `flows.promotion_delay_ms`, unless that value is doubtful) and the handshakes of TCP and TLS
/// (methods T1). Time in which the client rests between the handshakes, or before its first
/// request, belongs to no span.
pub(super) fn of_flow(
    flow: &FlowFacts,
    request: Instant,
    (promotion, lookup): (Option<Duration>, Option<(Instant, Instant)>),
    tls: Option<(Instant, Instant)>,
    parameters: &Parameters,
) -> Vec<OpeningSpan> {
    let mut spans = Vec::new();
    let Some(syn) = flow.syn.or(flow.syn_ack) else { return spans };
    let done = flow.handshake_ack.map_or(request, |ack| ack.time).min(request);
    // At the phone the SYN passes before the radio wakes up, elsewhere after it (methods B1').
    let mut from = syn.time;
    if let Some(delay) = promotion {
        let begin = if flow.vantage == Some(Vantage::Ue) { syn.time } else { syn.time - delay };
        from = begin + delay;
        spans.push((begin, from, Cause::PromotionDelay, BEFORE));
    } else if let Some((query, answer)) = lookup
        && answer <= syn.time
        && syn.time - answer <= DNS_BEFORE_SYN
    {
        spans.push((query, answer, Cause::HandshakeDns, LOOKUP));
    }
    if promotion.is_none()
        && let Some((repeated, cause, reason)) = repeated_syn(flow)
        && repeated < done
    {
        spans.push((from, repeated, cause, reason));
        from = repeated;
    }
    let mut to = done;
    if let Some((hello, finished)) = tls.map(|(hello, end)| (hello, end.min(request))) {
        if (hello - done).as_secs_f64() > parameters.silence_s {
            spans.push((from, to, Cause::HandshakeDns, BEFORE));
            from = hello;
        }
        to = finished.max(to);
    }
    if to > from {
        spans.push((from, to, Cause::HandshakeDns, BEFORE));
    }
    // When the clock stepped back, a span may end before it begins; such a span shows nothing.
    spans.retain(|(begin, end, ..)| begin <= end);
    spans
}

/// The time of the last copy of a repeated SYN, and what the time before it was spent on. Without
/// timestamps, at the phone, the radio may have woken up meanwhile.
fn repeated_syn(flow: &FlowFacts) -> Option<(Instant, Cause, &'static str)> {
    let (time, _) = flow.repeated_syn?;
    match flow.lost_syn() {
        Some(true) => Some((time, Cause::HandshakeDns, LOST_SYN)),
        Some(false) => None,
        None if flow.vantage == Some(Vantage::Ue) && flow.initiator == Some(Side::Ue) => {
            Some((time, Cause::Undetermined, REPEATED_SYN))
        }
        None => Some((time, Cause::HandshakeDns, REPEATED_SYN)),
    }
}

/// The span before a request on a connection that has rested: the time in which the radio wakes up.
/// It is measured as how much later the request came than the flow's last packet before the rest,
/// which is an upper bound (methods B2).
pub(super) fn of_request(
    segment: &Segment<'_>,
    gain: Option<Duration>,
    parameters: &Parameters,
) -> Vec<OpeningSpan> {
    let rested =
        segment.ue.last_packet.is_some_and(|last| is_idle(segment.time - last, parameters));
    // If the clock stopped while the phone slept, the delay comes out longer than the silence.
    let silence = segment.ue.last_packet.map_or(Duration::ZERO, |last| segment.time - last);
    let late = gain.filter(|e| {
        rested && e.as_millis_f64() >= parameters.promotion_floor_ms && *e < silence.over(2)
    });
    late.map(|delay| (segment.time - delay, segment.time, Cause::PromotionDelay, BEFORE))
        .into_iter()
        .collect()
}

fn is_idle(silence: Duration, parameters: &Parameters) -> bool {
    silence.as_secs_f64() >= parameters.least_silence_s
}
