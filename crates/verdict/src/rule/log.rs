//! Judges a modem log without a capture (methods G3).
//!
//! A log shows when the queue before the downlink held data, but not what else may limit a
//! transfer. So it can show that the link was the bottleneck, or that it was not, and it names no
//! other cause. The first line that applies decides:
//!
//! | # | when | the link | cause |
//! |---|---|---|---|
//! | 1 | the phone received nothing | open | `undetermined` |
//! | 2 | it received almost nothing beside what it sent: acknowledgements | open | `undetermined` |
//! | 3 | link demand is unknown | open | `undetermined` |
//! | 4 | the log explains less than 90 % of the acknowledged bytes: another radio carried the rest | open | `undetermined` |
//! | 5 | the estimate is the burst rule's, and its assumption fails on this trace or could not be tested | open | `undetermined` |
//! | 6 | even the least demand that the log allows is `verdict.majority_ratio` of the time | the bottleneck | `lte_downlink` |
//! | 7 | even the most is below it | not the bottleneck | `undetermined` |
//! | 8 | otherwise | open | `undetermined` |
//!
//! The uplink is judged separately ([`judge_uplink`]), by the time in which data waited in the
//! phone ([`airmile_radio::uplink_queue`]): a filled grant leaves data behind in the phone, and a
//! grant with padding took all data.
//!
//! | # | when | the uplink | cause |
//! |---|---|---|---|
//! | 1 | the phone sent nothing | open | `undetermined` |
//! | 2 | the padding of grants is not known | open | `undetermined` |
//! | 3 | even the least time with data waiting is `verdict.majority_ratio` of the time of sending | the bottleneck | `lte_uplink` |
//! | 4 | even the most is below it | not the bottleneck | `undetermined` |
//! | 5 | otherwise | open | `undetermined` |
//!
//! While a log is still being written (`airmile live`), the assumption of the burst rule cannot be
//! tested yet. The estimate is then used without the test: a player needs to know what to fetch
//! next, not what is proved.

use airmile_radio::{LEAST_EXPLAINED, Trust};
use airmile_types::{Cause, Parameters};

use super::log_evidence::{DemandSource, LogEvidence, UplinkEvidence};

/// The verdict of a modem log without a capture.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LogVerdict {
    /// `lte_downlink`, `lte_uplink` or `undetermined`: a log shows no other cause.
    pub cause: Cause,
    /// Whether the link was the bottleneck; `None` when the evidence does not decide.
    pub link_is_bottleneck: Option<bool>,
    /// Why the evidence does not decide.
    pub reason: Option<String>,
}

/// Judges whether the downlink was the bottleneck, from a modem log alone.
pub fn judge_log(e: &LogEvidence<'_>, p: &Parameters) -> LogVerdict {
    // NaN means that the time is unknown.
    if e.receiving_s.is_nan() || e.receiving_s <= 0.0 {
        return open("the log holds no allocation of the downlink");
    }
    if e.volumes.is_some_and(|volumes| volumes.is_acknowledged_upload()) {
        return open("the phone received almost nothing beside what it sent: acknowledgements");
    }
    let Some((low, high)) = e.demand.filter(|(low, high)| low <= high) else {
        return open(e.doubt.unwrap_or("link demand is unknown"));
    };
    if let Some(ratio) = e.explained_ratio.filter(|ratio| *ratio < LEAST_EXPLAINED) {
        return open(&format!(
            "the log explains only {:.0} % of the acknowledged bytes: another radio carried the rest",
            ratio * 100.0
        ));
    }
    if let Some(doubt) = doubt(e) {
        return open(&doubt);
    }
    by_majority(Cause::LteDownlink, (low, high), p).unwrap_or_else(|| {
        open("the allocations alone do not distinguish an empty queue from a waiting one here")
    })
}

/// Judges whether the uplink was the bottleneck, from a modem log alone.
pub fn judge_uplink(e: &UplinkEvidence, p: &Parameters) -> LogVerdict {
    if e.sending_s.is_nan() || e.sending_s <= 0.0 {
        return open("the log holds no grant of the uplink");
    }
    let Some(share) = e.backlog() else {
        return open("the log does not show how much of its grants the phone filled");
    };
    by_majority(Cause::LteUplink, share, p)
        .unwrap_or_else(|| open("too few of its grants show whether data stayed behind"))
}

/// The verdict for a share, when its whole range (`low` to `high`) lies on one side of the
/// threshold; otherwise `None`.
fn by_majority(cause: Cause, (low, high): (f64, f64), p: &Parameters) -> Option<LogVerdict> {
    let decided = |cause, link_is_bottleneck| LogVerdict {
        cause,
        link_is_bottleneck: Some(link_is_bottleneck),
        reason: None,
    };
    if low >= p.majority_ratio {
        return Some(decided(cause, true));
    }
    (high < p.majority_ratio).then(|| decided(Cause::Undetermined, false))
}

/// The reason why the estimate of the burst rule is not trusted; `None` when it is.
fn doubt(e: &LogEvidence<'_>) -> Option<String> {
    let DemandSource::BurstRule(trust) = e.source else {
        return None;
    };
    let fault = match trust {
        _ if e.doubt.is_some() => {
            return e.doubt.map(|doubt| doubt.trim_end_matches('.').to_owned());
        }
        Trust::Holds => return None,
        Trust::DoesNotHold => "does not hold here",
        Trust::Unknown => "could not be tested",
    };
    Some(format!("the burst rule alone does not show it: its assumption {fault}"))
}

fn open(reason: &str) -> LogVerdict {
    LogVerdict {
        cause: Cause::Undetermined,
        link_is_bottleneck: None,
        reason: Some(reason.to_owned()),
    }
}

#[cfg(test)]
mod tests {
    use super::super::log_evidence::Volumes;
    use super::*;

    const BUSY: LogEvidence<'static> = LogEvidence {
        source: DemandSource::QueueEstimate,
        receiving_s: 10.0,
        demand: Some((0.6, 0.9)),
        explained_ratio: None,
        volumes: None,
        doubt: None,
    };

    /// An upload for which the phone received only acknowledgements.
    const UPLOAD: Volumes =
        Volumes { received_bytes: 50e3, received_ms: 605.0, sent_bytes: 1_800e3 };

    fn judged(e: LogEvidence<'_>) -> (Cause, Option<bool>) {
        let verdict = judge_log(&e, &Parameters::default());
        assert_eq!(verdict.reason.is_none(), verdict.link_is_bottleneck.is_some());
        (verdict.cause, verdict.link_is_bottleneck)
    }

    fn reason(e: LogEvidence<'_>) -> String {
        judge_log(&e, &Parameters::default()).reason.unwrap_or_default()
    }

    #[test]
    fn the_whole_range_of_demand_decides() {
        assert_eq!(judged(BUSY), (Cause::LteDownlink, Some(true)));
        let idle = LogEvidence { demand: Some((0.1, 0.49)), ..BUSY };
        assert_eq!(judged(idle), (Cause::Undetermined, Some(false)));
        let wide = LogEvidence { demand: Some((0.49, 0.5)), ..BUSY };
        assert_eq!(judged(wide), (Cause::Undetermined, None));
        let least = LogEvidence { demand: Some((0.5, 0.5)), ..BUSY };
        assert_eq!(judged(least), (Cause::LteDownlink, Some(true)));
    }

    #[test]
    fn without_evidence_it_stays_open_with_a_reason() {
        assert!(reason(LogEvidence { receiving_s: 0.0, ..BUSY }).contains("no allocation"));
        assert!(reason(LogEvidence { receiving_s: f64::NAN, ..BUSY }).contains("no allocation"));
        assert!(reason(LogEvidence { demand: None, ..BUSY }).contains("unknown"));
        let nan = LogEvidence { demand: Some((f64::NAN, 1.0)), ..BUSY };
        assert_eq!(judged(nan), (Cause::Undetermined, None));
        let why = LogEvidence { demand: None, doubt: Some("no padding"), ..BUSY };
        assert_eq!(reason(why), "no padding");
    }

    #[test]
    fn acknowledgements_of_an_upload_say_nothing_of_the_downlink() {
        for demand in [BUSY.demand, Some((0.01, 0.91)), None] {
            let upload = LogEvidence { volumes: Some(UPLOAD), demand, ..BUSY };
            assert!(reason(upload).contains("almost nothing"), "{demand:?}");
        }
        // The phone received a tenth of what it sent, with whole packets in each block: this is a
        // transfer of its own.
        for volumes in [
            Volumes { received_bytes: 180e3, ..UPLOAD },
            Volumes { received_bytes: 150e3, received_ms: 150.0, ..UPLOAD },
            Volumes { sent_bytes: 0.0, ..UPLOAD },
            Volumes { sent_bytes: f64::NAN, ..UPLOAD },
        ] {
            let both = LogEvidence { volumes: Some(volumes), ..BUSY };
            assert_eq!(judged(both), (Cause::LteDownlink, Some(true)), "{volumes:?}");
        }
    }

    #[test]
    fn the_uplink_is_judged_by_the_time_in_which_data_waited() {
        let judged = |sending_s, backlogged_s, known_s| {
            let e = UplinkEvidence { sending_s, backlogged_s, known_s };
            judge_uplink(&e, &Parameters::default())
        };
        let summary = |verdict: LogVerdict| (verdict.cause, verdict.link_is_bottleneck);
        assert_eq!(summary(judged(10.0, 9.8, 10.0)), (Cause::LteUplink, Some(true)));
        assert_eq!(summary(judged(10.0, 3.2, 10.0)), (Cause::Undetermined, Some(false)));
        assert_eq!(summary(judged(10.0, 5.0, 10.0)), (Cause::LteUplink, Some(true)));
        // For six seconds nothing is known, so that both answers are possible.
        assert!(judged(10.0, 3.0, 4.0).reason.is_some_and(|why| why.contains("too few")));
        assert_eq!(summary(judged(10.0, 0.5, 6.0)), (Cause::Undetermined, Some(false)));
        assert!(judged(0.0, 0.0, 0.0).reason.is_some_and(|why| why.contains("no grant")));
        assert!(judged(9.0, 0.0, 0.0).reason.is_some_and(|why| why.contains("does not show")));
        assert!(judged(f64::NAN, 1.0, 1.0).reason.is_some());
        assert!(judged(1.0, f64::NAN, 1.0).reason.is_some());
    }

    #[test]
    fn another_radio_that_carried_bytes_leaves_it_open() {
        let other = LogEvidence { explained_ratio: Some(0.89), ..BUSY };
        assert!(reason(other).contains("only 89 %"));
        let whole = LogEvidence { explained_ratio: Some(0.9), ..BUSY };
        assert_eq!(judged(whole), (Cause::LteDownlink, Some(true)));
    }

    #[test]
    fn the_burst_rule_decides_only_where_its_assumption_holds() {
        let rule = |trust| LogEvidence { source: DemandSource::BurstRule(trust), ..BUSY };
        assert_eq!(judged(rule(Trust::Holds)), (Cause::LteDownlink, Some(true)));
        assert!(reason(rule(Trust::DoesNotHold)).contains("does not hold"));
        assert!(reason(rule(Trust::Unknown)).contains("could not be tested"));
        let doubted = LogEvidence { doubt: Some("too short."), ..rule(Trust::Holds) };
        assert_eq!(reason(doubted), "too short");
        // The queue estimate is used although it reports doubts.
        assert_eq!(judged(LogEvidence { doubt: Some("x"), ..BUSY }).1, Some(true));
    }

    #[test]
    fn as_it_goes_the_rule_is_taken_as_it_is() {
        let live = LogEvidence { source: DemandSource::Live, ..BUSY };
        assert_eq!(judged(live), (Cause::LteDownlink, Some(true)));
    }
}
