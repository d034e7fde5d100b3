//! Estimates the queue with a capture: it holds the bytes that have arrived minus the bytes that
//! were served.

use std::collections::VecDeque;

use airmile_types::Duration;

use super::arrivals::{Arrival, Arrivals};
use super::service::{Allocation, Axis, Service, TICK};
use super::timeline::{QueueState, Runs};

/// The greatest error between the times of captures and logs: a subframe is decided before it is
/// sent, and a capture reads its clock late.
const JITTER: i64 = 2 * TICK;

/// One pass over a log, with the arrivals of a capture.
#[derive(Debug)]
pub(super) struct Balance<'a> {
    service: &'a Service,
    arrivals: &'a Arrivals,
    shift: Duration,
    with_lost: bool,
    /// Whether the sizes of blocks count packets without padding.
    exact: bool,
    next: usize,
    next_nothing: usize,
    waiting: VecDeque<(i64, u64)>,
    queued: u64,
    /// Bytes that came later than expected, and bytes that may have been lost.
    deferred: u64,
    doubtful: u64,
    /// Whether bytes were served that no arrival explains, so that a queue of unknown length
    /// exists.
    blind: bool,
    out: Runs,
}

impl<'a> Balance<'a> {
    /// Begins a pass. `shift` is added to the time of each arrival. With `with_lost`, packets that
    /// were lost later count as having waited too.
    pub(super) fn new(
        service: &'a Service,
        arrivals: &'a Arrivals,
        shift: Duration,
        with_lost: bool,
    ) -> Self {
        let exact = service.has_padding || counts_packets_alone(service, arrivals);
        Self {
            service,
            arrivals,
            shift,
            with_lost,
            exact,
            next: 0,
            next_nothing: 0,
            waiting: VecDeque::new(),
            queued: 0,
            deferred: 0,
            doubtful: 0,
            blind: false,
            out: Runs::default(),
        }
    }

    pub(super) fn run(mut self) -> Runs {
        let service = self.service;
        let mut next = 0;
        for block in &service.allocations {
            if block.after_gap {
                self.forget(block.at);
                self.out.push(next, block.at, QueueState::Unknown);
            } else {
                self.unscheduled(next, block.at);
            }
            self.advance(block.at);
            let state = if block.is_new { self.serve(block) } else { self.waits() };
            self.out.push(block.at, block.at + 1, state);
            next = block.at + 1;
        }
        self.out
    }

    /// Adds the states of unscheduled milliseconds.
    fn unscheduled(&mut self, mut from: i64, to: i64) {
        while from < to {
            self.advance(from);
            let waits = self.queued > 0 || self.blind;
            let change = if waits { self.next_emptied() } else { self.next_arrival() };
            let until = change.clamp(from + 1, to);
            self.out.push(from, until, self.waits());
            from = until;
        }
    }

    const fn waits(&self) -> QueueState {
        if self.queued > 0 || self.blind { QueueState::Backlogged } else { QueueState::Empty }
    }

    /// Takes all arrivals up to the begin of a millisecond.
    fn advance(&mut self, at: i64) {
        let now = at.saturating_mul(TICK);
        self.clear(now);
        while let Some(packet) = self.peek().filter(|packet| packet.at <= now) {
            self.take(packet);
        }
    }

    fn peek(&self) -> Option<Arrival> {
        let packet = *self.arrivals.packets.get(self.next)?;
        Some(Arrival { at: Axis::shift(packet.at, self.shift), ..packet })
    }

    fn take(&mut self, packet: Arrival) {
        self.next += 1;
        if packet.lost && !self.with_lost {
            self.doubtful = self.doubtful.saturating_add(packet.bytes);
        } else {
            self.waiting.push_back((packet.at, packet.bytes));
            self.queued = self.queued.saturating_add(packet.bytes);
        }
    }

    /// Empties the queue at times when nothing is in flight, because then nothing waits (methods
    /// G3).
    fn clear(&mut self, now: i64) {
        let all = &self.arrivals.nothing;
        while all.get(self.next_nothing).is_some_and(|(_, to)| *to <= now) {
            self.next_nothing += 1;
        }
        let Some((from, _)) = all.get(self.next_nothing) else { return };
        if *from <= now - TICK {
            self.drop_until(*from);
            (self.deferred, self.doubtful, self.blind) = (0, 0, false);
        }
    }

    /// The first millisecond at whose begin [`Self::clear`] would empty the queue.
    fn next_emptied(&self) -> i64 {
        let rest = self.arrivals.nothing.get(self.next_nothing..).unwrap_or_default();
        let long = rest.iter().find(|(from, to)| ceiling(from + TICK).saturating_mul(TICK) < *to);
        long.map_or(i64::MAX, |(from, _)| ceiling(from + TICK))
    }

    fn next_arrival(&self) -> i64 {
        self.peek().map_or(i64::MAX, |packet| ceiling(packet.at))
    }

    /// Empties the queue after a time of which nothing is known, because the queue is not known
    /// then either.
    fn forget(&mut self, at: i64) {
        let now = at.saturating_mul(TICK);
        while let Some(packet) = self.peek().filter(|packet| packet.at <= now - JITTER) {
            self.take(packet);
        }
        self.waiting.clear();
        (self.queued, self.deferred, self.doubtful, self.blind) = (0, 0, 0, false);
    }

    /// Removes the bytes of a block from the queue; returns the state of the queue in that
    /// millisecond.
    fn serve(&mut self, block: &Allocation) -> QueueState {
        let Some(bytes) = block.bytes else { return self.unsized_block(block) };
        let missing = self.fetch(block, bytes);
        self.take_out(bytes);
        if block.is_padded() {
            self.emptied(block.at);
            return QueueState::Draining;
        }
        // If the padding is known to be zero, served bytes that no arrival explains were in a
        // queue.
        self.blind |= missing > 0 && block.padding.is_some() && self.queued == 0;
        if self.queued > 0 || self.blind { QueueState::Backlogged } else { QueueState::Draining }
    }

    /// The state after a block of unknown size. If the block has the whole carrier, the queue is
    /// assumed to go on.
    fn unsized_block(&mut self, block: &Allocation) -> QueueState {
        if block.is_padded() || !block.is_whole() {
            self.emptied(block.at);
            return QueueState::Draining;
        }
        self.waits()
    }

    /// Takes the arrivals that a block needs, and returns the number of bytes that are still
    /// missing. Bytes that are served must have arrived, whatever the times say. A block without
    /// the whole carrier may be padded, so it only proves that the packet for which it was sent has
    /// arrived.
    fn fetch(&mut self, block: &Allocation, bytes: u64) -> u64 {
        let latest = block.at.saturating_mul(TICK).saturating_add(JITTER);
        let full = self.exact || block.is_whole();
        while bytes > self.queued
            && let Some(packet) = self.peek().filter(|packet| packet.at <= latest)
            && (full || self.queued == 0 || bytes - self.queued >= packet.bytes)
        {
            self.take(packet);
        }
        let mut missing = bytes.saturating_sub(self.queued);
        if full {
            for store in [&mut self.deferred, &mut self.doubtful] {
                let some = missing.min(*store);
                *store -= some;
                missing -= some;
                self.queued += some;
                self.waiting.push_back((block.at.saturating_mul(TICK), some));
            }
        }
        missing
    }

    fn take_out(&mut self, bytes: u64) {
        let mut left = bytes;
        while left > 0
            && let Some((_, first)) = self.waiting.front_mut()
        {
            let some = left.min(*first);
            *first -= some;
            left -= some;
            self.queued -= some;
            if *first == 0 {
                self.waiting.pop_front();
            }
        }
    }

    /// Empties the queue after a padded block, because the bytes that seem to wait have not arrived
    /// yet. Bytes that have just arrived are kept, because the next millisecond may serve them.
    fn emptied(&mut self, at: i64) {
        let young = at.saturating_mul(TICK) - JITTER;
        let before = self.queued;
        self.drop_until(young);
        self.deferred = self.deferred.saturating_add(before - self.queued);
        self.blind = false;
    }

    /// Removes the bytes that arrived up to `until`, because they do not wait.
    fn drop_until(&mut self, until: i64) {
        while let Some((_, bytes)) = self.waiting.front().filter(|(at, _)| *at <= until) {
            self.queued = self.queued.saturating_sub(*bytes);
            self.waiting.pop_front();
        }
    }
}

const fn ceiling(nanos: i64) -> i64 {
    -((-nanos).div_euclid(TICK))
}

/// Whether the sizes of blocks leave padding out: the blocks that empty the queue then take no more
/// bytes than wait, except one byte in 500.
fn counts_packets_alone(service: &Service, arrivals: &Arrivals) -> bool {
    let (first, last) = arrivals.covered();
    let (mut queued, mut all, mut more) = (0u64, 0u64, 0u64);
    let mut packets = arrivals.packets.iter().filter(|packet| !packet.lost).peekable();
    for block in service.new_blocks() {
        let now = block.at.saturating_mul(TICK);
        while let Some(packet) = packets.next_if(|packet| packet.at <= now) {
            queued = queued.saturating_add(packet.bytes);
        }
        let (Some(bytes), true) = (block.bytes, (first..=last).contains(&now)) else { continue };
        all = all.saturating_add(bytes);
        if queued > 0 {
            more = more.saturating_add(bytes.saturating_sub(queued));
        }
        queued = queued.saturating_sub(bytes);
    }
    more.saturating_mul(500) <= all
}
