//! 0xB126: what the demapper was told of a downlink subframe: cell, PRBs of both slots, sizes of
//! the blocks. Whether they were decoded it does not say. Version 23 was proved on logs.

mod fields;

pub use fields::{Block, Demapped, Precoding, parse};

use airmile_types::Direction;

use super::common::rnti;
use super::{Misfit, Outcome, Understood};
use crate::modem::clock::Aired;
use crate::modem::diag::bits::Bytes;
use crate::modem::diag::packet::LogPacket;
use crate::modem::diag::sink::Sink;
use crate::modem::record::{Modulation, Record, Tti};
use crate::modem::tbs;

/// Its name in tables.
pub(super) const NAME: &str = "0xB126";

/// PRBs of the widest carrier (TS 36.101 table 5.6-1).
const MOST_PRBS: u32 = 110;

/// Puts its blocks, and its PRBs where it has none.
pub(super) fn read(packet: &LogPacket<'_>, sink: &mut Sink<'_>) -> Outcome {
    let version = Bytes(packet.payload).u8(0)?;
    let verified = version == 23;
    // A layout that no log has proved, and that says what cannot be, is not this one.
    let unknown = Misfit::UnknownVersion(version.into());
    subframe(verified, packet, sink).map_err(|misfit| if verified { misfit } else { unknown })?;
    Ok(Understood { version: version.into(), verified })
}

fn subframe(verified: bool, packet: &LogPacket<'_>, sink: &mut Sink<'_>) -> Result<(), Misfit> {
    let message = parse(packet.payload)?;
    let aired = sink.aired(packet, message.frame.into(), message.subframe.into())?;
    if message.prbs() > MOST_PRBS {
        return Err(Misfit::Lies("0xB126 with more PRBs than a carrier has"));
    }
    if !verified && !is_possible(&message) {
        return Err(Misfit::Lies("0xB126 with a block of a size that cannot be"));
    }
    let used = message.blocks.iter().zip(0..).filter(|(block, _)| block.bits > 0);
    for (block, index) in used {
        sink.put(Record::Tti(tti(&message, Some(block), index, aired, packet)));
    }
    if message.blocks.iter().all(|block| block.bits == 0) {
        sink.put(Record::Tti(tti(&message, None, 0, aired, packet)));
    }
    Ok(())
}

/// Whether blocks can have these sizes. Those of several layers stand in other tables.
fn is_possible(message: &Demapped) -> bool {
    let used = message.blocks.iter().filter(|block| block.bits > 0);
    let one_layer = used.clone().count() == usize::from(message.layers);
    used.map(|block| u32::from(block.bits))
        .all(|size| size.is_multiple_of(8) && (!one_layer || tbs::is_size(size / 8)))
}

fn tti(
    message: &Demapped,
    block: Option<&Block>,
    index: u8,
    aired: Aired,
    packet: &LogPacket<'_>,
) -> Tti {
    Tti {
        time: aired.time,
        tti: aired.tti,
        user: packet.user,
        rnti: rnti(message.rnti_kind),
        direction: Direction::Downlink,
        cell: Some(message.pci),
        carrier: message.carrier,
        prbs: Some(message.prbs() as u16),
        prb_total: None,
        tbs_bytes: block.map(|block| u32::from(block.bits) / 8),
        block: index,
        mcs: None,
        modulation: block.and_then(|block| Modulation::of_order(block.modulation_order)),
        layers: Some(message.layers),
        harq: None,
        retransmission: None,
        crc_ok: None,
        padding_bytes: None,
        source: NAME,
    }
}
