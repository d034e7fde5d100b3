//! The rule for a modem's log on its own, without a capture (methods G3).
//!
//! A log shows when the queue before the downlink held data, and nothing of what else may limit a
//! transfer. So it says that the link was the bottleneck, or that it was not, and names no other
//! cause. The first line that holds decides:
//!
//! | # | when | the link | cause |
//! |---|---|---|---|
//! | 1 | the phone received nothing | open | `undetermined` |
//! | 2 | link demand is unknown | open | `undetermined` |
//! | 3 | the log explains less than 90 % of the captured bytes: another radio carried the rest | open | `undetermined` |
//! | 4 | the estimate is the burst rule's, and its assumption fails on this trace or could not be tested | open | `undetermined` |
//! | 5 | even the least demand that the log allows is `verdict.majority_ratio` of the time | the bottleneck | `lte_downlink` |
//! | 6 | even the most is below it | not the bottleneck | `undetermined` |
//! | 7 | otherwise | open | `undetermined` |
//!
//! As it goes (`airmile live`) the assumption of the burst rule cannot be tested yet, and its
//! estimate is taken as it is: a player asks what to fetch next, not what is proved.

use airmile_types::Cause;

use crate::{Parameters, Trust};

/// With fewer of the captured bytes another radio carries the rest (methods G3).
const LEAST_EXPLAINED: f64 = 0.9;

/// What estimated the link's demand.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum DemandSource {
    /// Allocations, gaps, padding and, where there is one, the capture together.
    Joint,
    /// The burst rule, with what the trace says of its assumption.
    BurstRule(Trust),
    /// The burst rule on a log that goes on.
    Live,
}

/// What the log of a modem says of one user.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct LogEvidence<'a> {
    /// What estimated the demand.
    pub source: DemandSource,
    /// For how long the phone received, in seconds.
    pub receiving_s: f64,
    /// Least and greatest share of that time with a queue; `None`: unknown.
    pub demand: Option<(f64, f64)>,
    /// Share of the captured bytes that the log explains; `None`: there was no capture.
    pub explained_ratio: Option<f64>,
    /// Why the estimator gave none, or doubts itself.
    pub doubt: Option<&'a str>,
}

/// What a log on its own decides.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LogVerdict {
    /// `lte_downlink`, or `undetermined`: a log tells no other cause.
    pub cause: Cause,
    /// Whether the link was the bottleneck; `None`: the evidence does not decide.
    pub link_is_bottleneck: Option<bool>,
    /// Why it does not.
    pub reason: Option<String>,
}

/// Says whether the downlink was the bottleneck, from a modem's log alone.
pub fn judge_log(e: &LogEvidence<'_>, p: &Parameters) -> LogVerdict {
    // Written so that NaN is no evidence.
    if !(e.receiving_s > 0.0) {
        return open("the log holds no allocation of the downlink");
    }
    let Some((low, high)) = e.demand.filter(|(low, high)| low <= high) else {
        return open(e.doubt.unwrap_or("link demand is unknown"));
    };
    if let Some(ratio) = e.explained_ratio.filter(|ratio| *ratio < LEAST_EXPLAINED) {
        return open(&format!(
            "the log explains only {:.0} % of the captured bytes: another radio carried the rest",
            ratio * 100.0
        ));
    }
    if let Some(doubt) = doubt(e) {
        return open(&doubt);
    }
    if low >= p.majority_ratio {
        return LogVerdict {
            cause: Cause::LteDownlink,
            link_is_bottleneck: Some(true),
            reason: None,
        };
    }
    if high < p.majority_ratio {
        return LogVerdict {
            cause: Cause::Undetermined,
            link_is_bottleneck: Some(false),
            reason: None,
        };
    }
    open("the allocations alone do not tell an empty queue from a waiting one here")
}

/// Why the burst rule's estimate is not trusted.
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
    Some(format!("the burst rule alone does not tell it: its assumption {fault}"))
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
    use super::*;

    const BUSY: LogEvidence<'static> = LogEvidence {
        source: DemandSource::Joint,
        receiving_s: 10.0,
        demand: Some((0.6, 0.9)),
        explained_ratio: None,
        doubt: None,
    };

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
        // The joint estimate tells its doubts, and holds all the same.
        assert_eq!(judged(LogEvidence { doubt: Some("x"), ..BUSY }).1, Some(true));
    }

    #[test]
    fn as_it_goes_the_rule_is_taken_as_it_is() {
        let live = LogEvidence { source: DemandSource::Live, ..BUSY };
        assert_eq!(judged(live), (Cause::LteDownlink, Some(true)));
    }
}
