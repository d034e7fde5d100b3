//! Opens modem logs. The first bytes of a log show its format; its name is never used.

use std::io::{self, Read};
use std::sync::{Arc, LazyLock};

use crate::modem::diag::Watched;
use crate::modem::emulator::{Beside, beside};
use crate::modem::format::{formats, forms};
use crate::modem::reader::{Form, Format};
use crate::modem::record::{Record, Subframe};
use crate::modem::report::{ModemReport, Notes};
use crate::modem::rrc::RrcDecoder;
use crate::open::OpenError;
use crate::open::Source;
use crate::open::{self, Progress, Stream};

/// The greatest number of bytes of one read while the format is not known.
const STEP: usize = 4096;
/// The greatest number of bytes that are read to find the format; it exceeds the size of two of a
/// modem's longest packets.
const FIRST: usize = 256 << 10;

/// What to do about an input that is not a modem log.
static ADVICE: LazyLock<String> = LazyLock::new(|| {
    let titles: Vec<&str> = formats().iter().map(|format| format.title).collect();
    format!("give a modem log: {}", titles.join("; "))
});

/// A modem log that is being read.
pub struct ModemLog {
    name: String,
    codings: Vec<&'static str>,
    progress: Progress,
    format: Box<dyn Format>,
    notes: Notes,
}

impl ModemLog {
    /// Opens a log and recognises its format.
    ///
    /// # Errors
    /// The input cannot be opened, is empty, or has no known format.
    pub fn open(source: &Source) -> Result<Self, OpenError> {
        Self::start(source.to_string(), open::stream(source)?)
    }

    /// Reads a log, compressed or not, from any reader of bytes; `name` names it in messages.
    ///
    /// # Errors
    /// As for [`ModemLog::open`].
    pub fn from_reader(name: &str, input: impl Read + Send + 'static) -> Result<Self, OpenError> {
        Self::start(name.to_owned(), open::reader(name, Box::new(input), None)?)
    }

    fn start(name: String, stream: Stream) -> Result<Self, OpenError> {
        let Stream { mut reader, codings, progress, .. } = stream;
        let (known, first) =
            recognise(&mut reader).map_err(|error| OpenError::from_io(&name, error))?;
        let Some(known) = known else {
            return Err(OpenError::NotModemLog { name, advice: &ADVICE });
        };
        let format = (known.open)(Box::new(io::Cursor::new(first).chain(reader)));
        Ok(Self { name, codings, progress, format, notes: Notes::default() })
    }

    /// Reads the next piece, and appends its records to `out`; returns `false` at the end of the
    /// log. The log also ends where the input is cut or fails, which is reported as a problem.
    pub fn read(&mut self, out: &mut Vec<Record>) -> bool {
        match self.format.read(out, &mut self.notes) {
            Ok(more) => more,
            Err(error) => {
                self.notes.problem(self.progress.read(), "read_error", error.to_string());
                false
            }
        }
    }

    /// Passes every log packet of a DIAG log to `watcher` while the log is read.
    pub fn watch(&mut self, watcher: impl FnMut(&Watched<'_>) + Send + 'static) {
        self.format.watch(Box::new(watcher));
    }

    /// Uses `decoder` for RRC messages that may be handover commands, while the log is read.
    pub fn decode_rrc(&mut self, decoder: Arc<dyn RrcDecoder>) {
        self.format.decode_rrc(decoder);
    }

    /// Corrects the times of earlier records with what was read since, because the modem's clock is
    /// known better at the end of its log than at the start. The numbers of subframes do not
    /// change.
    pub fn refine(&self, records: &mut dyn Iterator<Item = Subframe<'_>>) {
        self.format.refine(records);
    }

    /// The files that belong to the log and are in the same folder as `source`.
    pub fn beside(&self, source: &Source) -> Beside {
        if self.format.has_files_beside() { beside(source) } else { Beside::default() }
    }

    /// How far the log has been read.
    pub fn progress(&self) -> Progress {
        self.progress.clone()
    }

    /// The counts and problems of the log so far.
    pub fn report(&self) -> ModemReport {
        let codings = self.codings.iter().map(|coding| format!("+{coding}"));
        ModemReport {
            name: self.name.clone(),
            size_bytes: self.progress.total.unwrap_or_else(|| self.progress.read()),
            format: self.format.name().to_owned() + &codings.collect::<String>(),
            notes: self.notes.clone(),
        }
    }
}

/// Reads until the format is recognised, and no further, because a pipe may give no more data for a
/// long time.
fn recognise(reader: &mut impl Read) -> io::Result<(Option<&'static Form>, Vec<u8>)> {
    let mut first = Vec::new();
    let mut examined = 0;
    loop {
        let before = first.len();
        let bytes = read_once(reader, &mut first)?;
        let ended = bytes == 0 || first.len() >= FIRST;
        // Each attempt examines all bytes so far, so a long start is examined again only when it
        // has grown by an eighth.
        if ended || before < STEP || first.len() >= examined + examined / 8 {
            examined = first.len();
            let known = known(&first);
            if ended || known.is_some() {
                return Ok((known, first));
            }
        }
    }
}

/// The format that these first bytes show. Among text formats it is the one whose sign comes first,
/// even if a more reliable sign follows, because the size of a read must not change the result.
fn known(first: &[u8]) -> Option<&'static Form> {
    if is_capture(first) {
        return None;
    }
    let texts = forms(true).filter(|known| (known.is)(first));
    let text = texts.min_by_key(|known| lines_before_sign(known, first));
    text.or_else(|| forms(false).find(|known| (known.is)(first)))
}

/// The magic numbers of packet captures (draft-ietf-opsawg-pcap section 4, with micro- and
/// nanoseconds, in both byte orders; draft-ietf-opsawg-pcapng section 4.1). In some captures, two
/// equal lengths would make a packet look like a modem's.
fn is_capture(first: &[u8]) -> bool {
    const MAGICS: [[u8; 4]; 5] = [
        [0xa1, 0xb2, 0xc3, 0xd4],
        [0xd4, 0xc3, 0xb2, 0xa1],
        [0xa1, 0xb2, 0x3c, 0x4d],
        [0x4d, 0x3c, 0xb2, 0xa1],
        [0x0a, 0x0d, 0x0d, 0x0a],
    ];
    MAGICS.iter().any(|magic| first.starts_with(magic))
}

/// The number of lines before the line that shows the format; later lines do not change the result.
fn lines_before_sign(known: &Form, first: &[u8]) -> usize {
    let lines = first.split_inclusive(|byte| *byte == b'\n');
    let ends = lines.scan(0, |end, line| {
        *end += line.len();
        Some(*end)
    });
    let ends: Vec<usize> = ends.collect();
    ends.partition_point(|end| !(known.is)(first.get(..*end).unwrap_or_default()))
}

/// Appends the bytes of one read to `to`.
fn read_once(reader: &mut impl Read, to: &mut Vec<u8>) -> io::Result<usize> {
    let mut piece = [0; STEP];
    loop {
        match reader.read(&mut piece) {
            Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
            Ok(bytes) => {
                to.extend_from_slice(piece.get(..bytes).unwrap_or_default());
                return Ok(bytes);
            }
            // The bytes before the error are kept. The error occurs again at the next read, or the
            // input ends.
            Err(_) if !to.is_empty() => return Ok(0),
            Err(error) => return Err(error),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A reader that returns one byte at a time.
    struct Slow(&'static [u8]);

    impl Read for Slow {
        fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
            let one = buffer.len().min(1);
            self.0.read(buffer.get_mut(..one).unwrap_or_default())
        }
    }

    fn format(input: impl Read + Send + 'static) -> String {
        ModemLog::from_reader("log", input).expect("a line shows the format").report().format
    }

    #[test]
    fn the_first_sign_shows_the_format_of_a_file_and_of_a_slow_pipe() {
        let logs: [(&[u8], &str); 3] = [
            (b"1.5\nlast known state:\n<dm_log_packet>\n", "dumpsys"),
            (b"Phone Id=0\n{\"type_id\":\"LTE_NAS\"}\n", "dumpsys"),
            (b"{\"type_id\":\"LTE_NAS\"}\nPhone Id=0\n", "mobile_insight"),
        ];
        for (log, name) in logs {
            assert_eq!((format(log), format(Slow(log))), (name.to_owned(), name.to_owned()));
        }
    }

    #[test]
    fn a_packet_capture_is_no_modem_log() {
        let headers: [&[u8]; 2] =
            [b"\xd4\xc3\xb2\xa1\x02\x00\x04\x00", b"\x0a\x0d\x0d\x0a\x1c\x00\x00\x00"];
        // The bytes that follow look like log packets without frames.
        let packet = [&[12, 0, 0x73, 0xb1][..], &[1; 8]].concat().repeat(50);
        for header in headers {
            let capture = [header, &packet].concat();
            let error = ModemLog::from_reader("a.pcap", io::Cursor::new(capture)).err();
            assert!(matches!(error, Some(OpenError::NotModemLog { .. })), "{error:?}");
        }
    }
}
