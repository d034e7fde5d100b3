//! Defines the columns of the analysis in `flows`, and its table of episodes.

use airmile_types::{Direction, EventTable, Instant, columns};

columns! {
    /// Losses of the flow's downlink data after which the sender began a slow start.
    #[derive(Default)]
    pub struct LossEpisodesRow {
        /// Number of series of downlink trains of more than `loss_episodes.train_min` duplicate
        /// ACKs after which R_ss exceeds `loss_episodes.rss_min_ratio`; null for protocols other
        /// than TCP, and when data or ACKs were not captured.
        #[unit("episodes")] #[cite("C4, LTE13 section 5")] pub undesired_slow_starts: Option<u32>,
        /// Number of series of downlink trains of more than `loss_episodes.train_min` duplicate
        /// ACKs after which nothing was sent in either span of R_ss, so that R_ss has no value;
        /// null with `undesired_slow_starts`.
        #[unit("episodes")] #[cite("C4")] pub silent_after_loss: Option<u32>,
        /// Retransmission timeouts of the server that the capture shows; null with
        /// `undesired_slow_starts`.
        #[unit("timeouts")] #[cite("C4")] pub timeouts_seen: Option<u32>,
    }
}

columns! {
    /// One loss episode (T4).
    pub struct LossEpisodeRow {
        /// The flow that the episode belongs to.
        #[unit("")] #[cite("T4")] pub uid: u64,
        /// Direction of the data that was lost.
        #[unit("")] #[cite("T4")] pub direction: Direction,
        /// Time of the first duplicate ACK, SACKed hole or retransmission.
        #[unit("ns")] #[cite("T4")] pub start_ns: Instant,
        /// Time of the ACK of the highest byte sent before the start (before the timeout, when
        /// there was one), or the end of the flow.
        #[unit("ns")] #[cite("T4, RFC 6582 section 3")] pub end_ns: Instant,
        /// Time from start to end.
        #[unit("ms")] #[cite("T4")] pub length_ms: f64,
        /// Whether the ACK that ends the episode was seen.
        #[unit("")] #[cite("T4")] pub closed: bool,
        /// Bytes between capture point and receiver at the start.
        #[unit("bytes")] #[cite("T4, C1")] pub in_flight_bytes: i64,
        /// Packets lost between capture point and receiver: retransmissions of bytes that passed
        /// here and were not acknowledged, less those that a D-SACK shows to be needless.
        #[unit("packets")] #[cite("T4, C2")] pub lost_here: u32,
        /// Packets lost between sender and capture point: retransmissions that fill a hole whose
        /// bytes never passed here.
        #[unit("packets")] #[cite("T4, C2")] pub lost_upstream: u32,
        /// Packets that were retransmitted, needed or not.
        #[unit("packets")] #[cite("T4, C2")] pub retransmissions: u32,
        /// Number of duplicate ACKs.
        #[unit("packets")] #[cite("T4, C3")] pub duplicate_acks: u32,
        /// Bytes that were SACKed for the first time, in segments; comparable also between
        /// receivers that report many segments in one ACK.
        #[unit("packets")] #[cite("C3")] pub duplicate_ack_equivalents: f64,
        /// Bytes SACKed for the first time.
        #[unit("bytes")] #[cite("T4")] pub sacked_bytes: i64,
        /// The sender's smoothed RTT at the start of the episode; null when unknown.
        #[unit("ms")] #[cite("C5")] pub rtt_ms: Option<f64>,
        /// The sender's retransmission timeout at the start of the episode, by Linux's rule; null
        /// when unknown.
        #[unit("ms")] #[cite("C5")] pub rto_ms: Option<f64>,
        /// Retransmission timeouts seen in the episode.
        #[unit("timeouts")] #[cite("C4")] pub timeouts_seen: u32,
        /// Whether the sender undid the first timeout: new data followed at the earlier rate. Null
        /// without a timeout, and when the flow ended first.
        #[unit("")] #[cite("C4, RFC 5682, RFC 4015")] pub timeout_undone: Option<bool>,
        /// Payload of the segment that the sender repeated most often without its ACK, with growing
        /// gaps; null if it repeated none twice.
        #[unit("bytes")] #[cite("T10")] pub repeated_bytes: Option<u32>,
        /// How often it was sent again; null with `repeated_bytes`.
        #[unit("packets")] #[cite("T10")] pub repeats: Option<u32>,
        /// Whether a segment of this size was acknowledged before in this direction; null with
        /// `repeated_bytes`, and where the size of full segments is unknown.
        #[unit("")] #[cite("T10")] pub size_acked: Option<bool>,
        /// Payload of the first smaller segment that was sent in its place and acknowledged; null
        /// without one.
        #[unit("bytes")] #[cite("T10")] pub smaller_bytes: Option<u32>,
        /// R_ss over the two spans of `loss_episodes.rss_span_ms` after the last duplicate ACK: the
        /// throughput in the second span divided by that in the first; +inf when only the second
        /// span had payload, null with `rss_reason`.
        #[unit("ratio")] #[cite("C4, LTE13 section 5")] pub rss_ratio: Option<f64>,
        /// R_ss over two spans of one smoothed RTT each.
        #[unit("ratio")] #[cite("T8")] pub rss_loop_ratio: Option<f64>,
        /// Why `rss_ratio` is null: `no_train` (none long enough), `joined_next` (trains within
        /// `loss_episodes.train_gap_s` of each other are measured after the last), `nothing_sent`,
        /// `cut` (the flow ended within the spans), `loop_unknown` (the round trip to the sender is
        /// unknown).
        #[unit("")] #[cite("C4")] pub rss_reason: Option<&'static str>,
        /// Time at which the first of the two spans of `rss_ratio` begins: that of the last duplicate
        /// ACK of the last long train, later by the round trip between capture point and sender. Null
        /// without a measurement, or when that round trip is unknown.
        #[unit("ns")] #[cite("C4")] pub rss_start_ns: Option<Instant>,
        /// Time at which the second of these spans ends; each is half of the time between.
        #[unit("ns")] #[cite("C4")] pub rss_end_ns: Option<Instant>,
        /// Whether the RTT exceeds the span, so that the ACK of a retransmission may come after the
        /// span.
        #[unit("")] #[cite("C4")] pub rss_long_rtt: bool,
        /// Whether R_ss exceeds `loss_episodes.rss_min_ratio`.
        #[unit("")] #[cite("C4, LTE13 section 5")] pub undesired_slow_start: bool,
    }
}

impl EventTable for LossEpisodeRow {
    const TABLE: &'static str = "loss_episodes";
    const DOC: &'static str = "One row per loss episode: from the first sign of a loss to the ACK of all that was sent before it.";
}
