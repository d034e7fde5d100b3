//! Reads 0xB0C0 and 0xB821: steps of RRC procedures that concern cells. In MobileInsight's exports,
//! a message is dissected by Wireshark, or written in hexadecimal as it was sent. Only the step of
//! a message is kept.

use super::context::Context;
use crate::modem::mobile_insight::fields::Fields;
use crate::modem::record::{Record, RrcEvent, RrcStep};
use crate::modem::rrc::{self, Channel, EXTENDED_EARFCN, Step};
use crate::modem::text::{Bad, whole};

const MOST_CELL: u64 = 1007;
/// The greatest EARFCN (TS 36.101 section 5.7.3), or NR-ARFCN for 5G (TS 38.104 section 5.4.2.1).
const MOST_FREQUENCY: u64 = 3_279_165;
/// In this version MobileInsight reads the EARFCN as 16 bits, and the frame from a position 16 bits
/// too early.
const SHIFTED: u32 = 26;

/// The channels of messages that connected phones send and receive, by the endings of
/// MobileInsight's names.
const CHANNELS: [(&str, Channel); 9] = [
    ("DL_DCCH", Channel::DlDcch),
    ("UL_DCCH", Channel::UlDcch),
    ("DL_CCCH", Channel::DlCcch),
    ("UL_CCCH", Channel::UlCcch),
    ("dl.dcch", Channel::DlDcch),
    ("ul.dcch", Channel::UlDcch),
    ("dl.ccch", Channel::DlCcch),
    ("ul.ccch", Channel::UlCcch),
    ("rrc_reconf", Channel::Reconfiguration),
];

/// The steps for names in Wireshark, the most specific first. Any other message of such a channel
/// is [`RrcStep::Seen`].
const STEPS: [(&str, RrcStep); 10] = [
    ("lte-rrc.mobilityControlInfo_element", RrcStep::Command),
    ("lte-rrc.rrcConnectionReconfigurationComplete_element", RrcStep::Complete),
    ("lte-rrc.rrcConnectionReestablishmentComplete_element", RrcStep::Complete),
    ("lte-rrc.rrcConnectionReestablishmentRequest_element", RrcStep::Reestablishment),
    ("lte-rrc.rrcConnectionReestablishmentReject_element", RrcStep::Release),
    ("lte-rrc.rrcConnectionReject_element", RrcStep::Release),
    ("lte-rrc.rrcConnectionRequest_element", RrcStep::Connection),
    ("lte-rrc.rrcConnectionSetup_element", RrcStep::Connection),
    ("lte-rrc.rrcConnectionSetupComplete_element", RrcStep::Connection),
    ("lte-rrc.rrcConnectionRelease_element", RrcStep::Release),
];

/// Reads 0xB0C0: an RRC message of LTE.
pub(super) fn lte(fields: Fields<'_>, context: &mut Context<'_>) -> Result<u32, Bad> {
    message(false, fields, context)
}

/// Reads 0xB821: an RRC message of 5G NR.
pub(super) fn nr(fields: Fields<'_>, context: &mut Context<'_>) -> Result<u32, Bad> {
    message(true, fields, context)
}

fn message(nr: bool, fields: Fields<'_>, context: &mut Context<'_>) -> Result<u32, Bad> {
    let version = fields.whole("Pkt Version", 0..=255)?.unwrap_or(0);
    let name = fields.word("MsgType").unwrap_or_default();
    let channel = CHANNELS.iter().find(|(end, _)| name.ends_with(end));
    // The other channels carry paging and system information of cells that the phone only listens
    // to.
    let Some((_, channel)) = channel else { return Ok(version) };
    if let Some(step) = step(nr, *channel, fields.word("Msg"))? {
        context.out.push(Record::Rrc(RrcEvent {
            time: context.time,
            user: context.user,
            step: step.step,
            cell: fields.whole("Physical Cell ID", 0..=MOST_CELL)?,
            earfcn: frequency(fields, version, *channel)?,
            target_cell: step.target.map(|(cell, _)| cell),
            target_earfcn: step.target.and_then(|(_, earfcn)| earfcn),
            nr,
        }));
    }
    Ok(version)
}

/// The step of a message in either form; `None` if it concerns no connection.
fn step(nr: bool, channel: Channel, message: Option<&str>) -> Result<Option<Step>, Bad> {
    match message {
        None => Ok(Some(Step { step: RrcStep::Seen, target: None })),
        Some(text) if text.contains('<') => Ok(Some(dissected(text))),
        Some(text) => match bytes(text) {
            Some(message) => Ok(rrc::step(nr, channel, &message)),
            None => Err(Bad::new("Msg: neither hexadecimal nor XML")),
        },
    }
}

/// The step of a message that Wireshark dissected.
fn dissected(text: &str) -> Step {
    let step = STEPS.iter().find(|(name, _)| text.contains(&format!("\"{name}\"")));
    let step = step.map_or(RrcStep::Seen, |(_, step)| *step);
    Step { step, target: if step == RrcStep::Command { target(text) } else { None } }
}

/// The target cell of a handover command, and its EARFCN if that changes. An EARFCN in an extension
/// must be read: without it the cell would be on the same frequency.
fn target(text: &str) -> Option<(u16, Option<u32>)> {
    let cell = shown(text, "lte-rrc.targetPhysCellId")?;
    let earfcn = match shown(text, "lte-rrc.dl_CarrierFreq") {
        Some(EXTENDED_EARFCN) => Some(shown(text, "lte-rrc.dl_CarrierFreq_v9e0")?),
        frequency => frequency,
    };
    Some((cell, earfcn))
}

/// The EARFCN. In version [`SHIFTED`], its upper half is the lower half of the frame field. Uplink
/// messages have no frame, so that field contains nothing else.
fn frequency(fields: Fields<'_>, version: u32, channel: Channel) -> Result<Option<u32>, Bad> {
    let low: Option<u32> = fields.whole("Freq", 0..=MOST_FREQUENCY)?;
    let frame: Option<u32> = fields.whole("SysFrameNum/SubFrameNum", 0..=u64::from(u32::MAX))?;
    let uplink = matches!(channel, Channel::UlDcch | Channel::UlCcch);
    let shifted = |frame: &u32| version == SHIFTED && (*frame > 0xFFFF || uplink);
    let high = frame.filter(shifted).map_or(0, |frame| frame & 0xFFFF);
    Ok(low.map(|low| low | high << 16).filter(|earfcn| u64::from(*earfcn) <= MOST_FREQUENCY))
}

/// The value that Wireshark shows for the first field with this name.
fn shown<T: TryFrom<u64>>(text: &str, name: &str) -> Option<T> {
    let (_, rest) = text.split_once(&format!("name=\"{name}\""))?;
    let tag = rest.split('>').next()?;
    let (_, value) = tag.split_once("show=\"")?;
    whole(value.split('"').next()?, &(0..=MOST_FREQUENCY))
}

fn bytes(hex: &str) -> Option<Vec<u8>> {
    let digit = |digit: &u8| char::from(*digit).to_digit(16);
    let pair = |pair: &[u8]| match pair {
        [high, low] => u8::try_from(digit(high)? << 4 | digit(low)?).ok(),
        _ => None,
    };
    hex.as_bytes().chunks(2).map(pair).collect()
}
