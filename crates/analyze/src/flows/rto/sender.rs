//! Finds out whether samples from duplicate ACKs would have kept the timer of one sender from firing
//! (LTE13 section 5, methods C5). The timer without them is the scoreboard's.

use airmile_track::{Scoreboard, Segment, SegmentClass, Timeouts, Timer};
use airmile_types::{Duration, Instant, Parameters};

use crate::flows::loss_episodes::{Train, Trains};

/// The timer of the sender of one direction of data.
#[derive(Clone, Debug, Default, PartialEq)]
pub(super) struct Sender {
    /// The scoreboard's timer when the flow has ended; `None` without payload or sample.
    timer: Option<Box<Timer>>,
    /// Created at the first duplicate ACK.
    losses: Option<Box<Losses>>,
}

#[derive(Clone, Debug, PartialEq)]
struct Losses {
    /// The timer that also takes one sample per duplicate ACK.
    with_duplicates: Timer,
    trains: Trains,
    /// The first retransmission of the hole that the current duplicate ACKs report.
    repaired: Option<Repair>,
    counts: Counts,
}

airmile_types::held!(Sender { losses } Losses {});

/// Long trains whose hole was retransmitted and acknowledged.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(super) struct Counts {
    pub(super) trains: u32,
    /// The trains whose retransmission took longer than the plain timeout, by the rules rfc, lte13,
    /// linux.
    pub(super) exceeded: [u32; 3],
    /// The part of these trains in which samples from duplicate ACKs would have prevented the
    /// timeout.
    pub(super) prevented: [u32; 3],
    /// The longest RTT of a retransmission of such a hole, over the whole path.
    pub(super) longest: Option<Duration>,
}

#[derive(Clone, Copy, Debug, PartialEq)]
struct Repair {
    hole: i64,
    sent: Instant,
    /// The plain timeouts; no sample changes them while duplicate ACKs come.
    plain: Timeouts,
    /// The rules by which the timer would have fired although duplicate ACKs moved it.
    fired: [bool; 3],
}

impl Sender {
    /// Whether a duplicate ACK has come.
    #[inline]
    pub(super) const fn has_losses(&self) -> bool {
        self.losses.is_some()
    }

    /// Takes data that the sender sends again, which may be the hole.
    pub(super) fn on_sender(&mut self, segment: &Segment<'_>, parameters: &Parameters) {
        if let Some(losses) = &mut self.losses {
            losses.on_sender(segment, parameters);
        }
    }

    /// Takes a packet of the receiver.
    pub(super) fn on_receiver(&mut self, segment: &Segment<'_>, parameters: &Parameters) {
        if segment.duplicate_ack.is_some() && self.losses.is_none() {
            self.losses = segment.peer.timer().map(|timer| Box::new(Losses::new(*timer)));
        }
        if let Some(losses) = &mut self.losses {
            losses.on_receiver(segment, parameters);
            losses.sample(segment);
        }
    }

    /// Takes the timer of the scoreboard, after the flow has ended.
    pub(super) fn settle(&mut self, board: &Scoreboard) {
        let sampled = board.first_data().and(board.srtt());
        self.timer = sampled.and(board.timer()).map(|timer| Box::new(*timer));
    }

    /// The timer with one sample per advancing ACK.
    pub(super) fn timer(&self) -> Option<&Timer> {
        self.timer.as_deref()
    }

    /// The timer with samples from duplicate ACKs, too; `None` until there are any.
    pub(super) fn with_duplicates(&self) -> Option<&Timer> {
        self.losses.as_ref().map(|losses| &losses.with_duplicates)
    }

    /// The counts of long trains.
    pub(super) fn counts(&self) -> Counts {
        self.losses.as_ref().map_or(Counts::default(), |losses| losses.counts)
    }
}

/// The RTT that a duplicate ACK shows (LTE13 section 5): of the range that it is the first to SACK,
/// or, when the ends do not use SACK, of the next segment in the order of sending. `None` when it
/// is ambiguous.
fn rtt_of_duplicate(segment: &Segment<'_>) -> Option<Duration> {
    let sacks = |direction| segment.flow.options(direction).is_some_and(|options| options.sack);
    let both_sack = sacks(segment.direction) && sacks(segment.direction.reverse());
    let ambiguous = both_sack && segment.sacked_bytes == 0;
    segment.duplicate_ack.filter(|_| !ambiguous)?;
    segment.sack_rtt
}

impl Losses {
    fn new(timer: Timer) -> Self {
        Self { with_duplicates: timer, trains: Trains::default(), repaired: None, counts: Counts::default() }
    }

    /// Takes a sample of the whole path from an ACK that advances, as the scoreboard does, or from a
    /// duplicate ACK.
    fn sample(&mut self, segment: &Segment<'_>) {
        let sampled = segment.rtt.map(|sample| sample.rtt).or_else(|| rtt_of_duplicate(segment));
        if let (Some(rtt), Some(beyond)) = (sampled, segment.peer.loop_time()) {
            self.with_duplicates.sample(rtt + beyond);
        }
    }

    fn on_sender(&mut self, segment: &Segment<'_>, parameters: &Parameters) {
        let repeats = matches!(segment.class, Some(SegmentClass::Retransmission | SegmentClass::UpstreamLoss));
        let Some(train) = self.trains.current().filter(|_| repeats) else { return };
        let covers_hole = segment.start <= train.ack && train.ack < segment.end;
        if !covers_hole || self.repaired.is_some_and(|repair| repair.hole == train.ack) {
            return;
        }
        if let Some(plain) = segment.own.timer().and_then(|timer| timer.timeouts(parameters)) {
            self.repaired = Some(Repair { hole: train.ack, sent: segment.time, plain, fired: [false; 3] });
        }
    }

    fn on_receiver(&mut self, segment: &Segment<'_>, parameters: &Parameters) {
        self.run_timer(segment, parameters);
        let gap = Duration::from_secs_f64(parameters.train_gap_s);
        if let Some(train) = self.trains.on_receiver(segment, gap) {
            self.judge(&train, segment, parameters);
        }
    }

    /// Notes by which rules the timer would have fired before this packet. Each duplicate ACK moves
    /// the timer to the newest timeout after the retransmission, and does not restart it.
    fn run_timer(&mut self, segment: &Segment<'_>, parameters: &Parameters) {
        let Some(repair) = &mut self.repaired else { return };
        let waited = segment.time - repair.sent + segment.peer.loop_time().unwrap_or(Duration::ZERO);
        if let Some(timeouts) = self.with_duplicates.timeouts(parameters) {
            for (fired, timeout) in repair.fired.iter_mut().zip(timeouts.rules()) {
                *fired |= waited > timeout;
            }
        }
    }

    /// Counts a train that has ended, and the rules by which its retransmission exceeded the
    /// timeout.
    fn judge(&mut self, train: &Train, segment: &Segment<'_>, parameters: &Parameters) {
        let Some(repair) = self.repaired.take().filter(|repair| repair.hole == train.ack) else { return };
        let covered = segment.ack.is_some_and(|ack| ack > repair.hole);
        // A clock that was set back in between tells no RTT.
        let told = segment.time >= repair.sent;
        if !covered || !told || !train.is_long(segment.peer.mss_bytes(), parameters) {
            return;
        }
        let rtt = segment.time - repair.sent + segment.peer.loop_time().unwrap_or(Duration::ZERO);
        self.counts.add(rtt, &repair);
    }
}

impl Counts {
    fn add(&mut self, rtt: Duration, repair: &Repair) {
        self.trains += 1;
        self.longest = self.longest.max(Some(rtt));
        for (rule, (timeout, fired)) in repair.plain.rules().into_iter().zip(repair.fired).enumerate() {
            let exceeded = rtt > timeout;
            self.exceeded[rule] += u32::from(exceeded);
            self.prevented[rule] += u32::from(exceeded && !fired);
        }
    }
}
