//! Reads the packets of one flow with their facts, from which a picture of the flow is drawn.
//!
//! The inputs are read once more and only the chosen flow is kept, so the flow's size bounds the
//! memory.

mod row;

use std::ops::ControlFlow;

use airmile_analyze::TableInfo;
use airmile_read::{Packet, TcpHeader, Transport};
use airmile_track::{Datagram, FlowFacts, Handler, Scoreboard, Segment, SessionFacts, Tracker};
use airmile_types::{PerDirection, Table};
use arrow_array::RecordBatch;
use arrow_schema::SchemaRef;

use crate::error::Error;
use crate::options::Options;
use crate::shards::feed::{Fate, Feed};
use crate::verbs::sources::sources;
use crate::write::gather::Gather;
use row::PacketRow;

/// The number of packets between two tests whether to stop.
const STRIDE: u64 = 1 << 16;

/// The packets of one TCP flow, in the order of the capture.
#[derive(Clone, Debug)]
pub struct Trace {
    /// Columns of the rows.
    pub schema: SchemaRef,
    /// The rows.
    pub batches: Vec<RecordBatch>,
}

/// Reads the inputs again and returns the packets of the TCP flow `uid`; reading ends with the
/// flow.
///
/// # Errors
/// Fails for an option that is not understood, for an input that cannot be opened, and when there
/// is no such flow.
pub fn trace(inputs: &[String], uid: u64, options: &Options) -> Result<Trace, Error> {
    let config = options.track()?;
    let sources = sources(inputs, &options.stop)?;
    let mut feed = Feed::open(sources);
    let mut tracker = Tracker::new(config, Tracer::new(uid));
    let mut packets = 0_u64;
    let _ = feed.run(|packet, _| {
        tracker.handler().header = header(packet);
        tracker.packet(packet);
        packets += 1;
        let look = packets.is_multiple_of(STRIDE);
        if tracker.handler().over || (look && options.stop.go_on().is_break()) {
            return ControlFlow::Break(());
        }
        ControlFlow::Continue(())
    });
    for (_, fate) in feed.finish() {
        if let Fate::Failed(error) = fate {
            let failed = Error::input(error.to_string());
            return Err(error.hint().map_or(failed.clone(), |hint| failed.hint(hint)));
        }
    }
    tracker.finish().take()
}

fn header(packet: &Packet<'_>) -> Option<TcpHeader> {
    match packet.transport {
        Transport::Tcp(header) => Some(header),
        _ => None,
    }
}

/// Keeps the rows of one flow.
struct Tracer {
    uid: u64,
    rows: Gather,
    found: bool,
    /// The header of the current packet, because a [`Segment`] does not contain the SACK blocks.
    header: Option<TcpHeader>,
    over: bool,
    failure: Option<Error>,
}

impl Tracer {
    fn new(uid: u64) -> Self {
        let rows = Gather::new(&table());
        Self { uid, rows, found: false, header: None, over: false, failure: None }
    }

    fn put(&mut self, row: &PacketRow) {
        self.found = true;
        if let Err(error) = self.rows.put(row) {
            self.failure = Some(error);
            self.over = true;
        }
    }

    fn take(self) -> Result<Trace, Error> {
        if let Some(error) = self.failure {
            return Err(error);
        }
        if !self.found {
            return Err(Error::input(format!("no TCP flow {} in the capture", self.uid))
                .hint("airmile query DATASET \"SELECT uid, server, dl_payload_bytes FROM flows\" lists them"));
        }
        let (schema, batches) = self.rows.finish()?;
        Ok(Trace { schema, batches })
    }
}

/// The columns of [`PacketRow`] as a table.
fn table() -> TableInfo {
    let columns = PacketRow::COLUMNS.iter().map(|column| airmile_analyze::FlowColumn {
        name: column.name.to_owned(),
        unit: column.unit,
        doc: column.doc,
        cite: column.cite,
        kind: column.kind,
    });
    TableInfo {
        name: "packets",
        doc: "One row per packet of a flow, in the order of the capture.",
        columns: columns.collect(),
    }
}

impl Handler for Tracer {
    /// Whether the flow is the chosen one.
    type Flow = bool;
    type Ue = ();

    fn open(&mut self, flow: &FlowFacts) -> bool {
        flow.uid == self.uid
    }

    fn segment(&mut self, chosen: &mut bool, (): &mut (), segment: &Segment<'_>) {
        if *chosen {
            let row = PacketRow::new(segment, self.header.as_ref());
            self.put(&row);
        }
    }

    /// Ignores the packet, because the picture shows only what TCP has.
    fn datagram(&mut self, _: &mut bool, (): &mut (), _: &Datagram<'_>) {}

    fn end(
        &mut self,
        chosen: bool,
        (): &mut (),
        _: &FlowFacts,
        _: Option<&PerDirection<Scoreboard>>,
    ) {
        self.over |= chosen;
    }

    fn session(&mut self, (): (), _: &SessionFacts) {}
}
