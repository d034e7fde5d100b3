//! Checks every row of the engine against the contract of rows, and keeps no row.

use airmile_analyze::{Engine, FlowRow, Output, contract::flow_fault, contract::row_fault};
use airmile_read::Packet;
use airmile_track::{TrackConfig, Tracker};
use airmile_types::{EventTable, Parameters};

/// Checks every row.
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
        assert_eq!(flow_fault(row), None, "no row of `flows` may be so");
    }

    fn rows<T: EventTable>(&mut self, rows: &mut Vec<T>) {
        for row in rows.drain(..) {
            assert_eq!(row_fault(&row), None, "no row may be so");
        }
    }
}
