//! Bytes below the cumulative ACK that never passed the tap: what the capture missed or recorded
//! after its ACK (methods A10), and everything before the first byte of a flow met in mid-stream.

/// Gaps remembered for a flow; beyond it the oldest count as seen.
const GAPS: usize = 256;
/// The first byte of payload: nothing below it has been seen at the beginning.
pub(super) const FIRST: i64 = 1;

/// The gaps, in order and disjoint; the first is what lies below the flow's first byte.
#[derive(Clone, Debug)]
pub(super) struct Unseen(Vec<(i64, i64)>);

airmile_types::held!(Unseen { 0 });

impl Default for Unseen {
    fn default() -> Self {
        Self(vec![(i64::MIN, FIRST)])
    }
}

impl Unseen {
    /// `[start, end)`, above every gap so far, was acknowledged though it was not seen.
    pub(super) fn miss(&mut self, start: i64, end: i64) {
        match self.0.last_mut() {
            Some(last) if last.1 == start => last.1 = end,
            _ => self.0.push((start, end)),
        }
        if self.0.len() > GAPS {
            self.0.remove(1);
        }
    }

    /// How many of the bytes `[start, end)` were never seen.
    pub(super) fn count(&self, start: i64, end: i64) -> i64 {
        let from = self.0.partition_point(|gap| gap.1 <= start);
        let gaps = self.0.iter().skip(from).take_while(|gap| gap.0 < end);
        gaps.map(|gap| gap.1.min(end) - gap.0.max(start)).sum()
    }

    /// `[start, end)` passes the tap now.
    pub(super) fn see(&mut self, start: i64, end: i64) {
        if self.count(start, end) == 0 {
            return;
        }
        let rest = |gap: &(i64, i64)| [(gap.0, gap.1.min(start)), (gap.0.max(end), gap.1)];
        self.0 = self.0.iter().flat_map(rest).filter(|gap| gap.0 < gap.1).collect();
    }
}

/// As [`Unseen::count`], for a flow of which nothing is missing but what came before it.
pub(super) fn count(unseen: Option<&Unseen>, start: i64, end: i64) -> i64 {
    match unseen {
        Some(unseen) => unseen.count(start, end),
        None => (end.min(FIRST) - start).max(0),
    }
}
