//! Follows what the base station knows about an uplink queue: scheduling requests, buffer status
//! reports and the grants that follow (TS 36.321 sections 5.4.4 and 5.4.5).

use std::collections::VecDeque;

use airmile_types::Duration;

use crate::bounds::is_time;
use crate::config::{ConfigError, GrantConfig};
use crate::tables;

/// The longest time from a grant to its transmission, in TTIs (one second); our choice.
const MOST_DELAY_TTIS: u32 = 1_000;

/// A grant that waits for its transmission.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Grant {
    pub(crate) tti: u64,
    pub(crate) prbs: u32,
    pub(crate) bytes: u32,
}

#[derive(Debug)]
pub(crate) struct Grants {
    period_ttis: u64,
    answer_ttis: u64,
    delay_ttis: u64,
    first_bytes: u64,
    /// The TTI in which the base station will have decoded the request.
    requested: Option<u64>,
    /// The bytes that the base station believes to be waiting, without those already granted.
    believed: u64,
    pending: VecDeque<Grant>,
    /// Reports that are on the air, or decoded but not answered yet.
    reports: Vec<Report>,
    /// The TTI in which the newest request or report was sent that the base station uses.
    known_from: u64,
    /// The grants that were used, as TTI and bytes. They are kept as long as a report may come that
    /// was sent before them.
    used: VecDeque<(u64, u64)>,
}

/// A buffer status report.
#[derive(Clone, Copy, Debug)]
struct Report {
    /// The number of the block that carries the report.
    block: u64,
    tti: u64,
    bytes: u64,
    /// The TTI from which the base station uses the report, once its block is decoded.
    known: Option<u64>,
}

impl Grants {
    pub(crate) fn new(
        config: &GrantConfig,
        tti: Duration,
        name: &str,
    ) -> Result<Self, ConfigError> {
        let times = is_time(config.request_period_ms) && is_time(config.answer_ms);
        if !times || config.delay_ttis > MOST_DELAY_TTIS {
            let problem = "request_period_ms and answer_ms are 0 to a day, delay_ttis to 1000";
            return Err(ConfigError::new(format!("{name}.grants"), problem));
        }
        let ttis = |ms: f64| (ms / 1e3 / tti.as_secs_f64()).round() as u64;
        Ok(Self {
            period_ttis: ttis(config.request_period_ms).max(1),
            answer_ttis: ttis(config.answer_ms),
            delay_ttis: u64::from(config.delay_ttis),
            first_bytes: u64::from(config.first_bytes.max(1)),
            requested: None,
            believed: 0,
            pending: VecDeque::new(),
            reports: Vec::new(),
            known_from: 0,
            used: VecDeque::new(),
        })
    }

    /// The number of TTIs from a grant to its transmission.
    pub(crate) const fn delay_ttis(&self) -> u64 {
        self.delay_ttis
    }

    /// Whether the base station has granted all data that it knows of. Data that still waits then
    /// waits for a request, a report or a grant on its way, and not for other users.
    pub(crate) const fn has_granted_all(&self) -> bool {
        self.believed == 0
    }

    /// Begins a TTI with `queue_bytes` waiting: sends a request when no grant, report or request is
    /// under way. Returns how many bytes the base station would grant now.
    pub(crate) fn wanted(&mut self, tti: u64, queue_bytes: u64) -> u64 {
        self.hear_reports(tti);
        if queue_bytes > 0 && self.is_silent() {
            // The next opportunity to send a request, and the time until the base station has
            // decoded it.
            let opportunity = tti.next_multiple_of(self.period_ttis);
            self.requested = Some(opportunity + self.answer_ttis);
        }
        if self.requested.is_some_and(|at| at <= tti) {
            self.requested = None;
            self.known_from = tti - self.answer_ttis;
            self.believed = self.believed.max(self.first_bytes);
        }
        self.believed
    }

    /// Whether nothing under way will bring a grant. A report of an empty queue brings none: data
    /// that arrives after it is a reason to send a request (TS 36.321 section 5.4.5, a regular
    /// report).
    fn is_silent(&self) -> bool {
        self.believed == 0
            && self.pending.is_empty()
            && self.requested.is_none()
            && self.reports.iter().all(|report| report.bytes == 0)
    }

    /// Notes that the base station grants `prbs` PRBs that carry `bytes`.
    pub(crate) fn grant(&mut self, tti: u64, prbs: u32, bytes: u32) {
        self.believed = self.believed.saturating_sub(u64::from(bytes));
        self.pending.push_back(Grant { tti: tti + self.delay_ttis, prbs, bytes });
    }

    /// The number of PRBs that are already granted for `tti`.
    pub(crate) fn prbs_due(&self, tti: u64) -> u32 {
        self.pending.iter().filter(|grant| grant.tti == tti).map(|grant| grant.prbs).sum()
    }

    /// Takes the grant for `tti`, if there is one.
    pub(crate) fn take(&mut self, tti: u64) -> Option<Grant> {
        let grant =
            (self.pending.front()?.tti <= tti).then(|| self.pending.pop_front()).flatten()?;
        self.used.push_back((tti, u64::from(grant.bytes)));
        Some(grant)
    }

    /// Notes the report that every block carries: the index of the bytes that are left.
    pub(crate) fn report(&mut self, tti: u64, block: u64, left_bytes: u64) {
        let bytes = u64::from(tables::bsr_upper_bytes(tables::bsr_index(left_bytes)));
        self.reports.push(Report { block, tti, bytes, known: None });
    }

    /// Notes that a block was decoded in `tti`. Its report is answered after as long a time as a
    /// request, and is not known within the TTI in which it is sent.
    pub(crate) fn decoded(&mut self, tti: u64, block: u64) {
        let known = tti + self.answer_ttis.max(1);
        let carried = self.reports.iter_mut().filter(|report| report.block == block);
        carried.for_each(|report| report.known = Some(known));
    }

    /// Uses the newest report that has become known, less what was granted for later TTIs. Older
    /// reports, delayed by HARQ retransmissions, do not count.
    fn hear_reports(&mut self, tti: u64) {
        let known = |report: &&Report| report.known.is_some_and(|known| known <= tti);
        let newest = self.reports.iter().filter(known).max_by_key(|report| report.tti).copied();
        if let Some(report) = newest.filter(|report| report.tti >= self.known_from) {
            self.known_from = report.tti;
            self.used.retain(|(used, _)| *used > report.tti);
            let used: u64 = self.used.iter().map(|(_, bytes)| bytes).sum();
            let pending: u64 = self.pending.iter().map(|grant| u64::from(grant.bytes)).sum();
            self.believed = report.bytes.saturating_sub(used + pending);
        }
        let known_from = self.known_from;
        self.reports.retain(|report| report.known.is_none_or(|known| known > tti));
        self.reports.retain(|report| report.tti > known_from);
    }

    /// Forgets everything, because the radio connection was lost.
    pub(crate) fn clear(&mut self) {
        self.requested = None;
        self.believed = 0;
        self.pending.clear();
        self.reports.clear();
        self.used.clear();
    }
}
