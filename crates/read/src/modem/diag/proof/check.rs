//! The kinds of checks that show whether a message has the layout of its version.

/// A kind of check; each variant says what holds if the check passes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Check {
    /// The message has the length and the ranges of values that its layout requires.
    Shape,
    /// The size of a block agrees with its MCS or modulation and its PRBs (TS 36.213 tables
    /// 7.1.7.2.1-1, 7.1.7.1-1, 8.6.1-1).
    Size,
    /// The PRBs agree with those of another message about the same subframe.
    Prbs,
    /// Header, elements and padding of a MAC PDU add up to its size (TS 36.321 section 6.1.2).
    Sum,
    /// Blocks of the MAC layer agree with those on the air.
    Mac,
    /// Grants agree with the blocks that were sent four subframes later (TS 36.213 section 8).
    Grant,
    /// Sums of bytes agree with the modem's own counters.
    Counter,
    /// The number of a subframe agrees with the time at which the message was logged.
    Clock,
    /// Lengths of messages are those that follow from the bandwidth of the carrier (TS 36.212
    /// section 5.3.3.1, TS 36.213 section 7.2.1).
    Width,
    /// Levels agree with each other: RSRQ = N RSRP / RSSI (TS 36.214 section 5.1.3), and the
    /// combined level is that of the better antenna.
    Level,
}

impl Check {
    /// The word for the kind of check in tables and reports.
    pub(super) const fn as_str(self) -> &'static str {
        match self {
            Self::Shape => "shape",
            Self::Size => "size",
            Self::Prbs => "prbs",
            Self::Sum => "sum",
            Self::Mac => "mac",
            Self::Grant => "grant",
            Self::Counter => "counter",
            Self::Clock => "clock",
            Self::Width => "width",
            Self::Level => "level",
        }
    }

    /// Whether a check of this kind that holds is evidence for a layout. Shape is not, because many
    /// bytes have a shape by chance, and neither is a counter, which is only one sum.
    pub(super) const fn is_evidence(self) -> bool {
        !matches!(self, Self::Shape | Self::Counter)
    }
}

/// A layout: the index in [`MESSAGES`](crate::modem::diag::messages), and the version.
pub(crate) type Layout = (usize, u32);

/// A layout, a kind of check, and whether the check held.
pub(super) type Outcome = (Layout, Check, bool);
