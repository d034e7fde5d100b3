//! The truth on its way to files, written by a thread of its own so that no TTI waits for a disk.

use std::fs::File;
use std::io::{self, BufWriter, Write};
use std::path::{Path, PathBuf};
use std::thread::JoinHandle;

use airmile_types::{Direction, Duration, Instant};

use super::error::Error;
use super::handover::{Giver, Taker, handover};
use super::lateness::Lateness;
use crate::config::LinkConfig;
use crate::link::End;
use crate::packet::TcpFields;
use crate::truth::{Event, Row, Truth};

/// The lateness that every TTI stays under in a run that may be believed: the least retransmission
/// timeout of Linux (TCP_RTO_MIN in include/net/tcp.h, 200 ms). A longer stall of the link alone
/// can fire the timer, and then the truth has a cause that TCP never met.
const TRUSTED_MOST_US: u64 = 200_000;

/// How a run went.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Report {
    /// The time at which it began, UTC.
    pub start: Instant,
    /// TTIs that were run.
    pub ttis: u64,
    /// Length of each, microseconds.
    pub tti_us: u32,
    /// How late they were, microseconds: median, 99 in 100, 999 in 1000, and the latest.
    pub late_us: [u64; 4],
    /// Packets that the kernel did not take.
    pub refused: u64,
    /// Packets and bytes that arrived at each end, in the order of [`End::ALL`].
    pub arrived: [(u64, u64); 4],
    /// Its memory was locked.
    pub locked: bool,
}

impl Report {
    /// 99 in 100 TTIs ran before the next was due, none so late that it alone can fire a timer of
    /// TCP, and no packet was refused: what the kernel did met the link that the truth describes.
    pub const fn is_trustworthy(&self) -> bool {
        let [_, p99, _, most] = self.late_us;
        p99 < self.tti_us as u64 && most < TRUSTED_MOST_US && self.refused == 0
    }
}

/// One line to write.
enum Line {
    Row(Direction, Row, Duration),
    Event(Event),
    Arrival(End, Instant, u32, Option<TcpFields>),
    Start(Instant),
}

/// Takes the truth down while the link runs.
pub(super) struct Writer {
    lines: Giver<Line>,
    thread: Option<JoinHandle<Result<(), Error>>>,
    late: Duration,
    lateness: Lateness,
    report: Report,
}

impl Writer {
    pub(super) fn create(out: &Path, config: &LinkConfig) -> Result<Self, Error> {
        let files = Files::create(out, config)?;
        let (lines, received) = handover();
        Ok(Self {
            lines,
            thread: Some(std::thread::spawn(move || files.write(received))),
            late: Duration::ZERO,
            lateness: Lateness::new(),
            report: Report { tti_us: config.tti_us, ..Report::default() },
        })
    }

    pub(super) fn begin(&mut self, start: Instant) {
        self.report.start = start;
        self.send(Line::Start(start));
    }

    /// The next TTI is this late.
    pub(super) fn late(&mut self, late: Duration) {
        self.late = late;
        self.report.ttis += 1;
        self.lateness.add(late);
        self.lines.pass_on();
    }

    pub(super) fn arrival(&mut self, end: End, now: Instant, packet: &[u8]) {
        let bytes = packet.len() as u32;
        let index = End::ALL.iter().position(|other| *other == end).unwrap_or(0);
        self.report.arrived[index].0 += 1;
        self.report.arrived[index].1 += u64::from(bytes);
        let tcp = TcpFields::of(packet);
        self.send(Line::Arrival(end, now, bytes, tcp));
    }

    pub(super) const fn refused(&mut self) {
        self.report.refused += 1;
    }

    /// Waits for the last line.
    pub(super) fn finish(mut self, locked: bool) -> Result<Report, Error> {
        self.lines.close();
        if let Some(thread) = self.thread.take() {
            thread.join().unwrap_or_else(|_| Err(nix::errno::Errno::EIO.into()))?;
        }
        self.report.late_us = [0.5, 0.99, 0.999, 1.0].map(|share| self.lateness.us(share));
        self.report.locked = locked;
        Ok(self.report)
    }

    fn send(&mut self, line: Line) {
        self.lines.give(line);
    }
}

impl Truth for Writer {
    fn row(&mut self, direction: Direction, row: &Row) {
        self.send(Line::Row(direction, *row, self.late));
    }

    fn event(&mut self, event: &Event) {
        self.send(Line::Event(*event));
    }
}

/// The files of the truth, and of the modem log that a phone would have kept.
struct Files {
    ttis: [Csv; 2],
    modem: Csv,
    events: Csv,
    arrivals: Csv,
    start: Instant,
    tti_ns: i64,
}

struct Csv {
    path: PathBuf,
    file: BufWriter<File>,
}

const TTI_COLUMNS: &str = "t_unix,tti,q_start,prb_avail,bytes_avail_full_tti,prb_alloc,served,state,\
                           sched_other,blocked,late_us,qdisc,prb_retx,tbs_bytes,prb_other";
const MODEM_COLUMNS: &str =
    "t_unix,tti,prb,tbs_bytes,direction,prb_total,mcs,layers,retx,padding_bytes";
const EVENT_COLUMNS: &str = "t_unix,event,dir,sport,dport,seq,payload,x";
const ARRIVAL_COLUMNS: &str = "ns,end,bytes,payload";

impl Files {
    fn create(out: &Path, config: &LinkConfig) -> Result<Self, Error> {
        let csv = |name: &str, columns: &str| Csv::create(out.join(name), columns);
        Ok(Self {
            ttis: [csv("truth_dl.csv", TTI_COLUMNS)?, csv("truth_ul.csv", TTI_COLUMNS)?],
            modem: csv("modem.csv", MODEM_COLUMNS)?,
            events: csv("events.csv", EVENT_COLUMNS)?,
            arrivals: csv("arrivals.csv", ARRIVAL_COLUMNS)?,
            start: Instant::from_nanos(0),
            tti_ns: i64::from(config.tti_us) * 1_000,
        })
    }

    fn write(mut self, mut lines: Taker<Line>) -> Result<(), Error> {
        while let Some(some) = lines.take() {
            for line in some.drain(..) {
                self.write_one(line)?;
            }
        }
        for csv in
            self.ttis.iter_mut().chain([&mut self.modem, &mut self.events, &mut self.arrivals])
        {
            csv.flush()?;
        }
        Ok(())
    }

    fn write_one(&mut self, line: Line) -> Result<(), Error> {
        match line {
            Line::Start(start) => self.start = start,
            Line::Row(direction, row, late) => self.tti(direction, &row, late)?,
            Line::Event(event) => self.event(&event)?,
            Line::Arrival(end, now, bytes, tcp) => {
                let payload = tcp.map_or(0, |tcp| tcp.payload_bytes);
                let line = format_args!("{},{end:?},{bytes},{payload}", now.as_nanos());
                self.arrivals.line(line)?;
            }
        }
        Ok(())
    }

    fn tti(&mut self, direction: Direction, row: &Row, late: Duration) -> Result<(), Error> {
        let at = self.unix(Instant::from_nanos(row.tti as i64 * self.tti_ns));
        let late_us = late.as_nanos() / 1_000;
        self.ttis[usize::from(direction == Direction::Uplink)].line(format_args!(
            "{at},{},{},{},{},{},{},{},{},{},{late_us},{},{},{},{}",
            row.tti,
            row.queue_bytes,
            row.cell_prbs,
            row.available_bytes,
            row.prbs + row.repeated_prbs,
            row.served_bytes,
            row.state().name(),
            u8::from(row.other_prbs > 0),
            row.blocked as u8,
            row.qdisc_bytes,
            row.repeated_prbs,
            row.tbs_bytes,
            row.other_prbs,
        ))?;
        self.modem(direction, row, &at)
    }

    fn modem(&mut self, direction: Direction, row: &Row, at: &str) -> Result<(), Error> {
        let optional = |value: Option<u8>| value.map_or(String::new(), |value| value.to_string());
        let (mcs, layers) = (optional(row.mcs), optional(row.layers));
        let mut line = |prbs: u32, bytes: u32, repeated: u8, padding: u32| {
            if prbs == 0 {
                return Ok(());
            }
            let (tti, all, way) = (row.tti, row.cell_prbs, direction.as_str());
            self.modem.line(format_args!(
                "{at},{tti},{prbs},{bytes},{way},{all},{mcs},{layers},{repeated},{padding}"
            ))
        };
        line(row.prbs, row.tbs_bytes, 0, row.tbs_bytes.saturating_sub(row.served_bytes))?;
        line(row.repeated_prbs, 0, 1, 0)
    }

    fn event(&mut self, event: &Event) -> Result<(), Error> {
        let tcp = event.tcp.map_or_else(
            || ",,,".to_owned(),
            |t| {
                format!(
                    "{},{},{},{}",
                    t.source_port, t.destination_port, t.sequence, t.payload_bytes
                )
            },
        );
        let way = match event.direction {
            Some(Direction::Downlink) => "DL",
            Some(Direction::Uplink) => "UL",
            None => "",
        };
        let (at, name) = (self.unix(event.at), event.kind.name());
        self.events.line(format_args!("{at},{name},{way},{tcp},{:.3}", event.value))
    }

    /// Seconds since 1970 of an instant of the run.
    fn unix(&self, at: Instant) -> String {
        let us = (self.start.as_nanos() + at.as_nanos()) / 1_000;
        format!("{}.{:06}", us / 1_000_000, us % 1_000_000)
    }
}

impl Csv {
    #[expect(clippy::disallowed_methods, reason = "the truth of a run is written here")]
    fn create(path: PathBuf, columns: &str) -> Result<Self, Error> {
        let file = File::create(&path).map(BufWriter::new);
        let file = file.map_err(|cause| Error::Truth { path: path.clone(), cause })?;
        let mut csv = Self { path, file };
        csv.line(format_args!("{columns}"))?;
        Ok(csv)
    }

    fn line(&mut self, line: std::fmt::Arguments<'_>) -> Result<(), Error> {
        writeln!(self.file, "{line}").map_err(|cause| self.error(cause))
    }

    fn flush(&mut self) -> Result<(), Error> {
        self.file.flush().map_err(|cause| self.error(cause))
    }

    fn error(&self, cause: io::Error) -> Error {
        Error::Truth { path: self.path.clone(), cause }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_run_is_believed_by_its_late_ttis_its_longest_stall_and_what_was_refused() {
        let report = |tti_us, p99, most, refused| Report {
            tti_us,
            late_us: [50, p99, p99, most],
            refused,
            ..Report::default()
        };
        assert!(report(1_000, 999, 199_999, 0).is_trustworthy());
        assert!(!report(1_000, 1_000, 2_000, 0).is_trustworthy());
        assert!(!report(500, 700, 2_000, 0).is_trustworthy(), "a TTI is 0.5 ms there");
        assert!(!report(1_000, 100, 290_000, 0).is_trustworthy(), "one stall of 290 ms");
        assert!(!report(1_000, 100, 2_000, 1).is_trustworthy());
    }
}
