//! Finds the scale of a window in a flow whose handshake was not captured (methods C6).

use airmile_types::{Duration, Instant};

/// The greatest scale (RFC 7323 section 2.3).
const GREATEST: u8 = 14;
/// A step of fewer units of the window field agrees with more than one scale.
const STEP_UNITS: i64 = 3;
/// The number of successive steps, and the units of the window field in all of them, that show a
/// right edge which stands still.
const STILL_STEPS: u8 = 2;
const STILL_UNITS: i64 = 16;
/// In this number of round trips a congestion window that held the flight would have grown by two
/// segments (RFC 9438 section 4.3), beyond the edge that it met.
const ROUNDS_AT_EDGE: u8 = 4;
/// As many round trips more are counted: where the capture misjudges which ACK the sender knew,
/// data seems to go beyond the edge.
const MOST_ROUNDS: u8 = 2 * ROUNDS_AT_EDGE;

/// What the ACKs of one side and the data that they allow show about the scale of its window.
#[derive(Clone, Debug)]
pub(super) struct Scale {
    /// The newest ACK, and the window field that came with it.
    newest: Option<(i64, i64)>,
    /// The least scale that data beyond the right edge of two ACKs has left.
    least: u8,
    asked: Asked,
    /// The greatest scale under which the right edge has never moved back.
    greatest: u8,
    /// While ACKs advance and the window falls: the bytes and the units of the window field.
    fall: (i64, i64),
    still: Still,
    /// The scales under which the right edge has stood still, one bit for each.
    stood: u16,
    met: Met,
}

/// The round trips in which data ended exactly at the right edge that the sender knew, at one scale.
#[derive(Clone, Copy, Debug)]
struct Met {
    scale: u8,
    /// The number of these round trips, less those in which data went beyond by more than a segment.
    rounds: u8,
    /// The ACK and the window field of the newest edge that was met.
    edge: (i64, i64),
    /// Whether the data followed the edge: it met two of one round trip, or two of different window
    /// fields. Writes of one size, each as large as the window at some scale, do neither.
    follows: bool,
    /// Whether there were enough of them.
    shown: bool,
    /// The begin of this round trip, and how far beyond the edge its data went at the most.
    since: Instant,
    most: i64,
}

impl Default for Met {
    fn default() -> Self {
        Self {
            scale: 0,
            rounds: 0,
            edge: (0, 0),
            follows: false,
            shown: false,
            since: Instant::default(),
            most: i64::MIN,
        }
    }
}

impl Met {
    /// Notes data that ends at an edge.
    fn note(&mut self, (ack, field): (i64, i64)) {
        let in_this_round = self.most == 0;
        self.follows |= field != self.edge.1 || (in_this_round && ack != self.edge.0);
        self.edge = (ack, field);
    }

    /// Ends a round trip at `now`, if it has lasted.
    fn turn(&mut self, now: Instant, round_trip: Duration, mss: i64) {
        if now - self.since < round_trip {
            return;
        }
        self.rounds = match self.most {
            0 => (self.rounds + 1).min(MOST_ROUNDS),
            most if most > mss => self.rounds.saturating_sub(1),
            _ => self.rounds,
        };
        let enough = self.rounds >= ROUNDS_AT_EDGE && self.follows;
        self.shown = enough || self.shown && self.rounds > 0;
        (self.since, self.most) = (now, i64::MIN);
    }
}

/// Data that does not fit under the edge of an ACK at any scale below this one; of several ACKs that
/// with the greatest such scale.
#[derive(Clone, Copy, Debug)]
struct Asked {
    scale: u8,
    ack: i64,
    /// The end of that data.
    end: i64,
}

impl Default for Asked {
    fn default() -> Self {
        Self { scale: 0, ack: i64::MIN, end: i64::MIN }
    }
}

impl Asked {
    /// Whether twice as much has been acknowledged since as was in flight then, which is more than a
    /// round trip: the capture may have missed an ACK then and another one now.
    const fn is_old(&self, ack: i64) -> bool {
        ack.saturating_sub(self.ack) > 2 * self.end.saturating_sub(self.ack)
    }
}

/// Successive ACKs under which the right edge stands still at one scale.
#[derive(Clone, Copy, Debug, Default)]
struct Still {
    scale: u8,
    steps: u8,
    units: i64,
}

impl Default for Scale {
    fn default() -> Self {
        let (fall, still) = ((0, 0), Still::default());
        let asked = Asked::default();
        let met = Met::default();
        Self { newest: None, least: 0, asked, greatest: GREATEST, fall, still, stood: 0, met }
    }
}

impl Scale {
    /// The scale: that of the two bounds if they are equal, the upper bound if the right edge has
    /// stood still at it, or one at which data has ended exactly at the edge for long. `None` if the
    /// packets leave more than one scale, or none.
    pub(super) const fn known(&self) -> Option<u8> {
        let stood = self.stood >> self.greatest & 1 == 1;
        if self.met.shown && self.allows(self.met.scale) {
            return Some(self.met.scale);
        }
        let is_one = self.least == self.greatest || (stood && self.least < self.greatest);
        if is_one { Some(self.greatest) } else { None }
    }

    /// The least scale that the packets leave; `None` if they leave none, because the capture
    /// misses ACKs or shows them in another order.
    pub(super) const fn least(&self) -> Option<u8> {
        if self.least <= self.greatest { Some(self.least) } else { None }
    }

    /// Whether the packets agree with a scale.
    pub(super) const fn allows(&self, scale: u8) -> bool {
        self.least <= scale && scale <= self.greatest
    }

    /// Takes an acknowledgement of the data and the window field that came with it.
    pub(super) fn announce(&mut self, ack: i64, field: u16) {
        let field = i64::from(field);
        let Some((before, window)) = self.newest else {
            self.newest = Some((ack, field));
            return;
        };
        if ack < before {
            return;
        }
        self.newest = Some((ack, field));
        let (bytes, units) = (ack - before, window - field);
        if bytes > 0 && units > 0 && field > 0 {
            self.take_fall(bytes, units);
            self.take_step(bytes, units);
        } else if bytes > 0 || units != 0 {
            (self.fall, self.still) = ((0, 0), Still::default());
        }
    }

    /// Takes new data up to this offset: the sender sends nothing beyond the right edge. That is the
    /// newest one, or the one that the sender knew (`known`). An ACK that the capture misses may
    /// have moved the edge by a segment (`margin`). That two are missed is unlikely where the second
    /// piece of data beyond an edge follows within a round trip.
    pub(super) fn send(&mut self, end: i64, known: Option<(i64, u16)>, margin: u32) {
        let known = known.map(|(ack, field)| (ack, i64::from(field))).or(self.newest);
        let Some((ack, field)) = known.filter(|(_, field)| *field > 0) else { return };
        let edge = |scale: u8| ack + ((field + 1) << scale) - 1 + i64::from(margin);
        if edge(self.least) >= end {
            return;
        }
        let scale = (self.least..=GREATEST).find(|scale| edge(*scale) >= end);
        self.ask_for(scale.unwrap_or(GREATEST + 1), (ack, end));
    }

    /// Takes new data up to this offset, sent when the sender knew this ACK with this window field.
    pub(super) fn meet(
        &mut self,
        end: i64,
        (ack, field): (i64, u16),
        (now, round_trip): (Instant, Duration),
        mss: u32,
    ) {
        if field == 0 {
            return;
        }
        let beyond = |scale: u8| end - ack - (i64::from(field) << scale);
        self.met.turn(now, round_trip, mss.into());
        if self.met.rounds == 0 && self.met.most < 0 {
            let met = (self.least..=self.greatest).find(|scale| beyond(*scale) == 0);
            let Some(scale) = met else { return };
            let edge = (ack, i64::from(field));
            self.met = Met { scale, since: now, most: 0, edge, ..Met::default() };
        }
        if beyond(self.met.scale) == 0 {
            self.met.note((ack, field.into()));
        }
        self.met.most = self.met.most.max(beyond(self.met.scale));
    }

    /// Notes that data up to an offset does not fit under the edge of an ACK at any scale below this
    /// one. Where data does not fit under the edges of two ACKs, the scale is at least the lesser of
    /// the two scales.
    fn ask_for(&mut self, scale: u8, (ack, end): (i64, i64)) {
        if self.asked.is_old(ack) {
            self.asked = Asked::default();
        }
        if self.asked.ack != ack {
            self.least = self.least.max(self.asked.scale.min(scale));
        }
        if scale > self.asked.scale {
            self.asked = Asked { scale, ack, end };
        } else if self.asked.ack == ack {
            self.asked.end = self.asked.end.max(end);
        }
    }

    /// A right edge that does not move back (RFC 9293 section 3.8.6) bounds the scale from above:
    /// the window falls by no more than is acknowledged. The scale cuts off less than one unit.
    fn take_fall(&mut self, bytes: i64, units: i64) {
        self.fall = (self.fall.0 + bytes, self.fall.1 + units);
        while self.greatest > 0 && (self.fall.1 - 1) << self.greatest >= self.fall.0 {
            self.greatest -= 1;
        }
    }

    fn take_step(&mut self, bytes: i64, units: i64) {
        let scale = (0..=GREATEST).find(|scale| (units + 1) << scale > bytes);
        let Some(scale) = scale.filter(|s| units >= STEP_UNITS && (units - 1) << s < bytes) else {
            self.still = Still::default();
            return;
        };
        let before = if self.still.scale == scale { self.still } else { Still::default() };
        let (steps, units) = (before.steps.saturating_add(1), before.units + units);
        self.still = Still { scale, steps, units };
        if steps >= STILL_STEPS && units >= STILL_UNITS {
            self.stood |= 1 << scale;
        }
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    /// A receiver with a buffer, whose window field is cut off or rounded up.
    struct Receiver {
        scale: u8,
        rounds_up: bool,
        edge: i64,
        ack: i64,
    }

    impl Receiver {
        /// Announces the window after more data and after the application has read.
        fn announce(&mut self, bytes: i64, read: i64) -> (i64, u16) {
            self.ack = (self.ack + bytes).min(self.edge);
            self.edge += read;
            let unit = 1 << self.scale;
            let window = self.edge - self.ack;
            let field = if self.rounds_up { (window + unit - 1) / unit } else { window / unit };
            if self.rounds_up {
                self.edge = self.ack + field * unit;
            }
            (self.ack, field.clamp(0, u16::MAX.into()) as u16)
        }
    }

    proptest! {
        /// Whatever is read, the bounds never exclude the scale that the receiver uses.
        #[test]
        fn the_bounds_hold(
            scale in 0u8..=14,
            rounds_up: bool,
            steps in prop::collection::vec((1i64..6000, 0i64..6000, 0i64..=100), 1..200),
        ) {
            let window = 400i64 << scale;
            let mut receiver = Receiver { scale, rounds_up, edge: window, ack: 0 };
            let mut found = Scale::default();
            let (mut ack, mut field) = receiver.announce(0, 0);
            found.announce(ack, field);
            for (bytes, read, percent) in steps {
                let known = ack + (i64::from(field) << scale);
                found.send(ack + (known - ack) * percent / 100, None, 1);
                (ack, field) = receiver.announce(bytes, read);
                found.announce(ack, field);
                prop_assert!(found.allows(scale), "{found:?}");
            }
        }

        /// A receiver that reads nothing for a while shows its scale.
        #[test]
        fn an_edge_that_stands_still_shows_the_scale(scale in 0u8..=9, rounds_up: bool) {
            let mut receiver = Receiver { scale, rounds_up, edge: 60_000 << scale, ack: 0 };
            let mut found = Scale::default();
            for _ in 0..8 {
                let (ack, field) = receiver.announce(2896, 0);
                found.announce(ack, field);
            }
            prop_assert_eq!(found.known(), Some(scale));
        }
    }

    #[test]
    fn an_edge_that_follows_the_acks_shows_nothing() {
        let mut found = Scale::default();
        for at in 0..50 {
            found.announce(at * 2896, 501);
            found.send(at * 2896 + 14_480, None, 1448);
        }
        assert_eq!((found.known(), found.least(), found.allows(14)), (None, Some(5), true));
    }

    /// The scale that is known after rounds of 20 ms whose data ends so far beyond the edge, if the
    /// scale is 1.
    fn known_after(rounds: i64, field: u16, beyond: impl Fn(i64) -> i64) -> Option<u8> {
        let mut found = Scale::default();
        let round_trip = Duration::from_millis(20);
        for round in 0..rounds {
            let (ack, now) = (round * 43_440, Instant::from_nanos(20_000_000 * round));
            let field = if round % 2 == 0 { 21_720 } else { field };
            found.announce(ack, field);
            for end in [ack + 14_480, ack + 2 * i64::from(field) + beyond(round)] {
                found.meet(end, (ack, field), (now, round_trip), 1448);
            }
        }
        found.known()
    }

    #[test]
    fn data_that_ends_at_the_edge_for_long_shows_the_scale() {
        assert_eq!(known_after(4, 21_721, |_| 0), None);
        assert_eq!(known_after(5, 21_721, |_| 0), Some(1));
        assert_eq!(known_after(20, 21_720, |_| 0), None, "writes of one size");
        assert_eq!(known_after(20, 21_721, |_| -1), None, "data ends elsewhere");
        assert_eq!(known_after(20, 21_721, |round| round * 1448), None, "a window that grows");
        let misjudged = |round: i64| if round % 6 == 5 { 2896 } else { 0 };
        assert_eq!(known_after(20, 21_721, misjudged), Some(1));
    }

    #[test]
    fn data_beyond_every_edge_leaves_no_scale() {
        let mut found = Scale::default();
        for ack in 0..2 {
            assert_eq!(found.least(), Some(0), "one ACK may have been missed");
            found.announce(ack, 1);
            found.send(1 << 20, None, 1448);
        }
        assert_eq!((found.known(), found.least()), (None, None));
    }
}
