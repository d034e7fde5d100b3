//! Which packet belongs to which subscriber and flow.

use airmile_read::Packet;
use airmile_types::{Address, Duration, Vantage};

use crate::Handler;

/// Settings of the tracker.
#[derive(Clone, Debug)]
pub struct TrackConfig {
    /// Networks of the phones: address and prefix length (of 32 or 128).
    pub ue_nets: Vec<(Address, u8)>,
    /// Where the capture was taken, when it is known.
    pub vantage: Option<Vantage>,
    /// Silence that ends a session (methods A3).
    pub session_gap: Duration,
    /// Silence that ends a flow (methods A4).
    pub flow_gap: Duration,
}

impl Default for TrackConfig {
    fn default() -> Self {
        let hour = Duration::from_secs(3600);
        Self { ue_nets: Vec::new(), vantage: None, session_gap: hour, flow_gap: hour }
    }
}

/// How many handshakes speak for which vantage (methods A11).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct VantageVotes {
    /// Flows whose UE side answers within a millisecond.
    pub ue: u64,
    /// Flows where neither side does, and tunnelled ones.
    pub monitor: u64,
    /// Flows whose server side answers within a millisecond.
    pub server: u64,
}

/// Feeds a [`Handler`] with the facts of every packet.
#[derive(Debug)]
pub struct Tracker<H: Handler> {
    config: TrackConfig,
    handler: H,
}

impl<H: Handler> Tracker<H> {
    /// An empty tracker.
    pub const fn new(config: TrackConfig, handler: H) -> Self {
        Self { config, handler }
    }

    /// Takes one packet, in capture order.
    pub fn packet(&mut self, packet: &Packet<'_>) {
        let _ = (packet, &self.config);
    }

    /// The handler, to take out what it has gathered.
    pub const fn handler(&mut self) -> &mut H {
        &mut self.handler
    }

    /// How the handshakes so far vote.
    pub fn votes(&self) -> VantageVotes {
        VantageVotes::default()
    }

    /// Ends every flow and session in the order of their first packets, and gives the handler
    /// back.
    pub fn finish(self) -> H {
        self.handler
    }
}
