//! Lists the other causes that a slice may name beside its own, and says how sure a verdict is.

use crate::cause::Cause;

macro_rules! seconds {
    ($($(#[doc = $doc:literal])+ $variant:ident = $text:literal, [$($cause:ident),+];)*) => {
        /// The other causes that would explain the packets of a slice as well (methods T9).
        ///
        /// A slice without a cause names two or three of them, none of which is preferred.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
        pub enum Second { $($(#[doc = $doc])+ $variant),* }

        impl Second {
            /// Every value.
            pub const ALL: &'static [Self] = &[$(Self::$variant),*];

            /// The keys of the causes, with commas between them.
            pub const fn as_str(self) -> &'static str {
                match self { $(Self::$variant => $text),* }
            }

            /// The causes.
            pub const fn causes(self) -> &'static [Cause] {
                match self { $(Self::$variant => &[$(Cause::$cause),+]),* }
            }
        }
    };
}

seconds! {
    /// A queue before the downlink.
    LteDownlink = "lte_downlink", [LteDownlink];
    /// A queue before the uplink.
    LteUplink = "lte_uplink", [LteUplink];
    /// A queue or a loss between server and capture point.
    UpstreamPath = "upstream_path", [UpstreamPath];
    /// A congestion window that does not grow.
    CongestionWindow = "congestion_window", [CongestionWindow];
    /// A congestion window that grows from its start.
    SlowStart = "slow_start", [SlowStart];
    /// The receiver's window.
    ReceiveWindow = "receive_window", [ReceiveWindow];
    /// A receiving application that reads slowly.
    ReceiverApp = "receiver_app", [ReceiverApp];
    /// A sending application, or what is behind it, that has nothing to send.
    SenderApp = "sender_app", [SenderApp];
    /// A full downlink, or a sender at its rate.
    DownlinkOrApp = "lte_downlink,sender_app", [LteDownlink, SenderApp];
    /// A full uplink, or a sender at its rate.
    UplinkOrApp = "lte_uplink,sender_app", [LteUplink, SenderApp];
    /// A full downlink, or a congestion window.
    DownlinkOrWindow = "lte_downlink,congestion_window", [LteDownlink, CongestionWindow];
    /// A full uplink, or a congestion window.
    UplinkOrWindow = "lte_uplink,congestion_window", [LteUplink, CongestionWindow];
    /// A full downlink, or a loss that is repaired.
    DownlinkOrLoss = "lte_downlink,loss_recovery", [LteDownlink, LossRecovery];
    /// A full uplink, or a loss that is repaired.
    UplinkOrLoss = "lte_uplink,loss_recovery", [LteUplink, LossRecovery];
    /// The receiver's window, or the congestion window.
    EitherWindow = "receive_window,congestion_window", [ReceiveWindow, CongestionWindow];
    /// The receiver's window, or a sending application that has nothing to send.
    WindowOrApp = "receive_window,sender_app", [ReceiveWindow, SenderApp];
    /// A congestion window that grows from its start, or one that does not.
    EitherGrowth = "slow_start,congestion_window", [SlowStart, CongestionWindow];
    /// A radio that wakes up, or a server that thinks.
    PromotionOrApp = "promotion_delay,sender_app", [PromotionDelay, SenderApp];
    /// The way to the server and back, or the server.
    RoundTripOrApp = "round_trip,sender_app", [RoundTrip, SenderApp];
}

/// How sure a verdict is (methods T9).
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Certainty {
    /// No other cause explains these packets at this capture point.
    Sure,
    /// One cause is named, and a second one is possible.
    Likely,
    /// No cause is named, or two or three of which none is preferred.
    Open,
}

impl Certainty {
    /// The word in tables and documents.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Sure => "sure",
            Self::Likely => "likely",
            Self::Open => "open",
        }
    }

    /// How sure a slice is whose cause and other causes are these.
    pub fn of(cause: Cause, second: Option<Second>) -> Self {
        match (cause, second) {
            (Cause::Undetermined, _) => Self::Open,
            (_, Some(_)) => Self::Likely,
            (_, None) => Self::Sure,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_text_holds_the_keys_of_the_causes() {
        for second in Second::ALL {
            let keys: Vec<_> = second.causes().iter().map(|cause| cause.as_str()).collect();
            assert_eq!(second.as_str(), keys.join(","));
        }
    }
}
