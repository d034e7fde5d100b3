//! Reads pcapng (draft-ietf-opsawg-pcapng): sections of blocks, where each block contains its
//! length at both ends.

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
use crate::capture::record::{DAY_NS, Record};
use crate::capture::window::Window;
use crate::report::Interface;

/// The length in bytes of a block that has only its type and twice its length.
const SMALLEST_BLOCK: usize = 12;
/// The length in bytes of the fields before the frame in an enhanced packet block.
const ENHANCED_HEADER: usize = 28;
/// The largest block that libpcap reads (sf-pcapng.c, MAX_BLOCKSIZE).
const LARGEST_BLOCK: usize = 16 << 20;
/// The greatest number of interfaces, more than any capture has. The limit keeps damaged files from
/// filling the memory.
const MAX_INTERFACES: usize = 1 << 18;
/// The greatest number of interfaces that are listed; the others are only counted.
const LISTED_INTERFACES: usize = 64;
// Options of the interface statistics block (draft-ietf-opsawg-pcapng section 4.6).
const ISB_STARTTIME: u16 = 2;
const ISB_ENDTIME: u16 = 3;
/// The number of packets that the interface dropped.
const ISB_IFDROP: u16 = 5;

/// Reads the blocks of a file one after another.
pub(crate) struct PcapNg {
    order: Order,
    /// The interfaces of all sections, in order.
    interfaces: Vec<InterfaceState>,
    /// The index in `interfaces` of the first interface of the present section.
    section: usize,
    /// The time of the newest packet that has one.
    last: Option<Instant>,
}

/// A packet block that contradicts itself; the text says how.
struct Contradiction(&'static str);

/// The fields of a little-endian enhanced packet block, as 32-bit words.
#[inline]
fn words(header: &[u8; ENHANCED_HEADER]) -> [u32; ENHANCED_HEADER / 4] {
    std::array::from_fn(|i| Order::Little.u32_at(header, 4 * i).unwrap_or_default())
}

impl PcapNg {
    /// Starts to read a file whose first section has this byte order.
    pub(crate) const fn new(order: Order) -> Self {
        Self { order, interfaces: Vec::new(), section: 0, last: None }
    }

    /// The interfaces that are listed, in the order of their descriptions.
    pub(crate) fn interfaces(&self) -> Vec<Interface> {
        let listed = self.interfaces.iter().take(LISTED_INTERFACES);
        listed.map(|state| state.interface.clone()).collect()
    }

    /// The number of interfaces that are not listed.
    pub(crate) const fn unlisted_interfaces(&self) -> usize {
        self.interfaces.len().saturating_sub(LISTED_INTERFACES)
    }

    /// The record of the block at the start of `seen`, if it is a complete little-endian enhanced
    /// packet block without contradictions. Otherwise nothing changes, and [`PcapNg::next`] reads
    /// the block. Both give the same record (a test compares them).
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

    /// The record of the next plausible packet block.
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

    /// Type and length of the block at `at`, if they are possible. In a section header, the
    /// header's own byte order is used.
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

    /// Reads an enhanced or an obsolete packet block; the two differ only in the interface field.
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

    /// Reads a simple packet block, which has neither a time nor a captured length. The captured
    /// length follows from the snap length of the interface.
    fn simple_packet(&self, b: &[u8], log: &mut Log) -> Result<Record, Contradiction> {
        let wire = self.order.u32_at(b, 8).ok_or(Contradiction("packet block too short"))? as usize;
        let state = self.interfaces.get(self.section);
        let state = state.ok_or(Contradiction("packet of an interface that was not described"))?;
        // No analysis can use a packet whose position in time is unknown.
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

    /// Reads the statistics of an interface. The counters only grow, so the last block contains the
    /// sum.
    fn statistics(&mut self, b: &[u8], log: &mut Log) {
        let order = self.order;
        let interface = order.u32_at(b, 8).unwrap_or(u32::MAX) as usize;
        let Some(state) = self.interfaces.get_mut(self.section + interface) else { return };
        let newest = self.last;
        let instant = |value| {
            let (high, low) = (order.u32_at(value, 0)?, order.u32_at(value, 4)?);
            recorded_at(u64::from(high) << 32 | u64::from(low), state, newest?)
        };
        let mut dropped = None;
        for (code, value) in options(b.get(20..).unwrap_or_default(), order) {
            match code {
                ISB_STARTTIME => log.recording.add(instant(value), None),
                ISB_ENDTIME => log.recording.add(None, instant(value)),
                ISB_IFDROP => dropped = chunk::<8>(value, 0).map(|count| order.u64(*count)),
                _ => {}
            }
        }
        if let Some(count) = dropped {
            log.recording.tells_drops = true;
            log.counts.dropped =
                log.counts.dropped.saturating_add(count.saturating_sub(state.dropped));
            state.dropped = count;
        }
    }
}

/// The time of the beginning or end of a recording. dumpcap writes it in microseconds, whatever
/// resolution it declares; so the one of the two that is within a day of the packets counts.
fn recorded_at(ticks: u64, state: &InterfaceState, newest: Instant) -> Option<Instant> {
    let in_us = i64::try_from(ticks).ok().and_then(|us| us.checked_mul(1000));
    let times = [state.time(ticks), in_us.map(Instant::from_nanos)];
    let is_near = |time: &Instant| (*time - newest).abs().as_nanos() <= DAY_NS as i64;
    times.into_iter().flatten().find(is_near)
}
