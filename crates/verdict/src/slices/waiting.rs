//! The wait of a request for its answer, and its parts.

use airmile_types::{Duration, Instant, PerDirection};

use crate::evidence::Mask;
use crate::rule::WaitPart;

/// A request waits for its answer.
#[derive(Clone, Copy)]
pub(crate) struct Waiting {
    pub(crate) part: WaitPart,
    /// From the request to its newest repeat.
    pub(super) resent: (Instant, Instant),
    /// The request was in the queue before the radio, and so was its answer.
    pub(super) queued: PerDirection<(Instant, Instant)>,
}

/// Milliseconds of a bin in which a request or its answer was held up, by what.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Held {
    pub(super) resent: Mask,
    pub(super) closed: Mask,
    pub(super) uplink: Mask,
    pub(super) downlink: Mask,
}

/// Where a wait is cut in two.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Split {
    /// Up to here the path.
    pub(crate) loop_end: Instant,
    /// From here on the server, whatever the samples of the loop say.
    pub(super) surely_server: Instant,
    /// How long the server took; `None` where that is not known.
    pub(crate) server: Option<Duration>,
}
