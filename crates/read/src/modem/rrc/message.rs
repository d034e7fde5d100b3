//! Defines what an RRC message does, and the channel on which it was sent.

use crate::modem::record::RrcStep;

/// The logical channel of a message, and its direction.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Channel {
    /// The channel of master information.
    BcchBch,
    /// The channel of system information.
    BcchDlSch,
    /// The channel of multicast control.
    Mcch,
    /// The channel of paging.
    Pcch,
    /// The downlink channel of common control.
    DlCcch,
    /// The downlink channel of dedicated control.
    DlDcch,
    /// The uplink channel of common control.
    UlCcch,
    /// The uplink channel of dedicated control.
    UlDcch,
    /// A 5G reconfiguration of a secondary cell, in an LTE message.
    Reconfiguration,
    /// The completion of a 5G reconfiguration, in an LTE message.
    ReconfigurationComplete,
    /// A configuration of 5G radio bearers, in an LTE message.
    RadioBearers,
}

impl Channel {
    /// The name of the channel in the specifications.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::BcchBch => "BCCH-BCH",
            Self::BcchDlSch => "BCCH-DL-SCH",
            Self::Mcch => "MCCH",
            Self::Pcch => "PCCH",
            Self::DlCcch => "DL-CCCH",
            Self::DlDcch => "DL-DCCH",
            Self::UlCcch => "UL-CCCH",
            Self::UlDcch => "UL-DCCH",
            Self::Reconfiguration => "RRCReconfiguration",
            Self::ReconfigurationComplete => "RRCReconfigurationComplete",
            Self::RadioBearers => "RadioBearerConfig",
        }
    }
}

/// The step of an RRC procedure that a message represents.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Step {
    pub(crate) step: RrcStep,
    /// The target cell of a handover command, and its EARFCN if that changes.
    pub(crate) target: Option<(u16, Option<u32>)>,
}

impl Step {
    pub(super) const fn without_target(step: RrcStep) -> Self {
        Self { step, target: None }
    }
}
