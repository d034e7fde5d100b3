//! The checks of a layout.

/// A kind of check.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Check {
    /// Length and ranges are those of the layout.
    Shape,
    /// Size against MCS or modulation and PRBs (TS 36.213 tables 7.1.7.2.1-1, 7.1.7.1-1, 8.6.1-1).
    Size,
    /// PRBs against those in another message about the subframe.
    Prbs,
    /// Header, elements and padding of a MAC PDU against its size (TS 36.321 section 6.1.2).
    Sum,
    /// Blocks of the MAC layer against those on the air.
    Mac,
    /// Grants against what was sent four subframes later (TS 36.213 section 8).
    Grant,
    /// Sums against the modem's own counters.
    Counter,
    /// Subframe against the time of the log.
    Clock,
    /// Lengths that follow from the carrier's width (TS 36.212 section 5.3.3.1, TS 36.213 section 7.2.1).
    Width,
    /// Levels against one another: RSRQ = N RSRP / RSSI (TS 36.214 section 5.1.3), and the better
    /// antenna's against the combined one.
    Level,
}

impl Check {
    /// The word that tables and reports use.
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

    /// Whether a check that held is evidence for a layout: many bytes have a shape by chance, and a
    /// counter is only one sum.
    pub(super) const fn is_evidence(self) -> bool {
        !matches!(self, Self::Shape | Self::Counter)
    }
}

/// A layout: index into [`MESSAGES`](crate::modem::diag::messages), and version.
pub(crate) type Layout = (usize, u32);

/// A check of a layout, and whether it held.
pub(super) type Outcome = (Layout, Check, bool);
