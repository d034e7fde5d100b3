//! Reads Android's `dumpsys telephony.registry`: the cells of each phone, as the operating system
//! last knew them.
//!
//! A log is one dump, or several dumps one after another. Before each of several dumps, a line
//! contains the time at which the dump was made, as `date +%s.%N` writes it. A dump without such a
//! line has the time of the dump before, at first 0, and a warning says so. Identities of cells and
//! operators are not read.

mod channels;
mod strength;
mod value;

use airmile_types::Instant;

use self::channels::Channel;
use self::strength::Strength;
use self::value::value;
use super::reader::{Form, Holds, ModemFormat};
use super::record::{CellInfo, CellMeasurement, PrbSource, Record, User};
use super::report::Notes;
use super::text::{self, Bad, ByLine, Line, unix_seconds, whole};

/// The format: dumps of Android's telephony registry.
pub(crate) const FORMAT: ModemFormat = ModemFormat {
    title: "Android's dumpsys",
    endings: &[".txt"],
    holds: Holds {
        allocations: "no",
        other_users: "no",
        cell_prbs: "yes",
        padding: "no",
        decoded: "no",
        handovers: "by cell, each dump",
        uplink_buffer: "no",
    },
    forms: &[Form { name: "dumpsys", is_text: true, is, open: text::open::<Dumpsys> }],
};

const STRENGTH: &str = "mSignalStrength=";
const CHANNELS: &str = "mPhysicalChannelConfigs";
const IDENTITY: &str = "mCellIdentity=CellIdentityLte:";
const PHONE: &str = "Phone Id=";

fn is(first: &[u8]) -> bool {
    String::from_utf8_lossy(first).lines().map(str::trim).any(|line| {
        line == "last known state:"
            || [STRENGTH, CHANNELS, PHONE].iter().any(|start| line.starts_with(start))
    })
}

/// Reads the dumps.
#[derive(Default)]
struct Dumpsys {
    time: Option<Instant>,
    phone: Phone,
    /// Whether the phone writes ratios in tenths of a dB.
    tenths: bool,
}

/// What a dump contains about one phone. The cell may come before or after its signal strength.
#[derive(Default)]
struct Phone {
    user: User,
    /// The physical cell identity and the EARFCN of the serving cell.
    identity: Option<(Option<u16>, Option<u32>)>,
    strengths: Vec<Strength>,
    channels: Vec<Channel>,
}

impl ByLine for Dumpsys {
    const NAME: &'static str = "dumpsys";

    fn line(&mut self, line: &Line<'_>, out: &mut Vec<Record>, notes: &mut Notes) {
        let text = line.text.trim();
        if let Some(time) = unix_seconds(text) {
            self.end(out, notes);
            (self.time, self.phone) = (Some(time), Phone::default());
        } else if text == "last known state:" {
            self.end(out, notes);
        } else if let Some(number) = text.strip_prefix(PHONE) {
            self.end(out, notes);
            match whole(number, &(0..=u64::from(u32::MAX))) {
                Some(number) => self.phone.user = User(number),
                None => text::reject(line, &Bad::new("Phone Id: not a whole number"), notes),
            }
        } else if text.starts_with(STRENGTH) {
            self.phone.strengths = strength::all(text, &mut self.tenths, notes);
        } else if text.starts_with(CHANNELS) {
            self.phone.channels = channels::all(text, notes);
        } else if let Some(identity) = text.strip_prefix(IDENTITY) {
            let (cell, earfcn) = (value(identity, "mPci"), value(identity, "mEarfcn"));
            let cell = cell.and_then(|cell| u16::try_from(cell).ok()).filter(|cell| *cell <= 503);
            let earfcn = earfcn.and_then(|earfcn| u32::try_from(earfcn).ok());
            self.phone.identity = Some((cell, earfcn.filter(|earfcn| *earfcn <= 262_143)));
        }
    }

    /// Appends the records of a phone after its last line.
    fn end(&mut self, out: &mut Vec<Record>, notes: &mut Notes) {
        let phone = std::mem::take(&mut self.phone);
        if phone.strengths.is_empty() && phone.channels.is_empty() {
            return;
        }
        let time = self.time.unwrap_or_else(|| {
            notes.warn("dumps without a time (a line of date +%s.%N before each): they are at 0");
            Instant::from_nanos(0)
        });
        notes.saw(time);
        *notes.understood.entry((Self::NAME, 0)).or_default() += 1;
        out.extend(phone.widths(time).map(Record::CellInfo));
        out.extend(phone.measurements(time).map(Record::Cell));
    }
}

impl Phone {
    fn widths(&self, time: Instant) -> impl Iterator<Item = CellInfo> {
        self.channels.iter().map(move |channel| CellInfo {
            time,
            user: self.user,
            cell: channel.cell,
            earfcn: channel.earfcn,
            carrier: Some(channel.carrier),
            downlink_prbs: channel.downlink_prbs,
            uplink_prbs: channel.uplink_prbs,
            source: PrbSource::Beside,
        })
    }

    fn measurements(&self, time: Instant) -> impl Iterator<Item = CellMeasurement> {
        let primary = self.channels.iter().find(|channel| channel.carrier == 0);
        let primary = primary.map(|channel| (channel.cell, channel.earfcn));
        let (cell, earfcn) = self.identity.or(primary).unwrap_or_default();
        // The identity is that of the LTE cell; the identity of the 5G cell is not read.
        self.strengths.iter().map(move |strength| CellMeasurement {
            time,
            user: self.user,
            cell: cell.filter(|_| !strength.nr),
            earfcn: earfcn.filter(|_| !strength.nr),
            carrier: (!strength.nr).then_some(0),
            serving: Some(true),
            rsrp_dbm: strength.rsrp_dbm,
            rsrq_db: strength.rsrq_db,
            sinr_db: strength.sinr_db,
            rssi_dbm: strength.rssi_dbm,
            cqi: strength.cqi,
            source: Dumpsys::NAME,
        })
    }
}

#[cfg(test)]
mod tests;
