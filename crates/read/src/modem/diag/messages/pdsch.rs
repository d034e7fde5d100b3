//! 0xB126: what the demapper was told of a downlink subframe: cell, PRBs of both slots, sizes of
//! the blocks. Whether they were decoded it does not say. Version 23 was proved on logs.

use airmile_types::Direction;

use super::{Misfit, Outcome, Understood};
use crate::modem::clock::Aired;
use crate::modem::diag::bits::{Bytes, bits};
use crate::modem::diag::messages::pdsch_stat::rnti;
use crate::modem::diag::packet::LogPacket;
use crate::modem::diag::sink::Sink;
use crate::modem::record::{Modulation, Record, Tti};
use crate::modem::tbs;

/// Its name in tables.
pub(super) const NAME: &str = "0xB126";

const LENGTH: usize = 56;
/// PRBs of the widest carrier (TS 36.101 table 5.6-1).
const MOST_PRBS: u32 = 110;

/// Reads it.
pub(super) fn read(packet: &LogPacket<'_>, sink: &mut Sink<'_>) -> Outcome {
    let bytes = Bytes(packet.payload);
    let version = bytes.u8(0)?;
    let unknown = Misfit::UnknownVersion(version.into());
    // Versions 122 and 123 have the words of RNTI and antennas the other way round.
    let antennas = match version {
        23 | 28 => 6,
        122 | 123 => 4,
        _ => return Err(unknown),
    };
    let verified = version == 23;
    subframe(bytes, antennas, verified, packet, sink)
        .map_err(|misfit| if verified { misfit } else { unknown })?;
    Ok(Understood { version: version.into(), verified })
}

/// What the blocks of a subframe have in common.
struct Head {
    aired: Aired,
    cell: u16,
    rnti: u32,
    layers: u8,
    prbs: u16,
    carrier: u8,
}

fn subframe(
    bytes: Bytes<'_>,
    antennas: usize,
    verified: bool,
    packet: &LogPacket<'_>,
    sink: &mut Sink<'_>,
) -> Result<(), Misfit> {
    if bytes.len() != LENGTH {
        return Err(Misfit::Lies("0xB126 of another length"));
    }
    let word = u32::from(bytes.u16(2)?);
    let antennas = u32::from(bytes.u16(antennas)?);
    let head = Head {
        aired: sink.aired(packet, bits(word, 5, 10), bits(word, 1, 4))?,
        cell: u16::from(bytes.u8(1)?) | (bits(word, 0, 1) << 8) as u16,
        rnti: bits(antennas, 0, 4),
        layers: bits(antennas, 14, 2) as u8 + 1,
        prbs: prbs(bytes)?,
        carrier: bits(bytes.u16(50)?.into(), 9, 4) as u8,
    };
    let sizes = [bytes.u16(44)?, bytes.u16(48)?];
    let one_layer = sizes.iter().filter(|size| **size > 0).count() == usize::from(head.layers);
    if !verified && !sizes.iter().all(|size| possible(*size, one_layer)) {
        return Err(Misfit::Lies("0xB126 with a block of a size that cannot be"));
    }
    let blocks = [(0, sizes[0], bytes.u16(46)?), (1, sizes[1], bytes.u16(50)?)];
    let used = blocks.iter().filter(|(_, size, _)| *size > 0);
    for (block, size, word) in used {
        let order = bits((*word).into(), 1, 2) as u8 * 2 + 2;
        put(*block, Some(u32::from(*size) / 8), Some(order), &head, packet, sink);
    }
    if sizes == [0, 0] {
        put(0, None, None, &head, packet, sink);
    }
    Ok(())
}

/// Whether a block can have that size. Those of several layers stand in other tables.
fn possible(size_bits: u16, one_layer: bool) -> bool {
    let size = u32::from(size_bits);
    size == 0 || size.is_multiple_of(8) && (!one_layer || tbs::is_size(size / 8))
}

/// PRBs of the subframe: those of a slot, as many in both (TS 36.211 section 6.2.3: a pair of
/// virtual resource blocks, one in each slot).
fn prbs(bytes: Bytes<'_>) -> Result<u16, Misfit> {
    let slot = |at: usize| -> Result<u32, Misfit> {
        let words = [bytes.u32(at)?, bytes.u32(at + 4)?, bytes.u32(at + 8)?, bytes.u32(at + 12)?];
        Ok(words.iter().map(|word| word.count_ones()).sum())
    };
    let prbs = slot(8)?.max(slot(24)?);
    if prbs > MOST_PRBS {
        return Err(Misfit::Lies("0xB126 with more PRBs than a carrier has"));
    }
    Ok(prbs as u16)
}

fn put(
    block: u8,
    size: Option<u32>,
    order: Option<u8>,
    head: &Head,
    packet: &LogPacket<'_>,
    sink: &mut Sink<'_>,
) {
    sink.put(Record::Tti(Tti {
        time: head.aired.time,
        tti: head.aired.tti,
        user: packet.user,
        rnti: rnti(head.rnti),
        direction: Direction::Downlink,
        cell: Some(head.cell),
        carrier: head.carrier,
        prbs: Some(head.prbs),
        prb_total: None,
        tbs_bytes: size,
        block,
        mcs: None,
        modulation: order.and_then(Modulation::of_order),
        layers: Some(head.layers),
        harq: None,
        retransmission: None,
        crc_ok: None,
        padding_bytes: None,
        source: NAME,
    }));
}
