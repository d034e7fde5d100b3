//! Applies the rule for a modem log without a capture, for callers that add up the tables of the
//! log.

use airmile_radio::Trust;
use airmile_types::Parameters;
use airmile_verdict::{
    DemandSource, LogEvidence, UplinkEvidence, Volumes, judge_log, judge_uplink,
};
use serde::{Deserialize, Serialize};

/// What a modem log shows about one user.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct LogQuestion {
    /// The method that estimated the demand: joint, bursttracker, online, or live for a log that is
    /// still being written.
    pub estimator: Option<String>,
    /// The time for which the phone received, in seconds.
    pub receiving_s: f64,
    /// The least share of `receiving_s` in which there was a queue before the downlink; null when
    /// unknown.
    pub low_ratio: Option<f64>,
    /// The greatest share of `receiving_s` in which there was a queue before the downlink; null
    /// when unknown.
    pub high_ratio: Option<f64>,
    /// Share of the acknowledged bytes that the log explains; null without a capture.
    pub explained_ratio: Option<f64>,
    /// The result of testing the burst rule's assumption on the trace: holds, does_not_hold,
    /// unknown.
    pub assumption: Option<String>,
    /// Why the estimator gave no estimate, or doubts its own.
    pub doubt: Option<String>,
    /// The bytes in each direction; null when the log lacks one of them.
    #[serde(default)]
    pub volumes: Option<VolumesQuestion>,
    /// What the grants show about the uplink; null without grants.
    #[serde(default)]
    pub uplink: Option<UplinkQuestion>,
}

/// The bytes in each direction, without padding if the log reports the padding.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct VolumesQuestion {
    /// The bytes that the phone received.
    pub received_bytes: f64,
    /// The number of milliseconds with a block for the phone.
    pub received_ms: f64,
    /// The bytes that the phone sent.
    pub sent_bytes: f64,
}

/// What the grants show about the uplink, in seconds.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct UplinkQuestion {
    /// The time for which the phone sent, in seconds.
    pub sending_s: f64,
    /// The part of `sending_s` in which data waited in the phone, in seconds.
    pub backlogged_s: f64,
    /// The part of `sending_s` for which it is known whether data waited, in seconds.
    pub known_s: f64,
}

/// Whether the downlink was the bottleneck, as far as the log shows.
#[derive(Debug, Serialize)]
pub struct LogAnswer {
    /// `lte_downlink`, or `undetermined`.
    pub cause: &'static str,
    /// Whether the link was the bottleneck; null when the evidence does not decide.
    pub link_is_bottleneck: Option<bool>,
    /// Why the log does not answer the question.
    pub reason: Option<String>,
    /// Whether the phone received only acknowledgements of what it sent.
    pub received_little: bool,
    /// The answer for the uplink, from the grants; null without grants.
    pub uplink: Option<UplinkAnswer>,
}

/// Whether the uplink was the bottleneck, as far as the grants show.
#[derive(Debug, Serialize)]
pub struct UplinkAnswer {
    /// Whether the link was the bottleneck; null when the evidence does not decide.
    pub link_is_bottleneck: Option<bool>,
    /// Why the log does not answer the question.
    pub reason: Option<String>,
    /// The least share of the sending time in which data waited; null when unknown.
    pub low_ratio: Option<f64>,
    /// The greatest share of the sending time in which data waited; null when unknown.
    pub high_ratio: Option<f64>,
}

/// Judges from a modem log alone whether the link limited a user, with the default thresholds.
pub fn judge_question(question: &LogQuestion) -> LogAnswer {
    let evidence = LogEvidence {
        source: question.source(),
        receiving_s: question.receiving_s,
        demand: question.low_ratio.zip(question.high_ratio),
        explained_ratio: question.explained_ratio,
        volumes: question.volumes.as_ref().map(VolumesQuestion::volumes),
        doubt: question.doubt.as_deref(),
    };
    let verdict = judge_log(&evidence, &Parameters::default());
    LogAnswer {
        cause: verdict.cause.as_str(),
        link_is_bottleneck: verdict.link_is_bottleneck,
        reason: verdict.reason,
        received_little: evidence.volumes.is_some_and(|v| v.is_acknowledged_upload()),
        uplink: question.uplink.as_ref().map(UplinkQuestion::answer),
    }
}

impl VolumesQuestion {
    const fn volumes(&self) -> Volumes {
        let Self { received_bytes, received_ms, sent_bytes } = *self;
        Volumes { received_bytes, received_ms, sent_bytes }
    }
}

impl UplinkQuestion {
    fn answer(&self) -> UplinkAnswer {
        let Self { sending_s, backlogged_s, known_s } = *self;
        let evidence = UplinkEvidence { sending_s, backlogged_s, known_s };
        let verdict = judge_uplink(&evidence, &Parameters::default());
        let (low_ratio, high_ratio) = evidence.backlog().unzip();
        UplinkAnswer {
            link_is_bottleneck: verdict.link_is_bottleneck,
            reason: verdict.reason,
            low_ratio,
            high_ratio,
        }
    }
}

impl LogQuestion {
    fn source(&self) -> DemandSource {
        let trust = self.assumption.as_deref().and_then(Trust::named);
        match self.estimator.as_deref() {
            Some("joint") => DemandSource::QueueEstimate,
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
