//! 0xB0C0: steps between cells, from the message that MobileInsight has taken apart by Wireshark.
//!
//! Where the message is not taken apart, only the cell is known on which it was.

use super::{Context, Fields};
use crate::modem::record::{Record, RrcEvent, RrcStep};
use crate::modem::text::{Bad, whole};

const MOST_CELL: u64 = 503;
const MOST_EARFCN: u64 = 262_143;
/// Where MobileInsight reads the EARFCN as 16 bits and the frame from 16 bits too early.
const SHIFTED: u32 = 26;

/// What of Wireshark's names (lte-rrc) is which step, the most telling first.
const STEPS: [(&str, RrcStep); 9] = [
    ("lte-rrc.mobilityControlInfo_element", RrcStep::Command),
    ("lte-rrc.rrcConnectionReconfigurationComplete_element", RrcStep::Complete),
    ("lte-rrc.rrcConnectionReestablishmentRequest_element", RrcStep::Reestablishment),
    ("lte-rrc.rrcConnectionRequest_element", RrcStep::Connection),
    ("lte-rrc.rrcConnectionSetup_element", RrcStep::Connection),
    ("lte-rrc.rrcConnectionSetupComplete_element", RrcStep::Connection),
    ("lte-rrc.rrcConnectionRelease_element", RrcStep::Release),
    ("lte-rrc.rrcConnectionReconfiguration_element", RrcStep::Seen),
    ("lte-rrc.measurementReport_element", RrcStep::Seen),
];

/// Reads it.
pub(super) fn ota(fields: Fields<'_>, context: &mut Context<'_>) -> Result<u32, Bad> {
    let version = fields.whole("Pkt Version", 0..=255)?.unwrap_or(0);
    let text = fields.word("Msg").unwrap_or_default();
    // Paging and system information come from cells that the phone only listens to.
    let channel = fields.word("MsgType").unwrap_or_default();
    if ["PCCH", "BCCH"].iter().any(|name| channel.contains(name)) {
        return Ok(version);
    }
    let step = STEPS.iter().find(|(name, _)| text.contains(&format!("\"{name}\"")));
    let step = step.map_or(RrcStep::Seen, |(_, step)| *step);
    let target = |name, most| (step == RrcStep::Command).then(|| shown(text, name, most)).flatten();
    context.out.push(Record::Rrc(RrcEvent {
        time: context.time,
        user: context.user,
        step,
        cell: fields.whole("Physical Cell ID", 0..=MOST_CELL)?,
        earfcn: earfcn(fields, version, channel)?,
        target_cell: target("lte-rrc.targetPhysCellId", MOST_CELL).map(|cell| cell as u16),
        target_earfcn: target("lte-rrc.dl_CarrierFreq", MOST_EARFCN).map(|earfcn| earfcn as u32),
        nr: false,
    }));
    Ok(version)
}

/// The EARFCN; its upper half stands in the lower half of what [`SHIFTED`] calls the frame. Uplink
/// messages have no frame, so there is nothing else in it.
fn earfcn(fields: Fields<'_>, version: u32, channel: &str) -> Result<Option<u32>, Bad> {
    let low: Option<u32> = fields.whole("Freq", 0..=MOST_EARFCN)?;
    let frame: Option<u32> = fields.whole("SysFrameNum/SubFrameNum", 0..=u64::from(u32::MAX))?;
    let shifted = |frame: &u32| *frame > 0xFFFF || channel.contains("UL_");
    let high = frame.filter(|frame| version == SHIFTED && shifted(frame)).map_or(0, |n| n & 0xFFFF);
    Ok(low.map(|low| low | high << 16).filter(|earfcn| u64::from(*earfcn) <= MOST_EARFCN))
}

/// The value that Wireshark shows for the first field of a name.
fn shown(text: &str, name: &str, most: u64) -> Option<u64> {
    let (_, rest) = text.split_once(&format!("name=\"{name}\""))?;
    let tag = rest.split('>').next()?;
    let (_, value) = tag.split_once("show=\"")?;
    whole(value.split('"').next()?, &(0..=most))
}
