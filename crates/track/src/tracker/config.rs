//! Defines the settings that determine how packets become flows and sessions.

use airmile_types::{Address, Duration, Vantage};

/// Settings of the tracker.
#[derive(Clone, Debug)]
pub struct TrackConfig {
    /// The networks of the phones, as address and prefix length (of 32 or 128).
    pub ue_nets: Vec<(Address, u8)>,
    /// The capture point, if the user gives it.
    pub vantage: Option<Vantage>,
    /// The silence that ends a session (methods A3).
    pub session_gap: Duration,
    /// The silence that ends a flow (methods A4).
    pub flow_gap: Duration,
}

impl Default for TrackConfig {
    fn default() -> Self {
        let hour = Duration::from_secs(3600);
        Self { ue_nets: Vec::new(), vantage: None, session_gap: hour, flow_gap: hour }
    }
}
