//! Defines the trait that every analysis implements.

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

/// One analysis of a TCP flow. It gets each [`Segment`], gives columns of `flows`, and may give
/// rows of a table of its own. Its state has at most 64 bytes; larger histories are behind an
/// `Option<Box<_>>` that only the flows which need it fill.
pub trait Analysis: Default + Clone + PartialEq + Held {
    /// The name of the analysis, which is also the name of its folder.
    const NAME: &'static str;
    /// The page of the analysis: explanation, citations, and the packet scripts that test it.
    const PAGE: &'static str;
    /// Whether `Row` is per flow or per direction.
    const SCOPE: Scope;
    /// The events for which [`Self::on_segment`] is called. A segment with none of them must change
    /// neither the state nor the rows; debug builds check that on each such segment.
    const WANTS: Events = Events::ALL;
    /// The columns of the analysis in `flows`; [`NoColumns`] if it has none.
    type Row: Table;
    /// The rows of the analysis in a table of its own; [`NoEvents`] if it has none.
    type Event: EventTable;

    /// Takes one segment that has an event of [`Self::WANTS`]. Segments come in the order of time.
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

    /// Writes the events that are still open when the flow ends.
    fn on_end(&mut self, flow: &FlowFacts, parameters: &Parameters, out: &mut Vec<Self::Event>) {
        let _ = (flow, parameters, out);
    }

    /// Stores facts that later analyses and other flows of the subscriber may use, and reads the
    /// facts that earlier ones stored. Called when the flow has ended, after [`Self::on_end`], in
    /// the order of the list of analyses.
    fn share(&mut self, flow: &FlowFacts, parameters: &Parameters, shared: &mut Shared) {
        let _ = (flow, parameters, shared);
    }

    /// The row of the analysis for `direction`. For [`Scope::Flow`] it is called once, with
    /// `Downlink`.
    fn row(&self, flow: &FlowFacts, direction: Direction, parameters: &Parameters) -> Self::Row;
}

/// The columns of an analysis without columns in `flows`.
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
