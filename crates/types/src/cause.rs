//! Lists the causes, that is, everything that may limit a transfer.
//!
//! This is the only place in Rust that declares a cause: its key, its name in words, and the side
//! of the transfer on which the cause lies. The share columns, the schema, the reference and the
//! scoring are derived from this list. For each cause, one file in Python holds what the command
//! line says about the cause and how plots draw it.

macro_rules! causes {
    ($($(#[doc = $doc:literal])+ $variant:ident = $key:literal, $name:literal, $side:ident;)*) => {
        /// What limited a slice of a transfer.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
        pub enum Cause { $($(#[doc = $doc])+ $variant),* }

        impl Cause {
            /// Every cause, in the order of the share columns.
            pub const ALL: &'static [Self] = &[$(Self::$variant),*];

            /// The key of the cause: the word in tables and documents, which never changes.
            pub const fn as_str(self) -> &'static str {
                match self { $(Self::$variant => $key),* }
            }

            /// The name of the cause in a sentence for people.
            pub const fn name(self) -> &'static str {
                match self { $(Self::$variant => $name),* }
            }

            /// The side of the transfer on which the cause lies.
            pub const fn side(self) -> CauseSide {
                match self { $(Self::$variant => CauseSide::$side),* }
            }

            /// The sentence that explains the cause to people.
            pub const fn doc(self) -> &'static str {
                match self { $(Self::$variant => concat!($($doc),+)),* }
            }

            /// The name of the column in `transfers` that holds the cause's share of the time.
            pub const fn share_column(self) -> &'static str {
                match self { $(Self::$variant => concat!("share_", $key)),* }
            }

            /// The description of the column in `transfers` that holds the cause's share of the
            /// time.
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
    /// Data waits in a queue before the radio downlink: the link is the bottleneck.
    LteDownlink = "lte_downlink", "LTE downlink", Link;
    /// Data waits in a queue before the radio uplink: the link is the bottleneck.
    LteUplink = "lte_uplink", "LTE uplink", Link;
    /// Data waits in a queue inside the phone, above the modem.
    DeviceQueue = "device_queue", "queue in the phone", Link;
    /// The receiver's advertised window stops the sender.
    ReceiveWindow = "receive_window", "receive window", Receiver;
    /// The congestion window is still growing from its start.
    SlowStart = "slow_start", "slow start", Sender;
    /// The congestion window limits the sender, in congestion avoidance or with a window below
    /// that.
    CongestionWindow = "congestion_window", "congestion window", Sender;
    /// The congestion window grows again after the sender rested longer than its RTO.
    SlowStartRestart = "slow_start_restart", "slow-start restart", Sender;
    /// The sender repairs a loss.
    LossRecovery = "loss_recovery", "loss recovery", Path;
    /// The sender started again from a small window after a timeout although nothing was lost.
    UndesiredSlowStart = "undesired_slow_start", "undesired slow start", Sender;
    /// A request travels from the capture point to the server, and the first byte of the answer
    /// travels back.
    RoundTrip = "round_trip", "round trip", Path;
    /// The sending application, or a system behind it, had no data to send.
    SenderApp = "sender_app", "sender application", Sender;
    /// The receiving application did not read the data that had arrived.
    ReceiverApp = "receiver_app", "receiver application", Receiver;
    /// The path between the capture point and the server lost, delayed or throttled packets.
    UpstreamPath = "upstream_path", "upstream path", Path;
    /// The radio changed from idle to connected.
    PromotionDelay = "promotion_delay", "promotion delay", Path;
    /// The phone looked up the server's name, or opened the connection.
    HandshakeDns = "handshake_dns", "handshake and DNS", Path;
    /// A handover interrupted the radio.
    Handover = "handover", "handover", Path;
    /// No request was open.
    Idle = "idle", "idle", Nobody;
    /// The evidence does not decide between causes; the reason says why.
    Undetermined = "undetermined", "undetermined", Nobody;
}

impl Cause {
    /// Whether the cause makes the access link the bottleneck.
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
    /// The path between the ends, except for the rate of the access link.
    Path,
    /// Neither end nor the path.
    Nobody,
}

impl CauseSide {
    /// The word for the side in the schema.
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

/// Which evidence decided the cause of a slice.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum CauseSource {
    /// The capture alone decided.
    Tcp,
    /// The modem log alone decided.
    Modem,
    /// The capture decided, and the modem log confirmed or vetoed it.
    Both,
}

impl CauseSource {
    /// The word for the evidence in the tables.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Tcp => "tcp",
            Self::Modem => "modem",
            Self::Both => "both",
        }
    }
}
