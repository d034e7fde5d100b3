//! Defines the rows of `slices`.

use airmile_types::{
    Cause, CauseSource, Certainty, Direction, EventTable, Instant, Second, columns,
};

columns! {
    /// One row per slice.
    pub struct SliceRow {
        /// The flow that the slice belongs to.
        #[unit("")] #[cite("A12")] pub uid: u64,
        /// The transfer that the slice belongs to; null for data that drains from the queue after
        /// the transfer's last byte.
        #[unit("")] #[cite("T1")] pub transfer_id: Option<u64>,
        /// Direction of the transfer.
        #[unit("")] #[cite("T1")] pub direction: Direction,
        /// Beginning of the slice.
        #[unit("ns")] #[cite("T2")] pub start_ns: Instant,
        /// End of the slice.
        #[unit("ns")] #[cite("T2")] pub end_ns: Instant,
        /// First record of the flow's packets in the slice, in either direction and with both ends
        /// included, to the millisecond (exact at requests and answers). Records are counted from 1
        /// in the packet's own input (Wireshark: `frame.number`); null when the slice has no
        /// packet.
        #[unit("")] #[cite("T2")] pub first_frame: Option<i64>,
        /// Last record of the flow's packets in the slice, counted as in `first_frame`; null when
        /// the slice has no packet.
        #[unit("")] #[cite("T2")] pub last_frame: Option<i64>,
        /// Payload in the slice that was never seen before.
        #[unit("bytes")] #[cite("T2")] pub bytes: i64,
        /// Bytes in flight between capture point and receiver after the slice's last data; null
        /// when the slice has no data.
        #[unit("bytes")] #[cite("C1")] pub in_flight_bytes: Option<i64>,
        /// Largest flight in the slice as the sender knew it; null when the slice has no data.
        #[unit("bytes")] #[cite("C1")] pub flight_known_bytes: Option<i64>,
        /// Newest window that the receiver announced; null when the slice has no ACK or the scale
        /// is unknown.
        #[unit("bytes")] #[cite("C6")] pub window_bytes: Option<i64>,
        /// Last RTT sample, from the capture point to the receiver and back; null without a sample.
        #[unit("ms")] #[cite("B4")] pub rtt_ms: Option<f64>,
        /// Least RTT of the flow so far; null without a sample.
        #[unit("ms")] #[cite("B4")] pub rtt_min_ms: Option<f64>,
        /// Rate of the payload that passed the capture point, retransmissions included.
        #[unit("bps")] #[cite("T2")] pub send_bps: f64,
        /// Rate of the bytes acknowledged, counted when the sender knew of the ACK.
        #[unit("bps")] #[cite("T2")] pub delivery_bps: f64,
        /// Segments that were seen at the capture point before and are retransmitted.
        #[unit("packets")] #[cite("C2")] pub retransmissions: u32,
        /// Time in which the sender waited for its retransmission timer or repaired losses after it
        /// fired.
        #[unit("ms")] #[cite("C4")] pub rto_wait_ms: f64,
        /// Time in which nothing was in flight.
        #[unit("ms")] #[cite("T3")] pub idle_ms: f64,
        /// Side that is silent while nothing is in flight: ue, server; null when data is in flight.
        #[unit("")] #[cite("T3")] pub silent_side: Option<&'static str>,
        /// Share of the slice with a queue before the radio: by the modem log where it shows the
        /// queue, otherwise by RTTs or one-way delays; null when neither shows it.
        #[unit("ratio")] #[cite("T7")] pub queue_ratio: Option<f64>,
        /// Shortest wait in the queue before the radio that could be told from delay jitter when the
        /// slice's first data passed, or else the newest data before; null when the slice has no
        /// packet, when neither RTTs nor one-way delays can show a queue (also where the tick of the
        /// sender's clock is unknown), and when the modem log shows it.
        #[unit("ms")] #[cite("T7")] pub least_queue_ms: Option<f64>,
        /// Share of the slice with a queue between server and capture point; null when this capture
        /// point cannot show it.
        #[unit("ratio")] #[cite("T7")] pub upstream_queue_ratio: Option<f64>,
        /// Share of the slice in which the receiver's window stopped the sender.
        #[unit("ratio")] #[cite("C6")] pub window_full_ratio: f64,
        /// Share of the slice in which the application gave the sender no data.
        #[unit("ratio")] #[cite("T8")] pub application_ratio: f64,
        /// Share of the slice in which the sender repaired a loss without a timeout.
        #[unit("ratio")] #[cite("T4")] pub recovery_ratio: f64,
        /// What limited the transfer in the slice.
        #[unit("")] #[cite("T6")] pub cause: Cause,
        /// How sure the cause is: sure (no other cause explains these packets at this capture
        /// point), likely (another one is possible), open (none is named, or several of which none
        /// is preferred).
        #[unit("")] #[cite("T9")] pub certainty: Certainty,
        /// The other causes that are possible, with commas between them; null when the cause is
        /// sure, and when nothing shows which causes are possible.
        #[unit("")] #[cite("T9")] pub second: Option<Second>,
        /// What decided the cause: tcp, modem, both.
        #[unit("")] #[cite("T6")] pub cause_source: CauseSource,
        /// Why the cause was named, in a few words.
        #[unit("")] #[cite("T6")] pub reason: &'static str,
    }
}

impl EventTable for SliceRow {
    const TABLE: &'static str = "slices";
    const DOC: &'static str = "One row per slice (methods T2): the part of a transfer in one UTC multiple of 100 ms, with one cause.";
}
