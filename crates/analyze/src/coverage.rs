//! Defines the table `coverage`: the times of which the captures show anything.

use airmile_types::{EventTable, Instant, columns};

columns! {
    /// The span of time that a capture covers.
    pub struct CoverageRow {
        /// Number of the capture, counted from 0 in the order in which the captures began.
        #[unit("")] #[cite("A1")] pub capture: u32,
        /// Name of its first file; `-` for standard input.
        #[unit("")] #[cite("A1")] pub name: String,
        /// Number of its files: more than one for a rotating series.
        #[unit("files")] #[cite("A1")] pub files: u32,
        /// Time of the first packet, or of the earlier beginning that the capturing system gives.
        #[unit("ns")] #[cite("A1")] pub start_ns: Instant,
        /// Time of the last packet, or of the later end that the capturing system gives.
        #[unit("ns")] #[cite("A1")] pub end_ns: Instant,
        /// Records of the capture, of any protocol.
        #[unit("packets")] #[cite("A1")] pub packets: i64,
        /// Packets that the capturing system says it dropped; null where the format does not say.
        #[unit("packets")] #[cite("A1")] pub dropped: Option<i64>,
    }
}

impl EventTable for CoverageRow {
    const TABLE: &'static str = "coverage";
    const DOC: &'static str = "One row per capture (methods A1): the time that it covers. Of the time between captures nothing is known: it counts neither as silence nor as idle.";
}
