//! Writes the truth to files in a thread of its own, so that no TTI waits for a disk.

use std::path::Path;
use std::thread::JoinHandle;

use airmile_types::{Direction, Duration, Instant};

use super::error::Error;
use super::files::{Files, Line};
use super::handover::{Giver, handover};
use super::lateness::Lateness;
use crate::config::LinkConfig;
use crate::link::End;
use crate::packet::TcpFields;
use crate::truth::{Event, Measured, Moved, Row, Truth};

/// The lateness that every TTI of a trustworthy run stays below: Linux's least retransmission
/// timeout (TCP_RTO_MIN in include/net/tcp.h, 200 ms). A longer stall of the link alone can fire
/// that timer, and the truth then shows no cause for what TCP met.
const TRUSTED_MOST_US: u64 = 200_000;

/// The report on a run.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Report {
    /// The time at which the run began, in UTC.
    pub start: Instant,
    /// The number of TTIs that were run.
    pub ttis: u64,
    /// The length of each TTI, in microseconds.
    pub tti_us: u32,
    /// The lateness of the TTIs in microseconds: the median, the 99th percentile, the 99.9th
    /// percentile, and the maximum.
    pub late_us: [u64; 4],
    /// The number of packets that the kernel refused.
    pub refused: u64,
    /// The number of packets and bytes that arrived at each end, in the order of [`End::ALL`].
    pub arrived: [(u64, u64); 4],
    /// Whether the memory of the process was locked.
    pub locked: bool,
}

impl Report {
    /// Whether the link that TCP met is the link that the truth describes: 99 in 100 TTIs ran
    /// before the next was due, none was so late that it alone could fire a timer of TCP, and no
    /// packet was refused.
    pub const fn is_trustworthy(&self) -> bool {
        let [_, p99, _, most] = self.late_us;
        p99 < self.tti_us as u64 && most < TRUSTED_MOST_US && self.refused == 0
    }
}

/// Records the truth while the link runs.
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

    /// Notes that the next TTI is this late.
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

    /// Waits until the last line is written.
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

    fn measured(&mut self, measured: &Measured) {
        self.send(Line::Measured(*measured));
    }

    fn handover(&mut self, moved: &Moved) {
        self.send(Line::Handover(*moved));
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
