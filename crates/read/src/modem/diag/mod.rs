//! Reads Qualcomm DIAG logs: frames, log packets and messages.
//!
//! bytes -> [`walk`] (HDLC frames with their CRC, or one of the containers without frames) ->
//! [`decoder`] (commands, subscriptions) -> [`messages`] -> records. Each module of [`messages`]
//! describes the layout of a message.

mod bits;
mod containers;
mod crc;
mod decoder;
mod frame;
pub(crate) mod harq;
pub mod messages;
mod outcome;
mod packet;
mod proof;
mod sink;
mod sizes;
mod tally;
mod walk;
pub(super) mod watch;

use watch::Watcher;
pub use watch::{Fields, Watched};

use std::io::{self, ErrorKind, Read};
use std::sync::Arc;

use self::containers::{Dlf, Linux, Scan};
use self::decoder::{Decoder, Target};
use self::frame::{Deframer, Frame};
use self::walk::{Hdlc, Walk};
use crate::modem::reader::{Form, Format, Holds, Input, ModemFormat};
use crate::modem::record::{Record, Subframe};
use crate::modem::report::Notes;
use crate::modem::rrc::RrcDecoder;

/// The format of logs of Qualcomm's DIAG protocol.
pub(crate) const FORMAT: ModemFormat = ModemFormat {
    title: "Qualcomm DIAG (qmdl, mi2log, dlf)",
    endings: &[".qmdl", ".qmdl2", ".mi2log", ".dlf", ".hdf"],
    holds: Holds {
        allocations: "down, up",
        other_users: "no",
        cell_prbs: "yes",
        padding: "yes",
        decoded: "down",
        handovers: "yes",
        uplink_buffer: "yes",
    },
    forms: &[
        // The output of `/dev/diag` in Linux comes first, because the frames in the driver's
        // buffers would be taken for a log of frames.
        form("linux", containers::is_linux, Log::<Linux>::open),
        // Frames one after another: qmdl, mi2log, or a pipe from the modem.
        form("hdlc", walk::is_hdlc, Log::<Hdlc>::open),
        // Log packets one after another, without frames.
        form("dlf", containers::is_dlf, Log::<Dlf>::open),
        // The form of log packets among other data, without frames.
        form("scan", containers::is_scan, Log::<Scan>::open),
    ],
};

const fn form(
    name: &'static str,
    is: fn(&[u8]) -> bool,
    open: fn(Input) -> Box<dyn Format>,
) -> Form {
    Form { name, is_text: false, is, open }
}

/// The greatest number of bytes of one read.
const PIECE: usize = 256 << 10;

/// A DIAG log that is being read.
struct Log<W> {
    input: Input,
    buffer: Vec<u8>,
    /// The number of bytes at the start of `buffer` that were read and not yet decoded.
    held: usize,
    /// The offset in the input at which `buffer` begins.
    offset: u64,
    walk: W,
    decoder: Decoder,
}

impl<W: Walk> Log<W> {
    fn open(input: Input) -> Box<dyn Format> {
        let (buffer, walk, decoder) = (vec![0; PIECE], W::default(), Decoder::default());
        Box::new(Self { input, buffer, held: 0, offset: 0, walk, decoder })
    }

    /// Reads from the input once: from a pipe, what has arrived. Returns the number of bytes.
    fn fill(&mut self) -> io::Result<usize> {
        if self.buffer.len() - self.held < PIECE / 2 {
            self.buffer.resize(self.held + PIECE, 0);
        }
        let room = self.buffer.get_mut(self.held..).unwrap_or_default();
        let got = loop {
            match self.input.read(room) {
                Err(error) if error.kind() == ErrorKind::Interrupted => {}
                other => break other?,
            }
        };
        self.held += got;
        Ok(got)
    }
}

impl<W: Walk> Format for Log<W> {
    fn name(&self) -> &'static str {
        W::NAME
    }

    fn watch(&mut self, watcher: Watcher) {
        self.decoder.watch(watcher);
    }

    fn decode_rrc(&mut self, decoder: Arc<dyn RrcDecoder>) {
        self.decoder.decode_rrc(decoder);
    }

    fn read(&mut self, out: &mut Vec<Record>, notes: &mut Notes) -> io::Result<bool> {
        let more = self.fill()? > 0;
        let bytes = self.buffer.get(..self.held).unwrap_or_default();
        let mut target = Target { out, notes };
        let mut walked = self.walk.walk(bytes, self.offset, &mut self.decoder, &mut target);
        if !more {
            let left = bytes.get(walked..).unwrap_or_default();
            self.walk.end(left, self.offset + walked as u64, &mut self.decoder, &mut target);
            walked = self.held;
            self.decoder.end(&mut target);
        }
        self.buffer.copy_within(walked..self.held, 0);
        self.held -= walked;
        self.offset += walked as u64;
        self.decoder.count(notes);
        Ok(more)
    }

    fn refine(&self, records: &mut dyn Iterator<Item = Subframe<'_>>) {
        self.decoder.refine(records);
    }
}

/// The numbers of frames of a log with a correct and with a wrong CRC. This walks over the log
/// without decoding, as a baseline for the speed of reading.
pub fn count_frames(mut log: &[u8]) -> (u64, u64) {
    let mut deframer = Deframer::default();
    let (mut whole, mut damaged) = (0, 0);
    while let Some((frame, length)) = deframer.next(log) {
        match frame {
            Frame::Whole(_) => whole += 1,
            Frame::Damaged => damaged += 1,
            Frame::Empty => {}
        }
        log = log.get(length..).unwrap_or_default();
    }
    (whole, damaged)
}
