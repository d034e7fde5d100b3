//! Reads text that QCAT exports from a Qualcomm log: packets with a title, `name = value` lines,
//! and tables whose column names take several lines.
//!
//! Versions of QCAT add lines and columns, so both are found by name. The blocks of 0xB173 and the
//! bandwidth of 0xB130 are read. Times are taken as UTC.

mod blocks;
mod table;

use airmile_types::Instant;

use self::blocks::Blocks;
use self::table::Table;
use super::clock::Clocks;
use super::diag::harq::Processes;
use super::reader::{Form, Holds, ModemFormat};
use super::record::{CellInfo, PrbSource, Record, Subframe, User};
use super::report::Notes;
use super::text::{self, Bad, ByLine, Column, Line, Row, Widths, calendar, carrier, lte_prbs};

/// The format of QCAT's text exports.
pub(crate) const FORMAT: ModemFormat = ModemFormat {
    title: "QCAT's text",
    endings: &[".txt"],
    holds: Holds {
        allocations: "down",
        other_users: "no",
        cell_prbs: "yes",
        padding: "no",
        decoded: "down",
        handovers: "no",
        uplink_buffer: "no",
    },
    forms: &[Form { name: "qcat", is_text: true, is, open: text::open::<Qcat> }],
};

fn is(first: &[u8]) -> bool {
    String::from_utf8_lossy(first).lines().any(|line| title(line).is_some())
}

/// The log codes that are read.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Kind {
    /// 0xB173: blocks, and whether they were decoded.
    Blocks,
    /// 0xB130: the PDCCH, whose bandwidth is that of the carrier.
    Pdcch,
}

impl Kind {
    fn of(code: u16) -> Option<Self> {
        match code {
            0xB173 => Some(Self::Blocks),
            0xB130 => Some(Self::Pdcch),
            _ => None,
        }
    }

    const fn code(self) -> &'static str {
        match self {
            Self::Blocks => "0xB173",
            Self::Pdcch => "0xB130",
        }
    }
}

/// Reads QCAT's text.
#[derive(Default)]
struct Qcat {
    clocks: Clocks,
    packet: Option<Packet>,
    processes: Processes,
    widths: Widths,
}

/// The packet that is being read.
struct Packet {
    kind: Kind,
    time: Instant,
    offset: u64,
    user: User,
    version: u32,
    carrier: u8,
    table: Table,
    blocks: Blocks,
    /// Whether the packet has given a record.
    has_records: bool,
}

impl ByLine for Qcat {
    const NAME: &'static str = "qcat";

    fn line(&mut self, line: &Line<'_>, out: &mut Vec<Record>, notes: &mut Notes) {
        if let Some((time, code)) = title(&line.text) {
            self.end(out, notes);
            notes.saw(time);
            match Kind::of(code) {
                Some(kind) => self.packet = Some(Packet::new(kind, time, line.offset)),
                None => *notes.other.entry(format!("0x{code:04X}")).or_default() += 1,
            }
        } else if let Err(bad) = self.within(&line.text, out) {
            text::reject(line, &bad, notes);
        }
    }

    /// Counts a packet after its last line.
    fn end(&mut self, _out: &mut Vec<Record>, notes: &mut Notes) {
        let Some(packet) = self.packet.take() else { return };
        let kind = (packet.kind.code(), packet.version);
        if packet.has_records {
            *notes.understood.entry(kind).or_default() += 1;
        } else {
            *notes.not_understood.entry(kind).or_default() += 1;
            let missing = packet.blocks.missing().unwrap_or("what is read of it");
            let text = format!("a packet {} without {missing}; skipped", kind.0);
            notes.problem(packet.offset, "corrupt_record", text);
        }
    }

    fn refine(&self, records: &mut dyn Iterator<Item = Subframe<'_>>) {
        self.clocks.refine(records);
    }
}

impl Qcat {
    /// Reads a line of a packet.
    fn within(&mut self, line: &str, out: &mut Vec<Record>) -> Result<(), Bad> {
        let Some(packet) = &mut self.packet else { return Ok(()) };
        if let Some((name, value)) = line.split_once('=').filter(|_| !line.contains('|')) {
            let width = packet.value(name.trim(), value.trim())?;
            packet.width(width, &mut self.widths, out);
            return Ok(());
        }
        let Some(row) = packet.table.line(line) else { return Ok(()) };
        let row = Row::of(row);
        match packet.kind {
            Kind::Blocks => {
                let (clocks, processes) = (&mut self.clocks, &mut self.processes);
                let (time, user, version) = (packet.time, packet.user, packet.version);
                let mut of = blocks::Of { time, user, version, clocks, processes };
                let block = packet.blocks.row(&packet.table, &row, &mut of)?;
                packet.has_records = true;
                out.push(Record::Tti(block));
            }
            Kind::Pdcch => {
                let width = row.read(packet.table.column("band width"), "a bandwidth", lte_prbs)?;
                packet.width(width, &mut self.widths, out);
            }
        }
        Ok(())
    }
}

impl Packet {
    fn new(kind: Kind, time: Instant, offset: u64) -> Self {
        let (table, blocks) = (Table::default(), Blocks::default());
        let (user, version, carrier) = (User(0), 0, 0);
        Self { kind, time, offset, user, version, carrier, table, blocks, has_records: false }
    }

    /// Reads a line `name = value`; returns the number of PRBs of the carrier if the line contains
    /// it.
    fn value(&mut self, name: &str, value: &str) -> Result<Option<u16>, Bad> {
        let row = Row::of(vec![value]);
        let column = |name| Column { name, at: Some(0) };
        match name {
            "Subscription ID" => {
                self.user = User(row.must(column("Subscription ID"), 0..=u64::from(u32::MAX))?);
            }
            "Version" => self.version = row.must(column("Version"), 0..=0xFFFF)?,
            "Carrier Index" => {
                let read = row.read(column("Carrier Index"), "a carrier", carrier)?;
                self.carrier = read.unwrap_or(0);
            }
            "Band Width" | "Bandwidth" if self.kind == Kind::Pdcch => {
                return row.read(column("Band Width"), "a bandwidth", lte_prbs);
            }
            _ => {}
        }
        Ok(None)
    }

    /// Appends the bandwidth of the carrier if it is new.
    fn width(&mut self, prbs: Option<u16>, known: &mut Widths, out: &mut Vec<Record>) {
        let Some(prbs) = prbs else { return };
        self.has_records = true;
        if known.is_news(self.user, self.carrier, prbs, self.time) {
            out.push(Record::CellInfo(CellInfo {
                time: self.time,
                user: self.user,
                cell: None,
                earfcn: None,
                carrier: Some(self.carrier),
                downlink_prbs: prbs,
                uplink_prbs: None,
                source: PrbSource::Pdcch,
            }));
        }
    }
}

/// Reads time and log code from a title such as `2023 Jun  8  21:16:02.785  [80]  0xB173  LTE PDSCH
/// ...`.
fn title(line: &str) -> Option<(Instant, u16)> {
    let mut words = line.split_whitespace();
    let date: Vec<&str> = words.by_ref().take(4).collect();
    // Most lines are rows of tables, which this check of the year rejects quickly.
    date.first().filter(|year| year.len() == 4)?;
    let time = calendar(&date.join(" "))?;
    let code = words.take(2).find_map(|word| word.strip_prefix("0x"))?;
    u16::from_str_radix(code, 16).ok().map(|code| (time, code))
}

#[cfg(test)]
mod tests;
