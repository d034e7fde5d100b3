//! Finds the queue of downlink data between the capture point and the phone, from the RTTs of all flows
//! of the phone.

use airmile_types::{Duration, Instant};

use super::base::Base;
use super::bits::Mask;
use super::floor::Floor;
use super::jitter::Jitter;
use super::limits::Limits;
use super::passing::Waited;
use super::slack::{Lateness, Slack};
use super::standing::Standing;

/// The downlink data that has passed the capture point.
#[derive(Clone, Debug, Default)]
pub(super) struct FarDownlink {
    /// The least RTT between the capture point and the phone.
    base: Base,
    /// The least RTT after the delay of late ACKs is subtracted.
    base_on_time: Base,
    /// The times at which even the quickest packets waited.
    standing: Standing,
    /// How much longer the path has become.
    floor: Floor,
    /// The jitter of the path.
    jitter: Jitter,
}

airmile_types::held!(FarDownlink { standing });

impl FarDownlink {
    /// Takes the RTT of data that passed alone.
    pub(super) fn take_alone(&mut self, now: Instant, rtt: Duration) {
        self.jitter.take(now, rtt);
    }

    /// How long the newest acknowledged downlink data waited, by its RTT and the least RTT of its
    /// flow, and whether the delay of its ACK is known.
    ///
    /// All downlink data of a phone ends at the phone, so its flows share the least delays; uplink
    /// data goes to many servers. When the phone's clock shows how late an ACK was, that lateness
    /// is subtracted. Only the jitter of the downlink is then left: a HARQ round delays some
    /// packets, whereas an uplink grant delays nearly every ACK.
    /// Where no clock shows how late the ACK was, the jitter of the path bounds that, if it is less than a
    /// radio's.
    pub(super) fn wait(
        &mut self,
        now: Instant,
        (rtt, own): (Duration, Duration),
        lateness: Option<Lateness>,
        limits: &Limits,
    ) -> (Duration, bool) {
        let base = self.base.least(own, now);
        let slack = self.slack(lateness, limits);
        let Some(late) = slack.late else { return (rtt - base - slack.jitter, slack.is_fine) };
        let on_time = rtt - late;
        // An ACK on time is at most a grant and a HARQ round later than the quickest one. A greater
        // difference means that the clock was misread, or that the least was learned over a queue.
        let least = base - limits.phone_spread;
        let base = self.base_on_time.least(on_time.max(least), now).max(least).min(base);
        (on_time - base - slack.jitter, slack.is_fine)
    }

    /// What is taken off the round trip of downlink data whose ACK came this late.
    #[inline]
    fn slack(&self, lateness: Option<Lateness>, limits: &Limits) -> Slack {
        let of_path = || {
            let jitter = self.jitter.known().filter(|_| lateness.is_none());
            Slack::of_path(jitter, limits)
        };
        let fine = Slack::by_clock(lateness, limits).or_else(of_path);
        fine.unwrap_or_else(|| Slack::coarse(lateness, limits))
    }

    /// The least wait that shows now in the round trips of downlink data whose ACKs come this late.
    pub(super) fn least_queue(&self, lateness: Option<Lateness>, limits: &Limits) -> Duration {
        let slack = self.slack(lateness, limits);
        if slack.is_fine { slack.jitter + self.floor.risen() } else { slack.jitter }
    }

    /// Takes data that passed the capture point at `sent` and reached the phone after this wait;
    /// returns how long it waited in the queue.
    pub(super) fn take(
        &mut self,
        (arrived, wait): Waited,
        sent: Instant,
        is_fine: bool,
        limits: &Limits,
    ) -> Duration {
        if !is_fine {
            self.standing.mark(sent, wait);
            return wait;
        }
        let wait = self.floor.take((arrived, wait)).wait;
        self.standing.note(sent, wait + limits.queue_jitter);
        self.standing.mark(sent, wait - limits.queue_before);
        wait
    }

    /// The times at which even the quickest packets waited, even when HARQ rounds are excluded as the
    /// reason.
    pub(super) fn standing_at(&self, bin: i64) -> Mask {
        self.standing.at(bin)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use airmile_types::Parameters;

    #[test]
    fn a_spread_below_zero_is_none() {
        let parameters = Parameters { phone_spread_ms: -5.0, ..Parameters::default() };
        let late = Lateness { excess: Duration::ZERO, tick: Duration::from_millis(1) };
        let (rtt, now) = (Duration::from_millis(50), Instant::from_nanos(0));
        let limits = Limits::new(&parameters);
        let (wait, fine) = FarDownlink::default().wait(now, (rtt, rtt), Some(late), &limits);
        assert!(fine && wait < Duration::ZERO);
    }

    #[test]
    fn what_a_path_has_become_longer_by_is_hidden_where_a_clock_shows_late_acks() {
        let mut behind = FarDownlink::default();
        let limits = Limits::new(&Parameters::default());
        let late = Some(Lateness { excess: Duration::ZERO, tick: Duration::from_millis(1) });
        assert_eq!(behind.least_queue(late, &limits), Duration::from_millis(2));
        for i in 0..40i64 {
            let now = Instant::from_nanos((i / 2 * 20 + i % 2) * 1_000_000);
            behind.take((now, Duration::from_millis(15)), now, true, &limits);
        }
        assert_eq!(behind.least_queue(late, &limits), Duration::from_millis(17));
        assert_eq!(behind.least_queue(None, &limits), Duration::from_millis(12));
    }
}
