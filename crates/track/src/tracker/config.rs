//! How packets become flows and sessions: the limits in force.

use airmile_types::{Address, Duration, Vantage};

/// Settings of the tracker.
#[derive(Clone, Debug)]
pub struct TrackConfig {
    /// Networks of the phones: address and prefix length (of 32 or 128).
    pub ue_nets: Vec<(Address, u8)>,
    /// The place where the capture was taken, when it is known.
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
