//! Reads uplink grants, and the bytes that wait for them.

use airmile_types::Direction;

use super::context::{Context, version};
use crate::modem::clock::Aired;
use crate::modem::diag::messages::buffer_size::range;
use crate::modem::mobile_insight::fields::Fields;
use crate::modem::record::{BufferStatus, Record, Rnti, Tti, User};
use crate::modem::text::{Bad, rnti};

/// The frame and the subframe of a sample that was not taken.
const UNUSED: (u16, u8) = (1023, 15);
/// Levels by logical channel group (TS 36.321 section 6.1.3.1).
const GROUPS: [&str; 4] = ["BSR LCG 0", "BSR LCG 1", "BSR LCG 2", "BSR LCG 3"];

/// Reads 0xB064: blocks that the MAC layer filled.
pub(super) fn mac(fields: Fields<'_>, context: &mut Context<'_>) -> Result<u32, Bad> {
    for sample in fields.list("Subpackets").flat_map(|part| part.list("Samples")) {
        let aired = context.aired(sample, "SFN", "Sub-FN")?;
        let grant = sample.must("Grant (bytes)", 0..=u64::from(u16::MAX))?;
        context.out.push(Record::Tti(Tti {
            rnti: sample.word("RNTI Type").map_or(Rnti::Other, rnti),
            direction: Direction::Uplink,
            tbs_bytes: Some(grant),
            harq: sample.whole("HARQ ID", 0..=15)?,
            // The MAC layer fills a block once; HARQ, below it, retransmits the block (TS 36.321
            // section 5.4.2).
            retransmission: Some(false),
            padding_bytes: sample.whole("Padding (bytes)", 0..=u64::from(grant))?,
            ..Tti::plain(aired.time, aired.tti, context.user, "0xB064")
        }));
        for report in sample.list("Mac Hdr + CE") {
            levels(report, &aired, context)?;
        }
    }
    version(fields)
}

/// The levels of a buffer status report, for each logical channel group in the report.
fn levels(report: Fields<'_>, aired: &Aired, context: &mut Context<'_>) -> Result<(), Bad> {
    for (lcg, name) in (0..).zip(GROUPS) {
        let Some(index) = report.whole(name, 0..=63)? else { continue };
        let Some((low, high_bytes)) = range(index) else { continue };
        context.out.push(Record::Buffer(BufferStatus {
            lcg: Some(lcg),
            index: Some(index),
            low_bytes: Some(low),
            high_bytes,
            firmware_queue_bytes: None,
            source: "0xB064",
            ..status(aired, context.user, 0)
        }));
    }
    Ok(())
}

/// Reads 0xB066: the exact number of bytes in the buffer.
pub(super) fn buffer(fields: Fields<'_>, context: &mut Context<'_>) -> Result<u32, Bad> {
    for sample in fields.list("Subpackets").flat_map(|part| part.list("Samples")) {
        let frame = sample.must("Sys FN", 0..=1023)?;
        let subframe = sample.must("Sub FN", 0..=15)?;
        if (frame, subframe) == UNUSED {
            continue;
        }
        let aired = context.aired(sample, "Sys FN", "Sub FN")?;
        let mut bytes = 0;
        for channel in sample.list("LCIDs") {
            bytes += channel.must::<u64>("Total Bytes", 0..=u64::from(u32::MAX))?;
        }
        context.out.push(Record::Buffer(status(&aired, context.user, bytes)));
    }
    version(fields)
}

/// A record with the exact number of bytes in the buffer.
fn status(aired: &Aired, user: User, bytes: u64) -> BufferStatus {
    BufferStatus {
        time: aired.time,
        tti: Some(aired.tti),
        user,
        lcg: None,
        index: None,
        low_bytes: None,
        high_bytes: None,
        firmware_queue_bytes: Some(bytes),
        source: "0xB066",
    }
}
