//! Defines the manifest's entry for one user of the modem logs.

use std::collections::BTreeMap;

use airmile_radio::{Burst, ClockFit, Joined, QueueTimes, TimeSpan, UserLog, mac_throughput_bps};
use serde::Serialize;

use crate::manifest::assumption::AssumptionReport;
use crate::manifest::log_report::PrbTotal;
use crate::manifest::uplink_report::UplinkReport;

/// The totals of one user's downlink allocations.
#[derive(Clone, Debug, Serialize)]
pub struct UserReport {
    /// The subscription of the phone, or its RNTI if a sniffer saw all users of a cell.
    pub user: u32,
    /// The cell bandwidths in PRBs that were used, each with its source.
    pub prb_totals: Vec<PrbTotal>,
    /// The phone in the capture that the log belongs to; null without a capture.
    pub ue: Option<String>,
    /// How the modem's clock relates to the capture's clock; null without a capture.
    pub aligned: Option<Alignment>,
    /// Why the clocks could not be related, if a capture was given.
    pub not_aligned: Option<String>,
    /// Whether the burst rule can be trusted on these allocations.
    pub assumption: AssumptionReport,
    /// The time from the first scheduled millisecond of each epoch to the last one, in seconds.
    pub span_s: f64,
    /// The time of all scheduled milliseconds, in seconds; the baseline of BT19.
    pub active_time_s: f64,
    /// The time of the ACTIVE and CONTENTION milliseconds of the burst rule, in seconds.
    pub throughput_time_s: f64,
    /// The number of scheduled milliseconds outside of bursts.
    pub unclassified_ms: u64,
    /// The decoded bytes divided by the Throughput Time in which they came (methods G3).
    pub mac_throughput_bps: Option<f64>,
    /// The share of the span in which the queue was not empty, by estimator; `low` and `high` are
    /// the ends of the range of `joint`.
    pub link_demand: BTreeMap<&'static str, f64>,
    /// Why there is no queue estimate (`joint`).
    pub reason: Option<String>,
    /// The totals of the user's uplink grants; null without a grant.
    pub uplink: Option<UplinkReport>,
}

/// How the modem's clock relates to the capture's clock (methods G9).
#[derive(Clone, Debug, Serialize)]
pub struct Alignment {
    /// The capture's clock minus the modem's clock in the middle of the log, in milliseconds.
    pub offset_ms: f64,
    /// How much faster the capture's clock runs, in parts per million; null when the common time is
    /// too short.
    pub drift_ppm: Option<f64>,
    /// The largest error of a time in milliseconds: the distance from the offset to the farther end
    /// of the possible range.
    pub uncertainty_ms: f64,
    /// The bytes of the log divided by the captured bytes that were acknowledged (for datagrams:
    /// that passed); null when there were none.
    pub explained_ratio: Option<f64>,
}

impl UserReport {
    pub(crate) fn new(user: &UserLog, joined: &Joined, prb_totals: Vec<PrbTotal>) -> Self {
        let span_s = user.spans().iter().map(|(from, to)| (*to - *from).as_secs_f64()).sum();
        let busy_ms: u64 = user.bursts.iter().map(Burst::throughput_time_ms).sum();
        let throughput_time_s = busy_ms as f64 / 1e3;
        Self {
            user: user.user.0,
            prb_totals,
            ue: joined.phone.as_ref().map(|(address, _)| address.to_string()),
            aligned: joined.phone.as_ref().map(|(_, fit)| Alignment::of(fit, user)),
            not_aligned: joined.not_aligned.clone(),
            assumption: AssumptionReport::new(user),
            span_s,
            active_time_s: user.milliseconds.len() as f64 / 1e3,
            throughput_time_s,
            unclassified_ms: user.unclassified_ms,
            mac_throughput_bps: throughput(user),
            link_demand: demands(user, joined, throughput_time_s, span_s),
            reason: joined.undetermined.clone(),
            uplink: None,
        }
    }
}

fn throughput(user: &UserLog) -> Option<f64> {
    let spans = user.spans();
    let (from, until) = (spans.first()?.0, spans.last()?.1);
    mac_throughput_bps(&user.milliseconds, &user.bursts, TimeSpan { from, until })
}

fn demands(
    user: &UserLog,
    joined: &Joined,
    throughput_time_s: f64,
    span_s: f64,
) -> BTreeMap<&'static str, f64> {
    let by_rule = QueueTimes::certain(throughput_time_s, span_s).link_demand();
    let mut demands: BTreeMap<_, _> =
        by_rule.map(|demand| ("bursttracker", demand.ratio)).into_iter().collect();
    let Some(timeline) = joined.timeline.as_ref() else { return demands };
    let spans = user.spans().into_iter();
    let times = spans.map(|(from, to)| timeline.times(joined.time(from), joined.time(to)));
    if let Some(demand) = times.reduce(QueueTimes::plus).and_then(QueueTimes::link_demand) {
        demands.extend([("joint", demand.ratio), ("low", demand.low), ("high", demand.high)]);
    }
    demands
}

impl Alignment {
    fn of(fit: &ClockFit, user: &UserLog) -> Self {
        let middle = user.logged().map(|(from, until)| from + (until - from).over(2));
        let offset = middle.map_or(0.0, |middle| (fit.to_capture(middle) - middle).as_millis_f64());
        Self {
            offset_ms: offset,
            drift_ppm: fit.drift_ppm,
            uncertainty_ms: fit.uncertainty.as_millis_f64(),
            explained_ratio: fit.explained_ratio,
        }
    }
}
