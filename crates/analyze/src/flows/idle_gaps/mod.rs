#![doc = include_str!("idle_gaps.md")]

use airmile_track::{Analysis, Events, FlowFacts, NoColumns, Scope};
use airmile_types::{Direction, EventTable, Instant, Parameters, columns};
use airmile_verdict::GapSeen;

columns! {
    /// One idle gap (T3), and what the sender's congestion window did after it (C7).
    pub struct IdleGapRow {
        /// The flow that the gap belongs to.
        #[unit("")] #[cite("T3")] pub uid: u64,
        /// Direction of the data whose sender paused.
        #[unit("")] #[cite("T3")] pub direction: Direction,
        /// Time of the last payload before the gap, or of its ACK.
        #[unit("ns")] #[cite("T3")] pub start_ns: Instant,
        /// Time of the next payload of either direction.
        #[unit("ns")] #[cite("T3")] pub end_ns: Instant,
        /// The sender's retransmission timeout when the gap began, by Linux's rule.
        #[unit("ms")] #[cite("T3, C5")] pub rto_ms: f64,
        /// Length of the gap divided by `rto_ms`.
        #[unit("ratio")] #[cite("C7")] pub idle_over_rto_ratio: f64,
        /// Bytes per RTT before the gap: the largest of the last four rounds; null when the sender
        /// had sent nothing before.
        #[unit("bytes")] #[cite("C7")] pub flight_before_bytes: Option<i64>,
        /// Bytes in the first RTT of the sender's data after the gap; null when the sender sent
        /// nothing after it.
        #[unit("bytes")] #[cite("C7")] pub flight_after_bytes: Option<i64>,
        /// Bytes in the second RTT after the gap.
        #[unit("bytes")] #[cite("C7")] pub flight_after_2_bytes: Option<i64>,
        /// Bytes in the third RTT after the gap.
        #[unit("bytes")] #[cite("C7")] pub flight_after_3_bytes: Option<i64>,
        /// Bytes in the fourth RTT after the gap.
        #[unit("bytes")] #[cite("C7")] pub flight_after_4_bytes: Option<i64>,
        /// Initial window that the first flight after the gap is compared with: ten segments (RFC
        /// 6928), or the flow's own first flight if that was larger.
        #[unit("bytes")] #[cite("C7, C8")] pub initial_window_bytes: i64,
        /// Whether the receiver's window had no room for a segment when the gap began, so that the
        /// window may have stopped the sender; null when the scale is unknown.
        #[unit("")] #[cite("C6")] pub window_full: Option<bool>,
        /// What the congestion window did: `none` (kept), `decayed`, `reset`; null with
        /// `restart_reason`.
        #[unit("")] #[cite("C7, RFC 5681 section 4.1, RFC 2861")] pub restart: Option<&'static str>,
        /// Why `restart` is null: `nothing_before`, `nothing_after`, `short_transfer` (fewer bytes
        /// after the gap than in the flight before).
        #[unit("")] #[cite("C7")] pub restart_reason: Option<&'static str>,
    }
}

impl EventTable for IdleGapRow {
    const TABLE: &'static str = "idle_gaps";
    const DOC: &'static str = "One row per idle gap: nothing in flight and no request open for longer than the retransmission timeout.";
}

impl IdleGapRow {
    /// The row of a gap that the evidence of the verdict has observed.
    pub(crate) fn new(uid: u64, gap: &GapSeen, parameters: &Parameters) -> Self {
        let (flights, bytes) = (&gap.flights, |bytes: u64| i64::try_from(bytes).unwrap_or(i64::MAX));
        let after = |round| flights.after(round).map(bytes);
        let restart = flights.classify(parameters);
        Self {
            uid,
            direction: gap.direction,
            start_ns: gap.start,
            end_ns: gap.end,
            rto_ms: gap.rto.as_millis_f64(),
            idle_over_rto_ratio: (gap.end - gap.start).as_secs_f64() / gap.rto.as_secs_f64(),
            flight_before_bytes: Some(bytes(flights.before())).filter(|before| *before > 0),
            flight_after_bytes: after(0),
            flight_after_2_bytes: after(1),
            flight_after_3_bytes: after(2),
            flight_after_4_bytes: after(3),
            initial_window_bytes: bytes(flights.initial_window()),
            window_full: gap.window_full,
            restart: restart.ok().map(|restart| restart.as_str()),
            restart_reason: restart.err(),
        }
    }
}

/// The idle gaps of a flow, which the evidence of the verdict observes.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct IdleGaps;

airmile_types::held!(IdleGaps {});

impl Analysis for IdleGaps {
    const NAME: &'static str = "idle_gaps";
    const PAGE: &'static str = include_str!("idle_gaps.md");
    const SCOPE: Scope = Scope::Flow;
    const WANTS: Events = Events::NONE;
    type Row = NoColumns;
    type Event = IdleGapRow;

    fn row(&self, _: &FlowFacts, _: Direction, _: &Parameters) -> NoColumns {
        NoColumns
    }
}
