//! The link that the flows of one subscriber share: what all of them have carried.
//!
//! A queue at the radio is first in, first out, so what arrives between two ACKs of one flow left
//! the queue between them, whoever's it was. The capacity is the sum (methods E3); one flow alone
//! is off by its share.

use airmile_track::UeFacts;
use airmile_types::{Direction, Duration, Instant, PerDirection};

use super::sample::Raw;
use crate::Parameters;

/// The flows of a subscriber that have carried enough to measure.
#[derive(Debug, Default)]
pub(crate) struct SharedLink(PerDirection<Sums>);

#[derive(Debug, Default)]
struct Sums {
    /// Delivered by all of them.
    delivered: u64,
    /// Payload of theirs that has passed the tap.
    passed: u64,
    active: Vec<Activity>,
}

/// Since when a flow has delivered without a pause, and until when.
#[derive(Clone, Copy, Debug)]
struct Activity {
    uid: u64,
    since: Instant,
    last: Instant,
}

/// A flow silent for longer has no part in any window.
const FORGOTTEN: Duration = Duration::from_secs(10);

impl SharedLink {
    /// Payload of a measured flow passes the tap.
    pub(super) const fn pass(&mut self, direction: Direction, bytes: u32) {
        self.0.of_mut(direction).passed += bytes as u64;
    }

    /// Payload of the subscriber that passed the tap in flows that are not measured: other
    /// protocols, and flows too small.
    pub(super) const fn beside(&self, direction: Direction, ue: &UeFacts) -> u64 {
        ue.payload_bytes.of(direction).wrapping_sub(self.0.of(direction).passed)
    }

    /// A flow delivers `bytes` more; gives what all have delivered.
    pub(super) fn deliver(
        &mut self,
        direction: Direction,
        uid: u64,
        now: Instant,
        bytes: u64,
        parameters: &Parameters,
    ) -> u64 {
        let sums = self.0.of_mut(direction);
        sums.delivered += bytes;
        let pause = Duration::from_secs_f64(parameters.queue_window_min_s);
        match sums.active.iter_mut().find(|activity| activity.uid == uid) {
            Some(activity) => {
                if now - activity.last > pause {
                    activity.since = now;
                }
                activity.last = now;
            }
            None => {
                sums.active.retain(|activity| now - activity.last < FORGOTTEN);
                sums.active.push(Activity { uid, since: now, last: now });
            }
        }
        sums.delivered
    }

    /// The window as a sample of the link, with what passed beside the measured flows; `None`
    /// when that was too much, or when a flow took part in less than half of the window.
    pub(super) fn admit(&self, direction: Direction, mut raw: Raw, parameters: &Parameters) -> Option<Raw> {
        raw.flows = self.0.of(direction).flows(&raw, parameters)?;
        raw.bytes = raw.bytes.wrapping_add(raw.beside);
        let few = raw.beside as f64 <= parameters.other_ratio * raw.bytes as f64;
        few.then_some(raw)
    }
}

impl Sums {
    /// How many flows the window is of.
    fn flows(&self, raw: &Raw, parameters: &Parameters) -> Option<u32> {
        let (from, to) = raw.span();
        let mut inside = self.active.iter().filter(|activity| activity.last > from).peekable();
        let least = (to - from).as_secs_f64() * parameters.span_ratio;
        let mut flows = 0;
        let mut all_span = true;
        while let Some(activity) = inside.next() {
            flows += 1;
            let span = activity.last.min(to) - activity.since.max(from);
            let alone = flows == 1 && inside.peek().is_none();
            all_span &= alone || span.as_secs_f64() >= least;
        }
        all_span.then_some(flows)
    }
}
