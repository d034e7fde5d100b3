//! Defines the columns of the analysis in `flows`, and its table of samples.

use airmile_types::{Direction, EventTable, Instant, columns};

columns! {
    /// Bandwidth of the radio link, and how much of it the flow used.
    #[derive(Default)]
    pub struct BandwidthRow {
        /// Mean bandwidth of the downlink over windows of `bandwidth.utilisation_window_ms`. Each
        /// window counts with the sample nearest its centre, by the estimator that
        /// `bandwidth_source` names. Null without a sample, and at the UE.
        #[unit("bps")] #[cite("E2, E4")] pub bandwidth_bps: Option<f64>,
        /// Number of samples by the estimator in `bandwidth_source`; null at the UE and for
        /// protocols other than TCP.
        #[unit("samples")] #[cite("E2")] pub bandwidth_samples: Option<u32>,
        /// Estimator of the bandwidth: `queue_evident`, or `c_rule` when `bandwidth.use_c_rule` is
        /// 1; null without a sample.
        #[unit("")] #[cite("E2")] pub bandwidth_source: Option<&'static str>,
        /// Clock that measured the receive windows: `ue`, or `tap` (the capture point's) without
        /// usable timestamps.
        #[unit("")] #[cite("E2")] pub bandwidth_clock: Option<&'static str>,
        /// Share of the windows between first and last downlink payload that have a sample; null
        /// when there is no window.
        #[unit("ratio")] #[cite("E2, E4")] pub bandwidth_coverage_ratio: Option<f64>,
        /// Mean bandwidth of the downlink as in `bandwidth_bps`, but by LTE13's rule (`c_rule`);
        /// null without a sample.
        #[unit("bps")] #[cite("E2, LTE13 section 6.1")] pub bandwidth_c_rule_bps: Option<f64>,
        /// Share of the windows between first and last downlink payload that have a sample by
        /// LTE13's rule (`c_rule`).
        #[unit("ratio")] #[cite("E2, LTE13 section 6.1")] pub bandwidth_c_rule_coverage_ratio: Option<f64>,
        /// Highest rate at which the data of a window of `bandwidth.min_ticks` was sent. If C
        /// (`bandwidth.min_send_bps`) is larger, LTE13's rule has no sample of this flow.
        #[unit("bps")] #[cite("E2, LTE13 section 6.1")] pub send_max_bps: Option<f64>,
        /// Share of the downlink's capacity that the flow used during its transfer, pauses above 1
        /// s excluded: delivered bytes, divided by these plus the bytes that the idle link could
        /// have carried in addition. Null when `utilisation_reason` is set.
        #[unit("ratio")] #[cite("E4")] pub utilisation_ratio: Option<f64>,
        /// `utilisation_ratio` if no wait that a HARQ retransmission could explain counts as a
        /// queue; null with `utilisation_ratio`.
        #[unit("ratio")] #[cite("E4")] pub utilisation_low_ratio: Option<f64>,
        /// `utilisation_ratio` if every wait counts as a queue; null with `utilisation_ratio`.
        #[unit("ratio")] #[cite("E4")] pub utilisation_high_ratio: Option<f64>,
        /// Utilisation as LTE13 defines it: all payload divided by the time from first to last
        /// packet and by `bandwidth_bps`, which only the time with a queue shows. Null without a
        /// sample, and when the flow is not large or not alone.
        #[unit("ratio")] #[cite("E4, LTE13 section 6.3")] pub utilisation_paper_ratio: Option<f64>,
        /// Why `utilisation_ratio` is null: `not_tcp`, `vantage` (at the UE), `not_large` (T5),
        /// `shared` (another flow of the UE had downlink payload between the first and the last of
        /// this one), `unseen` (packets waited in less than `bandwidth.utilisation_seen_ratio` of
        /// the time), `uncertain` (the shares with and without waits that may be HARQ
        /// retransmissions differ by more than `bandwidth.utilisation_range_ratio`).
        #[unit("")] #[cite("E4")] pub utilisation_reason: Option<&'static str>,
        /// Mean bandwidth of the uplink, computed as `bandwidth_bps`; null without a sample.
        #[unit("bps")] #[cite("E3")] pub ul_bandwidth_bps: Option<f64>,
        /// Number of samples by the estimator in `ul_bandwidth_source`. Null for protocols other
        /// than TCP; also null without timestamps unless captured at the UE, because only
        /// timestamps show a queue before the capture point.
        #[unit("samples")] #[cite("E3")] pub ul_bandwidth_samples: Option<u32>,
        /// Estimator of the uplink's bandwidth, as in `bandwidth_source`.
        #[unit("")] #[cite("E3")] pub ul_bandwidth_source: Option<&'static str>,
        /// Share of the windows between first and last uplink payload that have a sample.
        #[unit("ratio")] #[cite("E3, E4")] pub ul_bandwidth_coverage_ratio: Option<f64>,
    }
}

columns! {
    /// One bandwidth sample (E2).
    pub struct BandwidthSampleRow {
        /// The flow that the sample belongs to.
        #[unit("")] #[cite("E2")] pub uid: u64,
        /// Direction of the data.
        #[unit("")] #[cite("E2")] pub direction: Direction,
        /// Middle of the time in which the link served the data: the middle between the window's
        /// two ACKs at the capture point, less their own lateness and less the least RTT behind the
        /// capture point.
        #[unit("ns")] #[cite("E2")] pub time_ns: Instant,
        /// How far the true time of service may be from `time_ns`: the least RTT, in which the link
        /// lies somewhere, plus the lateness of the ACKs; without timestamps also the queue, in
        /// which the ACKs may have waited.
        #[unit("ms")] #[cite("E2")] pub time_uncertainty_ms: f64,
        /// Length of the receive window.
        #[unit("s")] #[cite("E2")] pub span_s: f64,
        /// Payload delivered in the window divided by the part of the window in which the link was
        /// busy. This is R_rcv if the link was busy all the time.
        #[unit("bps")] #[cite("E2, LTE13 formula 2")] pub bandwidth_bps: f64,
        /// Payload delivered in the window divided by the time in which it passed the capture
        /// point: R_snd; null when that time is unknown or zero.
        #[unit("bps")] #[cite("E2, LTE13 formula 1")] pub send_bps: Option<f64>,
        /// Estimator: `queue_evident` or `c_rule`.
        #[unit("")] #[cite("E2")] pub source: &'static str,
        /// Clock of the window: `ue` (the receiver's timestamps) or `tap`.
        #[unit("")] #[cite("E2")] pub clock: &'static str,
        /// Number of the UE's flows whose payload the sample counts; the flow of `uid` gives the
        /// clock.
        #[unit("flows")] #[cite("E3")] pub flows: u32,
    }
}

impl EventTable for BandwidthSampleRow {
    const TABLE: &'static str = "bandwidth_samples";
    const DOC: &'static str = "One row per bandwidth sample of a flow: the rate at which the receiver took data while the link was busy.";
}
