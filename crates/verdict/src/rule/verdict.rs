//! A cause with its reason.

use airmile_types::Cause;

/// The cause of a slice and the reason in words.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Verdict {
    /// What limited it.
    pub(crate) cause: Cause,
    /// Why, in a few words.
    pub(crate) reason: &'static str,
}

/// The verdict of a flow that the capture contains only in part.
pub(crate) const LOSSY: Verdict = verdict(
    Cause::Undetermined,
    "the capture lost a large part of the flow: what it does not show may have been there",
);

/// The verdict of a transfer that the capture cuts before anything can show.
pub(crate) const SCANT: Verdict = verdict(
    Cause::Undetermined,
    "the capture holds too little of the transfer: a few packets of less than a round trip",
);

pub(super) const fn verdict(cause: Cause, reason: &'static str) -> Verdict {
    Verdict { cause, reason }
}
