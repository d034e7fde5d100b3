//! Where messages put what they tell, and what they must remember from one to the next.

use super::harq::{Process, Processes};
use super::messages::Misfit;
use super::packet::LogPacket;
use crate::modem::clock::{Aired, Clocks};
use crate::modem::record::{Record, Rnti};

/// What is remembered from message to message.
#[derive(Default)]
pub(crate) struct Memory {
    clocks: Clocks,
    processes: Processes,
}

/// Takes what a message tells.
pub(crate) struct Sink<'a> {
    out: &'a mut Vec<Record>,
    memory: &'a mut Memory,
}

impl<'a> Sink<'a> {
    /// Appends to `out`.
    pub(super) const fn new(out: &'a mut Vec<Record>, memory: &'a mut Memory) -> Self {
        Self { out, memory }
    }

    /// When a subframe that the message tells of was on the air. `frame` is the system frame
    /// number, 0 to 1023 (TS 36.331 section 6.2.2), and a frame has ten subframes.
    ///
    /// # Errors
    /// They cannot be.
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
        Ok(self.memory.clocks.of(packet.user).aired(packet.time, subframe))
    }

    /// Whether a block was sent before.
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

    /// What the message tells.
    #[inline]
    pub(crate) fn put(&mut self, record: Record) {
        self.out.push(record);
    }
}
