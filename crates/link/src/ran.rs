//! Runs both directions of the phone's radio, with its RRC state and its handovers.

use airmile_types::{Direction, Duration, Instant, PerDirection};

use crate::cell::Cell;
use crate::config::{ConfigError, LinkConfig};
use crate::frames::Frames;
use crate::handover::Handover;
use crate::heard::identity;
use crate::packet::Packet;
use crate::rrc::Rrc;
use crate::truth::{Blocked, Event, EventKind, Moved, Truth};

/// The time between two measurements that a phone logs of its cells.
const MEASUREMENT_PERIOD: Duration = Duration::from_secs(1);

/// The radio access network as one phone sees it.
#[derive(Debug)]
pub struct Ran<P> {
    tti_length: Duration,
    next_tti: u64,
    frames: Frames,
    cells: PerDirection<Cell<P>>,
    rrc: Option<Rrc>,
    /// The planned handovers to come, the next one last.
    planned: Vec<Handover>,
    /// The handover that the drive past cells began, until it is in progress.
    driven: Option<Handover>,
    /// The handover in progress.
    current: Option<Handover>,
    /// The physical identity of the serving cell, and of the cell before the handover in progress.
    serving: u16,
    left: u16,
    /// The number of planned handovers so far: each leads to cells with other identities.
    begun: i64,
    /// The time that ended handovers added to the wired delay, until `take_path_change` takes it.
    path_change: Duration,
}

impl<P: Packet> Ran<P> {
    /// Creates a radio without packets.
    ///
    /// # Errors
    /// Fails with the name of the setting that makes no link.
    pub fn new(config: &LinkConfig) -> Result<Self, ConfigError> {
        if config.tti_us != 1000 && config.tti_us != 500 {
            return Err(ConfigError::new("tti_us", "a TTI is 1000 or 500 microseconds long"));
        }
        let tti_length = Duration::from_micros(i64::from(config.tti_us));
        let frames = Frames::new(config)?;
        let mut planned: Vec<_> =
            config.handovers.iter().map(Handover::new).collect::<Result<_, _>>()?;
        planned.sort_by_key(|handover| std::cmp::Reverse(handover.start));
        let cell = |direction, air| Cell::new(direction, air, frames, tti_length, config.seed);
        Ok(Self {
            tti_length,
            next_tti: 0,
            frames,
            cells: PerDirection {
                downlink: cell(Direction::Downlink, &config.downlink)?,
                uplink: cell(Direction::Uplink, &config.uplink)?,
            },
            rrc: config.rrc.as_ref().map(|rrc| Rrc::new(rrc, config.seed)).transpose()?,
            planned,
            driven: None,
            current: None,
            serving: identity(0, 0),
            left: identity(0, 0),
            begun: 0,
            path_change: Duration::ZERO,
        })
    }

    /// The time at which the next TTI begins.
    pub fn next_tick(&self) -> Instant {
        Instant::from_nanos(self.next_tti as i64 * self.tti_length.as_nanos())
    }

    /// Length of a TTI.
    pub const fn tti_length(&self) -> Duration {
        self.tti_length
    }

    /// Takes a packet into the queue of its direction.
    pub fn arrive(
        &mut self,
        direction: Direction,
        now: Instant,
        packet: P,
        truth: &mut impl Truth,
    ) {
        self.cells.of_mut(direction).arrive(now, packet, truth);
    }

    /// Runs the next TTI at its nominal time.
    pub fn tick(&mut self, truth: &mut impl Truth) {
        let (tti, now) = (self.next_tti, self.next_tick());
        self.next_tti += 1;
        let waiting = (self.cells.downlink.begin(now), self.cells.uplink.begin(now));
        let asleep = self.rrc.as_mut().map(|rrc| rrc.blocked(now, waiting, truth));
        let (mut down, mut up) = asleep.unwrap_or_default();
        if self.frames.in_gap(tti) && down == Blocked::No {
            (down, up) = (Blocked::Gap, Blocked::Gap);
        }
        if self.between_cells(now, truth) {
            (down, up) = (Blocked::Handover, Blocked::Handover);
        }
        self.measure(now, truth);
        let down = self.cells.downlink.tick(tti, now, down, truth);
        let up = self.cells.uplink.tick(tti, now, up, truth);
        let busy = down.prbs + down.repeated_prbs + up.prbs + up.repeated_prbs > 0;
        if let (Some(rrc), true) = (&mut self.rrc, busy) {
            rrc.active(now);
        }
        truth.row(Direction::Downlink, &down);
        truth.row(Direction::Uplink, &up);
    }

    /// The time at which the next packet leaves the air in either direction.
    pub fn next_release(&self) -> Option<Instant> {
        let releases = [self.cells.downlink.next_release(), self.cells.uplink.next_release()];
        releases.into_iter().flatten().min()
    }

    /// The time at which the next packet of a direction leaves the air.
    pub fn next_release_of(&self, direction: Direction) -> Option<Instant> {
        self.cells.of(direction).next_release()
    }

    /// The next packet of a direction that has left the air by `now`, with the time at which it
    /// left.
    pub fn pop(&mut self, direction: Direction, now: Instant) -> Option<(Instant, P)> {
        self.cells.of_mut(direction).pop(now)
    }

    /// Returns the time that handovers since the last call added to the delay of the wired path, in
    /// each direction.
    pub const fn take_path_change(&mut self) -> Duration {
        std::mem::replace(&mut self.path_change, Duration::ZERO)
    }

    /// Begins and ends handovers; returns whether the phone is between two cells.
    fn between_cells(&mut self, now: Instant, truth: &mut impl Truth) -> bool {
        if let Some(over) = self.current.take_if(|current| current.end() <= now) {
            self.path_change += over.path_change;
            report(now, EventKind::HandoverEnd, over.outage, truth);
            truth.handover(&self.moved(over.start, Some(now)));
        }
        if let Some(drive) = self.cells.downlink.handover() {
            // The drive has changed its cell while a handover may be in progress. Of several
            // changes in that time, only the outage of the last remains, but all changes of the
            // path's delay count.
            let before = self.driven.take().map_or(Duration::ZERO, |driven| driven.path_change);
            self.driven = Some(Handover { path_change: before + drive.path_change, ..drive });
        }
        while self.current.is_none()
            && let Some(handover) = self.due(now)
        {
            self.hand_over(handover, now, truth);
        }
        self.current.is_some()
    }

    fn due(&mut self, now: Instant) -> Option<Handover> {
        let planned = self.planned.pop_if(|next| next.start <= now);
        self.begun += i64::from(planned.is_some());
        planned.or_else(|| self.driven.take())
    }

    /// Stops the radio from now on: a handover may be due while another is in progress. In idle
    /// mode the phone reselects its cell (TS 36.304 section 5.2.4), which stops nothing.
    fn hand_over(&mut self, handover: Handover, now: Instant, truth: &mut impl Truth) {
        (self.left, self.serving) = (self.serving, self.chosen());
        if self.rrc.as_ref().is_some_and(Rrc::is_idle) {
            self.path_change += handover.path_change;
            return;
        }
        report(now, EventKind::HandoverStart, handover.outage, truth);
        truth.handover(&self.moved(now, None));
        self.cells.downlink.leave(now, handover.forwarding, truth);
        self.cells.uplink.leave(now, handover.forwarding, truth);
        self.current = Some(Handover { start: now, ..handover });
    }

    /// The identity of the cell that the channel has chosen.
    fn chosen(&self) -> u16 {
        identity(self.cells.downlink.serving(), self.begun)
    }

    const fn moved(&self, start: Instant, end: Option<Instant>) -> Moved {
        Moved { start, end, from: self.left, to: self.serving }
    }

    fn measure(&self, now: Instant, truth: &mut impl Truth) {
        if now.as_nanos() % MEASUREMENT_PERIOD.as_nanos() == 0 {
            let heard = self.cells.downlink.heard();
            heard.report(now, self.begun, self.chosen(), self.serving, truth);
        }
    }
}

fn report(at: Instant, kind: EventKind, outage: Duration, truth: &mut impl Truth) {
    let value = outage.as_millis_f64();
    truth.event(&Event { at, kind, direction: None, tcp: None, value });
}
