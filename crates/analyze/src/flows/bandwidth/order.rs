//! Notes where a flow's packets lie among the packets of the phone's other flows. Packets leave the
//! radio's queue in the order in which they pass the capture point (methods E3).

use std::collections::VecDeque;

use airmile_types::{Duration, Instant};

/// The number of rows that are remembered; a row is a run of packets of one flow without others
/// between them. Beyond it every second row is forgotten, which places bytes between them off by
/// half a row.
const MOST: usize = 2048;
/// A row ends after this time, so that the time at which a byte passed is known as well.
const ROW: Duration = Duration::from_millis(10);

/// The rows of one flow.
#[derive(Clone, Debug, Default, PartialEq)]
pub(super) struct Order {
    rows: VecDeque<Row>,
}

airmile_types::held!(Order { rows });

/// Packets of the flow between which no packet of another flow passed.
#[derive(Clone, Copy, Debug, PartialEq)]
struct Row {
    /// The time at which the first packet of the row passed.
    from: Instant,
    /// The offset of the row's first byte.
    offset: i64,
    /// The bytes that the phone's other flows had sent at the time `from`.
    others: u64,
}

impl Order {
    /// Notes a packet whose first byte has the offset `offset`, and which carries new data if
    /// `advances`. The phone's other flows have sent `others` bytes so far.
    #[inline]
    pub(super) fn pass(&mut self, now: Instant, offset: i64, others: u64, advances: bool) {
        match self.rows.back() {
            // The flow is alone on the link, so that one row is enough for all of it.
            Some(row) if row.others == others && (self.rows.len() == 1 || now - row.from < ROW) => {}
            Some(row) if now < row.from => {}
            // A retransmission passes behind new data.
            Some(row) if !advances => self.begin(Row { from: now, others, ..*row }),
            _ => self.begin(Row { from: now, offset, others }),
        }
    }

    #[cold]
    fn begin(&mut self, row: Row) {
        if self.rows.len() >= MOST {
            let mut number = 0;
            self.rows.retain(|_| {
                number += 1;
                number % 2 == 0
            });
        }
        self.rows.push_back(row);
    }

    /// The bytes that other flows had sent before the packet that passed at `sent`; `None` for a
    /// packet before the first row.
    #[inline]
    pub(super) fn others_before(&self, sent: Instant) -> Option<u64> {
        let first = self.rows.front().filter(|row| row.from <= sent)?;
        // Delivered rows are forgotten, so the answer is mostly the first or the second row.
        let Some(second) = self.rows.get(1).filter(|row| row.from <= sent) else { return Some(first.others) };
        if self.rows.get(2).is_none_or(|row| row.from > sent) {
            return Some(second.others);
        }
        let after = self.rows.partition_point(|row| row.from <= sent);
        self.rows.get(after.checked_sub(1)?).map(|row| row.others)
    }

    /// Forgets the rows that are delivered: everything below `acked`, and everything that passed
    /// before `sent`.
    #[inline]
    pub(super) fn forget(&mut self, acked: i64, sent: Instant) {
        while self.rows.get(1).is_some_and(|second| second.offset <= acked && second.from <= sent) {
            self.rows.pop_front();
        }
    }

    /// The approximate time at which the new byte `offset` passed; `None` for a flow that is alone.
    pub(super) fn passed_at(&self, offset: i64) -> Option<Instant> {
        let after = self.rows.partition_point(|row| row.offset <= offset);
        let row = self.rows.get(after.saturating_sub(1))?;
        (self.rows.len() > 1).then_some(row.from)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        /// For each packet, the bytes that others had sent before it are known, as far as rows are
        /// kept.
        #[test]
        fn a_packet_has_before_it_what_passed_before_it(
            packets in prop::collection::vec((1_i64..5_000_000, 0_u64..3, 0_usize..4), 1..400),
        ) {
            let mut order = Order::default();
            let (mut now, mut others, mut offset) = (Instant::from_nanos(0), 0, 1);
            let mut sent = Vec::new();
            for (gap, beside, back) in packets {
                now = now + Duration::from_nanos(gap);
                others += 1000 * beside;
                order.pass(now, offset, others, true);
                sent.push((now, others));
                offset += 1000;
                let (delivered, before) = sent[sent.len() - 1 - back.min(sent.len() - 1)];
                prop_assert_eq!(order.others_before(delivered), Some(before));
            }
            prop_assert_eq!(order.others_before(Instant::from_nanos(-1)), None);
            order.forget(offset, now);
            prop_assert_eq!(order.others_before(now), Some(others));
            prop_assert!(order.rows.len() <= 1);
        }
    }

    #[test]
    fn rows_are_bounded() {
        let mut order = Order::default();
        for packet in 0..10_000 {
            order.pass(Instant::from_nanos(packet * 1000), packet, packet as u64, true);
        }
        assert!(order.rows.len() <= MOST);
    }
}
