//! Keeps the bytes below the cumulative ACK that never passed the capture point: those that the
//! capture missed or recorded after their ACK (methods A10), and those before the first byte of a
//! flow that was met in mid-stream.

/// The greatest number of gaps remembered for a flow; beyond it the oldest count as seen.
const GAPS: usize = 256;
/// The offset of the first byte of payload; at the beginning no byte below it has been seen.
pub(super) const FIRST: i64 = 1;

/// The gaps in ascending order, without overlap; the first gap lies below the flow's first byte.
#[derive(Clone, Debug)]
pub(super) struct Unseen(Vec<(i64, i64)>);

airmile_types::held!(Unseen { 0 });

impl Default for Unseen {
    fn default() -> Self {
        Self(vec![(i64::MIN, FIRST)])
    }
}

impl Unseen {
    /// Notes that `[start, end)`, which lies above all gaps so far, was acknowledged but not seen.
    pub(super) fn miss(&mut self, start: i64, end: i64) {
        match self.0.last_mut() {
            Some(last) if last.1 == start => last.1 = end,
            _ => self.0.push((start, end)),
        }
        if self.0.len() > GAPS {
            self.0.remove(1);
        }
    }

    /// The number of bytes in `[start, end)` that were never seen.
    pub(super) fn count(&self, start: i64, end: i64) -> i64 {
        let from = self.0.partition_point(|gap| gap.1 <= start);
        let gaps = self.0.iter().skip(from).take_while(|gap| gap.0 < end);
        gaps.map(|gap| gap.1.min(end) - gap.0.max(start)).sum()
    }

    /// Notes that `[start, end)` passes the capture point now.
    pub(super) fn see(&mut self, start: i64, end: i64) {
        if self.count(start, end) == 0 {
            return;
        }
        let from = self.0.partition_point(|gap| gap.1 <= start);
        let to = self.0.partition_point(|gap| gap.0 < end);
        let (Some(first), Some(last)) = (self.0.get(from), to.checked_sub(1)) else { return };
        let last = self.0.get(last).unwrap_or(first);
        let rest = [(first.0, start), (end, last.1)];
        self.0.splice(from..to, rest.into_iter().filter(|gap| gap.0 < gap.1));
    }
}

/// As [`Unseen::count`]; without a list of gaps, only the bytes before the flow's first byte are
/// missing.
pub(super) fn count(unseen: Option<&Unseen>, start: i64, end: i64) -> i64 {
    match unseen {
        Some(unseen) => unseen.count(start, end),
        None => (end.min(FIRST) - start).max(0),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn with_gaps(gaps: &[(i64, i64)]) -> Unseen {
        let mut unseen = Unseen::default();
        gaps.iter().for_each(|gap| unseen.miss(gap.0, gap.1));
        unseen
    }

    #[test]
    fn what_passes_is_taken_out_of_the_gaps_it_lies_in() {
        let gaps = [(10, 20), (30, 40), (50, 60)];
        for (start, end, left) in [
            (20, 30, vec![(10, 20), (30, 40), (50, 60)]),
            (10, 20, vec![(30, 40), (50, 60)]),
            (12, 15, vec![(10, 12), (15, 20), (30, 40), (50, 60)]),
            (15, 55, vec![(10, 15), (55, 60)]),
            (5, 65, vec![]),
        ] {
            let mut unseen = with_gaps(&gaps);
            unseen.see(start, end);
            assert_eq!(unseen.0[0], (i64::MIN, FIRST));
            assert_eq!(unseen.0[1..], left, "{start}..{end}");
        }
    }

    #[test]
    fn it_holds_what_a_list_of_every_byte_holds() {
        let mut unseen = with_gaps(&[(3, 9), (12, 13), (20, 40), (41, 50)]);
        let missed =
            |byte: &i64| [3..9, 12..13, 20..40, 41..50].iter().any(|gap| gap.contains(byte));
        let mut bytes: Vec<i64> = (1..60).filter(missed).collect();
        for (start, end) in [(8, 12), (11, 14), (25, 26), (39, 42), (1, 4), (26, 30), (0, 60)] {
            let within = bytes.iter().filter(|byte| (start..end).contains(*byte)).count();
            assert_eq!(unseen.count(start.max(FIRST), end), within as i64, "{start}..{end}");
            unseen.see(start, end);
            bytes.retain(|byte| !(start..end).contains(byte));
        }
    }
}
