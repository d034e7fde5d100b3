//! Defines the evidence of one slice, which the rule judges.

/// The evidence of one slice: the milliseconds of each state, and counts.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(crate) struct Evidence {
    /// The length of the slice.
    pub(crate) length_ms: f64,
    /// Whether the capture missed a large part of the flow.
    pub(crate) lossy: bool,
    /// The time in which the capture missed ACKs of the data, in milliseconds.
    pub(crate) acks_missing_ms: f64,
    /// The time with a queue before the radio, in the direction of the transfer, in milliseconds.
    pub(crate) link_ms: f64,
    /// The time with a queue before the radio in which even the quickest packets waited, in
    /// milliseconds.
    pub(crate) standing_ms: f64,
    /// The time with a queue before the radio or in the phone, in the whole 100 ms that contain the
    /// slice, in milliseconds.
    pub(crate) queue_bin_ms: f64,
    /// The time with a queue before the radio in the 100 ms before, in milliseconds.
    pub(crate) queue_earlier_ms: f64,
    /// The number of round trips or one-way delays of the phone so far, from which the queue was
    /// found.
    pub(crate) queue_samples: u32,
    /// Whether a packet of this flow and direction could show a queue before the capture point so
    /// far.
    pub(crate) queue_shown: bool,
    /// The time with a queue before the radio as the modem log shows it, while data was in flight
    /// at the capture point, in milliseconds. `None` without a log, and where the log does not show
    /// most of the slice.
    pub(crate) radio_ms: Option<f64>,
    /// The time in which the phone moved between cells, by the modem log, in milliseconds.
    pub(crate) handover_ms: f64,
    /// The time with a queue inside the phone, above the modem (UE vantage, uplink), in
    /// milliseconds.
    pub(crate) device_ms: f64,
    /// The time with a queue between capture point and server, in milliseconds.
    pub(crate) upstream_ms: f64,
    /// The time in which the receiver's window stopped the sender, in milliseconds.
    pub(crate) window_ms: f64,
    /// The time in which the receiver's window may have stopped the sender, but its scale is
    /// unknown, in milliseconds.
    pub(crate) window_doubt_ms: f64,
    /// The time in which the receiver's window was closed for longer than one round trip, in
    /// milliseconds.
    pub(crate) zero_window_ms: f64,
    /// The time in which the window was full while less than half of the largest one had been free
    /// for longer than one round trip, in milliseconds.
    pub(crate) behind_ms: f64,
    /// Whether the capture lacks the beginning of the flow, and with it perhaps its largest window.
    pub(crate) begun_before: bool,
    /// The time in which the application gave the sender no data, in milliseconds.
    pub(crate) application_ms: f64,
    /// The part of it that a short record of the receiver ended, in milliseconds.
    pub(crate) released_ms: f64,
    /// The time in which the sender waited for its retransmission timer or repaired losses after it
    /// fired, in milliseconds.
    pub(crate) timeout_ms: f64,
    /// The part of `timeout_ms` whose timer had fired although ACKs kept coming, in milliseconds.
    pub(crate) undesired_ms: f64,
    /// The part of `timeout_ms`, in milliseconds, for which the data after a silence is the only
    /// evidence.
    pub(crate) supposed_ms: f64,
    /// The time in which the sender repaired a loss without a timeout, in milliseconds.
    pub(crate) recovery_ms: f64,
    /// The time in which a lost request was repaired, or its timer was waited for, in milliseconds.
    pub(crate) resent_ms: f64,
    /// The time in which a request waited while there was a queue before the radio uplink, in
    /// milliseconds.
    pub(crate) uplink_queue_ms: f64,
    /// The time in which a request waited while there was a queue before the radio downlink, in
    /// milliseconds.
    pub(crate) downlink_queue_ms: f64,
    /// The time in which Nagle's algorithm may have held the sender's data, in milliseconds.
    pub(crate) nagle_ms: f64,
    /// The time with data in flight, in milliseconds.
    pub(crate) busy_ms: f64,
    /// Bytes sent in the bin of the slice and in the bin before; in those of a round trip before if
    /// nothing was sent in the bin.
    pub(crate) released_bytes: f64,
    /// The time of the bin in complete round trips, each shorter than a bin, that carried more than
    /// each one before, in milliseconds.
    pub(crate) grown_ms: f64,
    /// Bytes acknowledged in the same bins, counted when the sender knew of the ACK.
    pub(crate) acknowledged_bytes: f64,
    /// Bytes acknowledged in the bin of the slice.
    pub(crate) delivered_bytes: f64,
    /// The most bytes acknowledged in any bin of the two seconds before.
    pub(crate) delivered_max_bytes: f64,
    /// The largest flight in the bin, in bytes, as the sender knew it; `None` when nothing was
    /// sent.
    pub(crate) flight_bytes: Option<f64>,
    /// The most bytes in flight since the congestion window was last reduced.
    pub(crate) flight_max_bytes: f64,
    /// The most bytes sent in one bin since the congestion window was last reduced.
    pub(crate) sent_max_bytes: f64,
    /// The least size of the congestion window, known because the window was never reduced; 0 when
    /// it is not known.
    pub(crate) window_least_bytes: f64,
    /// Whether the congestion window regains what it held before an idle gap (methods C7).
    pub(crate) restarts: bool,
    /// The number of segments that were lost before the capture point.
    pub(crate) upstream_losses: u32,
    /// Whether the capture point can measure RTTs or one-way delays at all.
    pub(crate) sees_queue: bool,
    /// Whether it could, at the newest packet of the sender or of its ACKs.
    pub(crate) saw_queue: bool,
    /// Whether the least delay is not known to be that of an empty queue before the radio: no data
    /// has come while no other TCP data of the phone was in flight (methods T7).
    pub(crate) base_unknown: bool,
    /// Whether the slice is part of a request's wait.
    pub(crate) waits: bool,
    /// Whether the queue before the radio lies before the capture point. What the radio's queue drops
    /// is then lost before the capture point.
    pub(crate) before_radio: bool,
    /// Whether the only queue before the radio lies before the capture point, and neither
    /// timestamps nor a modem log show it.
    pub(crate) blind: bool,
    /// Whether all flows of the phone together kept to one rate for most of the slice while what each
    /// server had of it changed.
    pub(crate) shares_rate: bool,
    /// Whether ACKs of this sender's data were captured.
    pub(crate) sees_acks: bool,
    /// Whether the ACKs that the sender heard of in the bin of the slice and in the bin before have
    /// passed the capture point.
    pub(crate) hears_acks: bool,
    /// Whether the congestion window was never reduced and allows more than the flight.
    pub(crate) has_room: bool,
    /// Whether the flight is also smaller than the least initial window (RFC 5681 section 3.1).
    pub(crate) below_initial: bool,
    /// Whether the sender drains the path to measure it (BBR's ProbeRTT).
    pub(crate) probes_rtt: bool,
    /// Whether less than a full segment is in flight.
    pub(crate) below_segment: bool,
    /// Whether what last reduced the congestion window came out of the queue before the radio.
    pub(crate) cut_by_link: bool,
    /// Whether the window was last reduced so lately that `delivered_max_bytes` holds time before.
    pub(crate) cut_lately: bool,
    /// The number of round trips in the bin and in the two seconds before in which the queue before
    /// the radio marked data.
    pub(crate) link_marks: u32,
    /// The same for the queue between capture point and server.
    pub(crate) upstream_marks: u32,
    /// The time in which the phone's ACKs waited in the queue before the uplink, in milliseconds.
    pub(crate) acks_in_uplink_ms: f64,
    /// Whether a segment of this bin or of the one before emptied the send buffer.
    pub(crate) emptied: bool,
    /// Whether the congestion window had room for more when a segment emptied the send buffer.
    pub(crate) emptied_in_room: bool,
}

impl Evidence {
    /// Whether a queue that never empties may stand before the radio without being seen.
    pub(crate) const fn may_hide_queue(&self) -> bool {
        self.base_unknown && self.radio_ms.is_none()
    }

    /// Whether the link delivers at least this share of its highest rate in the two seconds before.
    pub(super) fn delivers(&self, ratio: f64) -> bool {
        self.delivered_bytes >= ratio * self.delivered_max_bytes
    }
}
