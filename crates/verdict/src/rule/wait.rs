//! Names the cause of each part of a request's wait for its answer (methods T3).

use airmile_types::{Cause, Parameters, Second};

use super::evidence::Evidence;
use super::verdict::{LOSSY, Verdict, verdict};

/// The part of a wait in which a slice lies.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum WaitPart {
    /// The first round trip from the capture point to the server and back, with the spread of its
    /// samples.
    Loop,
    /// The time after that round trip.
    Beyond,
    /// The time after that round trip, for a request that may have had to wake the radio.
    Woken,
    /// At the phone, the time after the least of many waits, which bounds a round trip without a
    /// sample.
    ServerOrRadio,
    /// Any part of a wait for which there is no sample of the round trip.
    Unsplit,
    /// A wait that is longer than a server takes: the server may have had nothing to send.
    LongPoll,
    /// The time after that round trip, if what ends the wait may be a message that the server sends
    /// without being asked.
    PerhapsUnasked,
}

/// The verdict of a part of a wait. Each millisecond that something delays counts once, for the
/// first reason in this order.
pub(crate) fn judge_wait(e: &Evidence, part: WaitPart, p: &Parameters) -> Verdict {
    if e.lossy {
        return LOSSY;
    }
    let mostly = |ms: f64| ms >= p.majority_ratio * e.length_ms && ms > 0.0;
    if mostly(e.resent_ms) {
        return verdict(
            Cause::LossRecovery,
            "the request was not acknowledged in time and is sent again",
        );
    }
    if mostly(e.handover_ms) {
        return verdict(Cause::Handover, "the phone is between two cells");
    }
    if mostly(e.zero_window_ms) {
        return verdict(
            Cause::ReceiverApp,
            "the window is closed: the receiving application does not read",
        );
    }
    if mostly(e.uplink_queue_ms) {
        return verdict(Cause::LteUplink, "the request waits in the queue before the uplink");
    }
    if mostly(e.downlink_queue_ms) {
        return verdict(Cause::LteDownlink, "the answer waits in the queue before the downlink");
    }
    match part {
        WaitPart::Loop => {
            verdict(Cause::RoundTrip, "a request and its answer travel to the server and back")
        }
        WaitPart::Beyond => verdict(
            Cause::SenderApp,
            "the request has had time to arrive: the server, or what is behind it, has not answered",
        ),
        WaitPart::Woken => verdict(
            Cause::Undetermined,
            "a request after a long silence: the radio may have had to wake up, or the server thinks",
        )
        .or(Second::PromotionOrApp),
        WaitPart::ServerOrRadio => verdict(
            Cause::Undetermined,
            "a request waits longer than the quickest ones: the server's time or the radio's",
        )
        .or(Second::DownlinkOrApp),
        WaitPart::Unsplit => verdict(
            Cause::Undetermined,
            "a request waits, and no handshake or lone ACK shows how long its way takes",
        )
        .or(Second::RoundTripOrApp),
        WaitPart::LongPoll => verdict(
            Cause::Undetermined,
            "a request waits for so long that the server may have had nothing to say",
        ),
        WaitPart::PerhapsUnasked => verdict(
            Cause::Undetermined,
            "the server may send without being asked: this may be its next message, not an answer",
        ),
    }
}
