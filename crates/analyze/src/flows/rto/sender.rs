//! What one sender's timer does, without and with samples from duplicate ACKs.

use airmile_track::{FlowFacts, Segment, SegmentClass};
use airmile_types::{Duration, Instant, Parameters};

use super::estimator::{Estimator, Timeouts};
use crate::flows::loss_episodes::{Train, Trains};

/// The timer of the sender of one direction of data.
#[derive(Clone, Debug, Default, PartialEq)]
pub(super) struct Sender {
    /// One sample per advancing ACK.
    pub(super) plain: Estimator,
    /// Begins with the first duplicate ACK.
    losses: Option<Box<Losses>>,
}

#[derive(Clone, Debug, PartialEq)]
struct Losses {
    /// One sample per duplicate ACK as well.
    with_duplicates: Estimator,
    trains: Trains,
    /// The first retransmission of the hole that the current duplicate ACKs speak of.
    repaired: Option<Repair>,
    counts: Counts,
}

airmile_types::held!(Sender { losses } Losses {});

/// Long trains whose hole was sent again and acknowledged.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(super) struct Counts {
    pub(super) trains: u32,
    /// RTT of the retransmission above the plain timeout: rules rfc, lte13, linux.
    pub(super) exceeded: [u32; 3],
    /// Of those, how many the timeout with samples from duplicate ACKs would have prevented.
    pub(super) prevented: [u32; 3],
    /// The longest RTT of such a retransmission, whole path.
    pub(super) longest: Option<Duration>,
}

#[derive(Clone, Copy, Debug, PartialEq)]
struct Repair {
    hole: i64,
    sent: Instant,
    /// The plain timeouts; no sample changes them while duplicate ACKs come.
    plain: Timeouts,
    /// By which rules the timer would have fired although duplicate ACKs moved it.
    fired: [bool; 3],
}

impl Sender {
    /// The handshake's sample is taken, and no duplicate ACK has come: nothing but a sample or a
    /// duplicate ACK changes anything.
    #[inline]
    pub(super) const fn is_steady(&self) -> bool {
        self.losses.is_none() && !self.plain.is_empty()
    }

    /// A packet of the sender: perhaps the hole once more.
    pub(super) fn on_sender(&mut self, segment: &Segment<'_>, parameters: &Parameters) {
        self.sample_handshake(segment.flow);
        if let Some(losses) = &mut self.losses {
            losses.on_sender(segment, &self.plain, parameters);
        }
    }

    /// A packet of the receiver.
    pub(super) fn on_receiver(&mut self, segment: &Segment<'_>, parameters: &Parameters) {
        self.sample_handshake(segment.flow);
        if segment.duplicate_ack.is_some() && self.losses.is_none() {
            self.losses = Some(Box::new(Losses::new(self.plain)));
        }
        if let Some(losses) = &mut self.losses {
            losses.on_receiver(segment, parameters);
        }
        self.sample(segment);
    }

    /// A packet of the receiver that is no duplicate ACK, while the timer [is steady](Self::is_steady).
    #[inline]
    pub(super) fn sample_steadily(&mut self, segment: &Segment<'_>) {
        if let (Some(rtt), Some(beyond)) = (rtt_of_data(segment), segment.peer.loop_time()) {
            self.plain.sample(rtt + beyond);
        }
    }

    /// The timer with samples from duplicate ACKs: the plain one until there is any.
    pub(super) fn with_duplicates(&self) -> &Estimator {
        self.losses.as_ref().map_or(&self.plain, |losses| &losses.with_duplicates)
    }

    /// What long trains did.
    pub(super) fn counts(&self) -> Counts {
        self.losses.as_ref().map_or(Counts::default(), |losses| losses.counts)
    }

    /// The first sample is that of the handshake (RFC 6298 section 2.2), not of a repeated one
    /// (Karn, RFC 6298 section 3).
    fn sample_handshake(&mut self, flow: &FlowFacts) {
        if !self.plain.is_empty() {
            return;
        }
        let (Some(syn), Some(syn_ack), Some(ack)) = (flow.syn, flow.syn_ack, flow.handshake_ack) else { return };
        if syn.copies == 1 && syn_ack.copies == 1 && ack.time >= syn.time {
            self.plain.sample(ack.time - syn.time);
        }
    }

    fn sample(&mut self, segment: &Segment<'_>) {
        let of_data = rtt_of_data(segment);
        let sampled = of_data.or_else(|| rtt_of_duplicate(segment));
        let (Some(rtt), Some(beyond)) = (sampled, segment.peer.loop_time()) else { return };
        if of_data.is_some() {
            self.plain.sample(rtt + beyond);
        }
        if let Some(losses) = &mut self.losses {
            losses.with_duplicates.sample(rtt + beyond);
        }
    }
}

/// The ACK of the SYN is the handshake's sample, taken already.
#[inline]
fn rtt_of_data(segment: &Segment<'_>) -> Option<Duration> {
    segment.rtt.filter(|_| segment.ack > Some(1)).map(|sample| sample.rtt)
}

/// LTE13 section 5: from the range that this duplicate ACK is the first to SACK, or, where the
/// ends do not SACK at all, from the segment that arrived in order of sending; ambiguous ones
/// give none.
fn rtt_of_duplicate(segment: &Segment<'_>) -> Option<Duration> {
    let sacks = |direction| segment.flow.options(direction).is_some_and(|options| options.sack);
    let both_sack = sacks(segment.direction) && sacks(segment.direction.reverse());
    let ambiguous = both_sack && segment.sacked_bytes == 0;
    segment.duplicate_ack.filter(|_| !ambiguous)?;
    segment.sack_rtt
}

impl Losses {
    fn new(plain: Estimator) -> Self {
        Self { with_duplicates: plain, trains: Trains::default(), repaired: None, counts: Counts::default() }
    }

    fn on_sender(&mut self, segment: &Segment<'_>, plain: &Estimator, parameters: &Parameters) {
        let repeats = matches!(segment.class, Some(SegmentClass::Retransmission | SegmentClass::UpstreamLoss));
        let Some(train) = self.trains.current().filter(|_| repeats) else { return };
        let covers_hole = segment.start <= train.ack && train.ack < segment.end;
        if !covers_hole || self.repaired.is_some_and(|repair| repair.hole == train.ack) {
            return;
        }
        if let Some(plain) = plain.timeouts(parameters) {
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

    /// Would the timer have fired before this packet? Each duplicate ACK moves it to the newest
    /// timeout after the retransmission, and no further: it is not started anew.
    fn run_timer(&mut self, segment: &Segment<'_>, parameters: &Parameters) {
        let Some(repair) = &mut self.repaired else { return };
        let waited = segment.time - repair.sent + segment.peer.loop_time().unwrap_or(Duration::ZERO);
        if let Some(timeouts) = self.with_duplicates.timeouts(parameters) {
            for (fired, timeout) in repair.fired.iter_mut().zip(timeouts.rules()) {
                *fired |= waited > timeout;
            }
        }
    }

    /// A train has ended: did its retransmission outlive the timers?
    fn judge(&mut self, train: &Train, segment: &Segment<'_>, parameters: &Parameters) {
        let Some(repair) = self.repaired.take().filter(|repair| repair.hole == train.ack) else { return };
        let covered = segment.ack.is_some_and(|ack| ack > repair.hole);
        if !covered || !train.is_long(segment.peer.mss_bytes(), parameters) {
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
