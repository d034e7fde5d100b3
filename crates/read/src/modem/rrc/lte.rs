//! Reads RRC messages of LTE (TS 36.331).

use super::message::{Channel, Step};
use crate::modem::bit_reader::BitReader;
use crate::modem::record::RrcStep;

/// An EARFCN of this value means one above 65535, which is in an extension (TS 36.331
/// `ARFCN-ValueEUTRA`).
pub(crate) const EXTENDED_EARFCN: u32 = 65_535;

/// The step that a message represents; `None` if it concerns no connection.
pub(super) fn step(channel: Channel, message: &[u8]) -> Option<Step> {
    let mut bits = BitReader::new(message);
    match channel {
        Channel::DlDcch => Some(ordered(&mut bits)),
        Channel::UlDcch => Some(answered(&mut bits)),
        Channel::DlCcch => granted(&mut bits),
        Channel::UlCcch => requested(&mut bits),
        _ => None,
    }
}

/// The step of a `DL-DCCH-Message`.
fn ordered(bits: &mut BitReader<'_>) -> Step {
    match choice(bits, 4) {
        // rrcConnectionReconfiguration
        Some(4) => reconfiguration(bits).unwrap_or(Step::without_target(RrcStep::Seen)),
        // rrcConnectionRelease
        Some(5) => Step::without_target(RrcStep::Release),
        // rrcConnectionResume
        Some(12) => Step::without_target(RrcStep::Connection),
        _ => Step::without_target(RrcStep::Seen),
    }
}

/// The step of an `RRCConnectionReconfiguration`, which is a handover command if it has
/// `mobilityControlInfo`. The target can be read only if no `measConfig` precedes it, whose length
/// only a decoder of the full schema knows.
fn reconfiguration(bits: &mut BitReader<'_>) -> Option<Step> {
    let _transaction = bits.number(2)?;
    let future_extension = bits.flag()?;
    let release = bits.number(3)?;
    if future_extension || release != 0 {
        return None;
    }
    let measurements = bits.flag()?;
    let moves = bits.flag()?;
    // dedicatedInfoNASList, radioResourceConfigDedicated, securityConfigHO, nonCriticalExtension
    let _others = bits.number(4)?;
    let target = (moves && !measurements).then(|| target(bits)).flatten();
    moves.then_some(Step { step: RrcStep::Command, target })
}

/// Reads `MobilityControlInfo`: `targetPhysCellId`, then `carrierFreq` if it is present. The target
/// is left out if its frequency is elsewhere in the message, because a target without a frequency
/// would be on the same frequency.
fn target(bits: &mut BitReader<'_>) -> Option<(u16, Option<u32>)> {
    let _extension = bits.flag()?;
    let has_frequency = bits.flag()?;
    // carrierBandwidth, additionalSpectrumEmission, rach-ConfigDedicated
    let _others = bits.number(3)?;
    let cell = bits.narrow(9)?;
    let earfcn = if has_frequency { Some(frequency(bits)?) } else { None };
    Some((cell, earfcn))
}

/// Reads the EARFCN of a `CarrierFreqEUTRA`.
fn frequency(bits: &mut BitReader<'_>) -> Option<u32> {
    let _has_uplink = bits.flag()?;
    bits.number(16).filter(|earfcn| *earfcn != EXTENDED_EARFCN)
}

/// The step of a `UL-DCCH-Message`.
fn answered(bits: &mut BitReader<'_>) -> Step {
    Step::without_target(match choice(bits, 4) {
        // rrcConnectionReconfigurationComplete, rrcConnectionReestablishmentComplete
        Some(2 | 3) => RrcStep::Complete,
        // rrcConnectionSetupComplete
        Some(4) => RrcStep::Connection,
        _ => RrcStep::Seen,
    })
}

/// The step of a `DL-CCCH-Message`.
fn granted(bits: &mut BitReader<'_>) -> Option<Step> {
    let step = match choice(bits, 2)? {
        // rrcConnectionReestablishment
        0 => RrcStep::Seen,
        // rrcConnectionReestablishmentReject, rrcConnectionReject
        1 | 2 => RrcStep::Release,
        // rrcConnectionSetup
        _ => RrcStep::Connection,
    };
    Some(Step::without_target(step))
}

/// The step of a `UL-CCCH-Message`; its extension requests to resume a connection.
fn requested(bits: &mut BitReader<'_>) -> Option<Step> {
    let extension = bits.flag()?;
    let step = match (extension, bits.flag()?) {
        (false, false) => RrcStep::Reestablishment,
        _ => RrcStep::Connection,
    };
    Some(Step::without_target(step))
}

/// The alternative of a message type; `None` if the message uses its extension.
fn choice(bits: &mut BitReader<'_>, width: u32) -> Option<u32> {
    let extension = bits.flag()?;
    bits.number(width).filter(|_| !extension)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A message from pairs of value and width in bits, the most significant bit first.
    fn message(parts: &[(u32, u32)]) -> Vec<u8> {
        let bits: Vec<u8> = parts
            .iter()
            .flat_map(|(value, width)| (0..*width).rev().map(move |bit| (value >> bit & 1) as u8))
            .collect();
        bits.chunks(8)
            .map(|chunk| (0..8).fold(0, |byte, at| byte << 1 | chunk.get(at).unwrap_or(&0)))
            .collect()
    }

    /// A reconfiguration with these optional parts, and the bits that follow them.
    fn reconfiguration(parts: u32, rest: &[(u32, u32)]) -> Vec<u8> {
        let head = [(0, 1), (4, 4), (1, 2), (0, 1), (0, 3), (parts, 6)];
        message(&[&head, rest].concat())
    }

    #[test]
    fn a_handover_command_names_its_target() {
        let same = reconfiguration(0b010101, &[(0, 1), (0b0001, 4), (321, 9)]);
        let other = [(0, 1), (0b1000, 4), (321, 9), (1, 1), (6300, 16)];
        let other = reconfiguration(0b010000, &other);
        let found = [same, other].map(|message| step(Channel::DlDcch, &message));
        let command = |target| Some(Step { step: RrcStep::Command, target: Some(target) });
        assert_eq!(found, [command((321, None)), command((321, Some(6300)))]);
    }

    #[test]
    fn measurements_before_the_target_hide_it() {
        let message = reconfiguration(0b110000, &[(u32::MAX, 32)]);
        let expected = Some(Step::without_target(RrcStep::Command));
        assert_eq!(step(Channel::DlDcch, &message), expected);
    }

    #[test]
    fn a_reconfiguration_without_mobility_is_no_handover_command() {
        let message = reconfiguration(0b101000, &[(0, 32)]);
        let expected = Some(Step::without_target(RrcStep::Seen));
        assert_eq!(step(Channel::DlDcch, &message), expected);
    }

    #[test]
    fn a_frequency_above_65535_is_in_an_extension() {
        let rest = [(0, 1), (0b1000, 4), (7, 9), (0, 1), (65_535, 16)];
        let found = step(Channel::DlDcch, &reconfiguration(0b010000, &rest));
        // `None` would mean that the cell is on the same frequency.
        assert_eq!(found, Some(Step::without_target(RrcStep::Command)));
    }

    #[test]
    fn each_channel_has_its_own_choices() {
        let found =
            |channel, parts: &[(u32, u32)]| step(channel, &message(parts)).map(|step| step.step);
        assert_eq!(found(Channel::UlDcch, &[(0, 1), (2, 4)]), Some(RrcStep::Complete));
        assert_eq!(found(Channel::UlDcch, &[(0, 1), (3, 4)]), Some(RrcStep::Complete));
        assert_eq!(found(Channel::UlDcch, &[(0, 1), (1, 4)]), Some(RrcStep::Seen));
        assert_eq!(found(Channel::UlDcch, &[(1, 1), (2, 4)]), Some(RrcStep::Seen));
        assert_eq!(found(Channel::DlDcch, &[(0, 1), (5, 4)]), Some(RrcStep::Release));
        assert_eq!(found(Channel::UlCcch, &[(0, 1), (0, 1)]), Some(RrcStep::Reestablishment));
        assert_eq!(found(Channel::UlCcch, &[(0, 1), (1, 1)]), Some(RrcStep::Connection));
        assert_eq!(found(Channel::DlCcch, &[(0, 1), (3, 2)]), Some(RrcStep::Connection));
        assert_eq!(found(Channel::Pcch, &[(0, 8)]), None);
        assert_eq!(found(Channel::UlCcch, &[]), None);
    }

    #[test]
    fn a_cut_handover_command_is_still_a_message_on_its_cell() {
        let whole = reconfiguration(0b010000, &[(0, 1), (0, 4), (321, 9)]);
        let expected = Some(Step::without_target(RrcStep::Seen));
        assert_eq!(step(Channel::DlDcch, &whole[..1]), expected);
    }
}
