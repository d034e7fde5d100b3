//! Reads transport blocks of the downlink.

use super::context::{Context, version};
use crate::modem::diag::harq::Process;
use crate::modem::mobile_insight::fields::Fields;
use crate::modem::record::{Record, Rnti, Tti};
use crate::modem::text::{Bad, block_bytes, carrier, modulation, passed, rnti};

/// The greatest number of PRBs: more than in TS 36.101 table 5.6-1, because 0xB173 counts more.
const MOST_PRBS: u64 = 110;
/// The greatest physical cell identity of LTE (TS 36.211 section 6.11).
const MOST_CELL: u64 = 503;
/// Reads 0xB173: blocks, and whether they were decoded.
pub(super) fn stat(fields: Fields<'_>, context: &mut Context<'_>) -> Result<u32, Bad> {
    let version = version(fields)?;
    for record in fields.list("Records") {
        let aired = context.aired(record, "Frame Num", "Subframe Num")?;
        let all_prbs: Option<u16> = record.whole("Num RBs", 0..=MOST_PRBS)?;
        let carrier = record.meaning("Serving Cell Index", carrier)?.unwrap_or(0);
        let layers = record.whole("Num Layers", 1..=8)?;
        for block in record.list("Transport Blocks") {
            let size: u32 = block.must("TB Size", 0..=u64::from(u16::MAX))?;
            let mcs = block.whole("MCS", 0..=31)?;
            let number = block.whole("TB Index", 0..=1)?.unwrap_or(0);
            let harq = block.whole("HARQ ID", 0..=15)?;
            let rnti = block.word("RNTI Type").map_or(Rnti::Other, rnti);
            let version_sent: Option<u32> = block.whole("RV", 0..=3)?;
            let new_data: Option<u8> = block.whole("NDI", 0..=1)?;
            let repeated = version_sent.zip(new_data).zip(harq).map(|((rv, new_data), id)| {
                let process = Process { user: context.user, carrier, block: number, id };
                context.memory.processes.repeated(process, rnti, rv, new_data == 1)
            });
            context.out.push(Record::Tti(Tti {
                rnti,
                carrier,
                prbs: block.whole("Num RBs", 0..=MOST_PRBS)?.filter(|n| *n > 0).or(all_prbs),
                tbs_bytes: block_bytes(version, size),
                block: number,
                mcs,
                modulation: block.word("Modulation Type").and_then(modulation),
                layers,
                harq,
                retransmission: repeated.flatten(),
                crc_ok: block.meaning("CRC Result", passed)?,
                ..Tti::plain(aired.time, aired.tti, context.user, "0xB173")
            }));
        }
    }
    Ok(version)
}

/// Reads 0xB126: single PRBs, and sizes in bits.
pub(super) fn demapper(fields: Fields<'_>, context: &mut Context<'_>) -> Result<u32, Bad> {
    let version = version(fields)?;
    let aired = context.aired(fields, "System Frame Number", "Subframe Number")?;
    // The PRBs of distributed virtual resource blocks differ between the slots (TS 36.211 section
    // 6.2.3.2).
    let prbs = slot(fields, ["RB Allocation Slot 0[0]", "RB Allocation Slot 0[1]"])?
        .max(slot(fields, ["RB Allocation Slot 1[0]", "RB Allocation Slot 1[1]"])?);
    let common = Tti {
        rnti: fields.word("PDSCH RNTI Type").map_or(Rnti::Other, rnti),
        cell: fields.whole("Serving Cell ID", 0..=MOST_CELL)?,
        carrier: fields.meaning("Carrier Index", carrier)?.unwrap_or(0),
        prbs,
        layers: fields.word("Spatial Rank").and_then(rank),
        ..Tti::plain(aired.time, aired.tti, context.user, "0xB126")
    };
    let blocks = [(0, "TBS 0", "MCS 0"), (1, "TBS 1", "MCS 1")];
    for (block, size, order) in blocks {
        // A missing second block has 0 bits.
        let bits: u32 = fields.whole(size, 0..=u64::from(u16::MAX))?.unwrap_or(0);
        if bits > 0 || block == 0 {
            let modulation = fields.word(order).and_then(modulation);
            let tbs_bytes = Some(bits / 8).filter(|bytes| *bytes > 0);
            context.out.push(Record::Tti(Tti { block, tbs_bytes, modulation, ..common.clone() }));
        }
    }
    Ok(version)
}

/// Reads 0xB063: blocks of the MAC layer, with their padding.
pub(super) fn mac(fields: Fields<'_>, context: &mut Context<'_>) -> Result<u32, Bad> {
    for sample in fields.list("Subpackets").flat_map(|part| part.list("Samples")) {
        let aired = context.aired(sample, "SFN", "Sub-FN")?;
        let size = sample.must("DL TBS (bytes)", 0..=u64::from(u16::MAX))?;
        context.out.push(Record::Tti(Tti {
            rnti: sample.word("RNTI Type").map_or(Rnti::Other, rnti),
            tbs_bytes: Some(size),
            harq: sample.whole("HARQ ID", 0..=15)?,
            // Blocks that were not decoded do not reach the MAC layer (TS 36.321 section 5.3.2.2).
            crc_ok: Some(true),
            padding_bytes: sample.whole("Padding (bytes)", 0..=u64::from(size))?,
            ..Tti::plain(aired.time, aired.tti, context.user, "0xB063")
        }));
    }
    version(fields)
}

fn rank(word: &str) -> Option<u8> {
    word.strip_prefix("Rank ")?.parse().ok().filter(|rank| (1..=8).contains(rank))
}

/// The number of PRBs in a slot, from the bits of both words; `None` if a word is absent.
fn slot(fields: Fields<'_>, words: [&'static str; 2]) -> Result<Option<u16>, Bad> {
    let mut prbs = 0_u16;
    for name in words {
        let bits = fields.meaning(name, |word| {
            u64::from_str_radix(word.strip_prefix("0x")?, 16)
                .ok()
                .and_then(|word| u16::try_from(word.count_ones()).ok())
        })?;
        let Some(bits) = bits else { return Ok(None) };
        prbs = prbs.saturating_add(bits);
    }
    Ok(Some(prbs))
}
