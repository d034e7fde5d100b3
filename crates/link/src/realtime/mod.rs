//! Runs a link in real time: four TUN devices and one absolute timer around [`Link`].
//!
//! The packets come from the kernel. When the machine is late for a TTI, the TTI runs at its
//! nominal time, and its lateness is recorded: [`Report::is_trustworthy`] says whether the run can
//! be trusted.

mod error;
mod files;
mod handover;
mod lateness;
mod tun;
mod writer;

use std::os::fd::AsFd;
use std::path::PathBuf;

use airmile_types::{Duration, Instant};
use nix::errno::Errno;
use nix::sys::epoll::{Epoll, EpollCreateFlags, EpollEvent, EpollFlags, EpollTimeout};
use nix::sys::mman::{MlockAllFlags, mlockall};
use nix::sys::time::TimeSpec;
use nix::sys::timerfd::{ClockId, Expiration, TimerFd, TimerFlags, TimerSetTimeFlags};

use crate::config::{ConfigError, LinkConfig};
use crate::link::{End, Link};
use crate::ticks::TickClock;

pub use error::Error;
pub use tun::Device;
use tun::Tun;
pub use writer::Report;
use writer::Writer;

/// The size of a buffer that is larger than any IP packet.
const PACKET_BYTES: usize = 65_536;
/// The most packets that are read at a time: a millisecond at 400 Mbit/s. Packets that leave the
/// link must not wait for a flood to end.
const BATCH_PACKETS: usize = 32;
/// The number of the timer among the devices.
const TIMER: u64 = 4;

/// The settings of a run in real time.
#[derive(Clone, Debug)]
pub struct Options {
    /// The link.
    pub config: LinkConfig,
    /// The device of each end, in the order of [`End::ALL`].
    pub devices: [Device; 4],
    /// The folder for the files of the truth.
    pub out: PathBuf,
    /// The time after which the link ends at the latest.
    pub longest: Duration,
    /// The length of a tick of the phone's TCP timestamps; `None` for the kernel's.
    pub timestamp_tick: Option<Duration>,
}

/// A link whose devices exist, so that they can be given addresses.
pub struct Opened {
    link: Link<Vec<u8>>,
    tuns: Vec<Tun>,
    writer: Writer,
    longest: Duration,
    buffer: Vec<u8>,
    ticks: Option<TickClock>,
}

/// Makes the devices and the files of the truth.
///
/// # Errors
/// See [`Error`].
pub fn open(options: &Options) -> Result<Opened, Error> {
    let ticks = options.timestamp_tick.map(|tick| {
        let problem = "a tick is 1 to 1000 ms";
        TickClock::new(tick).ok_or_else(|| ConfigError::new("timestamp_tick_ms", problem))
    });
    Ok(Opened {
        link: Link::new(&options.config)?,
        tuns: options.devices.iter().map(Tun::open).collect::<Result<_, _>>()?,
        writer: Writer::create(&options.out, &options.config)?,
        longest: options.longest,
        buffer: vec![0; PACKET_BYTES],
        ticks: ticks.transpose()?,
    })
}

impl Opened {
    /// Runs until `go_on` returns false or the time is over, and returns a report. `go_on` is
    /// called every few milliseconds.
    ///
    /// # Errors
    /// Fails when the system refuses a timer, or when a file of the truth cannot be written.
    pub fn run(mut self, mut go_on: impl FnMut() -> bool) -> Result<Report, Error> {
        // A page fault during the run makes a TTI late. Without the right to lock memory, the
        // report shows how late TTIs were. Only touched pages are locked, because an allocator may
        // have reserved a gigabyte of addresses (mlockall(2)).
        let touched = MlockAllFlags::from_bits_retain(nix::libc::MCL_ONFAULT);
        let all = MlockAllFlags::MCL_CURRENT | MlockAllFlags::MCL_FUTURE;
        let locked = mlockall(all | touched).is_ok();
        let clock = Clock::start()?;
        let timer = TimerFd::new(ClockId::CLOCK_MONOTONIC, TimerFlags::TFD_NONBLOCK)?;
        let epoll = Epoll::new(EpollCreateFlags::empty())?;
        for (index, tun) in self.tuns.iter().enumerate() {
            epoll.add(tun, EpollEvent::new(EpollFlags::EPOLLIN, index as u64))?;
        }
        epoll.add(timer.as_fd(), EpollEvent::new(EpollFlags::EPOLLIN, TIMER))?;
        self.writer.begin(clock.start_unix);
        let mut ready = [EpollEvent::empty(); 8];
        let mut asked = 0u32;
        while clock.now()? < Instant::from_nanos(0) + self.longest {
            asked = asked.wrapping_add(1);
            if asked.is_multiple_of(8) && !go_on() {
                break;
            }
            let at = clock.wall(self.link.next_wake());
            timer.set(Expiration::OneShot(at), TimerSetTimeFlags::TFD_TIMER_ABSTIME)?;
            let count = match epoll.wait(&mut ready, EpollTimeout::NONE) {
                Err(Errno::EINTR) => 0,
                other => other?,
            };
            for event in ready.iter().take(count) {
                match event.data() {
                    TIMER => drop(timer.wait()),
                    index => self.read(index as usize, &clock)?,
                }
            }
            self.step(&clock)?;
        }
        self.writer.finish(locked)
    }

    /// Reads the packets of a device, but no more at a time than leaves the other devices their
    /// turn.
    fn read(&mut self, index: usize, clock: &Clock) -> Result<(), Error> {
        for _ in 0..BATCH_PACKETS {
            let Some(packet) = self.tuns[index].read(&mut self.buffer)? else { break };
            let (now, mut packet) = (clock.now()?, packet.to_vec());
            if let (End::Phone, Some(ticks)) = (End::ALL[index], &mut self.ticks) {
                ticks.from_phone(&mut packet);
            }
            // Late TTIs are run first, so that a packet meets the queue of its own time.
            self.tick(now, clock)?;
            self.writer.arrival(End::ALL[index], now, &packet);
            self.link.push(End::ALL[index], now, packet, &mut self.writer);
        }
        Ok(())
    }

    /// Runs the TTIs that are due at `now`, each at its nominal time.
    fn tick(&mut self, now: Instant, clock: &Clock) -> Result<(), Error> {
        while self.link.next_tick() <= now {
            let nominal = self.link.next_tick();
            self.writer.late(clock.now()? - nominal);
            self.link.tick(nominal, &mut self.writer);
        }
        Ok(())
    }

    /// Runs the TTIs that are due, and passes on the packets that have left.
    fn step(&mut self, clock: &Clock) -> Result<(), Error> {
        self.tick(clock.now()?, clock)?;
        while let Some((end, _, mut packet)) = self.link.pop(clock.now()?) {
            if let (End::Phone, Some(ticks)) = (end, &mut self.ticks) {
                ticks.to_phone(&mut packet);
            }
            let index = End::ALL.iter().position(|other| *other == end).unwrap_or(0);
            if self.tuns[index].write(&packet).is_err() {
                self.writer.refused();
            }
        }
        Ok(())
    }
}

/// The time since the start, by the clock that never steps.
struct Clock {
    start_monotonic: i64,
    start_unix: Instant,
}

impl Clock {
    fn start() -> Result<Self, Error> {
        let monotonic = nanos(nix::time::ClockId::CLOCK_MONOTONIC)?;
        let unix = nanos(nix::time::ClockId::CLOCK_REALTIME)?;
        Ok(Self { start_monotonic: monotonic, start_unix: Instant::from_nanos(unix) })
    }

    fn now(&self) -> Result<Instant, Error> {
        let now = nanos(nix::time::ClockId::CLOCK_MONOTONIC)?;
        Ok(Instant::from_nanos((now - self.start_monotonic).max(0)))
    }

    /// An instant of the run in the form that the timer needs.
    fn wall(&self, at: Instant) -> TimeSpec {
        let nanos = self.start_monotonic + at.as_nanos();
        TimeSpec::new(nanos / 1_000_000_000, nanos % 1_000_000_000)
    }
}

fn nanos(clock: nix::time::ClockId) -> Result<i64, Error> {
    let now = nix::time::clock_gettime(clock)?;
    Ok(now.tv_sec() * 1_000_000_000 + now.tv_nsec())
}
