//! An open capture: packets in file order, and at the end the report.

use std::io::Read;

use crate::classic::{Classic, FILE_HEADER};
use crate::decode::{self, Skip, plain};
use crate::error::OpenError;
use crate::fragments::Fragments;
use crate::link_type::{LinkType, link_type_name};
use crate::log::Log;
use crate::open::{self, Progress, Stream};
use crate::packet::Packet;
use crate::pcapng::{self, PcapNg};
use crate::record::Record;
use crate::report::{InputReport, Interface};
use crate::source::Source;
use crate::window::Window;

/// A capture that is being read.
pub struct Capture {
    name: String,
    window: Window,
    walker: Walker,
    fragments: Fragments,
    /// Bytes of the record that was handed out last.
    used: usize,
    log: Log,
    codings: Vec<&'static str>,
    progress: Progress,
}

enum Walker {
    Classic(Classic),
    PcapNg(PcapNg),
}

impl Capture {
    /// Opens an input and reads its file header.
    ///
    /// # Errors
    /// [`OpenError`] when nothing can be read from it.
    pub fn open(source: &Source) -> Result<Self, OpenError> {
        Self::start(source.to_string(), open::stream(source)?)
    }

    /// Reads a capture, compressed or not, from anything that gives bytes; `name` stands in
    /// messages.
    ///
    /// # Errors
    /// [`OpenError`] when nothing can be read from it.
    pub fn from_reader(name: &str, input: impl Read + Send + 'static) -> Result<Self, OpenError> {
        Self::start(name.to_owned(), open::reader(name, Box::new(input), None)?)
    }

    fn start(name: String, stream: Stream) -> Result<Self, OpenError> {
        let mut window = if stream.codings.is_empty() {
            Window::new(stream.reader)
        } else {
            Window::ahead(stream.reader).map_err(|error| OpenError::from_io(&name, error))?
        };
        let walker = walker(&mut window, &name)?;
        let log = Log::new(stream.codings.last().copied());
        let (codings, progress) = (stream.codings, stream.progress);
        let fragments = Fragments::default();
        Ok(Self { name, window, walker, fragments, used: 0, log, codings, progress })
    }

    /// The next IP packet; None at the end of what can be read.
    #[inline]
    pub fn next_packet(&mut self) -> Option<Packet<'_>> {
        // The packet borrows from the window, so it is made when the search is over.
        let mut general = None;
        let (record, link, plain) = loop {
            let record = self.next_record()?;
            let Some(link) = record.link else {
                self.log.skip(Skip::LinkType(record.link_number));
                continue;
            };
            let frame = record.frame(link, &self.window);
            if let Some(at) = plain::locate(&frame) {
                break (record, link, at);
            }
            let located = match decode::locate(&frame) {
                Ok(located) if located.fragmented => self.fragments.resolve(&frame, located),
                whole => whole,
            };
            match located {
                Ok(located) => general = Some(located),
                Err(skip) => {
                    self.log.skip(skip);
                    continue;
                }
            }
            break (record, link, 0);
        };
        let frame = record.frame(link, &self.window);
        let (mut packet, remarks) = match &general {
            None => plain::finish(frame, plain),
            Some(located) if located.joined => {
                decode::finish(self.fragments.whole(&frame).0, located)
            }
            Some(located) => decode::finish(frame, located),
        };
        packet.frame = self.log.frame();
        self.log.packet(&packet, remarks);
        Some(packet)
    }

    /// Passes over the next record without looking into its frame; false at the end of what can be
    /// read.
    #[inline]
    pub fn skip_record(&mut self) -> bool {
        self.next_record().is_some()
    }

    /// How far the input has been read; the handle stays valid when the capture moves.
    pub fn progress(&self) -> Progress {
        self.progress.clone()
    }

    /// What became of the input. Call it when [`Capture::next_packet`] has given None; before, it
    /// reports what was read so far.
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
            counts: self.log.counts.clone(),
            skipped: self.log.skipped.clone(),
            problems: self.log.problems.clone(),
            unlisted_problems: self.log.unlisted_problems,
            warnings: self.log.warnings(),
        }
    }

    #[inline]
    fn next_record(&mut self) -> Option<Record> {
        self.window.skip(self.used);
        self.used = 0;
        let record = self.walker.next(&mut self.window, &mut self.log)?;
        self.used = record.bytes;
        self.log.record(record.time);
        Some(record)
    }
}

impl Walker {
    #[inline]
    fn next(&mut self, window: &mut Window, log: &mut Log) -> Option<Record> {
        match self {
            Self::Classic(classic) => classic.next(window, log),
            Self::PcapNg(pcapng) => pcapng.next(window, log),
        }
    }

    const fn name(&self) -> &'static str {
        match self {
            Self::Classic(classic) => classic.name(),
            Self::PcapNg(_) => "pcapng",
        }
    }

    const fn unlisted_interfaces(&self) -> u64 {
        match self {
            Self::Classic(_) => 0,
            Self::PcapNg(pcapng) => pcapng.unlisted_interfaces() as u64,
        }
    }

    fn interfaces(&self) -> Vec<Interface> {
        match self {
            Self::Classic(classic) => vec![Interface {
                name: None,
                link_type: classic.link_number,
                snap_length: classic.snap_length,
            }],
            Self::PcapNg(pcapng) => pcapng.interfaces(),
        }
    }
}

fn walker(window: &mut Window, name: &str) -> Result<Walker, OpenError> {
    window.have(FILE_HEADER);
    let first = window.bytes();
    let name = name.to_owned();
    if let Some(order) = pcapng::section_order(first) {
        return Ok(Walker::PcapNg(PcapNg::new(order)));
    }
    if !open::is_capture(first) {
        return Err(open::unknown(name, first.get(..FILE_HEADER).unwrap_or(first)));
    }
    let Some(classic) = first.first_chunk::<FILE_HEADER>().and_then(Classic::new) else {
        return Err(OpenError::HeaderCut { name, bytes: first.len() });
    };
    let number = classic.link_number;
    if LinkType::from_number(number).is_none() {
        return Err(OpenError::LinkType { name, number, link: link_type_name(number) });
    }
    window.skip(FILE_HEADER);
    Ok(Walker::Classic(classic))
}
