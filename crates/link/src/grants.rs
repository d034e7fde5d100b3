//! What the base station knows of an uplink queue: scheduling requests, buffer status reports and
//! the grants that they lead to (TS 36.321 sections 5.4.4 and 5.4.5).

use std::collections::VecDeque;

use airmile_types::Duration;

use crate::bounds::is_time;
use crate::config::{ConfigError, GrantConfig};
use crate::tables;

/// A second: a grant is not older.
const MOST_DELAY_TTIS: u32 = 1_000;

/// A grant on its way to its transmission.
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
    /// The TTI in which the base station will have understood the request.
    requested: Option<u64>,
    /// Bytes that the base station believes to wait, beyond the grants on their way.
    believed: u64,
    pending: VecDeque<Grant>,
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
        })
    }

    /// TTIs from a grant to its transmission.
    pub(crate) const fn delay_ttis(&self) -> u64 {
        self.delay_ttis
    }

    /// The base station has granted all that it knows of: what waits, waits for a request, a report
    /// or a grant on its way, and not for other users.
    pub(crate) const fn has_granted_all(&self) -> bool {
        self.believed == 0
    }

    /// A TTI begins with `queue_bytes` waiting: asks when nothing else is under way, and tells how
    /// much the base station would grant now.
    pub(crate) fn wanted(&mut self, tti: u64, queue_bytes: u64) -> u64 {
        let silent = self.believed == 0 && self.pending.is_empty() && self.requested.is_none();
        if silent && queue_bytes > 0 {
            // The next opportunity, and the time until it is understood.
            let opportunity = tti.next_multiple_of(self.period_ttis);
            self.requested = Some(opportunity + self.answer_ttis);
        }
        if self.requested.is_some_and(|at| at <= tti) {
            self.requested = None;
            self.believed = self.believed.max(self.first_bytes);
        }
        self.believed
    }

    /// The base station grants `prbs` that carry `bytes`.
    pub(crate) fn grant(&mut self, tti: u64, prbs: u32, bytes: u32) {
        self.believed = self.believed.saturating_sub(u64::from(bytes));
        self.pending.push_back(Grant { tti: tti + self.delay_ttis, prbs, bytes });
    }

    /// PRBs that are granted for `tti` already.
    pub(crate) fn prbs_due(&self, tti: u64) -> u32 {
        self.pending.iter().filter(|grant| grant.tti == tti).map(|grant| grant.prbs).sum()
    }

    /// The grant to be used in `tti`.
    pub(crate) fn take(&mut self, tti: u64) -> Option<Grant> {
        (self.pending.front()?.tti <= tti).then(|| self.pending.pop_front()).flatten()
    }

    /// Every block carries a report of what is left, by index; what is granted already is known.
    pub(crate) fn report(&mut self, left_bytes: u64) {
        let reported = u64::from(tables::bsr_upper_bytes(tables::bsr_index(left_bytes)));
        let granted: u64 = self.pending.iter().map(|grant| u64::from(grant.bytes)).sum();
        self.believed = reported.saturating_sub(granted);
    }

    /// The radio connection was lost: nothing is known any more.
    pub(crate) fn clear(&mut self) {
        self.requested = None;
        self.believed = 0;
        self.pending.clear();
    }
}
