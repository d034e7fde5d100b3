//! The evidence of one slice that the rule judges.

/// The evidence of one slice: milliseconds of each kind, and counts.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(crate) struct Evidence {
    /// The length of the slice.
    pub(crate) length_ms: f64,
    /// Whether the capture has lost a large part of the flow.
    pub(crate) lossy: bool,
    /// The time with a queue before the radio, in the direction of the transfer, in milliseconds.
    pub(crate) link_ms: f64,
    /// The time with such a queue in which even the quickest packets waited, in milliseconds.
    pub(crate) standing_ms: f64,
    /// The time with a queue before the radio or in the phone, in the whole of its tenth of a
    /// second, in milliseconds.
    pub(crate) queue_bin_ms: f64,
    /// The number of round trips or one-way delays of the phone so far, on which the queue is
    /// based.
    pub(crate) queue_samples: u32,
    /// The time with a queue before the radio by the modem log, while data was in flight at the
    /// capture point, in milliseconds; `None` without a log, and where it does not show most of the
    /// slice.
    pub(crate) radio_ms: Option<f64>,
    /// The time with the phone between cells, by the modem log, in milliseconds.
    pub(crate) handover_ms: f64,
    /// The time with a queue inside the phone, above the modem (UE vantage, uplink), in
    /// milliseconds.
    pub(crate) device_ms: f64,
    /// The time with a queue between capture point and server, in milliseconds.
    pub(crate) upstream_ms: f64,
    /// The time with the sender stopped by the receiver's window, in milliseconds.
    pub(crate) window_ms: f64,
    /// The time with that window closed for longer than one loop of the path, in milliseconds.
    pub(crate) zero_window_ms: f64,
    /// The time with an application that gave the sender no data, in milliseconds.
    pub(crate) application_ms: f64,
    /// The time with a sender that waited for its timer or repaired after it, in milliseconds.
    pub(crate) timeout_ms: f64,
    /// The part of these in which the timer had fired although ACKs kept coming.
    pub(crate) undesired_ms: f64,
    /// The time with a sender that repaired a loss without a timeout, in milliseconds.
    pub(crate) recovery_ms: f64,
    /// The time with a request that was lost, or whose timer was waited for, in milliseconds.
    pub(crate) resent_ms: f64,
    /// The time with a waiting request and a queue before the radio uplink, in milliseconds.
    pub(crate) uplink_queue_ms: f64,
    /// The time with a waiting request and a queue before the radio downlink, in milliseconds.
    pub(crate) downlink_queue_ms: f64,
    /// The time with data in flight, in milliseconds.
    pub(crate) busy_ms: f64,
    /// Bytes sent in this bin and the one before.
    pub(crate) released_bytes: f64,
    /// Bytes acknowledged in these two bins, as the sender knew.
    pub(crate) acknowledged_bytes: f64,
    /// Bytes acknowledged in its tenth of a second.
    pub(crate) delivered_bytes: f64,
    /// The most bytes acknowledged in any tenth of the two seconds before.
    pub(crate) delivered_max_bytes: f64,
    /// The largest flight in the bin, as the sender knew; `None` when nothing was sent.
    pub(crate) flight_bytes: Option<f64>,
    /// The most in flight since the congestion window was last cut.
    pub(crate) flight_max_bytes: f64,
    /// The most sent in one bin since then.
    pub(crate) sent_max_bytes: f64,
    /// How much the congestion window holds at the least because it was never cut; 0 when that is
    /// not known.
    pub(crate) window_least_bytes: f64,
    /// Whether the sender had rested longer than its RTO before.
    pub(crate) rested: bool,
    /// The number of segments that were lost before the capture point.
    pub(crate) upstream_losses: u32,
    /// Whether RTTs or one-way delays can be measured at all.
    pub(crate) sees_queue: bool,
    /// Whether ACKs of this sender's data were captured.
    pub(crate) sees_acks: bool,
    /// Whether the receiver's window can be read, because its scale is known.
    pub(crate) sees_window: bool,
    /// Whether the congestion window was never cut and holds more than the flight.
    pub(crate) has_room: bool,
    /// Whether the flight is also less than such a window begins with (RFC 5681 section 3.1).
    pub(crate) below_initial: bool,
    /// Whether the sender drains the path to measure it (BBR's ProbeRTT).
    pub(crate) probes_rtt: bool,
    /// Whether a segment of this bin or the one before emptied the send buffer.
    pub(crate) emptied: bool,
    /// Whether the congestion window then had room for more.
    pub(crate) emptied_in_room: bool,
}
