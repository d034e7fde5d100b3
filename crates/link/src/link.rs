//! Joins the wired path and the radio to a link with four ends, at which packets enter and leave.

use airmile_types::{Direction, Instant, PerDirection};

use crate::config::{ConfigError, LinkConfig};
use crate::packet::Packet;
use crate::path::Path;
use crate::ran::Ran;
use crate::truth::Truth;

/// The places where packets enter and leave. The kernel or the caller forwards packets between the
/// two ends of the core.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum End {
    /// The server's end of the wired path.
    Server,
    /// The core's end of the wired path.
    CoreWired,
    /// The core's end of the radio.
    CoreRadio,
    /// The phone's end of the radio.
    Phone,
}

impl End {
    /// All ends, from the server to the phone.
    pub const ALL: [Self; 4] = [Self::Server, Self::CoreWired, Self::CoreRadio, Self::Phone];
}

/// A link that is running.
#[derive(Debug)]
pub struct Link<P> {
    paths: PerDirection<Path<P>>,
    ran: Ran<P>,
}

impl<P: Packet> Link<P> {
    /// Creates a link without packets.
    ///
    /// # Errors
    /// Fails with the name of the setting that makes no link.
    pub fn new(config: &LinkConfig) -> Result<Self, ConfigError> {
        let path = |direction, settings| Path::new(direction, settings, config.seed);
        Ok(Self {
            paths: PerDirection {
                downlink: path(Direction::Downlink, &config.path_downlink)?,
                uplink: path(Direction::Uplink, &config.path_uplink)?,
            },
            ran: Ran::new(config)?,
        })
    }

    /// Takes a packet in at `end`.
    pub fn push(&mut self, end: End, now: Instant, packet: P, truth: &mut impl Truth) {
        match end {
            End::Server => self.paths.downlink.push(now, packet, truth),
            End::CoreWired => self.paths.uplink.push(now, packet, truth),
            End::CoreRadio => self.ran.arrive(Direction::Downlink, now, packet, truth),
            End::Phone => self.ran.arrive(Direction::Uplink, now, packet, truth),
        }
    }

    /// The time of the next event: a TTI, or a packet that leaves.
    pub fn next_wake(&self) -> Instant {
        let paths = [self.paths.downlink.next_release(), self.paths.uplink.next_release()];
        let releases = paths.into_iter().chain([self.ran.next_release()]).flatten();
        releases.fold(self.ran.next_tick(), Instant::min)
    }

    /// Runs every TTI up to `now` at its nominal time; returns whether there was one.
    pub fn tick(&mut self, now: Instant, truth: &mut impl Truth) -> bool {
        let due = self.ran.next_tick() <= now;
        while self.ran.next_tick() <= now {
            self.ran.tick(truth);
            let change = self.ran.take_path_change();
            self.paths.downlink.change_delay(change);
            self.paths.uplink.change_delay(change);
        }
        due
    }

    /// The time at which the next TTI begins.
    pub fn next_tick(&self) -> Instant {
        self.ran.next_tick()
    }

    /// The next packet that has left by `now`, with its end and its time.
    pub fn pop(&mut self, now: Instant) -> Option<(End, Instant, P)> {
        let ends = [
            (End::CoreWired, self.paths.downlink.next_release()),
            (End::Server, self.paths.uplink.next_release()),
            (End::Phone, self.ran.next_release_of(Direction::Downlink)),
            (End::CoreRadio, self.ran.next_release_of(Direction::Uplink)),
        ];
        let (end, _) =
            ends.into_iter().filter_map(|(end, at)| Some((end, at?))).min_by_key(|(_, at)| *at)?;
        let (at, packet) = match end {
            End::CoreWired => self.paths.downlink.pop(now),
            End::Server => self.paths.uplink.pop(now),
            End::Phone => self.ran.pop(Direction::Downlink, now),
            End::CoreRadio => self.ran.pop(Direction::Uplink, now),
        }?;
        Some((end, at, packet))
    }
}
