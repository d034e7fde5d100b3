//! Reads RRC messages of 5G (TS 38.331). Whether a reconfiguration is a handover command is deep
//! inside the message (`reconfigurationWithSync` of the master cell group), where only a decoder of
//! the full schema reads it. Without one, a completion on another cell of the same connection shows
//! the handover.

use super::message::{Channel, Step};
use crate::modem::bit_reader::BitReader;
use crate::modem::record::RrcStep;

/// Whether a `DL-DCCH-Message` is an `rrcReconfiguration`.
pub(super) fn is_reconfiguration(message: &[u8]) -> bool {
    BitReader::new(message).number(5) == Some(0)
}

/// The step that a message represents. A 5G message inside an LTE message concerns a secondary
/// cell, and is not a step.
pub(super) fn step(channel: Channel, message: &[u8]) -> Option<Step> {
    let mut bits = BitReader::new(message);
    let extension = bits.flag()?;
    let mut choice = |width| bits.number(width).filter(|_| !extension);
    let step = match channel {
        Channel::DlDcch => match choice(4) {
            // rrcResume
            Some(1) => RrcStep::Connection,
            // rrcRelease
            Some(2) => RrcStep::Release,
            _ => RrcStep::Seen,
        },
        Channel::UlDcch => match choice(4) {
            // rrcReconfigurationComplete, rrcReestablishmentComplete
            Some(1 | 3) => RrcStep::Complete,
            // rrcSetupComplete, rrcResumeComplete
            Some(2 | 4) => RrcStep::Connection,
            _ => RrcStep::Seen,
        },
        Channel::DlCcch => match choice(2)? {
            // rrcReject
            0 => RrcStep::Release,
            _ => RrcStep::Connection,
        },
        Channel::UlCcch => match choice(2)? {
            // rrcReestablishmentRequest
            2 => RrcStep::Reestablishment,
            _ => RrcStep::Connection,
        },
        _ => return None,
    };
    Some(Step::without_target(step))
}
