//! An output that looks at every cell and keeps none.

use airmile_analyze::{Engine, EventTable, FlowRow, Output, Parameters};
use airmile_read::Packet;
use airmile_track::{TrackConfig, Tracker};
use airmile_types::RowSink;

/// Checks the cells of every row.
#[derive(Debug, Default)]
pub(crate) struct Null;

impl Null {
    /// Runs the whole engine over the packets.
    pub(crate) fn run(play: impl FnOnce(&mut dyn FnMut(&Packet<'_>))) {
        let engine = Engine::new(Parameters::default(), Self);
        let mut tracker = Tracker::new(TrackConfig::default(), engine);
        play(&mut |packet| tracker.packet(packet));
        tracker.finish().finish();
    }
}

impl Output for Null {
    fn flow(&mut self, row: &FlowRow<'_>) {
        row.put(&mut Cells);
    }

    fn rows<T: EventTable>(&mut self, rows: &mut Vec<T>) {
        for row in rows.drain(..) {
            row.put(&mut Cells);
        }
    }
}

struct Cells;

impl RowSink for Cells {
    fn i64(&mut self, _: Option<i64>) {}
    fn u64(&mut self, _: Option<u64>) {}
    fn u16(&mut self, _: Option<u16>) {}
    fn f64(&mut self, value: Option<f64>) {
        assert!(!value.is_some_and(f64::is_nan), "an undefined value is null, not NaN");
    }
    fn bool(&mut self, _: Option<bool>) {}
    fn utf8(&mut self, _: Option<&str>) {}
}
