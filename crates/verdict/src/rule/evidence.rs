//! What is known of one slice when the rule judges it.

/// What is known of one slice: milliseconds of each kind of evidence, and counts.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(crate) struct Evidence {
    /// Length of the slice.
    pub(crate) length_ms: f64,
    /// The capture has lost a large part of the flow.
    pub(crate) lossy: bool,
    /// A queue stood before the radio, downlink or uplink as the transfer goes.
    pub(crate) link_ms: f64,
    /// ... and even the quickest packets waited in it.
    pub(crate) standing_ms: f64,
    /// Queue before the radio, or in the phone, in the whole of its tenth of a second.
    pub(crate) queue_bin_ms: f64,
    /// Round trips or one-way delays of the phone so far, on which that rests.
    pub(crate) queue_samples: u32,
    /// By the modem log: the queue before the radio was not empty, while data was in flight at the
    /// tap; `None` without a log, and where it does not know most of the slice.
    pub(crate) radio_ms: Option<f64>,
    /// By the modem log: the phone moved between cells.
    pub(crate) handover_ms: f64,
    /// A queue stood inside the phone, above the modem (UE vantage, uplink).
    pub(crate) device_ms: f64,
    /// A queue stood between tap and server.
    pub(crate) upstream_ms: f64,
    /// The receiver's window stopped the sender.
    pub(crate) window_ms: f64,
    /// ... and was closed for longer than one loop of the path.
    pub(crate) zero_window_ms: f64,
    /// The application gave the sender nothing.
    pub(crate) application_ms: f64,
    /// The sender waited for its timer or repaired after it.
    pub(crate) timeout_ms: f64,
    /// ... which had fired although ACKs kept coming.
    pub(crate) undesired_ms: f64,
    /// The sender repaired a loss without a timeout.
    pub(crate) recovery_ms: f64,
    /// A request was lost, or its timer was waited for.
    pub(crate) resent_ms: f64,
    /// While a request waits: a queue stood before the radio uplink.
    pub(crate) uplink_queue_ms: f64,
    /// While a request waits: a queue stood before the radio downlink.
    pub(crate) downlink_queue_ms: f64,
    /// Data was in flight.
    pub(crate) busy_ms: f64,
    /// Bytes sent in this bin and the one before.
    pub(crate) released_bytes: f64,
    /// Bytes acknowledged meanwhile, as the sender knew.
    pub(crate) acknowledged_bytes: f64,
    /// Bytes acknowledged in its tenth of a second, and the most in any of the two seconds before.
    pub(crate) delivered_bytes: f64,
    /// See `delivered_bytes`.
    pub(crate) delivered_max_bytes: f64,
    /// Largest flight in the bin, as the sender knew; `None`: nothing was sent.
    pub(crate) flight_bytes: Option<f64>,
    /// The most in flight since the congestion window was last cut.
    pub(crate) flight_max_bytes: f64,
    /// The most sent in one bin since then.
    pub(crate) sent_max_bytes: f64,
    /// The congestion window holds so much at least, as it was never cut; 0: nobody knows.
    pub(crate) window_least_bytes: f64,
    /// The sender had rested longer than its RTO before.
    pub(crate) rested: bool,
    /// Segments that were lost before the tap.
    pub(crate) upstream_losses: u32,
    /// RTTs or one-way delays can be told at all.
    pub(crate) sees_queue: bool,
    /// ACKs of this sender's data were captured.
    pub(crate) sees_acks: bool,
    /// The receiver's window can be read: its scale is known.
    pub(crate) sees_window: bool,
    /// The congestion window was never cut and holds more than the flight.
    pub(crate) has_room: bool,
    /// ... and less than such a window begins with (RFC 5681 section 3.1).
    pub(crate) below_initial: bool,
    /// The sender drains the path to measure it (BBR's ProbeRTT).
    pub(crate) probes_rtt: bool,
    /// A segment of this bin or the one before emptied the send buffer.
    pub(crate) emptied: bool,
    /// ... and the congestion window had room for more.
    pub(crate) emptied_in_room: bool,
}
