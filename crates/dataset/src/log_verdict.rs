//! The rule for a modem's log alone, for those who add its tables up.

use airmile_analyze::{DemandSource, LogEvidence, Parameters, Trust, judge_log};
use serde::{Deserialize, Serialize};

/// What a modem's log says of one user.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct LogQuestion {
    /// What estimated the demand: joint, bursttracker, online, or live while the log goes on.
    pub estimator: Option<String>,
    /// For how long the phone received, in seconds.
    pub receiving_s: f64,
    /// Least share of that time with a queue before the downlink; null: unknown.
    pub low_ratio: Option<f64>,
    /// The greatest.
    pub high_ratio: Option<f64>,
    /// Share of the captured bytes that the log explains; null without a capture.
    pub explained_ratio: Option<f64>,
    /// What the trace says of the burst rule's assumption: holds, does_not_hold, unknown.
    pub assumption: Option<String>,
    /// Why the estimator gave none, or doubts itself.
    pub doubt: Option<String>,
}

/// Whether the downlink was the bottleneck.
#[derive(Debug, Serialize)]
pub struct LogAnswer {
    /// `lte_downlink`, or `undetermined`.
    pub cause: &'static str,
    /// Null: the evidence does not decide.
    pub link_is_bottleneck: Option<bool>,
    /// Why it does not.
    pub reason: Option<String>,
}

/// Asks the rule, with the thresholds by default.
pub fn judge_question(question: &LogQuestion) -> LogAnswer {
    let evidence = LogEvidence {
        source: question.source(),
        receiving_s: question.receiving_s,
        demand: question.low_ratio.zip(question.high_ratio),
        explained_ratio: question.explained_ratio,
        doubt: question.doubt.as_deref(),
    };
    let verdict = judge_log(&evidence, &Parameters::default());
    LogAnswer {
        cause: verdict.cause.as_str(),
        link_is_bottleneck: verdict.link_is_bottleneck,
        reason: verdict.reason,
    }
}

impl LogQuestion {
    fn source(&self) -> DemandSource {
        let trust = self.assumption.as_deref().and_then(Trust::named);
        match self.estimator.as_deref() {
            Some("joint") => DemandSource::Joint,
            Some("live") => DemandSource::Live,
            _ => DemandSource::BurstRule(trust.unwrap_or(Trust::Unknown)),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn answer(text: &str) -> LogAnswer {
        judge_question(&serde_json::from_str(text).unwrap())
    }

    #[test]
    fn the_estimator_decides_whether_the_assumption_counts() {
        let busy = r#""receiving_s":9,"low_ratio":0.8,"high_ratio":0.9"#;
        assert_eq!(answer(&format!(r#"{{{busy},"estimator":"joint"}}"#)).cause, "lte_downlink");
        assert_eq!(answer(&format!(r#"{{{busy},"estimator":"live"}}"#)).cause, "lte_downlink");
        for assumption in ["", r#","assumption":"does_not_hold""#, r#","assumption":"made up""#] {
            let text = format!(r#"{{{busy},"estimator":"bursttracker"{assumption}}}"#);
            assert_eq!(answer(&text).link_is_bottleneck, None);
        }
        let held = format!(r#"{{{busy},"estimator":"online","assumption":"holds"}}"#);
        assert_eq!(answer(&held).link_is_bottleneck, Some(true));
    }

    #[test]
    fn one_end_of_the_range_is_no_range() {
        let open = answer(r#"{"receiving_s":9,"low_ratio":0.8,"estimator":"joint"}"#);
        assert_eq!(open.reason.as_deref(), Some("link demand is unknown"));
    }
}
