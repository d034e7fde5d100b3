//! What may limit a transfer: the closed list of causes.

macro_rules! causes {
    ($($(#[doc = $doc:literal])+ $name:ident = $word:literal),* $(,)?) => {
        /// What limited a slice of a transfer.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
        pub enum Cause { $($(#[doc = $doc])+ $name),* }

        impl Cause {
            /// Every cause, in the order of the share columns.
            pub const ALL: &'static [Self] = &[$(Self::$name),*];

            /// The word in the tables.
            pub const fn as_str(self) -> &'static str {
                match self { $(Self::$name => $word),* }
            }

            /// One sentence for people.
            pub const fn doc(self) -> &'static str {
                match self { $(Self::$name => concat!($($doc),+)),* }
            }
        }
    };
}

causes! {
    /// A queue stands before the radio downlink: the link is the bottleneck.
    LteDownlink = "lte_downlink",
    /// A queue stands before the radio uplink.
    LteUplink = "lte_uplink",
    /// A queue stands inside the phone, above the modem.
    DeviceQueue = "device_queue",
    /// The receiver's advertised window stops the sender.
    ReceiveWindow = "receive_window",
    /// The congestion window is still growing from its start.
    SlowStart = "slow_start",
    /// The congestion window, in congestion avoidance or below, holds the sender.
    CongestionWindow = "congestion_window",
    /// The congestion window grows again after the sender rested longer than its RTO.
    SlowStartRestart = "slow_start_restart",
    /// The sender repairs a loss.
    LossRecovery = "loss_recovery",
    /// A timeout that no loss called for made the sender start again.
    UndesiredSlowStart = "undesired_slow_start",
    /// The sending application had nothing to send.
    SenderApp = "sender_app",
    /// The receiving application did not read.
    ReceiverApp = "receiver_app",
    /// The path between tap and server lost, delayed or throttled.
    UpstreamPath = "upstream_path",
    /// The radio woke up.
    PromotionDelay = "promotion_delay",
    /// The name was looked up or the connection opened.
    HandshakeDns = "handshake_dns",
    /// A handover interrupted the radio.
    Handover = "handover",
    /// Nothing was asked for.
    Idle = "idle",
    /// The evidence does not decide; the reason says why.
    Undetermined = "undetermined",
}

/// What decided a slice's cause.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum CauseSource {
    /// The capture alone.
    Tcp,
    /// The modem log alone.
    Modem,
    /// The capture, confirmed or vetoed by the modem log.
    Both,
}

impl CauseSource {
    /// The word in the tables.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Tcp => "tcp",
            Self::Modem => "modem",
            Self::Both => "both",
        }
    }
}
