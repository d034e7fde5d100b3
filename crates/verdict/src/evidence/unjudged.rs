//! Keeps packets that passed before their delay could be measured. They are judged later,
//! while the slices that contain them still wait for their evidence.

use airmile_types::{Duration, Instant};

use super::far_loop::Echo;
use super::one_way::OneWay;
use super::passing::{GRANT, Waited};

/// The greatest number of milliseconds with packets that are kept.
const KEPT: usize = 512;
/// When the tick of a clock is still unknown after this time, it may never be known; then the round
/// trip to the sender decides alone.
const PATIENCE: Duration = Duration::from_secs(1);

/// The packets in the order in which they passed.
#[derive(Clone, Debug, Default)]
pub(super) struct Unjudged {
    packets: Vec<Packet>,
    /// The time since which packets have passed without a pause that would need a new grant.
    running: Option<Instant>,
    last: Option<Instant>,
    /// The least round trip from the capture point to the sender and back.
    base: Option<Duration>,
}

airmile_types::held!(Unjudged { packets });

#[derive(Clone, Copy, Debug)]
struct Packet {
    passed: Instant,
    tsval: u32,
    echo: Option<Echo>,
    /// How late the packet was at least, by the longest tick that its clock may have.
    late: Duration,
    running: Instant,
}

impl Unjudged {
    /// Keeps a packet with payload. When several pass within a millisecond, the first is kept,
    /// because it has waited longest.
    pub(super) fn keep(
        &mut self,
        (passed, tsval): (Instant, u32),
        echo: Option<Echo>,
        late: Duration,
        base: Option<Duration>,
    ) {
        self.base = base.or(self.base);
        let paused = self.last.is_none_or(|last| passed - last > GRANT);
        let running = self.running.filter(|_| !paused).unwrap_or(passed);
        (self.running, self.last) = (Some(running), Some(passed));
        let kept = self.packets.last().map(|packet| packet.passed);
        if kept.is_none_or(|kept| passed - kept >= Duration::from_millis(1)) {
            self.packets.push(Packet { passed, tsval, echo, late, running });
        }
    }

    /// The waits of all packets as the clock shows them, now that its tick is known.
    pub(super) fn by_clock(&mut self, clock: &OneWay) -> Vec<Waited> {
        let waited = |packet: &Packet| {
            let excess = clock.excess_of(packet.tsval, packet.passed);
            (packet.passed, excess.unwrap_or(Duration::ZERO))
        };
        std::mem::take(&mut self.packets).iter().map(waited).collect()
    }

    /// Whether the tick of the clock has been unknown for too long.
    pub(super) fn is_overdue(&self, now: Instant) -> bool {
        let first = self.packets.first();
        self.packets.len() >= KEPT
            || first.is_some_and(|first| (now - first.passed).abs() > PATIENCE)
    }

    /// The least waits of all packets, from the round trips to the sender, and from the time over
    /// which packets with one timestamp passed.
    pub(super) fn by_loop(&mut self, hears_acks: bool) -> Vec<Waited> {
        let base = self.base;
        let waited = |packet: &Packet| {
            let clocked = |wait: Duration| packet.passed - wait >= packet.running - GRANT;
            let echo = packet.echo.map(|echo| echo.of_far(hears_acks));
            let wait = echo.zip(base).map(|(echo, base)| echo.wait(base, clocked));
            (packet.passed, wait.unwrap_or(Duration::ZERO).max(packet.late))
        };
        std::mem::take(&mut self.packets).iter().map(waited).collect()
    }
}
