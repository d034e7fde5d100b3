//! The notes on the flows of a run, which its report shows.

use crate::options::Options;
use crate::shards::Finished;

/// What to know about the flows that were found.
pub(super) fn notes(finished: &Finished, options: &Options) -> Vec<String> {
    let limit = options.memory_limit();
    let found = [
        flood(finished.ended_early),
        full(finished.ended_for_memory, &limit),
        forgot(finished.forgotten, &limit),
        translated(finished.copies),
        phones(finished.guessed, finished.flows),
    ];
    found.into_iter().flatten().collect()
}

/// A note on connection attempts that were not kept for `flows.gap_s`, if there were any.
fn flood(ended_early: u64) -> Option<String> {
    (ended_early > 0).then(|| {
        format!(
            "a scan or a flood: {ended_early} connection attempts were ended early to bound memory; \
             later packets of these would count as separate flows"
        )
    })
}

/// A note on flows that were ended for `--memory`, if there were any.
fn full(ended_for_memory: u64, limit: &str) -> Option<String> {
    (ended_for_memory > 0).then(|| {
        format!(
            "memory: {ended_for_memory} flows were ended before their time to keep within {limit}; \
             later packets of these are flows of their own"
        )
    })
}

/// A note on tunnels that were forgotten for `--memory`, if there were any.
fn forgot(forgotten: u64, limit: &str) -> Option<String> {
    (forgotten > 0).then(|| {
        format!(
            "memory: which phone uses which tunnel was forgotten and learnt again to keep within \
             {limit}; a phone with an IPv4 and an IPv6 address may count as two"
        )
    })
}

/// A note on connections that a phone recorded in IPv4 and in IPv6 (methods A10), if there were
/// any.
fn translated(copies: u64) -> Option<String> {
    (copies > 0).then(|| {
        format!(
            "464XLAT: {copies} TCP packets were recorded in IPv4 and in IPv6; each connection is \
             counted once, in the form that came first"
        )
    })
}

/// The share of flows from which a guess is mentioned (our choice).
const GUESSED_OF_FLOWS: u64 = 10;

/// A note on flows whose phone was guessed (methods A2), if they are not few.
fn phones(guessed: u64, flows: u64) -> Option<String> {
    (guessed > 0 && guessed.saturating_mul(GUESSED_OF_FLOWS) >= flows).then(|| {
        format!(
            "which end is the phone is a guess for {guessed} of {flows} flows, because neither \
             addresses nor opening nor ports show it: the end that received more counts as the \
             phone; name the phones with --ue-net"
        )
    })
}
