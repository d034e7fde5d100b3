//! One transfer in the making (methods T1).

use airmile_read::TcpFlags;
use airmile_track::Segment;
use airmile_types::{Cause, Direction, Duration, Instant, PerDirection};

/// What began a transfer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Boundary {
    /// A request line of HTTP/1.x in clear.
    Http,
    /// An uplink payload packet while everything was acknowledged.
    Request,
    /// Payload after a silence.
    Push,
    /// The flow itself, met in mid-transfer.
    Flow,
}

impl Boundary {
    pub(crate) const fn as_str(self) -> &'static str {
        match self {
            Self::Http => "http",
            Self::Request => "request",
            Self::Push => "push",
            Self::Flow => "flow",
        }
    }
}

/// A transfer: a request and what came of it, either way.
#[derive(Clone, Debug)]
pub(crate) struct Exchange {
    pub(crate) number: u32,
    pub(crate) boundary: Boundary,
    /// Handshake, DNS and promotion before the flow's first request.
    pub(crate) opening: Vec<(Instant, Instant, Cause)>,
    pub(crate) request: Instant,
    first_byte: PerDirection<Option<Instant>>,
    last_new: PerDirection<Option<Instant>>,
    last_ack: PerDirection<Option<Instant>>,
    pub(crate) bytes: PerDirection<i64>,
    /// Last new byte of the request before the first one of the answer.
    asked: Instant,
    /// A request was sent since the last byte of the answer.
    asked_again: bool,
    /// Newest packet that passed while the receiver of a direction took nothing.
    held: PerDirection<Option<Instant>>,
    /// Reset by the receiver: the transfer ended there, whatever still drains.
    pub(crate) reset: Option<Instant>,
    /// The direction, once rows have left.
    settled: Option<Direction>,
    /// Rows up to here have left.
    pub(crate) flushed: Option<Instant>,
    pub(crate) shares: Shares,
}

/// Time by cause.
#[derive(Clone, Debug, Default)]
pub(crate) struct Shares(pub(crate) [i64; Cause::ALL.len()]);

impl Exchange {
    pub(crate) fn new(number: u32, boundary: Boundary, request: Instant) -> Self {
        Self {
            number,
            boundary,
            opening: Vec::new(),
            request,
            first_byte: PerDirection::default(),
            last_new: PerDirection::default(),
            last_ack: PerDirection::default(),
            bytes: PerDirection::default(),
            asked: request,
            asked_again: false,
            held: PerDirection::default(),
            reset: None,
            settled: None,
            flushed: None,
            shares: Shares::default(),
        }
    }

    /// Counts a packet of this transfer.
    pub(crate) fn take(&mut self, segment: &Segment<'_>) {
        let now = segment.time;
        if self.reset.is_some() {
            return;
        }
        *self.bytes.of_mut(segment.direction.reverse()) += i64::from(segment.probed_bytes);
        if segment.new_bytes > 0 {
            *self.bytes.of_mut(segment.direction) += i64::from(segment.new_bytes);
            self.first_byte.of_mut(segment.direction).get_or_insert(now);
            let last = self.last_new.of_mut(segment.direction);
            *last = (*last).max(Some(now));
            self.asked_again = segment.direction == Direction::Uplink && self.has_response();
            if segment.direction == Direction::Uplink && !self.has_response() {
                self.asked = now;
            }
        }
        if segment.acked_bytes > 0 {
            let last = self.last_ack.of_mut(segment.direction.reverse());
            *last = (*last).max(Some(now));
        }
        if segment.flags.has(TcpFlags::RST) {
            self.reset = Some(now);
        }
    }

    /// The receiver of a direction takes nothing: the transfer goes on although nothing new passes.
    pub(crate) fn hold(&mut self, direction: Direction, now: Instant) {
        let held = self.held.of_mut(direction);
        *held = (*held).max(Some(now));
    }

    /// The direction with more bytes; fixed once rows have left.
    pub(crate) fn direction(&self) -> Direction {
        let only_held = self.bytes.downlink == 0 && self.held.downlink < self.held.uplink;
        let larger = if self.bytes.uplink > self.bytes.downlink || only_held {
            Direction::Uplink
        } else {
            Direction::Downlink
        };
        self.settled.unwrap_or(larger)
    }

    pub(crate) fn settle_direction(&mut self) -> Direction {
        *self.settled.insert(self.direction())
    }

    /// Where its slices begin: the opening, when it has one.
    pub(crate) fn start(&self) -> Instant {
        self.opening
            .iter()
            .map(|(from, _, _)| *from)
            .min()
            .unwrap_or(self.request)
            .min(self.request)
    }

    /// When the request was complete: from then on it waits.
    pub(crate) const fn asked(&self) -> Instant {
        self.asked
    }

    /// Whether a request is open although an answer has begun (methods T1).
    pub(crate) const fn is_asked_again(&self) -> bool {
        self.asked_again
    }

    pub(crate) fn has_response(&self) -> bool {
        self.bytes.downlink > 0
    }

    /// First payload byte in the direction of the transfer.
    pub(crate) fn first_byte(&self) -> Option<Instant> {
        *self.first_byte.of(self.direction())
    }

    /// Downlink: the last new payload byte; uplink: the last ACK of one (methods T1); either way
    /// not before the window of its receiver opened.
    pub(crate) fn end(&self) -> Instant {
        let end = match self.direction() {
            Direction::Downlink => self.last_new.downlink,
            Direction::Uplink => self.last_ack.uplink.max(self.last_new.uplink),
        };
        let end = end.max(*self.held.of(self.direction()));
        end.map_or(self.request, |end| end.max(self.request))
    }

    /// The span in which the request waits for its first byte.
    pub(crate) fn waiting_until(&self) -> Instant {
        self.first_byte().unwrap_or(Instant::MAX)
    }

    /// Less than 1 KB both ways (methods T1): kept, not in shares. What a closed window held may
    /// have been more.
    pub(crate) fn is_control(&self, control_bytes: f64) -> bool {
        self.held.of(self.direction()).is_none()
            && (self.bytes.downlink as f64) < control_bytes
            && (self.bytes.uplink as f64) < control_bytes
    }
}

impl Shares {
    pub(crate) fn add(&mut self, cause: Cause, length: Duration) {
        let own = &mut self.0[cause as usize];
        *own = own.saturating_add(length.as_nanos());
    }

    pub(crate) fn merge(&mut self, other: &Self) {
        for (own, more) in self.0.iter_mut().zip(&other.0) {
            *own = own.saturating_add(*more);
        }
    }

    pub(crate) fn total(&self) -> i64 {
        // Clocks of centuries are garbage, but no reason to stop.
        self.0.iter().fold(0, |sum, time| sum.saturating_add(*time))
    }

    /// Share of one cause; `None` of nothing.
    pub(crate) fn ratio(&self, cause: Cause) -> Option<f64> {
        let total = self.total();
        (total > 0).then(|| self.0[cause as usize] as f64 / total as f64)
    }

    /// The cause with the largest share; the earlier of equals. `None` of nothing.
    pub(crate) fn largest(&self) -> Option<Cause> {
        let best = Cause::ALL.iter().rev().max_by_key(|cause| self.0[**cause as usize])?;
        (self.0[*best as usize] > 0).then_some(*best)
    }
}
