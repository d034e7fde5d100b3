//! Turns DIAG packets into records: reads the command, the wrapper of phones with several
//! subscriptions, and the message.

use std::sync::Arc;

use airmile_types::Instant;

use super::messages::{MESSAGES, Message};
use super::packet::{Deviating, LogPacket};
use super::proof::{Gates, Pass};
use super::sink::{Memory, Sink};
use super::tally::Tally;
use super::watch::{Watched, Watcher};
use crate::bytes::chunk;
use crate::modem::record::{Record, Subframe, User};
use crate::modem::report::Notes;
use crate::modem::rrc::RrcDecoder;

/// The command of a log packet.
const LOG: u8 = 0x10;
/// The command of the wrapper that names a subscription.
const MULTI_RADIO: u8 = 0x98;
/// The length in bytes of the wrapper before the packet.
const WRAPPER: usize = 8;
/// The length in bytes of a log packet before its second length field: command, pending count,
/// length.
const LOG_HEADER: usize = 4;
/// 1990, in nanoseconds since 1970. A modem that has not received the network's time counts from
/// 1980.
const CLOCK_SET_NS: i64 = 631_152_000_000_000_000;

/// The number of codes in the index, which uses the lower 12 bits: all codes of LTE and NR are
/// 0xBxxx.
const CODES: usize = 1 << 12;
/// The mark of a code that is not read.
const NONE: u8 = u8::MAX;

/// The reason for which records are left out that contradict themselves.
const DEVIATING: &str = "deviating_record";

/// Where the records and counts of a piece are put.
pub(super) struct Target<'a> {
    pub(super) out: &'a mut Vec<Record>,
    pub(super) notes: &'a mut Notes,
}

/// Reads DIAG packets.
pub(super) struct Decoder {
    /// For the lower bits of a code, the index into [`MESSAGES`].
    index: [u8; CODES],
    memory: Memory,
    tally: Tally,
    gates: Gates,
    unset_clock: u64,
    watcher: Option<Watcher>,
}

impl Default for Decoder {
    fn default() -> Self {
        let mut index = [NONE; CODES];
        for (message, at) in MESSAGES.iter().zip(0..) {
            if let Some(slot) = index.get_mut(usize::from(message.code) % CODES) {
                *slot = at;
            }
        }
        Self {
            index,
            memory: Memory::default(),
            tally: Tally::default(),
            gates: Gates::default(),
            unset_clock: 0,
            watcher: None,
        }
    }
}

impl Decoder {
    /// Reads a packet: a log packet, a log packet in the wrapper, or another command.
    #[inline]
    pub(super) fn packet(&mut self, bytes: &[u8], target: &mut Target<'_>) {
        let (user, bytes) = unwrap(bytes);
        match bytes.first() {
            Some(&LOG) => self.log(bytes, user, target),
            Some(&command) => self.tally.command(command),
            None => target.notes.skip("wrapper around nothing"),
        }
    }

    /// Reads a log packet from its second length field on, as DLF files store it.
    #[inline]
    pub(super) fn bare_log(&mut self, bytes: &[u8], user: User, target: &mut Target<'_>) {
        match LogPacket::new(bytes, user) {
            Some(packet) => self.message(&packet, target),
            None => target.notes.skip("log packet whose length lies"),
        }
    }

    /// Passes every log packet to `watcher` from now on.
    pub(super) fn watch(&mut self, watcher: Watcher) {
        self.watcher = Some(watcher);
    }

    /// Uses `decoder` for RRC messages that may be handover commands, from now on.
    pub(super) fn decode_rrc(&mut self, decoder: Arc<dyn RrcDecoder>) {
        self.memory.rrc.decode(decoder);
    }

    /// Corrects the times of records with what was read since.
    pub(super) fn refine(&self, records: &mut dyn Iterator<Item = Subframe<'_>>) {
        self.memory.clocks.refine(records);
    }

    /// Reads, at the end of the log, the packets that still waited for the proof of their layout.
    pub(super) fn end(&mut self, target: &mut Target<'_>) {
        let held = self.gates.end();
        held.iter().for_each(|held| self.understand(&held.packet(), true, target));
    }

    /// Adds the counts to the notes.
    pub(super) fn count(&mut self, notes: &mut Notes) {
        self.tally.hand_over(notes);
        self.gates.report(notes, |at| MESSAGES.get(at).map_or("", |message| message.name));
        notes.rrc = self.memory.rrc.reading();
        if self.unset_clock > 0 {
            self.unset_clock = 0;
            let warning = "messages are dated 1980: the modem had not heard the network's time";
            if notes.warnings.iter().all(|known| known != warning) {
                notes.warnings.push(warning.to_owned());
            }
        }
    }

    #[inline]
    fn log(&mut self, bytes: &[u8], user: User, target: &mut Target<'_>) {
        let first = chunk::<2>(bytes, 2);
        let second = chunk::<2>(bytes, LOG_HEADER);
        if first != second {
            return target.notes.skip("log packet whose lengths differ");
        }
        self.bare_log(bytes.get(LOG_HEADER..).unwrap_or_default(), user, target);
    }

    #[inline]
    fn message(&mut self, packet: &LogPacket<'_>, target: &mut Target<'_>) {
        let before = target.out.len();
        self.read(packet, target);
        if let Some(watcher) = &mut self.watcher {
            let records = target.out.get(before..).unwrap_or_default();
            watcher(&Watched::new(packet, records));
        }
    }

    #[inline]
    fn read(&mut self, packet: &LogPacket<'_>, target: &mut Target<'_>) {
        self.saw(packet.time, target.notes);
        let Some((at, message)) = self.message_of(packet) else {
            return self.tally.other(packet.code);
        };
        let pass = message
            .proof
            .map_or(Pass::ALL, |proof| self.gates.offer(at, proof, packet, &self.memory.clocks));
        if let Pass::Read(held, deviating) = pass {
            held.iter().for_each(|held| self.understand(&held.packet(), true, target));
            self.understand(&LogPacket { deviating, ..*packet }, false, target);
        }
    }

    /// Reads a packet with a known message whose layout is not refused.
    #[inline]
    fn understand(&mut self, packet: &LogPacket<'_>, late: bool, target: &mut Target<'_>) {
        let Some((at, message)) = self.message_of(packet) else { return };
        let before = target.out.len();
        let outcome = (message.read)(packet, &mut Sink::new(target.out, &mut self.memory, late));
        if outcome.is_err() {
            target.out.truncate(before);
        } else if packet.deviating != Deviating::NONE {
            *target.notes.skipped.entry(DEVIATING).or_default() += packet.deviating.count();
        }
        self.tally.read(at, outcome, target.notes);
    }

    #[inline]
    fn message_of(&self, packet: &LogPacket<'_>) -> Option<(usize, &'static Message)> {
        let at = self.index.get(usize::from(packet.code) % CODES).map_or(NONE, |at| *at);
        let message = MESSAGES.get(usize::from(at)).filter(|known| known.code == packet.code)?;
        Some((at.into(), message))
    }

    #[inline]
    fn saw(&mut self, time: Instant, notes: &mut Notes) {
        notes.saw(time);
        self.unset_clock += u64::from(time.as_nanos() < CLOCK_SET_NS);
    }
}

/// The subscription and the packet, without the wrapper that names the subscription.
#[inline]
fn unwrap(bytes: &[u8]) -> (User, &[u8]) {
    match (bytes.first(), chunk::<4>(bytes, 4), bytes.get(WRAPPER..)) {
        (Some(&MULTI_RADIO), Some(id), Some(inner)) => (User(u32::from_le_bytes(*id)), inner),
        _ => (User(0), bytes),
    }
}
