//! Reads 0xB126: the parameters of the demapper for a downlink subframe: the cell, the PRBs of both
//! slots, and the sizes of the blocks. It does not show whether the blocks were decoded.

mod fields;
pub mod subframes;

pub use fields::{Block, Demapped, Precoding, parse};

use airmile_types::Direction;

use self::subframes::WITHOUT_SIZES;
use super::common::rnti;
use crate::modem::clock::Aired;
use crate::modem::diag::bits::Bytes;
use crate::modem::diag::outcome::{Misfit, Outcome, Understood};
use crate::modem::diag::packet::LogPacket;
use crate::modem::diag::proof::{Bench, Check, Proof, Standing, first_byte};
use crate::modem::diag::sink::Sink;
use crate::modem::record::{Modulation, Record, Rnti, Tti};
use crate::modem::tbs::{self, Link};

/// The name of the message in tables.
pub(super) const NAME: &str = "0xB126";

/// The number of PRBs of the widest carrier (TS 36.101 table 5.6-1).
const MOST_PRBS: u16 = 110;

pub(super) const PROOF: Proof = Proof { version: first_byte, standing, check };

fn standing(version: u32) -> Option<Standing> {
    Some(match version {
        23 => Standing::Proved,
        123 => Standing::Sampled,
        28 | 122 | WITHOUT_SIZES => Standing::Published,
        _ => return None,
    })
}

/// Compares sizes with modulation and PRBs, and the subframe with the time of logging.
fn check(packet: &LogPacket<'_>, bench: &mut Bench<'_>) -> Result<(), Misfit> {
    if first_byte(packet.payload) == Some(WITHOUT_SIZES) {
        return subframes::check(packet, bench);
    }
    let message = parse(packet.payload)?;
    bench.clock(message.frame.into(), message.subframe.into());
    let count = u32::from(message.frame) * 10 + u32::from(message.subframe);
    let prbs = message.prbs();
    for (at, block) in message.blocks.iter().enumerate().filter(|(_, block)| block.bits > 0) {
        let bytes = u32::from(block.bits) / 8;
        let fits = fits(&message, block, bench.was_received(count, bytes));
        bench.received(count, (fits != Some(false)).then_some(bytes), prbs);
        if let Some(fits) = fits {
            bench.check_record(at, Check::Size, fits);
        }
    }
    Ok(())
}

/// Whether a block can have its size on its PRBs; `None` if the tables do not say:
///
/// - for a block to another RNTI than the phone's own;
/// - on several layers with more than 55 PRBs, which have tables of their own (TS 36.213 sections
///   7.1.7.2.2 to 7.1.7.2.5);
/// - for the retransmission of a block that `was_received`: its MCS (29 to 31) names only a
///   modulation, and its size is that of the first transmission (section 7.1.7.2).
fn fits(message: &Demapped, block: &Block, was_received: bool) -> Option<bool> {
    let one = message.blocks.iter().filter(|block| block.bits > 0).count() == 1;
    let layers = if one { message.layers } else { message.layers.div_ceil(2) };
    let unknown = rnti(message.rnti_kind) != Rnti::C || layers > 1 && message.prbs() > 55;
    let fits = size_fits(block, message.prbs());
    (!unknown && (fits || !was_received)).then_some(fits)
}

/// Whether the table has the size; the field contains only the lower 16 bits of the size.
fn size_fits(block: &Block, prbs: u16) -> bool {
    let bits = u32::from(block.bits);
    let order = block.modulation_order;
    [bits, bits + (1 << 16)]
        .into_iter()
        .any(|bits| tbs::fits_modulation(Link::Down, order, prbs, bits))
}

/// Appends a record for each block of the message, or one record of the PRBs if the message has no
/// blocks.
pub(super) fn read(packet: &LogPacket<'_>, sink: &mut Sink<'_>) -> Outcome {
    let version = Bytes(packet.payload).u8(0)?;
    if u32::from(version) == WITHOUT_SIZES {
        // The message does not name the user of the PRBs.
        return subframes::parse(packet.payload).map(|_| Understood::verified(version));
    }
    subframe(packet, sink)?;
    Ok(Understood::verified(version))
}

fn subframe(packet: &LogPacket<'_>, sink: &mut Sink<'_>) -> Result<(), Misfit> {
    let message = parse(packet.payload)?;
    let aired = sink.aired(packet, message.frame.into(), message.subframe.into())?;
    if message.prbs() > MOST_PRBS {
        return Err(Misfit::Lies("0xB126 with more PRBs than a carrier has"));
    }
    let used = message.blocks.iter().zip(0..).filter(|(block, _)| block.bits > 0);
    for (block, index) in used.filter(|(_, at)| !packet.deviating.contains(usize::from(*at))) {
        sink.put(Record::Tti(tti(&message, Some(block), index, aired, packet)));
    }
    if message.blocks.iter().all(|block| block.bits == 0) {
        sink.put(Record::Tti(tti(&message, None, 0, aired, packet)));
    }
    Ok(())
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
        epoch: 0,
        user: packet.user,
        rnti: rnti(message.rnti_kind),
        direction: Direction::Downlink,
        cell: Some(message.pci),
        carrier: message.carrier,
        prbs: Some(message.prbs()),
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
