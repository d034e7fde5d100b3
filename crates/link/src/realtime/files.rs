//! Writes the files of the truth, and the logs that a phone's modem would have written.

use std::fs::File;
use std::io::{self, BufWriter, Write};
use std::path::{Path, PathBuf};

use airmile_types::{Direction, Duration, Instant};

use super::error::Error;
use super::handover::Taker;
use crate::config::LinkConfig;
use crate::link::End;
use crate::packet::TcpFields;
use crate::tables::Mcs;
use crate::truth::{Event, Measured, Moved, Row};

/// One line to write.
pub(super) enum Line {
    Row(Direction, Row, Duration),
    Event(Event),
    Measured(Measured),
    Handover(Moved),
    Arrival(End, Instant, u32, Option<TcpFields>),
    Start(Instant),
}

/// The files of the truth, and of the modem log that a phone would have written.
pub(super) struct Files {
    ttis: [Csv; 2],
    modem: Csv,
    cells: Csv,
    handovers: Csv,
    events: Csv,
    arrivals: Csv,
    /// The handover in progress.
    moving: Option<Moved>,
    start: Instant,
    tti_ns: i64,
}

struct Csv {
    path: PathBuf,
    file: BufWriter<File>,
}

const TTI_COLUMNS: &str = "t_unix,tti,q_start,prb_avail,bytes_avail_full_tti,prb_alloc,served,state,\
                           sched_other,blocked,late_us,qdisc,prb_retx,tbs_bytes,prb_other,sinr_db";
const MODEM_COLUMNS: &str =
    "t_unix,tti,prb,tbs_bytes,direction,prb_total,mcs,modulation,layers,retx,padding_bytes";
const CELL_COLUMNS: &str = "t_unix,cell,earfcn,serving,rsrp_dbm,rsrq_db,sinr_db,cqi";
const HANDOVER_COLUMNS: &str = "t_start,t_end,from_cell,to_cell";
/// The channel number of the link's only carrier: the centre of band 13, our choice (TS 36.101
/// table 5.7.3-1).
const EARFCN: u32 = 5230;
const EVENT_COLUMNS: &str = "t_unix,event,dir,sport,dport,seq,payload,x";
const ARRIVAL_COLUMNS: &str = "ns,end,bytes,payload";

impl Files {
    pub(super) fn create(out: &Path, config: &LinkConfig) -> Result<Self, Error> {
        let csv = |name: &str, columns: &str| Csv::create(out.join(name), columns);
        Ok(Self {
            ttis: [csv("truth_dl.csv", TTI_COLUMNS)?, csv("truth_ul.csv", TTI_COLUMNS)?],
            modem: csv("modem.csv", MODEM_COLUMNS)?,
            cells: csv("cells.csv", CELL_COLUMNS)?,
            handovers: csv("handovers.csv", HANDOVER_COLUMNS)?,
            moving: None,
            events: csv("events.csv", EVENT_COLUMNS)?,
            arrivals: csv("arrivals.csv", ARRIVAL_COLUMNS)?,
            start: Instant::from_nanos(0),
            tti_ns: i64::from(config.tti_us) * 1_000,
        })
    }

    pub(super) fn write(mut self, mut lines: Taker<Line>) -> Result<(), Error> {
        while let Some(some) = lines.take() {
            for line in some.drain(..) {
                self.write_one(line)?;
            }
        }
        // If the log of a phone ends during a handover, it contains no completion.
        if let Some(moved) = self.moving.take() {
            self.handover(&moved)?;
        }
        let others = [&mut self.modem, &mut self.cells, &mut self.handovers];
        let truth = [&mut self.events, &mut self.arrivals];
        self.ttis.iter_mut().chain(others).chain(truth).try_for_each(Csv::flush)
    }

    fn write_one(&mut self, line: Line) -> Result<(), Error> {
        match line {
            Line::Start(start) => self.start = start,
            Line::Row(direction, row, late) => self.tti(direction, &row, late)?,
            Line::Event(event) => self.event(&event)?,
            Line::Measured(measured) => self.measured(&measured)?,
            Line::Handover(moved) => {
                self.moving = moved.end.is_none().then_some(moved);
                if moved.end.is_some() {
                    self.handover(&moved)?;
                }
            }
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
            "{at},{},{},{},{},{},{},{},{},{},{late_us},{},{},{},{},{}",
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
            decibels(row.sinr_db),
        ))?;
        self.modem(direction, row, &at)
    }

    fn modem(&mut self, direction: Direction, row: &Row, at: &str) -> Result<(), Error> {
        let optional = |value: Option<u8>| value.map_or(String::new(), |value| value.to_string());
        let (mcs, layers) = (optional(row.mcs.map(|mcs| mcs.index)), optional(row.layers));
        let modulation = row.mcs.map_or("", Mcs::modulation);
        let Self { modem, tti_ns, .. } = self;
        let mut line = |prbs: u32, bytes: u32, repeated: u8, padding: u32| {
            if prbs == 0 {
                return Ok(());
            }
            // A modem log counts milliseconds, also where a TTI is half of one.
            let ms = (row.tti as i64).saturating_mul(*tti_ns) / 1_000_000;
            let (all, way) = (row.cell_prbs, direction.as_str());
            modem.line(format_args!(
                "{at},{ms},{prbs},{bytes},{way},{all},{mcs},{modulation},{layers},{repeated},\
                 {padding}"
            ))
        };
        line(row.prbs, row.tbs_bytes, 0, row.tbs_bytes.saturating_sub(row.served_bytes))?;
        line(row.repeated_prbs, 0, 1, 0)
    }

    fn measured(&mut self, measured: &Measured) -> Result<(), Error> {
        let Measured { at, cell, serving, rsrp_dbm, rsrq_db, sinr_db, cqi } = *measured;
        let [rsrp, rsrq, sinr] = [rsrp_dbm, rsrq_db, sinr_db].map(decibels);
        let cqi = cqi.map_or(String::new(), |cqi| cqi.to_string());
        let (at, serving) = (self.unix(at), u8::from(serving));
        let line = format_args!("{at},{cell},{EARFCN},{serving},{rsrp},{rsrq},{sinr},{cqi}");
        self.cells.line(line)
    }

    fn handover(&mut self, moved: &Moved) -> Result<(), Error> {
        let Moved { start, end, from, to } = *moved;
        let end = end.map_or(String::new(), |end| self.unix(end));
        let start = self.unix(start);
        self.handovers.line(format_args!("{start},{end},{from},{to}"))
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

    /// The seconds since 1970 of an instant of the run.
    fn unix(&self, at: Instant) -> String {
        let us = (self.start.as_nanos() + at.as_nanos()) / 1_000;
        format!("{}.{:06}", us / 1_000_000, us % 1_000_000)
    }
}

/// A level as a cell of a file; empty when it is unknown.
fn decibels(db: Option<f64>) -> String {
    db.map_or(String::new(), |db| format!("{db:.2}"))
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
