//! The shape that every analysis has.

use airmile_types::{Column, Direction, EventTable, Held, Parameters, RowSink, Table};

use crate::events::Events;
use crate::facts::FlowFacts;
use crate::segment::{Datagram, Segment};
use crate::shared::Shared;

/// Whether an analysis adds its columns once per flow or once per direction of it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Scope {
    /// Once per flow; the names are used unchanged.
    Flow,
    /// Once per direction, with the prefixes `ul_` and `dl_`.
    Direction,
}

/// One analysis of a TCP flow: state of at most 64 bytes (larger histories behind an
/// `Option<Box<_>>` that only the flows that need it fill), fed with every [`Segment`], giving
/// columns of `flows` and, where it has events, rows of a table of its own.
pub trait Analysis: Default + Clone + PartialEq + Held {
    /// Name of its folder.
    const NAME: &'static str;
    /// Its page: explanation, citation, and the packet scripts that test it.
    const PAGE: &'static str;
    /// Whether `Row` is per flow or per direction.
    const SCOPE: Scope;
    /// A segment with none of these events changes neither its state nor its rows, so that
    /// [`Self::on_segment`] is not called with it. Debug builds prove that on every such segment.
    const WANTS: Events = Events::ALL;
    /// Its columns in `flows`; [`NoColumns`] when it has none.
    type Row: Table;
    /// Its rows in a table of its own; [`NoEvents`] when it has none.
    type Event: EventTable;

    /// Takes one segment that has an event of [`Self::WANTS`], in time order.
    fn on_segment(
        &mut self,
        segment: &Segment<'_>,
        parameters: &Parameters,
        out: &mut Vec<Self::Event>,
    ) {
        let _ = (segment, parameters, out);
    }

    /// Takes one packet of a flow that is not TCP.
    fn on_datagram(
        &mut self,
        datagram: &Datagram<'_>,
        parameters: &Parameters,
        out: &mut Vec<Self::Event>,
    ) {
        let _ = (datagram, parameters, out);
    }

    /// The flow has ended: gives the events still open.
    fn on_end(&mut self, flow: &FlowFacts, parameters: &Parameters, out: &mut Vec<Self::Event>) {
        let _ = (flow, parameters, out);
    }

    /// The flow has ended: leaves what later analyses and other flows of the subscriber may use, and
    /// takes what they left. Called after [`Self::on_end`], in the order of the list.
    fn share(&mut self, flow: &FlowFacts, parameters: &Parameters, shared: &mut Shared) {
        let _ = (flow, parameters, shared);
    }

    /// Its columns for `direction` (for [`Scope::Flow`]: called once, with `Downlink`).
    fn row(&self, flow: &FlowFacts, direction: Direction, parameters: &Parameters) -> Self::Row;
}

/// The columns of an analysis that has none in `flows`.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct NoColumns;

impl Table for NoColumns {
    const COLUMNS: &'static [Column] = &[];
    fn put<S: RowSink + ?Sized>(&self, _sink: &mut S) {}
}

/// The rows of an analysis without a table of its own.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum NoEvents {}

impl Table for NoEvents {
    const COLUMNS: &'static [Column] = &[];
    fn put<S: RowSink + ?Sized>(&self, _sink: &mut S) {}
}

impl EventTable for NoEvents {
    const TABLE: &'static str = "";
    const DOC: &'static str = "";
}
