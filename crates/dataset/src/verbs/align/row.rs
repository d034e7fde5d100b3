//! Makes the rows that describe what two captures share.

use airmile_analyze::{FlowColumn, TableInfo};
use airmile_types::{Column, Direction, Instant, Table, columns};
use arrow_array::RecordBatch;
use arrow_schema::SchemaRef;

use super::matched::{Matched, Pair};
use super::seen::{BIN, Flows, Seen, Volume};
use crate::error::Error;
use crate::write::gather::Gather;

columns! {
    /// One TCP packet that both captures contain exactly once.
    pub struct PairRow {
        /// Time at which the packet passed the first capture point, by the clock of that capture.
        #[unit("ns")] #[cite("G9")] pub first_ns: Instant,
        /// Time at which the packet passed the second capture point, by the clock of that capture.
        #[unit("ns")] #[cite("G9")] pub second_ns: Instant,
        /// Direction of the packet.
        #[unit("")] #[cite("A2")] pub direction: Direction,
        /// Address of the phone.
        #[unit("")] #[cite("A2")] pub ue: String,
        /// Port of the phone.
        #[unit("")] #[cite("A2")] pub ue_port: u16,
        /// Address of the server.
        #[unit("")] #[cite("A2")] pub server: String,
        /// Port of the server.
        #[unit("")] #[cite("A2")] pub server_port: u16,
        /// Sequence number as written in the header.
        #[unit("")] #[cite("RFC 9293 section 3.1")] pub sequence: u32,
        /// Bytes of payload in the first capture, by IP length.
        #[unit("bytes")] #[cite("A5")] pub payload_bytes: u32,
        /// Whether both captures contain the same segment; false when offloads joined segments in
        /// one of them, so that only the first byte is the same.
        #[unit("")] #[cite("A10")] pub whole: bool,
    }
}

columns! {
    /// Payload that passed a capture point on its way to a phone.
    pub struct VolumeRow {
        /// Address of the phone.
        #[unit("")] #[cite("A2")] pub ue: String,
        /// Beginning of the bin.
        #[unit("ns")] #[cite("E5")] pub time_ns: Instant,
        /// Bytes of payload of all protocols.
        #[unit("bytes")] #[cite("E5")] pub bytes: i64,
    }
}

/// The pairs, in the order of the second capture.
pub(super) fn pairs(
    first: &[Seen],
    second: &[Seen],
    matched: &Matched,
    flows: &Flows,
) -> Result<Columns, Error> {
    let rows = matched.pairs.iter().filter_map(|pair| PairRow::new(first, second, pair, flows));
    gather("pairs", rows)
}

impl PairRow {
    fn new(first: &[Seen], second: &[Seen], pair: &Pair, flows: &Flows) -> Option<Self> {
        let packet = first.get(pair.first as usize)?;
        let (ue, server) = flows.ends(packet.flow)?;
        Some(Self {
            first_ns: packet.time,
            second_ns: second.get(pair.second as usize)?.time,
            direction: if packet.up { Direction::Uplink } else { Direction::Downlink },
            ue: ue.0.to_string(),
            ue_port: ue.1,
            server: server.0.to_string(),
            server_port: server.1,
            sequence: packet.sequence,
            payload_bytes: packet.bytes,
            whole: pair.whole,
        })
    }
}

/// The payload by phone and time, as rows.
pub(super) fn volumes(volume: Volume) -> Result<Columns, Error> {
    let mut bins: Vec<_> = volume.into_iter().collect();
    bins.sort_unstable();
    let rows = bins.into_iter().map(|((ue, bin), bytes)| VolumeRow {
        ue: ue.to_string(),
        time_ns: Instant::from_nanos(bin.saturating_mul(BIN.as_nanos())),
        bytes: i64::try_from(bytes).unwrap_or(i64::MAX),
    });
    gather("volumes", rows)
}

fn gather<T: Table>(name: &'static str, table: impl Iterator<Item = T>) -> Result<Columns, Error> {
    let mut rows = Gather::new(&info(name, T::COLUMNS));
    for row in table {
        rows.put(&row)?;
    }
    let (schema, batches) = rows.finish()?;
    Ok(Columns { schema, batches })
}

fn info(name: &'static str, columns: &[Column]) -> TableInfo {
    let columns = columns.iter().map(|column| FlowColumn {
        name: column.name.to_owned(),
        unit: column.unit,
        doc: column.doc,
        cite: column.cite,
        kind: column.kind,
    });
    TableInfo { name, doc: "What two captures share.", columns: columns.collect() }
}

/// Rows as Arrow batches.
#[derive(Clone, Debug)]
pub struct Columns {
    /// Columns of the rows.
    pub schema: SchemaRef,
    /// The rows.
    pub batches: Vec<RecordBatch>,
}
