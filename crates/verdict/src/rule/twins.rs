//! Names the other causes that look the same at a capture point (methods T9).

use airmile_types::{Cause, Direction, Second, Vantage};

use super::evidence::Evidence;
use super::verdict::{Verdict, verdict};

/// A capture point, and the direction of the data that passes it.
type Tap = (Vantage, Direction);

/// The same verdict with the other causes that explain the packets as well at this capture point.
pub(crate) fn with_twin(said: Verdict, e: &Evidence, tap: Tap) -> Verdict {
    if e.blind {
        return if e.waits {
            wait_without_queue(said, tap.1)
        } else {
            without_queue(said, e, tap.1)
        };
    }
    if said.second.is_some() {
        return said;
    }
    match twin(said.cause, e, tap) {
        Some(second) => said.or(second),
        None => said,
    }
}

/// The verdict where no queue can be seen: a full link explains whatever the sender seems to do,
/// and is likely where all flows together keep to its rate.
fn without_queue(said: Verdict, e: &Evidence, direction: Direction) -> Verdict {
    let of_sender =
        [Cause::SenderApp, Cause::SlowStart, Cause::SlowStartRestart, Cause::CongestionWindow];
    let open = said.cause == Cause::Undetermined && said.second.is_some();
    if e.shares_rate && (open || of_sender.contains(&said.cause)) {
        return shared(direction);
    }
    let or_app = match direction {
        Direction::Downlink => Second::DownlinkOrApp,
        Direction::Uplink => Second::UplinkOrApp,
    };
    match said.cause {
        Cause::SenderApp => verdict(Cause::Undetermined, UNSEEN).or(or_app),
        Cause::SlowStart | Cause::SlowStartRestart | Cause::CongestionWindow => {
            verdict(Cause::Undetermined, UNSEEN).or(link_or_window(direction))
        }
        Cause::ReceiveWindow => said.or(link_of(direction)),
        _ => said,
    }
}

/// The verdict of a part of a wait where no queue can be seen: the request or its answer may have
/// waited in one.
fn wait_without_queue(said: Verdict, direction: Direction) -> Verdict {
    match said.cause {
        Cause::RoundTrip | Cause::SenderApp => said.or(link_of(direction)),
        Cause::Undetermined if said.second != Some(Second::DownlinkOrApp) => {
            Verdict { second: None, ..said }
        }
        _ => said,
    }
}

/// The verdict where all flows of the phone together keep to one rate while what each has of it
/// changes. They may share an application that keeps to a rate: an uploader, a client that limits what
/// it asks of several servers, or one host with several addresses.
const fn shared(direction: Direction) -> Verdict {
    let cause = match direction {
        Direction::Downlink => Cause::LteDownlink,
        Direction::Uplink => Cause::LteUplink,
    };
    verdict(cause, SHARED).or(Second::SenderApp)
}

const SHARED: &str =
    "the phone's flows together keep to one rate while each of them changes: a full link";

const UNSEEN: &str =
    "nothing shows a queue before this capture point, or its absence: a full link, or the sender";

/// The other cause that looks the same at this capture point, if there is one.
fn twin(cause: Cause, e: &Evidence, (vantage, direction): Tap) -> Option<Second> {
    let at_sender = vantage == sender_side(direction);
    match cause {
        // Only a monitor, or a modem log, distinguishes the link from the path behind it.
        Cause::LteDownlink | Cause::LteUplink => {
            (vantage != Vantage::Monitor && e.radio_ms.is_none()).then_some(Second::UpstreamPath)
        }
        // A queue of constant depth looks like a longer path.
        Cause::SenderApp | Cause::ReceiveWindow | Cause::SlowStart | Cause::SlowStartRestart
            if !e.waits && e.may_hide_queue() =>
        {
            Some(link_of(direction))
        }
        // What the radio's queue drops before the capture point looks like a loss on the path.
        Cause::UpstreamPath if e.before_radio => Some(link_of(direction)),
        // Until the sender's clock is known, nothing shows a queue before the capture point.
        Cause::SlowStart | Cause::SlowStartRestart | Cause::SenderApp
            if !e.waits && e.before_radio && e.radio_ms.is_none() && !e.queue_shown =>
        {
            Some(link_of(direction))
        }
        // What is between the phone and the capture point may hold back the data, or their ACKs.
        Cause::SenderApp if !e.waits && !at_sender => match (vantage, direction) {
            (_, Direction::Uplink) | (Vantage::Ue, _) => Some(Second::LteUplink),
            _ => None,
        },
        _ => None,
    }
}

/// The capture point beside the sender of a direction.
const fn sender_side(direction: Direction) -> Vantage {
    match direction {
        Direction::Downlink => Vantage::Server,
        Direction::Uplink => Vantage::Ue,
    }
}

/// A full link or a congestion window, of which none is preferred.
pub(super) const fn link_or_window(direction: Direction) -> Second {
    match direction {
        Direction::Downlink => Second::DownlinkOrWindow,
        Direction::Uplink => Second::UplinkOrWindow,
    }
}

/// A full link or a loss that is repaired, of which none is preferred.
pub(super) const fn link_or_loss(direction: Direction) -> Second {
    match direction {
        Direction::Downlink => Second::DownlinkOrLoss,
        Direction::Uplink => Second::UplinkOrLoss,
    }
}

/// A full link, as another possibility.
pub(super) const fn link_of(direction: Direction) -> Second {
    match direction {
        Direction::Downlink => Second::LteDownlink,
        Direction::Uplink => Second::LteUplink,
    }
}
