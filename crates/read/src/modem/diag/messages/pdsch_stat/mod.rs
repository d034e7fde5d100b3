//! Reads 0xB173: transport blocks that were sent to the phone, and whether they were decoded. The
//! message names the carrier, but not the cell.
//!
//! It has four bytes (version, number of records, two reserved), and then records of the same size.
//! A record has a part for the subframe, always two slots for blocks, and a part for broadcast. The
//! layouts of versions 16 and 24 were proved with logs.

mod fields;
mod layout;

pub use fields::{Block, Head, Subframe, parse};

use airmile_types::Direction;

use self::fields::{blocks, records};
use self::layout::Layout;
use super::common::rnti;
use crate::modem::clock::Aired;
use crate::modem::diag::bits::Bytes;
use crate::modem::diag::harq::Process;
use crate::modem::diag::outcome::{Misfit, Outcome, Understood};
use crate::modem::diag::packet::LogPacket;
use crate::modem::diag::proof::{Bench, Check, Proof, Standing, first_byte};
use crate::modem::diag::sink::Sink;
use crate::modem::diag::sizes::CRC;
use crate::modem::record::{Modulation, Record, Rnti, Tti};
use crate::modem::tbs;

/// The name of the message in tables.
pub(super) const NAME: &str = "0xB173";

/// From this MCS on, the MCS gives only a modulation, and the size is that of the first
/// transmission.
const FIRST_RESERVED_MCS: u8 = 29;

pub(super) const PROOF: Proof = Proof { version: first_byte, standing, check };

fn standing(version: u32) -> Option<Standing> {
    let layout = Layout::of(u8::try_from(version).ok()?)?;
    Some(if layout.verified { Standing::Proved } else { Standing::Published })
}

/// Compares sizes with MCS and PRBs, and the last subframe with the time of logging.
fn check(packet: &LogPacket<'_>, bench: &mut Bench<'_>) -> Result<(), Misfit> {
    let layout = Layout::of(Bytes(packet.payload).u8(0)?).ok_or(Misfit::Short)?;
    let subframes = parse(packet.payload)?;
    if let Some(last) = subframes.last() {
        bench.clock(last.head.frame.into(), last.head.subframe.into());
    }
    for subframe in &subframes {
        for block in &subframe.blocks {
            check_block(&subframe.head, block, &layout, bench);
        }
    }
    Ok(())
}

fn check_block(head: &Head, block: &Block, layout: &Layout, bench: &mut Bench<'_>) {
    let logged = u32::from(block.logged_bytes);
    let bytes = if layout.crc_counted { logged.saturating_sub(CRC) } else { logged };
    let count = u32::from(head.frame) * 10 + u32::from(head.subframe);
    let prbs = head.prbs_of(block).map_or(0, u16::from);
    bench.received(count, Some(bytes), prbs);
    if rnti(block.rnti) != Rnti::C || block.mcs >= FIRST_RESERVED_MCS {
        return;
    }
    // If no log has proved whether sizes include the CRC, the blocks of this log decide.
    let either = [bytes, if layout.verified { bytes } else { logged.saturating_sub(CRC) }];
    let fits = either.iter().any(|bytes| tbs::fits_mcs(block.mcs, prbs, bytes * 8));
    bench.check(Check::Size, fits);
}

/// Appends a record of the allocation of each block.
pub(super) fn read(packet: &LogPacket<'_>, sink: &mut Sink<'_>) -> Outcome {
    let bytes = Bytes(packet.payload);
    let version = bytes.u8(0)?;
    let (layout, records) = records(bytes)?;
    for record in records {
        // A layout that no log has proved and that gives impossible values is not the right one.
        let unknown = Misfit::UnknownVersion(version.into());
        let outcome = one(record, version, &layout, packet, sink);
        outcome.map_err(|misfit| if layout.verified { misfit } else { unknown })?;
    }
    Ok(Understood::verified(version))
}

fn one(
    record: Bytes<'_>,
    version: u8,
    layout: &Layout,
    packet: &LogPacket<'_>,
    sink: &mut Sink<'_>,
) -> Result<(), Misfit> {
    let head = Head::read(record, layout)?;
    let aired = sink.aired(packet, head.frame.into(), head.subframe.into())?;
    for block in blocks(record, &head, layout)? {
        let block = block?;
        let bytes = bytes(&block, &head, version, layout, sink);
        let tti = tti(&block, &head, aired, bytes, packet);
        let retransmission = repeated(&block, &tti, sink);
        sink.put(Record::Tti(Tti { retransmission, ..tti }));
    }
    Ok(())
}

/// The size of a block without its CRC, in bytes.
#[inline]
fn bytes(block: &Block, head: &Head, version: u8, layout: &Layout, sink: &mut Sink<'_>) -> u32 {
    let size = u32::from(block.logged_bytes);
    if layout.verified {
        return size.saturating_sub(CRC);
    }
    // A single block on one layer has a size from the table, and so has each of two blocks on two
    // layers.
    let one_layer = rnti(block.rnti) == Rnti::C && head.layers == head.blocks;
    sink.without_crc(version, layout.crc_counted, size, one_layer)
}

#[inline]
fn repeated(block: &Block, tti: &Tti, sink: &mut Sink<'_>) -> Option<bool> {
    let process =
        Process { user: tti.user, carrier: tti.carrier, block: tti.block, id: block.harq };
    sink.repeated(process, tti.rnti, block.redundancy.into(), block.new_data)
}

#[inline]
fn tti(block: &Block, head: &Head, aired: Aired, bytes: u32, packet: &LogPacket<'_>) -> Tti {
    Tti {
        time: aired.time,
        tti: aired.tti,
        epoch: 0,
        user: packet.user,
        rnti: rnti(block.rnti),
        direction: Direction::Downlink,
        cell: None,
        carrier: head.carrier,
        prbs: head.prbs_of(block).map(u16::from),
        prb_total: None,
        tbs_bytes: Some(bytes),
        block: block.index,
        mcs: Some(block.mcs),
        modulation: block.modulation_order.and_then(Modulation::of_order),
        layers: Some(head.layers),
        harq: Some(block.harq),
        retransmission: None,
        crc_ok: Some(block.crc_ok),
        padding_bytes: None,
        source: NAME,
    }
}
