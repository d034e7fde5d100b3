//! 0xB173: transport blocks that were sent to the phone, with the result of their decoding. It
//! names no cell, but its carriers.
//!
//! Four bytes (version, records, two reserved), then records of one size: a part for the subframe,
//! always two slots for blocks, and a part for broadcast. Versions 16 and 24 were proved on logs.

mod fields;
mod layout;

pub use fields::{Block, Head, Subframe, parse};

use airmile_types::Direction;

use self::fields::{blocks, records};
use self::layout::Layout;
use super::common::rnti;
use super::{Misfit, Outcome, Understood};
use crate::modem::clock::Aired;
use crate::modem::diag::bits::Bytes;
use crate::modem::diag::harq::Process;
use crate::modem::diag::packet::LogPacket;
use crate::modem::diag::sink::Sink;
use crate::modem::diag::sizes::CRC;
use crate::modem::record::{Modulation, Record, Rnti, Tti};

/// Its name in tables.
pub(super) const NAME: &str = "0xB173";

/// Reads it.
pub(super) fn read(packet: &LogPacket<'_>, sink: &mut Sink<'_>) -> Outcome {
    let bytes = Bytes(packet.payload);
    let version = bytes.u8(0)?;
    let (layout, records) = records(bytes)?;
    for record in records {
        // A layout that no log has proved, and that says what cannot be, is not this one.
        let unknown = Misfit::UnknownVersion(version.into());
        let outcome = one(record, version, &layout, packet, sink);
        outcome.map_err(|misfit| if layout.verified { misfit } else { unknown })?;
    }
    Ok(Understood { version: version.into(), verified: layout.verified })
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

/// Bytes of a block without its CRC.
#[inline]
fn bytes(block: &Block, head: &Head, version: u8, layout: &Layout, sink: &mut Sink<'_>) -> u32 {
    let size = u32::from(block.logged_bytes);
    if layout.verified {
        return size.saturating_sub(CRC);
    }
    // A block alone on one layer has the sizes of the table; so has each of two on two.
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
