//! Defines a verdict: a cause with its reason.

use airmile_types::{Cause, Second};

/// The cause of a slice, with the reason in words.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Verdict {
    /// The cause that limited the slice.
    pub(crate) cause: Cause,
    /// The reason for the cause, in a few words.
    pub(crate) reason: &'static str,
    /// The other causes that would explain the packets as well.
    pub(crate) second: Option<Second>,
}

impl Verdict {
    /// The same verdict, for which another cause is possible.
    pub(super) const fn or(self, second: Second) -> Self {
        Self { second: Some(second), ..self }
    }
}

/// The verdict of a slice when the capture missed a large part of its flow.
pub(crate) const LOSSY: Verdict = verdict(
    Cause::Undetermined,
    "the capture lost a large part of the flow: what it does not show may have been there",
);

/// The verdict of a transfer that the capture cuts off before it can show anything.
pub(super) const SCANT: Verdict = verdict(
    Cause::Undetermined,
    "the capture holds too little of the transfer: a few packets of less than a round trip",
);

pub(crate) const fn verdict(cause: Cause, reason: &'static str) -> Verdict {
    Verdict { cause, reason, second: None }
}
