//! What may limit a transfer: the closed list of causes.
//!
//! A cause is declared here and nowhere else in Rust: its key, its name in words, and the side it
//! lies on. Share columns, schema, reference and scoring follow from this list; what the command
//! line says about a cause and how plots draw it is one file in Python for each.

macro_rules! causes {
    ($($(#[doc = $doc:literal])+ $variant:ident = $key:literal, $name:literal, $side:ident;)*) => {
        /// What limited a slice of a transfer.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
        pub enum Cause { $($(#[doc = $doc])+ $variant),* }

        impl Cause {
            /// Every cause, in the order of the share columns.
            pub const ALL: &'static [Self] = &[$(Self::$variant),*];

            /// Its key: the word in tables and documents, which never changes.
            pub const fn as_str(self) -> &'static str {
                match self { $(Self::$variant => $key),* }
            }

            /// Its name in a sentence for people.
            pub const fn name(self) -> &'static str {
                match self { $(Self::$variant => $name),* }
            }

            /// The side of the transfer on which it lies.
            pub const fn side(self) -> CauseSide {
                match self { $(Self::$variant => CauseSide::$side),* }
            }

            /// One sentence for people.
            pub const fn doc(self) -> &'static str {
                match self { $(Self::$variant => concat!($($doc),+)),* }
            }

            /// Name of its share in `transfers`.
            pub const fn share_column(self) -> &'static str {
                match self { $(Self::$variant => concat!("share_", $key)),* }
            }

            /// Description of its share in `transfers`.
            pub const fn share_doc(self) -> &'static str {
                match self {
                    $(Self::$variant => concat!(
                        "Share of the transfer's time limited by ", $key,
                        "; null when it took no time, and when this capture cannot show this cause."
                    )),*
                }
            }
        }
    };
}

causes! {
    /// There is a queue before the radio downlink: the link is the bottleneck.
    LteDownlink = "lte_downlink", "LTE downlink", Link;
    /// There is a queue before the radio uplink.
    LteUplink = "lte_uplink", "LTE uplink", Link;
    /// There is a queue inside the phone, above the modem.
    DeviceQueue = "device_queue", "queue in the phone", Link;
    /// The receiver's advertised window stops the sender.
    ReceiveWindow = "receive_window", "receive window", Receiver;
    /// The congestion window is still growing from its start.
    SlowStart = "slow_start", "slow start", Sender;
    /// The congestion window, in congestion avoidance or below, holds the sender.
    CongestionWindow = "congestion_window", "congestion window", Sender;
    /// The congestion window grows again after the sender rested longer than its RTO.
    SlowStartRestart = "slow_start_restart", "slow-start restart", Sender;
    /// The sender repairs a loss.
    LossRecovery = "loss_recovery", "loss recovery", Path;
    /// A timeout that no loss called for made the sender start again.
    UndesiredSlowStart = "undesired_slow_start", "undesired slow start", Sender;
    /// A request and the first byte of its answer travel one loop between the tap and the server.
    RoundTrip = "round_trip", "round trip", Path;
    /// The sending application, or what is behind it, had nothing to send.
    SenderApp = "sender_app", "sender application", Sender;
    /// The receiving application did not read.
    ReceiverApp = "receiver_app", "receiver application", Receiver;
    /// The path between tap and server lost, delayed or throttled.
    UpstreamPath = "upstream_path", "upstream path", Path;
    /// The radio woke up.
    PromotionDelay = "promotion_delay", "promotion delay", Path;
    /// The name was looked up or the connection opened.
    HandshakeDns = "handshake_dns", "handshake and DNS", Path;
    /// A handover interrupted the radio.
    Handover = "handover", "handover", Path;
    /// Nothing was requested.
    Idle = "idle", "idle", Nobody;
    /// The evidence does not decide; the reason says why.
    Undetermined = "undetermined", "undetermined", Nobody;
}

impl Cause {
    /// Whether it makes the access link the bottleneck.
    pub const fn is_link(self) -> bool {
        matches!(self.side(), CauseSide::Link)
    }
}

/// The side of a transfer on which a cause lies.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum CauseSide {
    /// The access link, or the queue before it.
    Link,
    /// The end that receives the transfer's data.
    Receiver,
    /// The end that sends the transfer's data.
    Sender,
    /// The way between the ends, the link's rate aside.
    Path,
    /// Neither end nor the path.
    Nobody,
}

impl CauseSide {
    /// The word in the schema.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Link => "link",
            Self::Receiver => "receiver",
            Self::Sender => "sender",
            Self::Path => "path",
            Self::Nobody => "nobody",
        }
    }
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
