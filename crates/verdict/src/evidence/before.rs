//! Finds the queues before the capture point, from how late the packets of all flows of a subscriber
//! came.

use airmile_track::Segment;
use airmile_types::{Direction, Duration, Instant, Vantage};

use super::bits::Mask;
use super::limits::Limits;
use super::near_downlink::NearDownlink;
use super::passing::{QueueSpan, Waited};
use super::short_queue::ShortQueue;
use super::uplink::Uplink;

/// The packets that have passed a queue before the capture point.
#[derive(Clone, Debug, Default)]
pub(super) struct Before {
    uplink: Uplink,
    /// The downlink packets, where the radio lies before the capture point.
    near: NearDownlink,
    /// The downlink packets elsewhere, for queues that are shorter than the least queue of a single
    /// packet.
    short_downlink: ShortQueue,
}

airmile_types::held!(Before { near });

impl Before {
    /// Takes a packet and how late it came: it had waited since the time at which it could have
    /// passed.
    pub(super) fn take(
        &mut self,
        segment: &Segment<'_>,
        late: Duration,
        limits: &Limits,
        mut mark: impl FnMut(QueueSpan),
    ) {
        let (now, least) = (segment.time, limits.queue_before);
        match segment.direction {
            Direction::Uplink => self.uplink.take((now, late), least).for_each(mark),
            Direction::Downlink if segment.flow.vantage == Some(Vantage::Ue) => {
                mark(self.near.take((now, late), limits));
            }
            Direction::Downlink => {
                if late >= least {
                    mark((now - late, now));
                }
                if let Some(short) = self.short_downlink.take((now, late)) {
                    mark(short);
                }
            }
        }
    }

    /// Takes earlier packets whose delay has become known only now.
    pub(super) fn take_earlier(
        &mut self,
        packets: &[Waited],
        direction: Direction,
        limits: &Limits,
        mut mark: impl FnMut(QueueSpan),
    ) {
        if direction == Direction::Downlink {
            self.near.take_earlier(packets, limits, mark);
            return;
        }
        let Some((newest, _)) = packets.last() else { return };
        let mut uplink = Uplink::default();
        for packet in packets {
            uplink.take(*packet, limits.queue_before).for_each(&mut mark);
        }
        if self.uplink.last().is_none_or(|last| last < *newest) {
            self.uplink = uplink;
        }
    }

    /// How long a downlink packet waited at least that came to the phone, which is the capture point,
    /// at `at`.
    pub(super) fn wait_at(&self, at: Instant) -> Duration {
        self.near.wait_at(at)
    }

    /// The times at which even the quickest downlink packets waited before the phone, which is the
    /// capture point.
    pub(super) fn standing_at(&self, bin: i64) -> Mask {
        self.near.standing_at(bin)
    }
}
