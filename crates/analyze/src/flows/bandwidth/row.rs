//! The columns of the analysis in `flows`, and its table of samples.

use airmile_types::{Direction, EventTable, Instant, columns};

columns! {
    /// Bandwidth of the radio link, and how much of it the flow used.
    #[derive(Default)]
    pub struct BandwidthRow {
        /// Mean bandwidth of the downlink over windows of `bandwidth.utilisation_window_ms`, each with the sample nearest its centre, by the estimator that `bandwidth_source` names; null without a sample, and at the UE.
        #[unit("bps")] #[cite("E2, E4")] pub bandwidth_bps: Option<f64>,
        /// Samples of that estimator; null at the UE and for protocols other than TCP.
        #[unit("samples")] #[cite("E2")] pub bandwidth_samples: Option<u32>,
        /// The estimator: `queue_evident`, or `c_rule` when `bandwidth.use_c_rule` is 1; null
        /// without a sample.
        #[unit("")] #[cite("E2")] pub bandwidth_source: Option<&'static str>,
        /// The clock that measured its receive windows: `ue`, or `tap` without usable timestamps.
        #[unit("")] #[cite("E2")] pub bandwidth_clock: Option<&'static str>,
        /// Share of the windows from first to last downlink payload that have a sample; null where there is no window.
        #[unit("ratio")] #[cite("E2, E4")] pub bandwidth_coverage_ratio: Option<f64>,
        /// The same mean by the paper's rule; null without a sample.
        #[unit("bps")] #[cite("E2, LTE13 section 6.1")] pub bandwidth_c_rule_bps: Option<f64>,
        /// Share of the windows with a sample of the paper's rule.
        #[unit("ratio")] #[cite("E2, LTE13 section 6.1")] pub bandwidth_c_rule_coverage_ratio: Option<f64>,
        /// The fastest that a window of `bandwidth.min_ticks` was sent: with a larger C the paper's rule has no sample of this flow.
        #[unit("bps")] #[cite("E2, LTE13 section 6.1")] pub send_max_bps: Option<f64>,
        /// Share of the downlink's capacity that the flow used, over the time of its transfer without pauses above 1 s: what was delivered, of that and what the idle link could have carried beside it; null with `utilisation_reason`.
        #[unit("ratio")] #[cite("E4")] pub utilisation_ratio: Option<f64>,
        /// The same where every wait that a repetition (HARQ) could explain is none; null with `utilisation_ratio`.
        #[unit("ratio")] #[cite("E4")] pub utilisation_low_ratio: Option<f64>,
        /// The same where every wait is a queue.
        #[unit("ratio")] #[cite("E4")] pub utilisation_high_ratio: Option<f64>,
        /// The paper's: all payload over first to last packet, of `bandwidth_bps`, which only the time with a queue shows; null without a sample, and where the flow is not large or not alone.
        #[unit("ratio")] #[cite("E4, LTE13 section 6.3")] pub utilisation_paper_ratio: Option<f64>,
        /// Why `utilisation_ratio` is null: `not_tcp`, `vantage` (at the UE), `not_large` (T5), `shared` (another flow of the UE had downlink payload between the first and the last of this one), `unseen` (in less than `bandwidth.utilisation_seen_ratio` of the time anything waited), `uncertain` (with and without waits that may be repetitions it differs by more than `bandwidth.utilisation_range_ratio`).
        #[unit("")] #[cite("E4")] pub utilisation_reason: Option<&'static str>,
        /// Mean bandwidth of the uplink, as `bandwidth_bps`; null without a sample.
        #[unit("bps")] #[cite("E3")] pub ul_bandwidth_bps: Option<f64>,
        /// Samples of that estimator; null for protocols other than TCP, and away from the UE without timestamps, which alone show a queue before the capture point.
        #[unit("samples")] #[cite("E3")] pub ul_bandwidth_samples: Option<u32>,
        /// The estimator, as in `bandwidth_source`.
        #[unit("")] #[cite("E3")] pub ul_bandwidth_source: Option<&'static str>,
        /// Share of the windows from first to last uplink payload that have a sample.
        #[unit("ratio")] #[cite("E3, E4")] pub ul_bandwidth_coverage_ratio: Option<f64>,
    }
}

columns! {
    /// One bandwidth sample (E2).
    pub struct BandwidthSampleRow {
        /// The flow.
        #[unit("")] #[cite("E2")] pub uid: u64,
        /// Direction of the data.
        #[unit("")] #[cite("E2")] pub direction: Direction,
        /// Middle of its service by the link: of the window between its two ACKs at the capture point, less what these were late themselves, and less the least RTT behind the capture point.
        #[unit("ns")] #[cite("E2")] pub time_ns: Instant,
        /// How far the service may lie from it: the least RTT, in which the link lies somewhere, and what the ACKs were late; without timestamps the queue as well, which may have been theirs.
        #[unit("ms")] #[cite("E2")] pub time_uncertainty_ms: f64,
        /// Length of the receive window.
        #[unit("s")] #[cite("E2")] pub span_s: f64,
        /// Payload delivered in the window over the time of it in which the link was busy: R_rcv, where it always was.
        #[unit("bps")] #[cite("E2, LTE13 formula 2")] pub bandwidth_bps: f64,
        /// The same payload over the time in which it passed the capture point: R_snd; null when that is unknown or none.
        #[unit("bps")] #[cite("E2, LTE13 formula 1")] pub send_bps: Option<f64>,
        /// Estimator: `queue_evident` or `c_rule`.
        #[unit("")] #[cite("E2")] pub source: &'static str,
        /// Clock of the window: `ue` (the receiver's timestamps) or `tap`.
        #[unit("")] #[cite("E2")] pub clock: &'static str,
        /// Flows of the UE whose payload it counts; the one of `uid` is the clock.
        #[unit("flows")] #[cite("E3")] pub flows: u32,
    }
}

impl EventTable for BandwidthSampleRow {
    const TABLE: &'static str = "bandwidth_samples";
    const DOC: &'static str = "One row per bandwidth sample of a flow: the rate at which the receiver took data while the link was busy.";
}
