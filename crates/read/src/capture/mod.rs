//! Reads an open capture: its packets in file order, and at the end the report.

mod classic;
mod log;
mod pcapng;
mod recognise;
mod record;
mod walker;
mod window;

use std::io::Read;

use self::classic::{Ordinary, RECORD_HEADER};
use self::log::Log;
use self::record::Record;
use self::walker::{Walker, walker};
use self::window::Window;
use crate::bytes::part;
use crate::decode::bulk::{self, Bulk, ETHERNET, STAMPED};
use crate::decode::device::{Device, device};
use crate::decode::fragments::Fragments;
use crate::decode::plain::{self, Plain};
use crate::decode::{Located, Skip, general, pktap};
use crate::open::{self, OpenError, Progress, Source, Stream};
use crate::packet::Packet;
use crate::report::InputReport;

/// A capture that is being read.
pub struct Capture {
    name: String,
    window: Window,
    walker: Walker,
    fragments: Fragments,
    /// The size in bytes of the record that was returned last.
    used: usize,
    log: Log,
    codings: Vec<&'static str>,
    /// The memory of the decompressors, in bytes.
    decoders_bytes: u64,
    progress: Progress,
}

impl Capture {
    /// Opens an input and reads its file header.
    ///
    /// # Errors
    /// [`OpenError`] if nothing can be read from the input.
    pub fn open(source: &Source) -> Result<Self, OpenError> {
        Self::start(source.to_string(), open::stream(source)?)
    }

    /// Reads a capture, compressed or not, from any reader of bytes; `name` names it in messages.
    ///
    /// # Errors
    /// [`OpenError`] if nothing can be read from the input.
    pub fn from_reader(name: &str, input: impl Read + Send + 'static) -> Result<Self, OpenError> {
        Self::start(name.to_owned(), open::reader(name, Box::new(input), None)?)
    }

    fn start(name: String, stream: Stream) -> Result<Self, OpenError> {
        let mut window = if stream.is_crowded {
            Window::small(stream.reader)
        } else if stream.codings.is_empty() {
            Window::new(stream.reader)
        } else {
            Window::ahead(stream.reader, stream.stop)
                .map_err(|error| OpenError::from_io(&name, error))?
        };
        let walker = walker(&mut window, &name)?;
        let log = Log::new(stream.codings.last().copied());
        Ok(Self {
            name,
            window,
            walker,
            fragments: Fragments::default(),
            used: 0,
            log,
            codings: stream.codings,
            decoders_bytes: stream.decoders_bytes,
            progress: stream.progress,
        })
    }

    /// The next IP packet; `None` at the end of what can be read.
    #[inline(always)]
    pub fn next_packet(&mut self) -> Option<Packet<'_>> {
        // The code for most packets is inlined into the caller; the code for other packets is not.
        self.window.step(std::mem::take(&mut self.used));
        match self.bulk() {
            Some((record, bulk)) => {
                self.take(&record);
                self.log.tcp_packet(bulk.is_super_segment::<STAMPED>());
                let ip = self.window.behind(RECORD_HEADER + ETHERNET)?;
                bulk.packet::<STAMPED>(ip, (record.time, 0, self.log.frame()), None)
            }
            None => self.other_packet(),
        }
    }

    /// Skips the next record without decoding its frame; returns `false` at the end of what can be
    /// read.
    #[inline]
    pub fn skip_record(&mut self) -> bool {
        self.next_record().is_some()
    }

    /// The memory of the open input, in bytes: what was read in advance, and what its decompression
    /// keeps.
    pub fn held_bytes(&self) -> u64 {
        let own = size_of::<Self>() + self.window.held_bytes() + self.fragments.held_bytes();
        own as u64 + self.decoders_bytes
    }

    /// How far the input has been read. The handle stays valid when the capture is moved.
    pub fn progress(&self) -> Progress {
        self.progress.clone()
    }

    /// The report on the input. Call this after [`Capture::next_packet`] has returned `None`; an
    /// earlier call reports only what was read so far.
    pub fn report(&self) -> InputReport {
        InputReport {
            name: self.name.clone(),
            size_bytes: self.progress.total.unwrap_or_else(|| self.progress.read()),
            format: self
                .codings
                .iter()
                .rev()
                .fold(self.walker.name().to_owned(), |f, c| f + "+" + c),
            interfaces: self.walker.interfaces(),
            unlisted_interfaces: self.walker.unlisted_interfaces(),
            first_time: self.log.earliest,
            last_time: self.log.latest(),
            recorded: self.log.recorded(),
            recording: self.log.recording,
            counts: self.log.counts(),
            skipped: self.log.skipped.clone(),
            problems: self.log.problems.clone(),
            unlisted_problems: self.log.unlisted_problems,
            warnings: self.log.warnings(self.fragments.given_up(), self.fragments.incomplete()),
        }
    }

    /// The next packet, if its record and its headers have the most common form. `None` has no
    /// effect, and does not mean that no packet follows.
    #[inline(always)]
    fn bulk(&self) -> Option<(Ordinary, Bulk)> {
        let Walker::Classic(classic) = &self.walker else { return None };
        let seen = self.window.bytes();
        let record = classic.ordinary(seen)?;
        let frame = part(seen, RECORD_HEADER..RECORD_HEADER + record.captured);
        let bulk = bulk::locate(classic.link?, frame, record.wire)?;
        Some((record, bulk))
    }

    /// Takes an ordinary record of a classic pcap as read.
    #[inline(always)]
    fn take(&mut self, record: &Ordinary) {
        self.used = RECORD_HEADER + record.captured;
        self.log.ordinary_record(record.time);
        if let Walker::Classic(classic) = &mut self.walker {
            classic.take(record);
        }
    }

    /// Reads the next record.
    #[inline(always)]
    fn next_record(&mut self) -> Option<Record> {
        self.window.step(std::mem::take(&mut self.used));
        if let Walker::Classic(classic) = &self.walker
            && let Some(ordinary) = classic.ordinary(self.window.bytes())
        {
            let record = classic.record(&ordinary);
            self.take(&ordinary);
            return Some(record);
        }
        let record = self.walker.next(&mut self.window, &mut self.log)?;
        self.used = record.bytes;
        Some(record)
    }

    /// The next packet, read by the first decoder that can read its headers.
    #[inline(never)]
    fn other_packet(&mut self) -> Option<Packet<'_>> {
        loop {
            let record = self.next_record()?;
            if let Some(plain) = record.frame(&self.window).as_ref().and_then(plain::locate) {
                return self.finish_plain(&record, &plain);
            }
            if let Some(located) = self.locate(&record) {
                return self.finish(&record, &located);
            }
        }
    }

    #[inline]
    fn finish_plain(&mut self, record: &Record, plain: &Plain) -> Option<Packet<'_>> {
        let frame = record.frame(&self.window)?;
        self.log.plain_packet(plain.is_tcp(), plain.is_super_segment(), plain.is_tunnelled());
        let device = device(frame.link, frame.bytes);
        let mut packet = plain.packet(frame, self.log.frame())?;
        passed(&mut packet, record, device);
        Some(packet)
    }

    /// Finds the packet of a record with the general decoder. `None` if the record has no packet,
    /// which the log counts.
    #[cold]
    #[inline(never)]
    fn locate(&mut self, record: &Record) -> Option<Located> {
        let Some(frame) = record.frame(&self.window) else {
            self.log.skip(Skip::LinkType(record.link_number));
            return None;
        };
        if let Some(name) = pktap::interface(frame.bytes) {
            self.log.passed(name);
        }
        let located = match general::locate(&frame) {
            Ok(located) if located.fragmented => self.fragments.resolve(&frame, located),
            whole => whole,
        };
        located.map_err(|skip| self.log.skip(skip)).ok()
    }

    #[inline(never)]
    fn finish(&mut self, record: &Record, located: &Located) -> Option<Packet<'_>> {
        let frame = record.frame(&self.window)?;
        let device = device(frame.link, frame.bytes);
        let frame = if located.joined { self.fragments.whole(&frame).0 } else { frame };
        let (mut packet, remarks) = general::finish(frame, located);
        passed(&mut packet, record, device);
        packet.frame = self.log.frame();
        self.log.packet(&packet, remarks);
        Some(packet)
    }
}

/// Notes the interface that a packet passed, as its frame says, or else as the record does.
#[inline]
const fn passed(packet: &mut Packet<'_>, record: &Record, device: Option<Device>) {
    packet.access = record.access;
    if let Some(Device { number, access, outgoing }) = device {
        (packet.interface, packet.access, packet.outgoing) = (number, access, outgoing);
    }
}

#[cfg(test)]
mod tests;
