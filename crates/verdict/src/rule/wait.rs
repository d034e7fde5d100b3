//! The rule for a request that waits for its answer (methods T3).

use airmile_types::{Cause, Parameters};

use super::evidence::Evidence;
use super::verdict::{LOSSY, Verdict, verdict};

/// The part of a wait in which a slice lies.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum WaitPart {
    /// One loop from the capture point to the server and back, and the spread of its samples.
    Loop,
    /// What exceeds that loop.
    Beyond,
    /// What exceeds it, for a request that may have had to wake the radio up.
    Woken,
    /// A wait without any sample of the loop.
    Unsplit,
    /// A wait that is longer than a server takes: it may have had nothing to send.
    LongPoll,
}

/// The verdict of a part of a wait: each millisecond that something holds up counts once, in this
/// order.
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
        ),
        WaitPart::Unsplit => verdict(
            Cause::Undetermined,
            "a request waits, and no handshake or lone ACK shows how long its way takes",
        ),
        WaitPart::LongPoll => verdict(
            Cause::Undetermined,
            "a request waits for so long that the server may have had nothing to say",
        ),
    }
}
