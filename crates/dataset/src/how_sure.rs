//! Answers how sure a verdict is, for sums that were added up outside of the engine.

use std::collections::BTreeMap;

use airmile_types::{Cause, Second};
use airmile_verdict::{NamedTime, how_sure};
use serde::Serialize;

/// How sure a verdict is (methods T9).
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct HowSureAnswer {
    /// The word for it: sure, likely, open.
    pub certainty: &'static str,
    /// The other causes that are possible, the most likely first.
    pub second: Vec<&'static str>,
    /// Whether the access link was the bottleneck; null when this capture cannot tell.
    pub link_is_bottleneck: Option<bool>,
}

/// Says how sure a verdict is, from the time in ns of slices by their causes: `named_ns` of a
/// manifest. Nothing is known of the time of a key that names no cause.
pub fn how_sure_of(named_ns: &BTreeMap<String, u64>) -> Option<HowSureAnswer> {
    let times: Vec<NamedTime> = named_ns.iter().map(|(key, ns)| time_of(key, *ns)).collect();
    let found = how_sure(&times)?;
    Some(HowSureAnswer {
        certainty: found.certainty.as_str(),
        second: found.second.iter().map(|cause| cause.as_str()).collect(),
        link_is_bottleneck: found.link_is_bottleneck,
    })
}

fn time_of(key: &str, ns: u64) -> NamedTime {
    named(key, ns).unwrap_or((Cause::Undetermined, None, ns.into()))
}

fn named(key: &str, ns: u64) -> Option<NamedTime> {
    let (cause, others) = key.split_once(',').map_or((key, None), |(a, b)| (a, Some(b)));
    let cause = *Cause::ALL.iter().find(|known| known.as_str() == cause)?;
    let second = match others {
        Some(text) => Some(*Second::ALL.iter().find(|known| known.as_str() == text)?),
        None => None,
    };
    Some((cause, second, ns.into()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn keys_are_causes_with_their_other_possible_causes() {
        let times = |pairs: &[(&str, u64)]| {
            pairs.iter().map(|(key, ns)| ((*key).to_owned(), *ns)).collect::<BTreeMap<_, _>>()
        };
        let answer =
            how_sure_of(&times(&[("lte_downlink,upstream_path", 7), ("idle", 1)])).unwrap();
        assert_eq!((answer.certainty, answer.second), ("likely", vec!["upstream_path"]));
        let odd = how_sure_of(&times(&[("undetermined,made_up", 90), ("sender_app", 10)])).unwrap();
        assert_eq!((odd.certainty, odd.link_is_bottleneck), ("open", None));
        assert_eq!(how_sure_of(&times(&[])), None);
    }
}
