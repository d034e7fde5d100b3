//! Every format of modem logs.

use crate::modem::reader::Known;
use crate::modem::{diag, dumpsys, emulator, mobile_insight, ns3, qcat, sniffer, srsran};

/// Every format that is text, the surest sign first.
pub(super) const TEXTS: &[Known] = &[
    emulator::EMULATOR,
    ns3::NS3,
    srsran::SRSRAN,
    mobile_insight::JSON,
    mobile_insight::XML,
    qcat::QCAT,
    dumpsys::DUMPSYS,
    sniffer::FALCON,
    sniffer::OWL,
    sniffer::NGSCOPE,
];

/// Every format of packets, the surest sign first.
pub(super) const PACKETS: &[Known] = &[
    // Frames in the driver's buffers would pass for frames alone.
    diag::LINUX,
    diag::DIAG,
    diag::DLF,
    diag::SCAN,
];
