//! Names the other causes that look the same at a capture point (methods T6).

use airmile_types::{Cause, Direction, Second, Vantage};

use super::evidence::Evidence;
use super::verdict::{Verdict, verdict};

/// A capture point, and the direction of the data that passes it.
type Tap = (Vantage, Direction);

/// The same verdict with the other causes that explain the packets as well at this capture point.
pub(crate) fn with_twin(said: Verdict, e: &Evidence, tap: Tap) -> Verdict {
    if said.second.is_some() {
        return said;
    }
    if e.blind {
        return without_queue(said, tap.1);
    }
    match twin(said.cause, e, tap) {
        Some(second) => said.or(second),
        None => said,
    }
}

/// The verdict where no queue can be seen: a full link explains whatever the sender seems to do.
fn without_queue(said: Verdict, direction: Direction) -> Verdict {
    let (link, or_app, or_window) = match direction {
        Direction::Downlink => {
            (Second::LteDownlink, Second::DownlinkOrApp, Second::DownlinkOrWindow)
        }
        Direction::Uplink => (Second::LteUplink, Second::UplinkOrApp, Second::UplinkOrWindow),
    };
    match said.cause {
        Cause::SenderApp => verdict(Cause::Undetermined, UNSEEN).or(or_app),
        Cause::SlowStart | Cause::SlowStartRestart | Cause::CongestionWindow => {
            verdict(Cause::Undetermined, UNSEEN).or(or_window)
        }
        Cause::ReceiveWindow => said.or(link),
        _ => said,
    }
}

const UNSEEN: &str = "without timestamps this capture point cannot show a queue before it: a full link, or the sender";

fn twin(cause: Cause, e: &Evidence, (vantage, _): Tap) -> Option<Second> {
    // Only at a monitor the path behind the link is apart from the link.
    let whole_path = vantage != Vantage::Monitor && e.radio_ms.is_none();
    match cause {
        Cause::LteDownlink | Cause::LteUplink if whole_path => Some(Second::UpstreamPath),
        _ => None,
    }
}
