//! Turns the list of analyses, at compile time, into one struct per flow, one buffer per event
//! table, and the registry from which columns, schema and reference are generated.
//!
//! A composed struct is two to three times faster than a vector of boxed analyses. The state of
//! each analysis takes at most one cache line, so that a flow stays small when a million flows are
//! open.

use airmile_track::Scope;
use airmile_types::Column;

/// What one analysis adds: its page, its columns in `flows`, and its table of events.
#[derive(Clone, Copy, Debug)]
pub struct AnalysisInfo {
    /// Name of the analysis and of its folder.
    pub name: &'static str,
    /// The page of the analysis: explanation, sources, and the packet scripts that test it.
    pub page: &'static str,
    /// Whether the analysis has its columns once per flow or once per direction.
    pub scope: Scope,
    /// The columns that the analysis adds to `flows`, without the prefix of the direction.
    pub columns: &'static [Column],
    /// The table of the analysis's events, if it has one.
    pub events: Option<EventTableInfo>,
}

/// A table of events as its type declares it.
#[derive(Clone, Copy, Debug)]
pub struct EventTableInfo {
    /// Name of the table.
    pub name: &'static str,
    /// What one row describes.
    pub doc: &'static str,

    /// The columns of the table, in order.
    pub columns: &'static [Column],
}

/// The most state that an analysis may keep in a flow, in bytes: one cache line. A larger state
/// must be behind an `Option<Box<_>>`.
pub(crate) const STATE_BYTES: usize = 64;

/// Declares the modules of the analyses, `Bundle` (their states for one flow), `Events` (the rows
/// of their tables until they are written) and `REGISTRY`. The list has one line per analysis:
/// `folder::Type`.
macro_rules! analyses {
    ($($folder:ident :: $analysis:ident),* $(,)?) => {
        $(pub(crate) mod $folder;)*

        /// The states of every analysis for one flow.
        #[derive(Default)]
        pub(crate) struct Bundle { $(pub(crate) $folder: $folder::$analysis),* }

        /// The rows that the analyses have made and not yet handed to the output.
        #[derive(Default)]
        pub(crate) struct Events {
            $(pub(crate) $folder: Vec<<$folder::$analysis as airmile_track::Analysis>::Event>),*
        }

        impl Bundle {
            /// Passes a TCP packet to every analysis that wants it, in the order of the list.
            #[inline]
            pub(crate) fn on_segment(
                &mut self,
                segment: &airmile_track::Segment<'_>,
                parameters: &airmile_types::Parameters,
                events: &mut Events,
            ) {
                $(
                    const { assert!(size_of::<$folder::$analysis>() <= $crate::bundle::STATE_BYTES) }
                    $crate::bundle::offer(&mut self.$folder, segment, parameters, &mut events.$folder);
                )*
            }

            /// Passes a packet of another protocol to every analysis.
            #[inline]
            pub(crate) fn on_datagram(
                &mut self,
                datagram: &airmile_track::Datagram<'_>,
                parameters: &airmile_types::Parameters,
                events: &mut Events,
            ) {
                $(airmile_track::Analysis::on_datagram(&mut self.$folder, datagram, parameters, &mut events.$folder);)*
            }

            /// Lets every analysis finish its open rows when the flow has ended.
            pub(crate) fn on_end(
                &mut self,
                flow: &airmile_track::FlowFacts,
                parameters: &airmile_types::Parameters,
                events: &mut Events,
            ) {
                $(airmile_track::Analysis::on_end(&mut self.$folder, flow, parameters, &mut events.$folder);)*
            }

            /// Lets the analyses exchange facts with each other and with other flows of the subscriber.
            pub(crate) fn share(
                &mut self,
                flow: &airmile_track::FlowFacts,
                parameters: &airmile_types::Parameters,
                shared: &mut airmile_track::Shared,
            ) {
                shared.begin();
                $(airmile_track::Analysis::share(&mut self.$folder, flow, parameters, shared);)*
            }

            /// Writes the cells of the analyses into the row of the flow, in the order of
            /// [`crate::flow_columns`].
            pub(crate) fn put<S: airmile_types::RowSink + ?Sized>(
                &self,
                flow: &airmile_track::FlowFacts,
                parameters: &airmile_types::Parameters,
                sink: &mut S,
            ) {
                $($crate::bundle::put(&self.$folder, flow, parameters, sink);)*
            }
        }

        impl airmile_types::Held for Bundle {
            fn held_bytes(&self) -> usize {
                0 $(+ airmile_types::Held::held_bytes(&self.$folder))*
            }

            fn give_back(&mut self) {
                $(airmile_types::Held::give_back(&mut self.$folder);)*
            }
        }

        impl Events {

            /// Hands every row over to the output.
            pub(crate) fn flush<O: $crate::Output>(&mut self, output: &mut O) {
                $(if !self.$folder.is_empty() {
                    output.rows(&mut self.$folder);
                })*
            }
        }

        /// All analyses, in the order of their columns.
        pub const REGISTRY: &[$crate::AnalysisInfo] =
            &[$($crate::bundle::info::<$folder::$analysis>()),*];
    };
}
pub(crate) use analyses;

/// The registry's entry of one analysis.
pub(crate) const fn info<A: airmile_track::Analysis>() -> AnalysisInfo {
    use airmile_types::{EventTable, Table};
    AnalysisInfo {
        name: A::NAME,
        page: A::PAGE,
        scope: A::SCOPE,
        columns: <A::Row as Table>::COLUMNS,
        events: if <A::Event as EventTable>::TABLE.is_empty() {
            None
        } else {
            Some(event_table::<A::Event>())
        },
    }
}

/// The description of a table of events.
pub(crate) const fn event_table<T: airmile_types::EventTable>() -> EventTableInfo {
    EventTableInfo { name: T::TABLE, doc: T::DOC, columns: T::COLUMNS }
}

/// Passes a segment to an analysis if the analysis wants it.
#[inline]
pub(crate) fn offer<A: airmile_track::Analysis>(
    analysis: &mut A,
    segment: &airmile_track::Segment<'_>,
    parameters: &airmile_types::Parameters,
    out: &mut Vec<A::Event>,
) {
    if const { A::WANTS.is_all() } || segment.events.any(A::WANTS) {
        analysis.on_segment(segment, parameters, out);
    } else if cfg!(debug_assertions) {
        assert_unwanted(analysis, segment, parameters);
    }
}

/// Panics if a segment outside of `WANTS` changes a copy of the analysis or makes rows.
#[cold]
fn assert_unwanted<A: airmile_track::Analysis>(
    analysis: &A,
    segment: &airmile_track::Segment<'_>,
    parameters: &airmile_types::Parameters,
) {
    let mut copy = analysis.clone();
    let mut rows = Vec::new();
    copy.on_segment(segment, parameters, &mut rows);
    let same = rows.is_empty() && copy == *analysis;
    assert!(same, "{}: {:?} at {:?} is not in WANTS", A::NAME, segment.events, segment.time);
}

/// Writes the cells of one analysis; for [`Scope::Direction`], uplink before downlink.
#[inline]
pub(crate) fn put<A: airmile_track::Analysis, S: airmile_types::RowSink + ?Sized>(
    analysis: &A,
    flow: &airmile_track::FlowFacts,
    parameters: &airmile_types::Parameters,
    sink: &mut S,
) {
    use airmile_types::{Direction, Table};
    if A::SCOPE == Scope::Direction {
        analysis.row(flow, Direction::Uplink, parameters).put(sink);
    }
    analysis.row(flow, Direction::Downlink, parameters).put(sink);
}
