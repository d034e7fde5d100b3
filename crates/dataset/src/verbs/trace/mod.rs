//! Reads the packets of some flows with their facts, from which pictures of the flows are drawn.
//!
//! The inputs are read once more, however many flows are chosen, and only the chosen flows are kept,
//! so their packets bound the memory.

mod row;

use std::collections::{BTreeMap, BTreeSet};
use std::ops::ControlFlow;

use airmile_analyze::TableInfo;
use airmile_read::{Packet, TcpHeader, Transport};
use airmile_track::{Datagram, FlowFacts, Handler, Scoreboard, Segment, SessionFacts, Tracker};
use airmile_types::{Parameters, PerDirection, Table};
use arrow_array::RecordBatch;
use arrow_schema::SchemaRef;

use crate::error::Error;
use crate::options::Options;
use crate::shards::feed::{Fate, Feed, Settled};
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

/// Reads the inputs again, once, and returns the packets of the TCP flows `uids` by uid. Reading ends
/// with the last of these flows. A flow that the inputs do not contain is absent from the result.
///
/// # Errors
/// Fails for an option that is not understood, and for an input that cannot be opened.
pub fn trace(
    inputs: &[String],
    uids: &[u64],
    options: &Options,
) -> Result<BTreeMap<u64, Trace>, Error> {
    let config = options.track()?;
    let sources = sources(inputs, &options.stop)?;
    let mut feed = Feed::open(sources);
    let mut tracker = Tracker::new(config, Tracer::new(uids, &options.parameters));
    let mut packets = 0_u64;
    let _ = feed.run(|packet, _| {
        tracker.handler().header = header(packet);
        tracker.packet(packet);
        packets += 1;
        let look = packets.is_multiple_of(STRIDE);
        if tracker.handler().is_over() || (look && options.stop.go_on().is_break()) {
            return ControlFlow::Break(());
        }
        ControlFlow::Continue(())
    });
    for Settled { fate, .. } in feed.finish().0 {
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

/// Keeps the rows of the chosen flows.
struct Tracer {
    chosen: BTreeSet<u64>,
    /// Chosen flows that have not ended.
    awaited: BTreeSet<u64>,
    /// The rows of each chosen flow that has begun, by its uid.
    rows: BTreeMap<u64, Gather>,
    table: TableInfo,
    parameters: Parameters,
    /// The header of the current packet, because a [`Segment`] does not contain the SACK blocks.
    header: Option<TcpHeader>,
    failure: Option<Error>,
}

impl Tracer {
    fn new(uids: &[u64], parameters: &Parameters) -> Self {
        let chosen: BTreeSet<u64> = uids.iter().copied().collect();
        Self {
            awaited: chosen.clone(),
            chosen,
            rows: BTreeMap::new(),
            table: table(),
            parameters: parameters.clone(),
            header: None,
            failure: None,
        }
    }

    fn is_over(&self) -> bool {
        self.awaited.is_empty() || self.failure.is_some()
    }

    fn put(&mut self, uid: u64, row: &PacketRow) {
        let rows = self.rows.entry(uid).or_insert_with(|| Gather::new(&self.table));
        if let Err(error) = rows.put(row) {
            self.failure = Some(error);
        }
    }

    fn take(self) -> Result<BTreeMap<u64, Trace>, Error> {
        if let Some(error) = self.failure {
            return Err(error);
        }
        let traces = self.rows.into_iter().map(|(uid, rows)| {
            let (schema, batches) = rows.finish()?;
            Ok((uid, Trace { schema, batches }))
        });
        traces.collect()
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
    /// The uid of a chosen flow.
    type Flow = Option<u64>;
    type Ue = ();

    fn open(&mut self, flow: &FlowFacts) -> Option<u64> {
        self.chosen.contains(&flow.uid).then_some(flow.uid)
    }

    fn segment(&mut self, chosen: &mut Option<u64>, (): &mut (), segment: &Segment<'_>) {
        if let Some(uid) = *chosen {
            let row = PacketRow::new(segment, self.header.as_ref(), &self.parameters);
            self.put(uid, &row);
        }
    }

    /// Ignores the packet, because the picture of a flow shows only TCP.
    fn datagram(&mut self, _: &mut Option<u64>, (): &mut (), _: &Datagram<'_>) {}

    fn end(
        &mut self,
        chosen: Option<u64>,
        (): &mut (),
        _: &FlowFacts,
        _: Option<&PerDirection<Scoreboard>>,
    ) {
        if let Some(uid) = chosen {
            self.awaited.remove(&uid);
        }
    }

    fn session(&mut self, (): (), _: &SessionFacts) {}
}
