//! Follows how a sender numbers its packets, which shows packets that were lost before the capture
//! point.

use airmile_types::{Duration, Instant};

/// The number of packets in a row that must be numbered by one. If others of the same host sent as
/// often, a counter that all of them share would do so once in a thousand times.
const IN_A_ROW: u8 = 10;
/// Half of the numbers: a difference above it is a packet that comes late.
const HALF: u16 = 1 << 15;

/// The IPv4 identifications of one sender. Linux counts the packets of each TCP connection by one;
/// RFC 6864 allows any other numbers, too, and IPv6 has none.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Numbers {
    /// The time of the newest packet that did not follow by one.
    since: Instant,
    /// The milliseconds from the packet before that did not follow by one to that of `since`; 0 if
    /// too few packets lie between them.
    counted_ms: u16,
    /// The number that the next packet has, if nothing is lost.
    next: u16,
    /// The numbers left out before the packet of `since`.
    skipped: u16,
    in_a_row: u8,
}

impl Numbers {
    /// Takes a packet, or a record of several.
    #[inline]
    pub(super) fn take(&mut self, id: u16, packets: u16, now: Instant) {
        // IPv6 has no such number, and many hosts send 0 (RFC 6864 section 4.1).
        if id == 0 && self.in_a_row == 0 {
            self.next = packets;
            return;
        }
        let skipped = id.wrapping_sub(self.next);
        self.next = id.wrapping_add(packets);
        if skipped == 0 {
            self.in_a_row = self.in_a_row.saturating_add(1);
            return;
        }
        // Most senders that do not count by one never do.
        self.counted_ms = if self.in_a_row < IN_A_ROW { 0 } else { self.counted_ms(skipped, now) };
        (self.since, self.skipped, self.in_a_row) = (now, skipped, 0);
    }

    #[cold]
    fn counted_ms(&self, skipped: u16, now: Instant) -> u16 {
        let counted_ms = (now - self.since).as_nanos() / 1_000_000;
        if skipped < HALF { u16::try_from(counted_ms.max(0)).unwrap_or(u16::MAX) } else { 0 }
    }

    /// The number of packets of this sender that were lost in the silence that the packet of `now`,
    /// the newest, has ended; `None` if the numbers do not show it. They show it if none was left
    /// out before in a time as long: a counter that a host's connections share would have skipped.
    pub(super) fn lost_in(&self, silence: Duration, now: Instant) -> Option<u16> {
        if self.since == now {
            let counted = Duration::from_millis(self.counted_ms.into());
            // The silence itself is in the time between the two packets that did not follow by one.
            (self.counted_ms > 0 && counted >= silence.times(2)).then_some(self.skipped)
        } else {
            (self.in_a_row >= IN_A_ROW && now - self.since >= silence.times(2)).then_some(0)
        }
    }
}
