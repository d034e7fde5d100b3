//! Takes the records of messages, and keeps the state that messages share.

use std::collections::BTreeMap;

use airmile_types::{Duration, Instant};

use super::harq::{Process, Processes};
use super::outcome::Misfit;
use super::packet::LogPacket;
use super::sizes::{CRC, Sizes};
use crate::modem::clock::{Aired, Clocks};
use crate::modem::record::{Record, Rnti, RrcEvent, User};
use crate::modem::rrc::{Channel, Step, Steps};

/// What is remembered from one message to the next.
#[derive(Default)]
pub(crate) struct Memory {
    pub(super) clocks: Clocks,
    pub(super) rrc: Steps,
    processes: Processes,
    sizes: Sizes,
    carriers: BTreeMap<(User, u8), (u16, Instant)>,
}

/// After this time a bandwidth is recorded again, because a new cell may have the same one.
const REPEAT_AFTER: Duration = Duration::from_secs(1);
/// The greatest number of carriers that are remembered. Phones have few, but a damaged log could
/// contain any number.
const MOST_CARRIERS: usize = 64;

/// Takes the records of one message.
pub(crate) struct Sink<'a> {
    out: &'a mut Vec<Record>,
    memory: &'a mut Memory,
    /// Whether the message waited while others were read.
    late: bool,
}

impl<'a> Sink<'a> {
    /// A sink that appends to `out`; `late` says that the message waited while others were read.
    pub(super) const fn new(out: &'a mut Vec<Record>, memory: &'a mut Memory, late: bool) -> Self {
        Self { out, memory, late }
    }

    /// The time at which a subframe of the message was on the air. `frame` is the system frame
    /// number, 0 to 1023 (TS 36.331 section 6.2.2); a frame has ten subframes.
    ///
    /// # Errors
    /// Frame or subframe is out of range, or the time is not known.
    #[inline]
    pub(crate) fn aired(
        &mut self,
        packet: &LogPacket<'_>,
        frame: u32,
        subframe: u32,
    ) -> Result<Aired, Misfit> {
        if frame > 1023 || subframe > 9 {
            return Err(Misfit::Lies("a subframe that cannot be"));
        }
        let subframe = i64::from(frame * 10 + subframe);
        if self.late {
            let aired = self.memory.clocks.held_back(packet.user, packet.time, subframe);
            return aired.ok_or(Misfit::Lies("a subframe whose time is not known"));
        }
        Ok(self.memory.clocks.of(packet.user).aired(packet.time, subframe))
    }

    /// Whether a block is a retransmission.
    #[inline]
    pub(crate) fn repeated(
        &mut self,
        process: Process,
        rnti: Rnti,
        rv: u32,
        ndi: bool,
    ) -> Option<bool> {
        self.memory.processes.repeated(process, rnti, rv, ndi)
    }

    /// Whether the bandwidth of a carrier is new, or was not recorded for a while.
    pub(crate) fn is_news(&mut self, packet: &LogPacket<'_>, carrier: u8, prbs: u16) -> bool {
        let carriers = &mut self.memory.carriers;
        if carriers.len() >= MOST_CARRIERS {
            carriers.clear();
        }
        let last = carriers.get(&(packet.user, carrier));
        let news = last.is_none_or(|(width, time)| {
            *width != prbs || (packet.time - *time).abs() >= REPEAT_AFTER
        });
        if news {
            carriers.insert((packet.user, carrier), (prbs, packet.time));
        }
        news
    }

    /// The size of a block without its CRC, for a version whose sizes no log has shown to include
    /// the CRC or not; `said` is what was published.
    pub(crate) fn without_crc(
        &mut self,
        version: u8,
        said: bool,
        bytes: u32,
        one_layer: bool,
    ) -> u32 {
        if one_layer {
            self.memory.sizes.saw(version, bytes);
        }
        let counted = self.memory.sizes.counts_crc(version, said);
        if counted { bytes.saturating_sub(CRC) } else { bytes }
    }

    /// Appends the step of an RRC message on a cell, given by its identity and frequency. A message
    /// that concerns no connection appends nothing.
    ///
    /// # Errors
    /// The channel of the message is unknown.
    pub(crate) fn rrc(
        &mut self,
        packet: &LogPacket<'_>,
        nr: bool,
        (cell, earfcn): (u16, u32),
        channel: Option<Channel>,
        message: &[u8],
    ) -> Result<(), Misfit> {
        let channel = channel.ok_or(Misfit::Lies("an RRC message of an unknown kind"))?;
        if let Some(Step { step, target }) = self.memory.rrc.of(nr, channel, message) {
            self.put(Record::Rrc(RrcEvent {
                time: packet.time,
                user: packet.user,
                step,
                cell: Some(cell),
                earfcn: Some(earfcn),
                target_cell: target.map(|(cell, _)| cell),
                target_earfcn: target.and_then(|(_, earfcn)| earfcn),
                nr,
            }));
        }
        Ok(())
    }

    /// Appends a record.
    #[inline]
    pub(crate) fn put(&mut self, record: Record) {
        self.out.push(record);
    }
}
