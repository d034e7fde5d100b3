//! Decides whether the dataset of a run takes its place, or stands beside it as a partial one.
//!
//! A run that was interrupted never takes the place. A run that was not takes it, but never gives
//! less for more: not if it found nothing where an older dataset has something, and not if an input
//! of which a part failed gave the older dataset more.

use std::collections::BTreeMap;
use std::ffi::OsStr;
use std::path::Path;

use serde_json::{Map, Value};

/// Where the dataset of a run goes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Outcome {
    /// It takes the place, also that of an older dataset.
    Whole,
    /// It goes beside the place.
    Partial,
    /// It goes nowhere, for this reason: it is empty, and an older dataset is not.
    Nothing(String),
}

/// Decides by the manifest of the run and that of the dataset that is in the place.
pub(crate) fn outcome(new: &Value, old: Option<&Value>) -> Outcome {
    if new.get("interrupted") == Some(&Value::Bool(true)) {
        return Outcome::Partial;
    }
    let Some(old) = old else { return Outcome::Whole };
    let (found, had) = (records(new, |_| true), records(old, |_| true));
    if sum(&found) == 0 && sum(&had) > 0 {
        let reason = new.pointer("/reasons/0").and_then(Value::as_str);
        return Outcome::Nothing(reason.unwrap_or("nothing readable").to_owned());
    }
    if gave_more(new, &found, &had) { Outcome::Partial } else { Outcome::Whole }
}

/// Whether an input that failed, at least in part, gave the older dataset more. The numbers of
/// records are compared, and not the bytes: a damaged record may be long.
fn gave_more(new: &Value, found: &Records, had: &Records) -> bool {
    let failed = records(new, |entry| entry.get("status").is_none_or(|status| status != "ok"));
    let less = |name, records| earlier(name, found, had).any(|before| before > records);
    let unlisted = new.get("unlisted_inputs").and_then(Value::as_u64).is_some_and(|n| n > 0);
    failed.into_iter().any(|(name, records)| less(name, records))
        || (unlisted && had.iter().any(|(name, records)| *records > 0 && !is_in(name, had, found)))
}

/// What an input gave the older dataset. The run may have named its file from another folder, so
/// that all inputs of its file's name count that the run does not name in full.
fn earlier<'a>(name: &'a str, found: &'a Records, had: &'a Records) -> impl Iterator<Item = u64> {
    let named = had.get(name).copied();
    let others = had.iter().filter(move |(other, _)| {
        named.is_none() && !found.contains_key(*other) && file_name(other) == file_name(name)
    });
    named.into_iter().chain(others.map(|(_, records)| *records))
}

/// Whether the run lists this input of the older dataset, perhaps from another folder. One that it
/// does not list may have failed, if it does not list all.
fn is_in(name: &str, had: &Records, found: &Records) -> bool {
    let moved = |other: &str| !had.contains_key(other) && file_name(other) == file_name(name);
    found.contains_key(name) || found.keys().any(|other| moved(other))
}

fn file_name(name: &str) -> Option<&OsStr> {
    Path::new(name).file_name()
}

/// Whether a manifest says that its dataset lacks something: the run was interrupted, or a part of
/// the input failed.
pub(crate) fn lacks_something(manifest: &Value) -> bool {
    manifest.get("interrupted") == Some(&Value::Bool(true))
        || manifest.get("status").is_some_and(|status| status == "partial")
}

/// The number of packets, or of messages of a modem, by the name of the input.
type Records<'a> = BTreeMap<&'a str, u64>;

/// The records that each chosen input gave.
fn records(manifest: &Value, chosen: impl Fn(&Map<String, Value>) -> bool) -> Records<'_> {
    let list = |key| manifest.get(key).and_then(Value::as_array).into_iter().flatten();
    let mut records = Records::new();
    for input in list("inputs").chain(list("modem")).filter_map(Value::as_object) {
        if chosen(input) {
            let name = input.get("name").and_then(Value::as_str).unwrap_or_default();
            *records.entry(name).or_default() += records_of(input);
        }
    }
    records
}

fn records_of(input: &Map<String, Value>) -> u64 {
    let packets = input.get("counts").and_then(|counts| counts.get("packets"));
    let understood = input.get("understood").and_then(Value::as_object);
    let messages = understood.into_iter().flat_map(Map::values);
    packets.into_iter().chain(messages).filter_map(Value::as_u64).sum()
}

fn sum(records: &Records) -> u64 {
    records.values().sum()
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn of(interrupted: bool, inputs: &[(&str, &str, u64)]) -> Value {
        let input = |(name, status, packets): &(&str, &str, u64)| json!({"name": name, "status": status, "counts": {"packets": packets}});
        let inputs: Vec<Value> = inputs.iter().map(input).collect();
        json!({"interrupted": interrupted, "inputs": inputs, "reasons": ["why"]})
    }

    #[test]
    fn an_interrupted_run_is_partial_whatever_is_there() {
        let cut = of(true, &[("x.pcap", "ok", 9)]);
        assert_eq!(outcome(&cut, None), Outcome::Partial);
        assert_eq!(outcome(&cut, Some(&of(true, &[("x.pcap", "ok", 1)]))), Outcome::Partial);
    }

    #[test]
    fn what_read_all_takes_the_place_even_with_fewer_packets() {
        let old = of(false, &[("x.pcap", "ok", 9), ("y.pcap", "ok", 9)]);
        assert_eq!(outcome(&of(false, &[("x.pcap", "ok", 1)]), Some(&old)), Outcome::Whole);
    }

    #[test]
    fn a_failed_input_that_gave_more_before_gives_way() {
        let old = of(false, &[("a/x.pcap", "ok", 9), ("y.pcap", "partial", 4)]);
        for (inputs, expected) in [
            (("x.pcap", "partial", 8), Outcome::Partial),
            (("b/x.pcap", "failed", 0), Outcome::Nothing("why".to_owned())),
            (("x.pcap", "partial", 9), Outcome::Whole),
            (("y.pcap", "partial", 4), Outcome::Whole),
            (("y.pcap", "partial", 3), Outcome::Partial),
            (("z.pcap", "partial", 1), Outcome::Whole),
        ] {
            assert_eq!(outcome(&of(false, &[inputs]), Some(&old)), expected, "{inputs:?}");
            assert_eq!(outcome(&of(false, &[inputs]), None), Outcome::Whole);
        }
    }

    #[test]
    fn files_of_one_name_in_two_folders_are_two_inputs() {
        let old = of(false, &[("a/x.pcap", "ok", 50), ("b/x.pcap", "ok", 60)]);
        for (inputs, expected) in [
            ([("a/x.pcap", "ok", 200), ("b/x.pcap", "failed", 0)], Outcome::Partial),
            ([("a/x.pcap", "partial", 50), ("b/x.pcap", "ok", 1)], Outcome::Whole),
            // Which of the two failed is unknown.
            ([("/c/x.pcap", "ok", 200), ("/d/x.pcap", "partial", 55)], Outcome::Partial),
            ([("/c/x.pcap", "ok", 200), ("/d/x.pcap", "partial", 60)], Outcome::Whole),
            ([("b/x.pcap", "ok", 1), ("c/x.pcap", "partial", 50)], Outcome::Whole),
        ] {
            assert_eq!(outcome(&of(false, &inputs), Some(&old)), expected, "{inputs:?}");
        }
    }

    #[test]
    fn an_input_that_is_not_listed_may_have_failed() {
        let old = of(false, &[("a/x.pcap", "ok", 5), ("a/junk", "skipped", 0)]);
        for (listed, unlisted, expected) in [
            ("y.pcap", 1, Outcome::Partial),
            ("y.pcap", 0, Outcome::Whole),
            ("b/x.pcap", 1, Outcome::Whole),
        ] {
            let mut new = of(false, &[(listed, "ok", 9)]);
            new["unlisted_inputs"] = json!(unlisted);
            assert_eq!(outcome(&new, Some(&old)), expected, "{listed} {unlisted}");
        }
    }

    #[test]
    fn a_log_counts_by_its_messages() {
        let log = |status, messages| json!({"modem": [{"name": "m.qmdl", "status": status, "understood": {"a": messages, "b": 1}}]});
        assert_eq!(outcome(&log("partial", 4), Some(&log("ok", 5))), Outcome::Partial);
        assert_eq!(outcome(&log("partial", 5), Some(&log("ok", 5))), Outcome::Whole);
    }

    #[test]
    fn an_empty_dataset_replaces_only_an_empty_one() {
        let empty = of(false, &[("x.pcap", "ok", 0)]);
        let old = of(false, &[("y.pcap", "ok", 1)]);
        assert_eq!(outcome(&empty, Some(&old)), Outcome::Nothing("why".to_owned()));
        assert_eq!(outcome(&empty, Some(&empty)), Outcome::Whole);
        assert_eq!(outcome(&empty, Some(&json!({}))), Outcome::Whole);
    }
}
