//! Names the cause of a slice by the rule of methods T6.

use airmile_types::{Cause, Direction, Parameters, Second};

use super::evidence::Evidence;
use super::twins::{link_of, link_or_loss, link_or_window};
use super::verdict::{LOSSY, SCANT, Verdict, verdict};
use super::window::{judge_awaited, judge_marks, judge_window, small_window};
use crate::evidence::BIN;

const RADIO_SURE: &str = "the queue before the radio hardly empties";
const RADIO_LIKELY: &str = "a queue stands before the radio for much of the time";
const RADIO_LOGGED_SURE: &str = "the modem log shows a queue that hardly empties";
const RADIO_LOGGED: &str = "the modem log shows a queue for much of the time";
const UPSTREAM: &str = "packets were lost or queued between server and tap";
const SCALE_UNKNOWN: Verdict =
    verdict(Cause::Undetermined, "the receiver's window may be full: its scale is unknown")
        .or(Second::EitherWindow);
const BELOW_SEGMENT: Verdict = verdict(
    Cause::SenderApp,
    "less than a full segment is in flight, which every congestion window allows",
);
const BEGUN: Verdict = verdict(
    Cause::Undetermined,
    "the capture has just begun: it lacks ACKs that the sender heard of",
)
.or(Second::EitherGrowth);
const NAGLE: &str =
    "the sender may have held its next data until the ACK of what it had sent (Nagle's algorithm)";
const SILENT: &str = "an ACK freed the window and nothing came";
const RELEASED: &str = "the sender stopped until a short record of the receiver came";
const DEVICE: &str = "packets leave the phone's stack long after they were stamped";

/// The number of bins in which `released_bytes` are counted.
const BINS_RELEASED: f64 = 2.0;

/// Names the cause of a slice: the first line of the rule that applies decides. The order of the
/// lines matters more than the thresholds (methods T6).
pub(crate) fn judge(e: &Evidence, direction: Direction, p: &Parameters) -> Verdict {
    let share = |ms: f64| ms / e.length_ms;
    let (link_ms, likely_ms) = e.radio_ms.map_or((e.link_ms, e.link_ms), |ms| weigh(ms, e, p));
    let (sure, likely) = match e.radio_ms {
        Some(_) => (RADIO_LOGGED_SURE, RADIO_LOGGED),
        None => (RADIO_SURE, RADIO_LIKELY),
    };
    let (link, sure, likely) = match direction {
        Direction::Uplink if e.device_ms > link_ms => (Cause::DeviceQueue, DEVICE, DEVICE),
        Direction::Uplink => (Cause::LteUplink, sure, likely),
        Direction::Downlink => (Cause::LteDownlink, sure, likely),
    };
    // A queue of less than a few HARQ rounds in 100 ms is delay jitter, however short the slice.
    let is_queue = e.radio_ms.is_some()
        || (e.queue_bin_ms >= p.queue_before_ms && f64::from(e.queue_samples) >= p.queue_samples);
    // A HARQ round delays some packets and leaves others on time, but a queue delays all packets.
    // Beside a full window, which is announced, it must delay them for most of the time.
    let least = if is_full(e, p) { p.majority_ratio } else { p.standing_ratio };
    let holds_all = share(e.standing_ms) >= least;
    let share_of_queue = |ms: f64, is_sure: bool| {
        if is_queue && (holds_all || is_sure) { share(ms) } else { 0.0 }
    };
    let logged = e.radio_ms.is_some();
    let queue = share_of_queue(link_ms.max(e.device_ms), logged);
    let queue_likely = share_of_queue(likely_ms.max(e.device_ms), logged && !e.sees_queue);
    if !e.sees_acks {
        return verdict(Cause::Undetermined, "no ACK was captured: one direction is missing");
    }
    if share(e.handover_ms) >= p.majority_ratio {
        return verdict(Cause::Handover, "the phone is between two cells");
    }
    if share(e.acks_missing_ms) >= p.majority_ratio {
        return verdict(Cause::Undetermined, "ACKs of this data are missing from the capture");
    }
    // A link whose queue never empties is the bottleneck even during a recovery (methods T6).
    let timeout = share(e.timeout_ms) >= p.timeout_ratio;
    if queue >= sure_ratio(e, p) && !(timeout && only_logged(e, p)) {
        return verdict(link, sure);
    }
    // A closed window is announced by the receiver, not inferred.
    let closed = e.zero_window_ms >= p.zero_window_ratio * e.window_ms;
    if e.lossy && !(closed && share(e.window_ms) >= p.window_ratio) {
        return LOSSY;
    }
    if timeout {
        return judge_timeout(e, p);
    }
    // The Linux kernel counts 30 ms of 100 ms as window-limited (corpus, labels_rule).
    if share(e.window_ms) >= p.window_ratio {
        return judge_full(e, closed, p);
    }
    let doubted = share(e.window_ms + e.window_doubt_ms) >= p.window_ratio;
    let silent = share(e.application_ms) >= p.majority_ratio;
    if silent && !doubted {
        let released = e.released_ms >= p.majority_ratio * e.application_ms;
        return verdict(Cause::SenderApp, if released { RELEASED } else { SILENT });
    }
    // A link behind a queue that is hardly ever empty gets no more than that queue releases, also
    // while losses out of that queue are repaired.
    let upstream_full = share(e.upstream_ms) >= p.link_sure_ratio;
    if share(e.recovery_ms) >= p.recovery_ratio && !upstream_full {
        // A loss out of a queue that costs no delivery is the full link's own: its queue had no room.
        let queued_before = e.queue_earlier_ms >= p.link_likely_ratio * BIN.as_millis_f64();
        if queue_likely >= p.link_likely_ratio && queued_before && e.delivers(p.repaired_ratio) {
            return verdict(link, likely);
        }
        return judge_recovery(e, direction);
    }
    if upstream_full {
        return verdict(Cause::UpstreamPath, UPSTREAM);
    }
    if doubted {
        // Unless the window was full, an ACK freed it and nothing came.
        return if silent { SCALE_UNKNOWN.or(Second::WindowOrApp) } else { SCALE_UNKNOWN };
    }
    // The sender of a full link does not run out of data again and again, unless all of it waits.
    let fed = !e.emptied_in_room || share(e.standing_ms) >= p.majority_ratio;
    // A link that delivers far less than it did a moment ago is not limited by a queue that lasts
    // for a part of the slice.
    let carries = fed && e.delivers(p.delivered_ratio);
    if queue_likely >= p.link_likely_ratio && (carries || e.radio_ms.is_some()) {
        return verdict(link, likely);
    }
    if e.upstream_losses > 0 || share(e.upstream_ms) >= p.link_likely_ratio {
        return verdict(Cause::UpstreamPath, UPSTREAM);
    }
    judge_sender(e, direction, p)
}

/// The verdict on a slice of a transfer that the capture cuts off after a few packets. Only a timer
/// shows in so few, and the missing direction is the better reason where one is missing.
pub(crate) fn judge_scant(e: &Evidence, direction: Direction, p: &Parameters) -> Verdict {
    let shows = !e.sees_acks || e.timeout_ms >= p.timeout_ratio * e.length_ms;
    if shows { judge(e, direction, p) } else { SCANT }
}

/// The verdict on a sender that waits for its timer, or repairs after it.
fn judge_timeout(e: &Evidence, p: &Parameters) -> Verdict {
    if e.undesired_ms >= p.undesired_ratio * e.timeout_ms {
        verdict(
            Cause::UndesiredSlowStart,
            "the timer fired while ACKs kept coming, and the window starts anew",
        )
    } else if e.supposed_ms >= p.majority_ratio * e.timeout_ms {
        verdict(
            Cause::LossRecovery,
            "after a silence the data begins as after a timer, or without bytes that come later: a flight \
             was lost before this capture point",
        )
        .or(Second::SenderApp)
    } else {
        verdict(
            Cause::LossRecovery,
            "the sender waits for its retransmission timer or repairs after it",
        )
    }
}

/// The verdict on a sender that the receiver's window stops.
fn judge_full(e: &Evidence, closed: bool, p: &Parameters) -> Verdict {
    let full = verdict(Cause::ReceiveWindow, "the sender has filled the receiver's window");
    if closed {
        verdict(Cause::ReceiverApp, "the window is closed: the receiving application does not read")
    } else if e.behind_ms >= p.zero_window_ratio * e.window_ms {
        // A receiver whose memory runs short announces less, too.
        verdict(
            Cause::ReceiverApp,
            "most of the receiver's buffer stays full: the receiving application reads slowly",
        )
        .or(Second::ReceiveWindow)
    } else if e.begun_before {
        full.or(Second::ReceiverApp)
    } else {
        full
    }
}

/// The verdict on a sender that repairs a loss without a timeout.
fn judge_recovery(e: &Evidence, direction: Direction) -> Verdict {
    let said = verdict(Cause::LossRecovery, "the sender repairs a loss");
    if e.upstream_losses > 0 && !e.before_radio {
        return said;
    }
    // A drop cuts the flight, which a queue before the capture point would show as a shorter delay.
    if e.may_hide_queue() && !e.before_radio {
        let reason = "the sender repairs a loss, perhaps one out of the full link's queue: no packet \
                      is known to have met an empty queue";
        return verdict(Cause::Undetermined, reason).or(link_or_loss(direction));
    }
    // The loss may be that of a full queue too short to be seen.
    said.or(link_of(direction))
}

/// The share that a queue needs. A window is announced, but a queue is estimated: beside a full
/// window, the queue must last for the whole slice except for what a HARQ round adds to it.
fn sure_ratio(e: &Evidence, p: &Parameters) -> f64 {
    if is_full(e, p) { p.link_over_window_ratio } else { p.link_sure_ratio }
}

/// Whether the receiver's window is full for so much of the slice that it may be its limit.
fn is_full(e: &Evidence, p: &Parameters) -> bool {
    e.window_ms >= p.window_ratio * e.length_ms
}

/// Compares the queue that RTTs show with the modem log, which confirms or vetoes it (methods T6).
/// Returns the milliseconds of queue for the line that needs a queue nearly always, and those for
/// the line that needs it for much of the slice.
///
/// The log vetoes a queue when the log shows it empty for most of the slice. The log counts every
/// millisecond in which a burst of the sender waits for its turn; RTTs count only a queue of more
/// than a HARQ round. So a queue for a part of the slice counts as the link's when both show it.
fn weigh(radio_ms: f64, e: &Evidence, p: &Parameters) -> (f64, f64) {
    let mostly = radio_ms >= p.majority_ratio * e.length_ms;
    let confirmed = mostly && e.link_ms >= p.link_sure_ratio * e.length_ms;
    let sure_ms = if confirmed { e.link_ms } else { radio_ms };
    let likely_ms = if e.sees_queue { radio_ms.min(e.link_ms) } else { radio_ms };
    (sure_ms, likely_ms)
}

/// Whether RTTs could have shown a queue that is hardly ever empty, and did not. Where a timer
/// fired, the log alone does not decide.
fn only_logged(e: &Evidence, p: &Parameters) -> bool {
    e.radio_ms.is_some() && e.sees_queue && e.link_ms < p.link_sure_ratio * e.length_ms
}

/// The verdict from the sender's own flight, when there is no queue, no full window and no gap.
fn judge_sender(e: &Evidence, direction: Direction, p: &Parameters) -> Verdict {
    let share = |ms: f64| ms / e.length_ms;
    let more = releases_more(e, p);
    let growing = more && e.hears_acks;
    let queues = e.acks_in_uplink_ms > 0.0 || e.link_ms > 0.0;
    if share(e.nagle_ms) >= p.majority_ratio && !queues {
        return verdict(Cause::Undetermined, NAGLE);
    }
    let Some(flight) = e.flight_bytes else {
        return if share(e.busy_ms) < p.majority_ratio {
            verdict(Cause::SenderApp, "nothing is in flight and nothing comes")
        } else if e.below_segment {
            BELOW_SEGMENT
        } else if growing {
            let cause = if e.restarts { Cause::SlowStartRestart } else { Cause::SlowStart };
            verdict(cause, "a growing flight is out and its ACKs are awaited")
        } else if more {
            BEGUN
        } else if let Some(said) = judge_marks(e, direction, p) {
            said
        } else if !e.saw_queue {
            no_sample(direction)
        } else {
            judge_awaited(e, direction, p)
        };
    };
    if e.probes_rtt {
        return small_window("the sender drains the path to measure its RTT", e, direction);
    }
    if e.below_segment {
        return BELOW_SEGMENT;
    }
    // A sender may begin with less and grow from there.
    if e.below_initial && !growing {
        return verdict(
            Cause::SenderApp,
            "less is in flight than a window that was never cut begins with",
        )
        .or(Second::SlowStart);
    }
    // When the flight shrinks and the rate stays the same, a queue has gone; the application is not
    // the reason. Released bytes count over two bins, the most sent over one.
    let slower = e.released_bytes / BINS_RELEASED < p.flight_ratio * e.sent_max_bytes;
    // A sender that sends whole segments without a silence paces them by its own estimate of the
    // path (BBR).
    let slower = slower && (e.application_ms > 0.0 || e.emptied);
    if slower && e.has_room {
        return verdict(
            Cause::SenderApp,
            "less is in flight than a window that was never cut has held before",
        );
    }
    if more && !growing {
        return BEGUN;
    }
    if growing && e.restarts {
        return verdict(
            Cause::SlowStartRestart,
            "the window grows again after an idle gap longer than the RTO",
        )
        .or(Second::SenderApp);
    }
    if growing {
        return verdict(
            Cause::SlowStart,
            "each ACK lets more follow than it acknowledges: the window grows",
        );
    }
    if slower && flight < p.flight_ratio * e.flight_max_bytes {
        return verdict(Cause::SenderApp, "less is in flight than the window has allowed before")
            .or(Second::CongestionWindow);
    }
    if !e.emptied_in_room
        && let Some(said) = judge_marks(e, direction, p)
    {
        return said;
    }
    if !e.sees_queue {
        return no_sample(direction);
    }
    if flight < e.window_least_bytes {
        return verdict(
            Cause::SenderApp,
            "less is in flight than a window that was never cut holds",
        );
    }
    if e.emptied_in_room {
        return verdict(
            Cause::SenderApp,
            "all that the application wrote is sent, and the flight grows slower than in slow start, if at all",
        );
    }
    judge_window(e, direction, p)
}

/// Whether the sender releases more than is acknowledged: in most of the slice round trip by round
/// trip, or over the bins that hold one.
fn releases_more(e: &Evidence, p: &Parameters) -> bool {
    e.grown_ms > p.majority_ratio * e.length_ms
        || e.released_bytes > p.growth_ratio * e.acknowledged_bytes
}

/// The verdict where no packet could have shown a queue.
const fn no_sample(direction: Direction) -> Verdict {
    verdict(
        Cause::Undetermined,
        "no RTT sample and no timestamps: a queue cannot be distinguished from a window",
    )
    .or(link_or_window(direction))
}
