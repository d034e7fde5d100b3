//! Defines what the reader of a message needs in addition to the message's fields.

use airmile_types::Instant;

use crate::modem::clock::{Aired, Clocks};
use crate::modem::diag::harq::Processes;
use crate::modem::mobile_insight::fields::Fields;
use crate::modem::record::{Record, User};
use crate::modem::text::{Bad, Widths};

/// What is remembered from one message to the next.
#[derive(Default)]
pub(crate) struct Memory {
    pub(crate) clocks: Clocks,
    pub(super) processes: Processes,
    pub(super) widths: Widths,
}

/// The time and the user of a message, and the list to which its records are added.
pub(crate) struct Context<'a> {
    pub(crate) time: Instant,
    pub(crate) user: User,
    pub(crate) memory: &'a mut Memory,
    pub(crate) out: &'a mut Vec<Record>,
}

impl Context<'_> {
    /// The time at which a frame and subframe of the message were on the air.
    pub(super) fn aired(
        &mut self,
        part: Fields<'_>,
        frame: &'static str,
        subframe: &'static str,
    ) -> Result<Aired, Bad> {
        let frame: i64 = part.must(frame, 0..=1023)?;
        let subframe: i64 = part.must(subframe, 0..=9)?;
        Ok(self.memory.clocks.of(self.user).aired(self.time, frame * 10 + subframe))
    }
}

/// The version of a message; 0 if the message does not contain it.
pub(super) fn version(fields: Fields<'_>) -> Result<u32, Bad> {
    Ok(fields.whole("Version", 0..=255)?.unwrap_or(0))
}
