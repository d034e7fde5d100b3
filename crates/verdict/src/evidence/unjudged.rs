//! Uplink packets that passed before their delay could be measured. They are judged later, while
//! the slices that they lie in still wait for their evidence.

use airmile_types::{Duration, Instant};

use super::one_way::OneWay;
use super::passing::{GRANT, Waited};
use super::phone_loop::Echo;

/// The number of milliseconds with packets that are kept.
const KEPT: usize = 512;
/// A clock that is not understood after this time may never be: then the loop alone decides.
const PATIENCE: Duration = Duration::from_secs(1);

/// The packets in the order of their passing.
#[derive(Clone, Debug, Default)]
pub(super) struct Unjudged {
    packets: Vec<Packet>,
    /// The time since which packets have passed without a pause in which a grant would have come.
    running: Option<Instant>,
    last: Option<Instant>,
    /// The least loop from the capture point to the phone and back.
    base: Option<Duration>,
}

airmile_types::held!(Unjudged { packets });

#[derive(Clone, Copy, Debug)]
struct Packet {
    passed: Instant,
    tsval: u32,
    echo: Option<Echo>,
    running: Instant,
}

impl Unjudged {
    /// Keeps a packet with payload. Of those that pass within a millisecond it keeps the first,
    /// which has waited longest.
    pub(super) fn keep(
        &mut self,
        passed: Instant,
        tsval: u32,
        echo: Option<Echo>,
        base: Option<Duration>,
    ) {
        self.base = base.or(self.base);
        let paused = self.last.is_none_or(|last| passed - last > GRANT);
        let running = self.running.filter(|_| !paused).unwrap_or(passed);
        (self.running, self.last) = (Some(running), Some(passed));
        let kept = self.packets.last().map(|packet| packet.passed);
        if kept.is_none_or(|kept| passed - kept >= Duration::from_millis(1)) {
            self.packets.push(Packet { passed, tsval, echo, running });
        }
    }

    /// The waits of all packets by the clock, which is understood now.
    pub(super) fn by_clock(&mut self, clock: &OneWay) -> Vec<Waited> {
        let waited = |packet: &Packet| {
            let excess = clock.excess_of(packet.tsval, packet.passed);
            (packet.passed, excess.unwrap_or(Duration::ZERO))
        };
        std::mem::take(&mut self.packets).iter().map(waited).collect()
    }

    /// Whether the clock has not been understood for too long.
    pub(super) fn is_overdue(&self, now: Instant) -> bool {
        let first = self.packets.first();
        self.packets.len() >= KEPT
            || first.is_some_and(|first| (now - first.passed).abs() > PATIENCE)
    }

    /// The least waits of all packets by the loop alone.
    pub(super) fn by_loop(&mut self, hears_acks: bool) -> Vec<Waited> {
        let base = self.base;
        let waited = |packet: &Packet| {
            let clocked = |wait: Duration| packet.passed - wait >= packet.running - GRANT;
            let echo = packet.echo.map(|echo| echo.of_phone(hears_acks));
            let wait = echo.zip(base).map(|(echo, base)| echo.wait(base, clocked));
            (packet.passed, wait.unwrap_or(Duration::ZERO))
        };
        std::mem::take(&mut self.packets).iter().map(waited).collect()
    }
}
