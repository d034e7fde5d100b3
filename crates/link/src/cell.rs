//! Runs one direction of a cell, TTI by TTI: the queues of the phone and of the other users, and
//! the division of the PRBs among them.

use std::collections::BTreeSet;

use airmile_types::{Direction, Duration, Instant};

use crate::bounds::check_queue;
use crate::bucket::Bucket;
use crate::config::{AirConfig, ConfigError, RateConfig, SinrConfig};
use crate::flow::{Fate, Waiting, late_bytes};
use crate::frames::Frames;
use crate::grants::Grants;
use crate::handover::Handover;
use crate::heard::Heard;
use crate::line::Line;
use crate::packet::Packet;
use crate::random::Random;
use crate::scheduler::{Scheduler, Want};
use crate::tables::MOST_PRBS;
use crate::truth::{Blocked, Event, EventKind, Row, Truth};
use crate::user::{Sent, User};

/// The greatest number of competitors, because each is computed in every TTI; the number is our
/// choice.
const MOST_COMPETITORS: u64 = 1_000;
/// The greatest length of the kernel's queue. A device's txqueuelen is 1000 by default; a hundred
/// times that is our choice.
const MOST_QDISC_PACKETS: u32 = 100_000;

#[derive(Debug)]
pub(crate) struct Cell<P> {
    direction: Direction,
    prbs: u32,
    frames: Frames,
    policer: Option<Bucket>,
    loss: f64,
    forced_drops: BTreeSet<u64>,
    /// The users of the cell; the phone is the first.
    users: Vec<User<P>>,
    scheduler: Scheduler,
    /// The kernel's queue before the modem's firmware, with room for `qdisc_packets` packets.
    qdisc: Line<P>,
    /// The packet that has left the line and does not yet fit into the firmware.
    held: Option<Waiting<P>>,
    qdisc_packets: usize,
    qdisc_bytes: u64,
    payload_packets: u64,
    random: Random,
    wants: Vec<Want>,
    given: Vec<u32>,
    fates: Vec<Fate<P>>,
}

impl<P: Packet> Cell<P> {
    pub(crate) fn new(
        direction: Direction,
        air: &AirConfig,
        frames: Frames,
        tti: Duration,
        seed: u64,
    ) -> Result<Self, ConfigError> {
        let (name, uplink) = (direction.as_str(), direction == Direction::Uplink);
        air.check(name)?;
        let policer = air.policer.as_ref();
        let policer =
            policer.map(|p| Bucket::policer(p, &format!("{name}.policer"))).transpose()?;
        let mut users = vec![User::phone(air, uplink, tti, seed, name)?];
        for config in &air.competitors {
            for _ in 0..config.count {
                let which = (seed, users.len() as u64);
                users.push(User::competitor(air, config, uplink, tti, which, name)?);
            }
        }
        Ok(Self {
            direction,
            prbs: air.prbs,
            frames,
            policer,
            loss: air.loss,
            forced_drops: air.forced_drops.iter().copied().collect(),
            scheduler: Scheduler::new(air.policy, air.sharing, users.len(), tti),
            qdisc: Line::new(air.queue.qdisc_discipline, air.queue.ecn),
            held: None,
            qdisc_packets: air.queue.qdisc_packets as usize,
            qdisc_bytes: 0,
            payload_packets: 0,
            random: Random::new(seed, (5, u64::from(uplink))),
            wants: Vec::with_capacity(users.len()),
            given: vec![0; users.len()],
            fates: Vec::new(),
            users,
        })
    }

    /// Takes a packet into the phone's queue; drops are reported to `truth`.
    pub(crate) fn arrive(&mut self, now: Instant, packet: P, truth: &mut impl Truth) {
        if packet.has_payload() {
            self.payload_packets += 1;
            if self.forced_drops.contains(&self.payload_packets) {
                return self.report(now, EventKind::ForcedDrop, &packet, 0.0, truth);
            }
            if self.random.chance(self.loss) {
                return self.report(now, EventKind::AirLoss, &packet, 0.0, truth);
            }
        }
        if let Some(policer) = &mut self.policer
            && policer.pass(now, packet.bytes()).is_err()
        {
            return self.report(now, EventKind::Policed, &packet, 0.0, truth);
        }
        let bytes = u64::from(packet.bytes());
        let phone = &mut self.users[0];
        let waits = self.qdisc.len() + usize::from(self.held.is_some());
        if waits == 0 && (self.qdisc_packets == 0 || phone.queue.fits(bytes)) {
            phone.queue.push(now, packet, &mut self.fates);
        } else if waits < self.qdisc_packets {
            self.qdisc_bytes += bytes;
            self.qdisc.push(Waiting { arrived: now, bytes, packet: Some(packet) });
        } else {
            self.overflow(now, packet);
        }
        self.tell_fates(now, truth);
    }

    /// Drops a packet because the kernel's queue is full: this one, or one that waits.
    fn overflow(&mut self, now: Instant, packet: P) {
        let held = self.qdisc_bytes + self.users[0].queue.bytes();
        let Some(first) = self.qdisc.make_room() else {
            return self.fates.push(Fate::Full(packet, held));
        };
        self.fates.extend(first.packet.map(|packet| Fate::Full(packet, held)));
        let bytes = u64::from(packet.bytes());
        self.qdisc_bytes = self.qdisc_bytes + bytes - first.bytes;
        self.qdisc.push(Waiting { arrived: now, bytes, packet: Some(packet) });
    }

    /// Begins the TTI at `now`. Returns whether data of the phone waits in its queue, or for its
    /// HARQ retransmission.
    pub(crate) fn begin(&mut self, now: Instant) -> bool {
        self.refill(now);
        for user in &mut self.users {
            user.begin(now);
        }
        let phone = &self.users[0];
        phone.queue.bytes() > 0 || phone.harq.is_busy()
    }

    /// The cells that the phone hears, as of the last report of its channel.
    pub(crate) fn heard(&self) -> Heard {
        self.users[0].rate.heard()
    }

    /// The number of the cell that the phone's channel has chosen.
    pub(crate) fn serving(&self) -> i64 {
        self.users[0].rate.serving()
    }

    /// The handover that the phone's channel began in this TTI, if it did.
    pub(crate) fn handover(&mut self) -> Option<Handover> {
        self.users[0].rate.handover()
    }

    /// Serves the TTI for which [`Self::begin`] was called.
    pub(crate) fn tick(
        &mut self,
        tti: u64,
        now: Instant,
        blocked: Blocked,
        truth: &mut impl Truth,
    ) -> Row {
        let queue_bytes = self.users[0].queue.bytes();
        let repeated = self.repeat(tti, now, blocked);
        self.schedule(tti, repeated, blocked);
        let (own, other_prbs) = self.send(tti, now, blocked);
        self.tell_fates(now, truth);
        let phone = &self.users[0];
        let (mcs, layers) = phone.capacity.mcs().unzip();
        let unserved = queue_bytes > 0 && own.prbs + own.repeated_prbs == 0;
        let waits_for_grant =
            unserved && phone.grants.as_ref().is_some_and(Grants::has_granted_all);
        Row {
            tti,
            queue_bytes,
            qdisc_bytes: self.qdisc_bytes,
            cell_prbs: self.prbs,
            available_bytes: phone.capacity.bytes(self.prbs_in(tti), self.prbs),
            prbs: own.prbs,
            repeated_prbs: own.repeated_prbs,
            tbs_bytes: own.block_bytes,
            served_bytes: own.served_bytes,
            other_prbs,
            mcs,
            layers,
            sinr_db: phone.rate.sinr_db(),
            blocked: match blocked {
                Blocked::No if waits_for_grant => Blocked::Grant,
                blocked => blocked,
            },
        }
    }

    /// Takes the phone out of its cell. Data that waits or is on the air is lost unless it is
    /// forwarded; uplink data waits in the phone itself.
    pub(crate) fn leave(&mut self, now: Instant, forwarding: bool, truth: &mut impl Truth) {
        let phone = &mut self.users[0];
        if let Some(grants) = &mut phone.grants {
            grants.clear();
        }
        if forwarding || self.direction == Direction::Uplink {
            return;
        }
        let (mut packets, bytes) = phone.queue.clear();
        packets.extend(phone.harq.clear());
        for packet in &packets {
            self.report(now, EventKind::HandoverLoss, packet, bytes as f64, truth);
        }
    }

    /// The time at which the next packet of the phone is delivered.
    pub(crate) fn next_release(&self) -> Option<Instant> {
        self.users[0].harq.next_release()
    }

    /// The next packet of the phone that was delivered by `now`.
    pub(crate) fn pop(&mut self, now: Instant) -> Option<(Instant, P)> {
        self.users[0].harq.pop(now)
    }

    /// Moves packets from the kernel's queue to the firmware as far as they fit: the back-pressure
    /// that UP16 describes.
    fn refill(&mut self, now: Instant) {
        let phone = &mut self.users[0];
        loop {
            let told = self.fates.len();
            let next = self.held.take().or_else(|| self.qdisc.pop(now, &mut self.fates));
            self.qdisc_bytes -= late_bytes(&self.fates[told..]);
            let Some(next) = next else { break };
            if !phone.queue.fits(next.bytes) {
                self.held = Some(next);
                break;
            }
            self.qdisc_bytes -= next.bytes;
            if let Some(packet) = next.packet {
                phone.queue.push(now, packet, &mut self.fates);
            }
        }
    }

    /// Sends HARQ retransmissions, which come before new data, in addition to what is already
    /// granted for this TTI. Returns the number of PRBs that they took.
    fn repeat(&mut self, tti: u64, now: Instant, blocked: Blocked) -> u32 {
        let granted: u32 = self.users.iter().map(|user| user.granted_prbs(tti)).sum();
        let room = self.prbs_in(tti).saturating_sub(granted);
        let mut left = room;
        let later = self.undivided(tti);
        for (number, user) in self.users.iter_mut().enumerate() {
            if number > 0 || blocked == Blocked::No {
                left -= user.repeat((tti, later), now, left);
            }
        }
        room - left
    }

    /// The next TTI of this direction that is not yet divided.
    fn undivided(&self, tti: u64) -> u64 {
        let ahead = self.users[0].grants.as_ref().map_or(0, Grants::delay_ttis);
        let next = tti + 1 + ahead;
        // Every frame of ten TTIs has one of each direction.
        (next..next + 10).find(|tti| self.prbs_in(*tti) > 0).unwrap_or(next)
    }

    /// Divides the PRBs of the TTI that is decided now: this TTI or, for an uplink, the TTI in
    /// which the grants are used.
    fn schedule(&mut self, tti: u64, repeated: u32, blocked: Blocked) {
        let ahead = self.users[0].grants.as_ref().map_or(0, |grants| grants.delay_ttis());
        let due: u32 = self.users.iter().map(|user| user.prbs_due(tti + ahead)).sum();
        let taken = if ahead == 0 { due + repeated } else { due };
        let free = self.prbs_in(tti + ahead).saturating_sub(taken);
        let absent = blocked != Blocked::No || self.frames.in_gap(tti + ahead);
        self.wants.clear();
        for (number, user) in self.users.iter_mut().enumerate() {
            if number > 0 || !absent {
                self.wants.extend(user.want(number, tti, self.prbs));
            }
        }
        self.scheduler.divide(&mut self.wants, free, self.prbs, &mut self.given);
        for (user, &prbs) in self.users.iter_mut().zip(&self.given) {
            let Some(grants) = user.grants.as_mut().filter(|_| prbs > 0) else { continue };
            let bytes = user.capacity.bytes(prbs, self.prbs);
            if bytes > 0 {
                grants.grant(tti, prbs, bytes);
            }
        }
    }

    /// Sends new data. Returns what the phone sent, and the number of PRBs of all other users.
    fn send(&mut self, tti: u64, now: Instant, blocked: Blocked) -> (Sent, u32) {
        let (mut own, mut others) = (Sent::default(), 0);
        for (number, user) in self.users.iter_mut().enumerate() {
            if number == 0 && blocked != Blocked::No {
                continue;
            }
            let prbs = (self.given[number], self.prbs);
            let sent = user.send(tti, now, prbs, &mut self.fates);
            if number == 0 {
                own = sent;
            } else {
                others += sent.prbs + sent.repeated_prbs;
                // Packets of a competitor are delivered to nobody.
                while user.harq.pop(now).is_some() {}
            }
        }
        (own, others)
    }

    /// The number of PRBs that carry data of this direction in a TTI.
    fn prbs_in(&self, tti: u64) -> u32 {
        self.frames.prbs(self.direction, tti, self.prbs)
    }

    /// Reports what the queues dropped and marked.
    fn tell_fates(&mut self, now: Instant, truth: &mut impl Truth) {
        let mut fates = std::mem::take(&mut self.fates);
        for fate in fates.drain(..) {
            let (kind, tcp, value) = match fate {
                Fate::Full(packet, bytes) => (EventKind::DropTail, packet.tcp(), bytes as f64),
                Fate::Late(packet, wait) => {
                    (EventKind::CodelDrop, packet.tcp(), wait.as_millis_f64())
                }
                Fate::Marked(tcp, wait) => (EventKind::Marked, tcp, wait.as_millis_f64()),
            };
            truth.event(&Event { at: now, kind, direction: Some(self.direction), tcp, value });
        }
        self.fates = fates;
    }

    fn report(&self, at: Instant, kind: EventKind, packet: &P, value: f64, truth: &mut impl Truth) {
        let (direction, tcp) = (Some(self.direction), packet.tcp());
        truth.event(&Event { at, kind, direction, tcp, value });
    }
}

impl AirConfig {
    fn check(&self, name: &str) -> Result<(), ConfigError> {
        let wrong = |setting: &str, problem: &str| {
            Err(ConfigError::new(format!("{name}.{setting}"), problem))
        };
        if !(6..=MOST_PRBS).contains(&self.prbs) {
            return wrong("prbs", "a carrier has 6 to 110 PRBs");
        }
        if !(0.0..=1.0).contains(&self.loss) {
            return wrong("loss", "a probability is 0 to 1");
        }
        check_queue(self.queue.bytes, format!("{name}.queue.bytes"))?;
        if self.queue.qdisc_packets > MOST_QDISC_PACKETS {
            return wrong("queue.qdisc_packets", "a kernel queues at most 100000 packets here");
        }
        let others = self.competitors.iter().map(|kind| u64::from(kind.count)).sum::<u64>();
        if others > MOST_COMPETITORS {
            return wrong("competitors", "a cell has at most 1000 other users here");
        }
        if name == "uplink"
            && let RateConfig::Sinr { sinr: SinrConfig::Drive(_), .. } = self.rate
        {
            return wrong(
                "rate.sinr",
                "a drive is the downlink's, whose cells and outages are the phone's: put it there, \
                 and give the uplink a series, steps, ar1 or a constant",
            );
        }
        if name == "downlink" && self.grants.is_some() {
            return wrong("grants", "only an uplink has grants");
        }
        if name == "downlink" && self.queue.qdisc_packets > 0 {
            return wrong(
                "queue.qdisc_packets",
                "only an uplink has a queue in the phone's kernel",
            );
        }
        Ok(())
    }
}
