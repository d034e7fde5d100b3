//! Names the cause where nothing but the congestion window holds a sender.

use airmile_types::{Cause, Direction, Parameters, Second};

use super::evidence::Evidence;
use super::twins::{link_of, link_or_window};
use super::verdict::{Verdict, verdict};

const AT_LEVEL: &str = "a queue stood before the radio when the window was last cut, and the link goes on nearly as before";
const BELOW_LEVEL: &str =
    "a queue stood before the radio when the window was last cut: likely by its drop or mark";
const UNCUT: &str =
    "the flight grows slower than in slow start, if at all, and nothing else holds it";
const MARKED: &str =
    "the link's queue marks data again and again, and the link goes on nearly as before";
const MARKED_UPSTREAM: &str =
    "a queue between server and tap marks data again and again, and lets nearly as much pass";

/// The number of round trips with marks that show a full queue. The first mark may be that of a burst;
/// when a queue marks again, it has filled again from a window that was reduced meanwhile (RFC 3168
/// section 6.1.2).
const MARKED_ROUNDS: u32 = 2;

/// The verdict on a sender whose data a queue marks in several round trips, which costs no delivery.
pub(super) fn judge_marks(e: &Evidence, direction: Direction, p: &Parameters) -> Option<Verdict> {
    let full = |marks: u32| marks >= MARKED_ROUNDS && e.delivers(p.repaired_ratio);
    let said = if full(e.link_marks) {
        verdict(link_cause(direction), MARKED)
    } else if full(e.upstream_marks) {
        verdict(Cause::UpstreamPath, MARKED_UPSTREAM)
    } else {
        return None;
    };
    Some(said.or(Second::CongestionWindow))
}

/// The verdict on a sender whose window alone holds it, unless a queue has just marked its data.
pub(super) fn small_window(reason: &'static str, e: &Evidence, direction: Direction) -> Verdict {
    let said = verdict(Cause::CongestionWindow, reason);
    let marked = e.link_marks + e.upstream_marks > 0;
    if marked { said.or(marker_of(e, direction)) } else { said }
}

/// The verdict on a sender that waits for the ACKs of a flight which does not grow.
pub(super) fn judge_awaited(e: &Evidence, direction: Direction, p: &Parameters) -> Verdict {
    if e.may_hide_queue() {
        return no_base(direction);
    }
    unless_uplink(small_window("data is in flight and its ACKs are awaited", e, direction), e, p)
}

/// The verdict on a sender that nothing but its congestion window holds.
pub(super) fn judge_window(e: &Evidence, direction: Direction, p: &Parameters) -> Verdict {
    if e.may_hide_queue() && !e.cut_by_link {
        return no_base(direction);
    }
    // A sender that paces at the rate of a full link leaves hardly a queue.
    let window = |reason| verdict(Cause::CongestionWindow, reason).or(marker_of(e, direction));
    let goes_on = e.cut_lately && e.delivers(p.repaired_ratio);
    let said = match (e.cut_by_link, goes_on) {
        (true, true) => verdict(link_cause(direction), AT_LEVEL).or(Second::CongestionWindow),
        (true, false) => window(BELOW_LEVEL),
        (false, _) => window(UNCUT),
    };
    unless_uplink(said, e, p)
}

/// What a window hides: the path to the server if only its queue has marked data, else the link.
const fn marker_of(e: &Evidence, direction: Direction) -> Second {
    let upstream = e.upstream_marks > 0 && e.link_marks == 0 && !e.cut_by_link;
    if upstream { Second::UpstreamPath } else { link_of(direction) }
}

/// The link in the direction of the data.
const fn link_cause(direction: Direction) -> Cause {
    match direction {
        Direction::Uplink => Cause::LteUplink,
        Direction::Downlink => Cause::LteDownlink,
    }
}

/// The verdict, unless the ACKs of a download wait in the uplink that the phone's other data fills:
/// then a window lasts for as long as they do.
fn unless_uplink(said: Verdict, e: &Evidence, p: &Parameters) -> Verdict {
    if e.acks_in_uplink_ms > 0.0 && e.acks_in_uplink_ms >= p.link_sure_ratio * e.length_ms {
        verdict(Cause::LteUplink, "the ACKs wait in the phone's full uplink")
            .or(Second::CongestionWindow)
    } else {
        said
    }
}

/// The verdict where every round trip may hold the same queue.
const fn no_base(direction: Direction) -> Verdict {
    verdict(
        Cause::Undetermined,
        "no packet is known to have met an empty queue: a queue that never empties, or a window",
    )
    .or(link_or_window(direction))
}
