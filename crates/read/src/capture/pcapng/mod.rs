//! pcapng (draft-ietf-opsawg-pcapng): sections of blocks; every block has its length at both ends.

mod block;
mod interface;
mod repair;

pub(super) use block::section_order;

use airmile_types::Instant;

use self::block::{
    Block, ENHANCED_PACKET, INTERFACE_DESCRIPTION, INTERFACE_STATISTICS, OBSOLETE_PACKET,
    SECTION_HEADER, SIMPLE_PACKET,
};
use self::interface::{InterfaceState, options};
use crate::bytes::{Order, chunk};
use crate::capture::log::Log;
use crate::capture::record::Record;
use crate::capture::window::Window;
use crate::report::Interface;

/// The length of a block of type, length and length again, in bytes.
const SMALLEST_BLOCK: usize = 12;
/// The length of the fields of an enhanced packet block before its frame, in bytes.
const ENHANCED_HEADER: usize = 28;
/// The largest block that libpcap reads (sf-pcapng.c, MAX_BLOCKSIZE).
const LARGEST_BLOCK: usize = 16 << 20;
/// More interfaces than any capture has: the limit keeps damaged files from filling the memory.
const MAX_INTERFACES: usize = 1 << 18;
/// Interfaces that are listed; the others are counted.
const LISTED_INTERFACES: usize = 64;
/// The option isb_ifdrop: packets that the interface dropped.
const OPTION_DROPPED: u16 = 5;

/// The walker over the blocks.
pub(crate) struct PcapNg {
    order: Order,
    /// The interfaces of all sections, in order.
    interfaces: Vec<InterfaceState>,
    /// The index in `interfaces` at which the present section's interfaces begin.
    section: usize,
    /// Time of the newest packet that has one.
    last: Option<Instant>,
}

/// A packet block contradicts itself; the text says how.
struct Contradiction(&'static str);

/// The fields of an enhanced packet block, little-endian.
#[inline]
fn words(header: &[u8; ENHANCED_HEADER]) -> [u32; ENHANCED_HEADER / 4] {
    std::array::from_fn(|i| Order::Little.u32_at(header, 4 * i).unwrap_or_default())
}

impl PcapNg {
    /// A walker for a file that begins with a section of that byte order.
    pub(crate) const fn new(order: Order) -> Self {
        Self { order, interfaces: Vec::new(), section: 0, last: None }
    }

    /// The interfaces that are listed: the first that were described.
    pub(crate) fn interfaces(&self) -> Vec<Interface> {
        let listed = self.interfaces.iter().take(LISTED_INTERFACES);
        listed.map(|state| state.interface.clone()).collect()
    }

    /// The number of interfaces beyond those that are listed.
    pub(crate) const fn unlisted_interfaces(&self) -> usize {
        self.interfaces.len().saturating_sub(LISTED_INTERFACES)
    }

    /// The block that `seen` begins with, when it is a whole little-endian enhanced packet block
    /// without contradiction. Otherwise nothing changes, and [`PcapNg::next`] reads it. Both give
    /// the same record (a test compares them).
    #[inline]
    pub(crate) fn ordinary(&mut self, seen: &[u8], log: &mut Log) -> Option<Record> {
        let header = seen.first_chunk::<ENHANCED_HEADER>()?;
        let [kind, length, interface, high, low, captured, wire] = words(header);
        let bytes = length as usize;
        let possible = (self.order == Order::Little)
            & (kind == ENHANCED_PACKET)
            & (length % 4 == 0)
            & (bytes <= LARGEST_BLOCK);
        if !possible || Order::Little.u32_at(seen, bytes.checked_sub(4)?)? != length {
            return None;
        }
        let index = self.section + interface as usize;
        let state = self.interfaces.get(index)?;
        let time = state.time(u64::from(high) << 32 | u64::from(low))?;
        let lengths = (ENHANCED_HEADER, captured as usize, wire as usize);
        let record = state.record(time, index, lengths, bytes)?;
        self.last = Some(time);
        log.record(time);
        Some(record)
    }

    /// The next plausible packet block.
    pub(crate) fn next(&mut self, window: &mut Window, log: &mut Log) -> Option<Record> {
        loop {
            if !window.have(SMALLEST_BLOCK) {
                log.end(window, "a block header", SMALLEST_BLOCK);
                return None;
            }
            let Some(block) = self.block_at(window.bytes(), 0) else {
                if !self.resynchronise(window, log, "corrupt block header") {
                    return None;
                }
                continue;
            };
            if !window.have(block.bytes) {
                if !self.beyond_the_end(block, window, log) {
                    return None;
                }
                continue;
            }
            let bytes = window.bytes().get(..block.bytes).unwrap_or_default();
            if self.trailer(bytes) != Some(block.bytes) {
                if !self.resynchronise(window, log, "a block's two lengths differ") {
                    return None;
                }
                continue;
            }
            match self.take(block, bytes, log) {
                Ok(Some(record)) => {
                    log.record(record.time);
                    return Some(record);
                }
                Ok(None) => {}
                Err(Contradiction(what)) => {
                    log.unreadable_records += u64::from(block.is_packet());
                    log.problem(window.offset(), "corrupt_record", format!("{what}: skipped"));
                }
            }
            window.skip(block.bytes);
        }
    }

    /// Type and length of the block at `at`, when they are possible; a section header sets the
    /// order.
    fn block_at(&self, bytes: &[u8], at: usize) -> Option<Block> {
        let order = section_order(bytes.get(at..)?).unwrap_or(self.order);
        let kind = order.u32_at(bytes, at)?;
        let length = order.u32_at(bytes, at + 4)? as usize;
        let possible =
            (SMALLEST_BLOCK..=LARGEST_BLOCK).contains(&length) && length.is_multiple_of(4);
        possible.then_some(Block { kind, bytes: length })
    }

    fn trailer(&self, block: &[u8]) -> Option<usize> {
        let order = section_order(block).unwrap_or(self.order);
        order.u32_at(block, block.len().checked_sub(4)?).map(|length| length as usize)
    }

    fn take(
        &mut self,
        block: Block,
        b: &[u8],
        log: &mut Log,
    ) -> Result<Option<Record>, Contradiction> {
        match block.kind {
            ENHANCED_PACKET => {
                let interface = self.order.u32_at(b, 8).unwrap_or(u32::MAX);
                self.timed_packet(b, interface as usize).map(Some)
            }
            OBSOLETE_PACKET => {
                let interface = self.order.u16_at(b, 8).unwrap_or(u16::MAX);
                self.timed_packet(b, usize::from(interface)).map(Some)
            }
            SIMPLE_PACKET => self.simple_packet(b, log).map(Some),
            SECTION_HEADER => {
                self.order = section_order(b).unwrap_or(self.order);
                self.section = self.interfaces.len();
                Ok(None)
            }
            INTERFACE_DESCRIPTION if self.interfaces.len() == MAX_INTERFACES => {
                Err(Contradiction("too many interfaces"))
            }
            INTERFACE_DESCRIPTION => {
                let state = InterfaceState::parse(b, self.order);
                let mut state = state.ok_or(Contradiction("interface block too short"))?;
                if self.interfaces.len() >= LISTED_INTERFACES {
                    state.interface.name = None;
                }
                self.interfaces.push(state);
                Ok(None)
            }
            INTERFACE_STATISTICS => {
                self.statistics(b, log);
                Ok(None)
            }
            _ => Ok(None),
        }
    }

    /// Enhanced and obsolete packet blocks differ in the interface field only.
    fn timed_packet(&mut self, b: &[u8], interface: usize) -> Result<Record, Contradiction> {
        let field = |at| self.order.u32_at(b, at).ok_or(Contradiction("packet block too short"));
        let (high, low, captured, wire) = (field(12)?, field(16)?, field(20)?, field(24)?);
        let index = self.section + interface;
        let state = self.interfaces.get(index);
        let state = state.ok_or(Contradiction("packet of an interface that was not described"))?;
        let time = state.time(u64::from(high) << 32 | u64::from(low));
        let time = time.ok_or(Contradiction("time outside of the years 1677 to 2262"))?;
        let record =
            state.record(time, index, (ENHANCED_HEADER, captured as usize, wire as usize), b.len());
        self.last = Some(time);
        record.ok_or(Contradiction("captured length exceeds the packet block"))
    }

    /// A simple packet block has neither time nor captured length: the snap length of the interface
    /// gives the latter.
    fn simple_packet(&self, b: &[u8], log: &mut Log) -> Result<Record, Contradiction> {
        let wire = self.order.u32_at(b, 8).ok_or(Contradiction("packet block too short"))? as usize;
        let state = self.interfaces.get(self.section);
        let state = state.ok_or(Contradiction("packet of an interface that was not described"))?;
        // No analysis can use a packet whose place in time is unknown.
        let time = self.last.ok_or(Contradiction("packet without time, and none before it"))?;
        let snap = match state.interface.snap_length {
            0 => usize::MAX,
            snap => snap as usize,
        };
        let captured = wire.min(snap).min(b.len().saturating_sub(16));
        log.counts.without_time += 1;
        let record = state.record(time, self.section, (12, captured, wire), b.len());
        record.ok_or(Contradiction("captured length exceeds the packet block"))
    }

    /// The counters of an interface only grow; the last block holds the sum.
    fn statistics(&mut self, b: &[u8], log: &mut Log) {
        let order = self.order;
        let interface = order.u32_at(b, 8).unwrap_or(u32::MAX) as usize;
        let Some(state) = self.interfaces.get_mut(self.section + interface) else { return };
        for (code, value) in options(b.get(20..).unwrap_or_default(), order) {
            if let (OPTION_DROPPED, Some(count)) = (code, chunk::<8>(value, 0)) {
                let count = order.u64(*count);
                log.counts.dropped =
                    log.counts.dropped.saturating_add(count.saturating_sub(state.dropped));
                state.dropped = count;
            }
        }
    }
}
