//! The notes on the flows of a run, which its report shows.

use airmile_track::{Guesses, Unnamed};

use crate::options::Options;
use crate::shards::Finished;
use crate::shards::phones::Joined;

/// What to know about the flows that were found.
pub(super) fn notes(
    finished: &Finished,
    options: &Options,
    joined: &[Joined],
    copies: u64,
) -> Vec<String> {
    let limit = options.memory_limit();
    let found = [
        flood(finished.ended_early),
        full(finished.ended_for_memory, &limit),
        forgot(finished.forgotten, &limit),
        translated(finished.copies),
        named_twice(finished.unnamed, finished.flows),
        named_never(finished.unnamed, finished.flows),
        phones(finished.guesses, finished.flows),
        one_phone(joined),
        recorded_by_two(copies),
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

/// A note on packets that two captures hold, if there are any.
fn recorded_by_two(copies: u64) -> Option<String> {
    (copies > 0)
        .then(|| format!("{copies} packets are in two captures of one place; each is counted once"))
}

/// A note on addresses that were taken for one phone's although nothing proves it, if there are any.
fn one_phone(joined: &[Joined]) -> Option<String> {
    let first = joined.first()?;
    let more = match joined.len() {
        1 => String::new(),
        number => format!(" (and {} more such pairs)", number - 1),
    };
    Some(format!(
        "{} and {}/64 are taken for one phone{more}, because no other host of either family is at \
         the beginning of the capture; that is a guess, since nothing shows that the capture was \
         made on the phone",
        first.known, first.other
    ))
}

/// The share of flows from which they are mentioned (our choice).
const OF_FLOWS: u64 = 10;

const fn are_many(few: u64, flows: u64) -> bool {
    few > 0 && few.saturating_mul(OF_FLOWS) >= flows
}

/// A note on flows with both ends in the networks that the user gave, if they are not few.
fn named_twice(unnamed: Unnamed, flows: u64) -> Option<String> {
    let both = unnamed.both;
    are_many(both, flows).then(|| {
        format!(
            "--ue-net matches both ends of {}, so other signs had to tell which end is the phone; \
             give only the phones' addresses (a longer prefix, or single addresses)",
            of_flows(both, flows)
        )
    })
}

/// A note on flows with no end in the networks that the user gave, if they are not few.
fn named_never(unnamed: Unnamed, flows: u64) -> Option<String> {
    let neither = unnamed.neither;
    are_many(neither, flows).then(|| {
        format!(
            "--ue-net matches no end of {}, so other signs had to tell which end is the phone; \
             compare it with the addresses that airmile flows lists",
            of_flows(neither, flows)
        )
    })
}

/// A note on flows whose phone was guessed (methods A2), if they are not few.
fn phones(guesses: Guesses, flows: u64) -> Option<String> {
    let guessed = guesses.all();
    are_many(guessed, flows).then(|| {
        format!(
            "which end is the phone is a guess for {}, because neither addresses nor a SYN nor a \
             well-known port show it: taken for the phone is {}; if that is wrong, name the phones \
             with --ue-net",
            of_flows(guessed, flows),
            signs(guesses)
        )
    })
}

/// What the guesses rest on, with the number of flows where there are several signs.
fn signs(guesses: Guesses) -> String {
    let all = [
        (guesses.client_port, "the end with a port that systems give to clients (32768 or above)"),
        (guesses.received, "the end that received more"),
        (guesses.phone_before, "the end that is the phone of another connection"),
        (guesses.first_packet, "the end that the first packet suggests"),
        (
            guesses.higher_port,
            "the end with the higher port, or the first sender if both are equal",
        ),
    ];
    let found: Vec<_> = all.into_iter().filter(|&(flows, _)| flows > 0).collect();
    match found.as_slice() {
        [(_, sign)] => (*sign).to_owned(),
        several => {
            let each = several.iter().map(|(flows, sign)| format!("{sign} ({flows})"));
            each.collect::<Vec<_>>().join(", or ")
        }
    }
}

/// How many of all flows; "1 of 1 flow".
fn of_flows(some: u64, flows: u64) -> String {
    format!("{some} of {flows} flow{}", if flows == 1 { "" } else { "s" })
}
