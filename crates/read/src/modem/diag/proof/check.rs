//! The kinds of checks of a layout.

/// A kind of check.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Check {
    /// Whether length and ranges are those of the layout.
    Shape,
    /// Size against MCS or modulation, and PRBs (TS 36.213 tables 7.1.7.2.1-1, 7.1.7.1-1, 8.6.1-1).
    Size,
    /// PRBs against those of another message about the same subframe.
    Prbs,
    /// Header, elements and padding of a MAC PDU against its size (TS 36.321 section 6.1.2).
    Sum,
    /// Blocks of the MAC layer against those on the air.
    Mac,
    /// Grants against the blocks that were sent four subframes later (TS 36.213 section 8).
    Grant,
    /// Sums against the modem's own counters.
    Counter,
    /// Subframe against the time of logging.
    Clock,
    /// Lengths that follow from the bandwidth of the carrier (TS 36.212 section 5.3.3.1, TS 36.213
    /// section 7.2.1).
    Width,
    /// Levels against each other: RSRQ = N RSRP / RSSI (TS 36.214 section 5.1.3), and the level of
    /// the better antenna against the combined one.
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
