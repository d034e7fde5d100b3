//! One user in one direction: its queue, its rate, its repetitions, and for an uplink its grants.

use airmile_types::{Duration, Instant};

use crate::Packet;
use crate::competitor::Traffic;
use crate::config::{AirConfig, CompetitorConfig, ConfigError, QueueConfig};
use crate::grants::Grants;
use crate::harq::Harq;
use crate::queue::{Dropped, Queue};
use crate::random::Random;
use crate::rate::{Capacity, Rate};
use crate::scheduler::Want;

/// What a user sent in a TTI.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Sent {
    pub(crate) prbs: u32,
    pub(crate) repeated_prbs: u32,
    pub(crate) block_bytes: u32,
    pub(crate) served_bytes: u32,
}

#[derive(Debug)]
pub(crate) struct User<P> {
    pub(crate) queue: Queue<P>,
    pub(crate) harq: Harq<P>,
    pub(crate) grants: Option<Grants>,
    pub(crate) rate: Rate,
    /// What it could get in this TTI.
    pub(crate) capacity: Capacity,
    traffic: Option<Traffic>,
    /// Of this TTI.
    repeated_prbs: u32,
    random: Random,
}

impl<P: Packet> User<P> {
    /// The phone.
    pub(crate) fn phone(
        air: &AirConfig,
        uplink: bool,
        tti: Duration,
        seed: u64,
        name: &str,
    ) -> Result<Self, ConfigError> {
        let rate = Rate::new(&air.rate, uplink, tti, name)?;
        Self::new(air, rate, &air.queue, None, tti, Random::new(seed, (2, u64::from(uplink))), name)
    }

    /// Number `number` of the others.
    pub(crate) fn competitor(
        air: &AirConfig,
        config: &CompetitorConfig,
        uplink: bool,
        tti: Duration,
        (seed, number): (u64, u64),
        name: &str,
    ) -> Result<Self, ConfigError> {
        let rate = Rate::new(&config.rate, uplink, tti, &format!("{name}.competitors"))?;
        let traffic = Some(Traffic::new(&config.traffic, name)?);
        let random = Random::new(seed, (3 + u64::from(uplink), number));
        Self::new(air, rate, &QueueConfig::default(), traffic, tti, random, name)
    }

    fn new(
        air: &AirConfig,
        rate: Rate,
        queue: &QueueConfig,
        traffic: Option<Traffic>,
        tti: Duration,
        random: Random,
        name: &str,
    ) -> Result<Self, ConfigError> {
        let grants = air.grants.as_ref().map(|g| Grants::new(g, tti, name)).transpose()?;
        Ok(Self {
            queue: Queue::new(queue),
            harq: Harq::new(&air.harq, air.air_ms, tti, name)?,
            grants,
            rate,
            capacity: Capacity::Plain { bytes: 0 },
            traffic,
            repeated_prbs: 0,
            random,
        })
    }

    /// A TTI begins: what arrived waits, and the channel is what it is.
    pub(crate) fn begin(&mut self, now: Instant) {
        self.capacity = self.rate.capacity(now, &mut self.random);
        if let Some(traffic) = &mut self.traffic {
            traffic.arrive(now, &mut self.queue, &mut self.random);
        }
        self.queue.begin_tti(now);
    }

    /// What the scheduler would give it of the carrier's `all` PRBs, if anything.
    pub(crate) fn want(&mut self, user: usize, tti: u64, all: u32) -> Option<Want> {
        let waiting = self.queue.bytes();
        let bytes = match &mut self.grants {
            Some(grants) => grants.wanted(tti, waiting),
            None => waiting,
        };
        // Who can get nothing must not hold up the others.
        let can = bytes > 0 && self.capacity.bytes(all, all) > 0;
        can.then_some(Want { user, bytes, capacity: self.capacity })
    }

    /// PRBs that are spoken for in `tti`.
    pub(crate) fn prbs_due(&self, tti: u64) -> u32 {
        self.granted_prbs(tti) + self.harq.prbs_due(tti)
    }

    /// PRBs that are granted for `tti`.
    pub(crate) fn granted_prbs(&self, tti: u64) -> u32 {
        self.grants.as_ref().map_or(0, |grants| grants.prbs_due(tti))
    }

    /// Sends the repetitions that are due in `tti` as far as `prbs` reach; the others wait for the
    /// next TTI that is not divided yet. Tells how many PRBs they took.
    pub(crate) fn repeat(&mut self, tti: u64, now: Instant, prbs: u32) -> u32 {
        let ahead = self.grants.as_ref().map_or(0, Grants::delay_ttis);
        self.repeated_prbs = self.harq.repeat((tti, tti + 1 + ahead), now, prbs, &mut self.random);
        self.repeated_prbs
    }

    /// Sends new data on `prbs` of the carrier's `all` (of an uplink, on what was granted for it),
    /// beside the repetitions of [`Self::repeat`].
    pub(crate) fn send(
        &mut self,
        tti: u64,
        now: Instant,
        (prbs, all): (u32, u32),
        dropped: &mut Vec<Dropped<P>>,
    ) -> Sent {
        let repeated_prbs = std::mem::take(&mut self.repeated_prbs);
        let (prbs, block_bytes) = match &mut self.grants {
            None => (prbs, self.capacity.bytes(prbs, all)),
            Some(grants) => grants.take(tti).map_or((0, 0), |grant| (grant.prbs, grant.bytes)),
        };
        if block_bytes == 0 {
            return Sent { repeated_prbs, ..Sent::default() };
        }
        let mut whole = Vec::new();
        let served = self.queue.serve(now, u64::from(block_bytes), &mut whole, dropped);
        self.harq.send(tti, now, prbs, whole, &mut self.random);
        if let Some(grants) = &mut self.grants {
            grants.report(self.queue.bytes());
        }
        Sent { prbs, repeated_prbs, block_bytes, served_bytes: served as u32 }
    }
}
