//! The table `sessions`.

use airmile_track::SessionFacts;
use airmile_types::{Address, Direction, Instant, columns};

use crate::EventTable;
use crate::radio::RadioUse;

columns! {
    /// One row per subscriber session.
    pub struct SessionRow {
        /// Number of the session.
        #[unit("")] #[cite("A3")] pub session_id: u64,
        /// Address of the phone, or its /64.
        #[unit("")] #[cite("A3")] pub ue: Address,
        /// First packet.
        #[unit("ns")] #[cite("A3")] pub start_ns: Instant,
        /// Last packet.
        #[unit("ns")] #[cite("A3")] pub end_ns: Instant,
        /// Flows that began in it.
        #[unit("flows")] #[cite("A4")] pub flows: u32,
        /// Payload sent by the phone, any protocol.
        #[unit("bytes")] #[cite("A9")] pub ul_bytes: i64,
        /// Payload sent to the phone, any protocol.
        #[unit("bytes")] #[cite("A9")] pub dl_bytes: i64,
        /// How long the radio was on: from each packet for one tail (`a6.tail_s`), overlaps once.
        #[unit("s")] #[cite("F3, LTE13 section 7.1")] pub radio_on_s: f64,
        /// How often the radio woke up: before the first packet, and after each gap longer than
        /// the tail.
        #[unit("promotions")] #[cite("F3")] pub promotions: i64,
        /// Energy of the radio by the LTE power model of MobiSys 2012, parameters `f3.*`.
        #[unit("J")] #[cite("F3, Huang et al. MobiSys 2012")] pub energy_j: f64,
    }
}

impl EventTable for SessionRow {
    const TABLE: &'static str = "sessions";
    const DOC: &'static str =
        "One row per subscriber session (methods A3), in the order in which they ended.";
}

impl SessionRow {
    /// The row of a session.
    pub(crate) fn new(session: &SessionFacts, radio: RadioUse) -> Self {
        let bytes =
            |direction| i64::try_from(*session.payload_bytes.of(direction)).unwrap_or(i64::MAX);
        Self {
            session_id: session.session_id,
            ue: session.ue,
            start_ns: session.start,
            end_ns: session.end,
            flows: session.flows,
            ul_bytes: bytes(Direction::Uplink),
            dl_bytes: bytes(Direction::Downlink),
            radio_on_s: radio.on_s,
            promotions: radio.promotions,
            energy_j: radio.energy_j,
        }
    }
}
