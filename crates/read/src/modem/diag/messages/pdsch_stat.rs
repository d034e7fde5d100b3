//! 0xB173: transport blocks that were sent to the phone, with the result of their decoding. It
//! names no cell, but its carriers.
//!
//! Four bytes (version, records, two reserved), then records of one size: a part for the subframe,
//! always two slots for blocks, and a part for broadcast. Versions 16 and 24 were proved on logs.

use airmile_types::Direction;

use super::{Misfit, Outcome, Understood};
use crate::modem::clock::Aired;
use crate::modem::diag::bits::{Bytes, bits};
use crate::modem::diag::harq::Process;
use crate::modem::diag::packet::LogPacket;
use crate::modem::diag::sink::Sink;
use crate::modem::diag::sizes::CRC;
use crate::modem::record::{Modulation, Record, Rnti, Tti};

/// Its name in tables.
pub(super) const NAME: &str = "0xB173";

const HEADER: usize = 4;
/// Slots for transport blocks in a record.
const SLOTS: usize = 2;
/// PRBs of the widest carrier (TS 36.101 table 5.6-1).
const MOST_PRBS: u8 = 110;

/// How a version lays a record out.
struct Layout {
    /// Bytes for the subframe.
    head: usize,
    /// Bytes for a block.
    slot: usize,
    /// Bytes for broadcast.
    tail: usize,
    /// Where the size of a block begins in its slot.
    size: usize,
    /// The modulation order follows the block's PRBs.
    modulation: bool,
    /// The head says layers, blocks and carrier without the PRBs before them.
    no_prbs: bool,
    /// The size counts the CRC of 24 bits, unless blocks tell otherwise where no log has proved it.
    crc_counted: bool,
    verified: bool,
}

/// Versions 5 and 16.
const SMALL: Layout = Layout {
    head: 6,
    slot: 6,
    tail: 2,
    size: 2,
    modulation: false,
    no_prbs: false,
    crc_counted: true,
    verified: true,
};

/// Versions 24 to 34.
const MEDIUM: Layout = Layout { slot: 8, modulation: true, ..SMALL };

/// Versions 36 and later.
const LARGE: Layout = Layout { head: 12, slot: 12, tail: 4, size: 4, verified: false, ..MEDIUM };

const fn layout(version: u8) -> Option<Layout> {
    Some(match version {
        16 => SMALL,
        24 => MEDIUM,
        5 => Layout { verified: false, ..SMALL },
        32 | 34 => Layout { verified: false, ..MEDIUM },
        36 | 37 | 40 => LARGE,
        // A block of 225 bytes at MCS 17 on 6 PRBs stands in an export of a version-48 log: 1800
        // bits are what TS 36.213 table 7.1.7.2.1-1 has there.
        48 => Layout { crc_counted: false, ..LARGE },
        50 => Layout { crc_counted: false, no_prbs: true, ..LARGE },
        _ => return None,
    })
}

/// Reads it.
pub(super) fn read(packet: &LogPacket<'_>, sink: &mut Sink<'_>) -> Outcome {
    let bytes = Bytes(packet.payload);
    let version = bytes.u8(0)?;
    let unknown = Misfit::UnknownVersion(version.into());
    let layout = layout(version).ok_or(unknown)?;
    let size = layout.head + SLOTS * layout.slot + layout.tail;
    let count = usize::from(bytes.u8(1)?);
    if bytes.len() != HEADER + count * size {
        return Err(if layout.verified {
            Misfit::Lies("0xB173 of another length")
        } else {
            unknown
        });
    }
    for record in bytes.records(HEADER, count, size)? {
        // A layout that no log has proved, and that says what cannot be, is not this one.
        let outcome = one(record, version, &layout, packet, sink);
        outcome.map_err(|misfit| if layout.verified { misfit } else { unknown })?;
    }
    Ok(Understood { version: version.into(), verified: layout.verified })
}

/// What a record says of its subframe.
struct Head {
    version: u8,
    aired: Aired,
    prbs: Option<u8>,
    layers: u8,
    blocks: u8,
    carrier: u8,
}

fn one(
    record: Bytes<'_>,
    version: u8,
    layout: &Layout,
    packet: &LogPacket<'_>,
    sink: &mut Sink<'_>,
) -> Result<(), Misfit> {
    let word = u32::from(record.u16(0)?);
    let shift = usize::from(!layout.no_prbs);
    let blocks = record.u8(3 + shift)?;
    if usize::from(blocks) > SLOTS {
        return Err(Misfit::Lies("0xB173 with more than two blocks in a subframe"));
    }
    let head = Head {
        version,
        aired: sink.aired(packet, bits(word, 4, 12), bits(word, 0, 4))?,
        prbs: if layout.no_prbs { None } else { Some(record.u8(2)?) },
        layers: record.u8(2 + shift)?,
        blocks,
        carrier: record.u8(4 + shift)? & 7,
    };
    let slots = record.records(layout.head, SLOTS, layout.slot)?;
    for slot in slots.take(usize::from(head.blocks)) {
        block(slot, layout, &head, packet, sink)?;
    }
    Ok(())
}

fn block(
    slot: Bytes<'_>,
    layout: &Layout,
    head: &Head,
    packet: &LogPacket<'_>,
    sink: &mut Sink<'_>,
) -> Result<(), Misfit> {
    let (first, second) = (u32::from(slot.u8(0)?), u32::from(slot.u8(1)?));
    let size = u32::from(slot.u16(layout.size)?);
    let (mcs, prbs) = (slot.u8(layout.size + 2)?, slot.u8(layout.size + 3)?);
    let order = if layout.modulation { slot.u8(layout.size + 4)? } else { 0 };
    // The block's own count; the record's where a block says none.
    let prbs = if prbs == 0 { head.prbs } else { Some(prbs) };
    if mcs > 31 || prbs.is_some_and(|prbs| prbs > MOST_PRBS) {
        return Err(Misfit::Lies("0xB173 with an MCS or PRBs that cannot be"));
    }
    let rnti = rnti(bits(second, 0, 4));
    let process = Process {
        user: packet.user,
        carrier: head.carrier,
        block: bits(second, 4, 1) as u8,
        id: bits(first, 0, 4) as u8,
    };
    let (rv, ndi) = (bits(first, 4, 2), bits(first, 6, 1) == 1);
    let tbs_bytes = if layout.verified {
        size.saturating_sub(CRC)
    } else {
        // A block alone on one layer has the sizes of the table; so has each of two on two.
        let one_layer = rnti == Rnti::C && head.layers == head.blocks;
        sink.without_crc(head.version, layout.crc_counted, size, one_layer)
    };
    let retransmission = sink.repeated(process, rnti, rv, ndi);
    sink.put(Record::Tti(Tti {
        time: head.aired.time,
        tti: head.aired.tti,
        user: packet.user,
        rnti,
        direction: Direction::Downlink,
        cell: None,
        carrier: head.carrier,
        prbs: prbs.map(u16::from),
        prb_total: None,
        tbs_bytes: Some(tbs_bytes),
        block: process.block,
        mcs: Some(mcs),
        modulation: Modulation::of_order(order),
        layers: Some(head.layers),
        harq: Some(process.id),
        retransmission,
        crc_ok: Some(bits(first, 7, 1) == 1),
        padding_bytes: None,
        source: NAME,
    }));
    Ok(())
}

/// What a code for the kind of RNTI stands for; 0xB126 has the same codes.
pub(super) const fn rnti(code: u32) -> Rnti {
    match code {
        0 => Rnti::C,
        1 => Rnti::Sps,
        _ => Rnti::Other,
    }
}
