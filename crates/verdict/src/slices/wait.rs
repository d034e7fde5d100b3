//! Cuts a wait into slices: which of its milliseconds belong to the path, and which to the server
//! (methods T3).

use airmile_types::{Cause, Direction, Duration, Instant, PerDirection, Vantage};

use super::row::SliceRow;
use super::slicer::{Slicer, Waiting};
use crate::evidence::{BIN, HORIZON_BINS, LoopEstimate, Mask, Wait, begin_of, window};
use crate::rule::WaitPart;

/// The milliseconds of a bin in which a request or its answer was delayed, by reason.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct HeldUp {
    pub(super) resent: Mask,
    pub(super) closed: Mask,
    pub(super) uplink: Mask,
    pub(super) downlink: Mask,
}

/// Where a wait is divided between path and server.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Split {
    /// The end of the part of the wait that belongs to the path.
    pub(crate) loop_end: Instant,
    /// The begin of the part that certainly belongs to the server, whatever the samples of the
    /// round trip show.
    surely_server: Instant,
    /// How long the server took; `None` where it is not known.
    pub(crate) server: Option<Duration>,
    /// Whether the radio may have had to wake up meanwhile.
    woken: bool,
}

impl Slicer<'_> {
    /// Cuts the part of a request between its writes that lies in `[from, to)`: the phone had not sent
    /// all of it. Where it waited for an ACK, and the server for the rest of the request, neither is
    /// the cause alone.
    pub(crate) fn cut_writes(
        &self,
        wait: &Wait,
        (from, to): (Instant, Instant),
        out: &mut Vec<SliceRow>,
    ) {
        if !wait.waits_for_acks() {
            self.cut(from, to, out);
        } else if from < to {
            out.push(self.given(from, to, Cause::Undetermined, NAGLE));
        }
    }

    /// Cuts the part of a wait that lies in `[from, to)`.
    pub(crate) fn cut_wait(
        &self,
        wait: &Wait,
        estimate: Option<LoopEstimate>,
        (from, to): (Instant, Instant),
        out: &mut Vec<SliceRow>,
    ) {
        let Some(split) = self.split(wait, estimate) else { return };
        let sampled = estimate.is_some_and(|estimate| !estimate.at_most);
        let first = if sampled { WaitPart::Loop } else { WaitPart::Unsplit };
        let middle = match split.woken {
            true => WaitPart::Woken,
            false if sampled && !self.may_be_radio(wait) => self.beyond(wait),
            false => WaitPart::ServerOrRadio,
        };
        let parts = [
            (wait.asked, split.loop_end, first),
            (split.loop_end, split.surely_server, middle),
            (split.surely_server, wait.answered.unwrap_or(to), self.beyond(wait)),
        ];
        for (start, end, part) in parts {
            let waiting = Some(waiting_in(part, wait));
            Self { waiting, ..*self }.cut(start.max(from), end.min(to), out);
        }
    }

    /// The end of the path's part of a wait, and how long the server took; `None` for an open wait.
    ///
    /// Time in which a retransmission or a queue delayed the request belongs to neither part. The
    /// path's part is the median sample of the round trip. The rest is the server's, unless it is
    /// no more than the spread of the samples. When the server acknowledges the request before it
    /// answers, the time between these two is a lower bound of the server's part.
    pub(crate) fn split(&self, wait: &Wait, estimate: Option<LoopEstimate>) -> Option<Split> {
        let answered = wait.answered?;
        let held = waiting_in(WaitPart::Loop, wait);
        let free = self.free(&held, wait.asked, answered);
        let spread = estimate.map_or(Duration::ZERO, |loop_time| loop_time.spread);
        let may_be_radio = self.may_be_radio(wait);
        let least = match estimate {
            Some(_) if !self.may_have_queued(wait) => wait.least_think.max(wait.since_ack - spread),
            _ => wait.least_think,
        };
        let beyond = estimate.map_or(Duration::ZERO, |loop_time| free - loop_time.median);
        let server = beyond.max(least).max(Duration::ZERO).min(free);
        let ours = if estimate.is_some() && server <= spread { Duration::ZERO } else { server };
        let end_of = |server: Duration| {
            if server == Duration::ZERO {
                return answered;
            }
            self.after(&held, wait.asked, answered, free - server)
        };
        let sampled = estimate.is_some_and(|estimate| !estimate.at_most);
        // At the phone, the radio may have delayed what exceeds the least of many waits.
        let at_phone = self.vantage() == Vantage::Ue;
        let woken = wait.may_have_woken(server);
        let open = woken || may_be_radio || estimate.is_some() && !sampled && at_phone;
        let sure = if open { least.max(Duration::ZERO).min(ours) } else { ours };
        let in_sight = answered - wait.asked <= BIN.times(MOST_BINS);
        let unasked = wait.may_be_unasked() && server > spread;
        let known = sampled && in_sight && !unasked && (!(woken || may_be_radio) || sure == ours);
        let loop_end = end_of(ours);
        Some(Split {
            loop_end,
            surely_server: if sure == ours { loop_end } else { end_of(sure) },
            server: known.then_some(server),
            woken,
        })
    }

    /// Whether the answer may have waited before the phone in a queue: behind other flows whose queue
    /// nothing shows, or in one that was never seen empty.
    fn may_be_radio(&self, wait: &Wait) -> bool {
        let unknown = |at: Instant| self.base_unknown(Direction::Downlink, at);
        self.may_have_queued(wait)
            || self.vantage() == Vantage::Ue && wait.answered.is_some_and(unknown)
    }

    /// Whether the answer may have waited at the phone behind other flows whose queue nothing shows:
    /// then also longer than the server's own ACK did.
    fn may_have_queued(&self, wait: &Wait) -> bool {
        let came = |at: Instant| self.queues.unseen_at(Direction::Downlink, at.bin(BIN)) != 0;
        self.vantage() == Vantage::Ue && wait.answered.is_some_and(came)
    }

    fn beyond(&self, wait: &Wait) -> WaitPart {
        let long = wait.length().is_some_and(|w| w.as_secs_f64() > self.parameters.long_poll_s);
        match (long, wait.may_be_unasked()) {
            (true, _) => WaitPart::LongPoll,
            (_, true) => WaitPart::PerhapsUnasked,
            _ => WaitPart::Beyond,
        }
    }

    /// The reasons that delayed a request or its answer in a bin. A server cannot answer while the
    /// phone's window is closed.
    pub(super) fn held(&self, waiting: &Waiting, bin: i64) -> HeldUp {
        let within = |(from, to): (Instant, Instant)| window(bin, from, to);
        HeldUp {
            resent: within(waiting.resent),
            closed: self.sender.window.unread_at(bin),
            uplink: within(waiting.queued.uplink),
            downlink: within(waiting.queued.downlink),
        }
    }

    /// How much of `[from, to)` passed without any of the delays in [`HeldUp`].
    fn free(&self, waiting: &Waiting, from: Instant, to: Instant) -> Duration {
        let taken = self.bins(waiting, from, to).map(|(_, taken, _)| i64::from(taken.count_ones()));
        ((to - from) - Duration::from_millis(taken.sum())).max(Duration::ZERO)
    }

    /// The instant in `[from, to)` by which `free` has passed without any of the delays in
    /// [`HeldUp`].
    fn after(&self, waiting: &Waiting, from: Instant, to: Instant, free: Duration) -> Instant {
        let mut at = from;
        let mut left = free;
        for (begin, taken, span) in self.bins(waiting, from, to) {
            let whole = (begin + BIN).min(to) - at;
            if taken == 0 && whole > Duration::ZERO {
                if whole >= left {
                    return at + left;
                }
                (at, left) = (at + whole, left - whole);
                continue;
            }
            for bit in 0..100u32 {
                let end = (begin + Duration::from_millis(i64::from(bit) + 1)).min(to);
                if span & (1 << bit) == 0 || end <= at {
                    continue;
                }
                if taken & (1 << bit) == 0 {
                    if end - at >= left {
                        return at + left;
                    }
                    left -= end - at;
                }
                at = end;
            }
        }
        (at + left).min(to)
    }

    /// The bins of a span: for each, its begin, its delays, and the part of it that lies inside the
    /// span.
    fn bins(
        &self,
        waiting: &Waiting,
        from: Instant,
        to: Instant,
    ) -> impl Iterator<Item = (Instant, Mask, Mask)> {
        // Older evidence is not kept, so it cannot divide longer waits.
        let last = to.bin(BIN).min(from.bin(BIN) + MOST_BINS);
        (from.bin(BIN)..=last).map(move |bin| {
            let held = self.held(waiting, bin);
            let span = window(bin, from, to);
            let taken = (held.resent | held.closed | held.uplink | held.downlink) & span;
            (begin_of(bin), taken, span)
        })
    }
}

const NAGLE: &str = "the phone may have held the rest of its request until the ACK of what it had sent \
                     (Nagle's algorithm)";

/// One minute, which is how long evidence is kept.
const MOST_BINS: i64 = HORIZON_BINS;

fn waiting_in(part: WaitPart, wait: &Wait) -> Waiting {
    let answered = wait.answered.unwrap_or(wait.asked);
    let queued = PerDirection {
        uplink: (wait.asked, wait.asked + wait.queued.uplink),
        downlink: (answered - wait.queued.downlink, answered),
    };
    Waiting { part, resent: (wait.asked, wait.resent.unwrap_or(wait.asked)), queued }
}
