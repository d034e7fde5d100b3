//! Runs one user in one direction: queue, rate, HARQ retransmissions and, for an uplink, grants.

use airmile_types::{Duration, Instant};

use crate::competitor::Traffic;
use crate::config::{AirConfig, CompetitorConfig, ConfigError, QueueConfig};
use crate::flow::Fate;
use crate::grants::Grants;
use crate::harq::Harq;
use crate::packet::Packet;
use crate::queue::Queue;
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
    /// How much the user could send in this TTI.
    pub(crate) capacity: Capacity,
    traffic: Option<Traffic>,
    /// The number of PRBs of this TTI that carry HARQ retransmissions.
    repeated_prbs: u32,
    random: Streams,
}

/// One random stream for each purpose: what the phone sends must change neither the channel nor the
/// traffic of the others.
#[derive(Debug)]
struct Streams {
    channel: Random,
    traffic: Random,
    harq: Random,
}

impl Streams {
    /// The streams of the user with this number; the phone has number 0.
    fn new(seed: u64, uplink: bool, number: u64) -> Self {
        let stream = |part: u64| Random::new(seed, (10 + 2 * part + u64::from(uplink), number));
        Self { channel: stream(0), traffic: stream(1), harq: stream(2) }
    }
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
        Self::new(air, rate, &air.queue, None, tti, Streams::new(seed, uplink, 0), name)
    }

    /// The competitor with the number `number`.
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
        let random = Streams::new(seed, uplink, number);
        Self::new(air, rate, &QueueConfig::default(), traffic, tti, random, name)
    }

    fn new(
        air: &AirConfig,
        rate: Rate,
        queue: &QueueConfig,
        traffic: Option<Traffic>,
        tti: Duration,
        random: Streams,
        name: &str,
    ) -> Result<Self, ConfigError> {
        let grants = air.grants.as_ref().map(|g| Grants::new(g, tti, name)).transpose()?;
        Ok(Self {
            queue: Queue::new(queue),
            harq: Harq::new(&air.harq, (air.air_ms, air.aggregation_ms), tti, name)?,
            grants,
            rate,
            capacity: Capacity::Plain { bytes: 0 },
            traffic,
            repeated_prbs: 0,
            random,
        })
    }

    /// Begins a TTI: adds what arrived to what waits, and takes the state of the channel.
    pub(crate) fn begin(&mut self, now: Instant) {
        self.capacity = self.rate.capacity(now, &mut self.random.channel);
        if let Some(traffic) = &mut self.traffic {
            traffic.arrive(now, &mut self.queue, &mut self.random.traffic);
        }
        self.queue.begin_tti(now);
    }

    /// What the scheduler could give the user from the carrier's `all` PRBs; `None` when the user
    /// needs nothing.
    pub(crate) fn want(&mut self, user: usize, tti: u64, all: u32) -> Option<Want> {
        let waiting = self.queue.bytes();
        let bytes = match &mut self.grants {
            Some(grants) => grants.wanted(tti, waiting),
            None => waiting,
        };
        // A user who can receive or send nothing must not delay the others.
        let can = bytes > 0 && !self.harq.is_stalled() && self.capacity.bytes(all, all) > 0;
        can.then_some(Want { user, bytes, capacity: self.capacity })
    }

    /// The number of PRBs in `tti` that grants and HARQ retransmissions already need.
    pub(crate) fn prbs_due(&self, tti: u64) -> u32 {
        self.granted_prbs(tti) + self.harq.prbs_due(tti)
    }

    /// The number of PRBs that are granted for `tti`.
    pub(crate) fn granted_prbs(&self, tti: u64) -> u32 {
        self.grants.as_ref().map_or(0, |grants| grants.prbs_due(tti))
    }

    /// Sends the HARQ retransmissions that are due in `tti` as far as `prbs` PRBs suffice; the
    /// others wait until `later`. Returns the number of PRBs that they took.
    pub(crate) fn repeat(&mut self, (tti, later): (u64, u64), now: Instant, prbs: u32) -> u32 {
        self.repeated_prbs = self.harq.repeat((tti, later), now, prbs, &mut self.random.harq);
        self.hear(tti);
        self.repeated_prbs
    }

    /// Sends new data on `prbs` of the carrier's `all` PRBs (for an uplink, on the granted PRBs),
    /// in addition to the retransmissions of [`Self::repeat`].
    pub(crate) fn send(
        &mut self,
        tti: u64,
        now: Instant,
        (prbs, all): (u32, u32),
        fates: &mut Vec<Fate<P>>,
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
        // A grant that RLC may not fill carries padding and a report.
        let room = if self.harq.is_stalled() { 0 } else { u64::from(block_bytes) };
        let served = self.queue.serve(now, room, &mut whole, fates);
        let block = self.harq.send(tti, now, prbs, whole, &mut self.random.harq);
        if let Some(grants) = &mut self.grants {
            grants.report(tti, block, self.queue.bytes());
        }
        self.hear(tti);
        Sent { prbs, repeated_prbs, block_bytes, served_bytes: served as u32 }
    }

    /// Passes on the reports in the blocks that the base station decodes in `tti`.
    fn hear(&mut self, tti: u64) {
        for block in self.harq.take_decoded() {
            if let Some(grants) = &mut self.grants {
                grants.decoded(tti, block);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::config::{HarqConfig, RateConfig, TrafficConfig};

    /// The bytes that a competitor wanted by each TTI, when it gets all PRBs or none.
    fn wanted(all: bool) -> Vec<u64> {
        let config = CompetitorConfig {
            count: 1,
            rate: RateConfig::Constant { mbps: 20.0 },
            traffic: TrafficConfig::Poisson { mbps: 5.0 },
        };
        let harq = HarqConfig { failure: 0.1, ..HarqConfig::default() };
        let (air, tti) = (AirConfig { harq, ..AirConfig::default() }, Duration::from_millis(1));
        let mut user =
            User::<Vec<u8>>::competitor(&air, &config, false, tti, (1, 1), "downlink").unwrap();
        let mut served = 0;
        let ttis = (0..500).map(|tti| {
            let now = Instant::from_nanos(tti as i64 * 1_000_000);
            user.begin(now);
            let wanted = served + user.queue.bytes();
            let prbs = if all { 50 } else { 0 };
            served += u64::from(user.send(tti, now, (prbs, 50), &mut Vec::new()).served_bytes);
            wanted
        });
        ttis.collect()
    }

    #[test]
    fn what_a_user_wants_does_not_depend_on_what_it_gets() {
        let wants = wanted(true);
        assert!(wants[499] > 200_000);
        assert_eq!(wants, wanted(false));
    }
}
