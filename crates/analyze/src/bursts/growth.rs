//! Burst growth (methods G3, BT19 section 4.2, Fig 7b): bursts that grow with their index after an
//! idle gap are a slow start, seen from the radio alone.

use super::{Burst, Span};

/// How the bursts of a transfer grow.
#[derive(Clone, Debug, PartialEq)]
pub struct Growth {
    /// Throughput Time of each burst that begins in the transfer, in order.
    pub lengths_ms: Vec<u64>,
    /// Spearman's rank correlation of length and index: 1 when each is longer than the one
    /// before. `None` for fewer than three bursts, or when all are alike.
    pub rank_correlation: Option<f64>,
}

/// The growth of the bursts that begin within a span.
pub fn burst_growth(bursts: &[Burst], span: Span) -> Growth {
    let within = |burst: &&Burst| span.from <= burst.start && burst.start < span.until;
    let lengths_ms: Vec<u64> =
        bursts.iter().filter(within).map(Burst::throughput_time_ms).collect();
    let rank_correlation = spearman(&lengths_ms);
    Growth { lengths_ms, rank_correlation }
}

/// Two points always lie on a line.
const FEWEST: usize = 3;

/// Pearson's correlation of the ranks with the indices; ties share their mean rank.
fn spearman(lengths: &[u64]) -> Option<f64> {
    if lengths.len() < FEWEST {
        return None;
    }
    let ranks = ranks(lengths);
    let mean = (lengths.len() as f64 - 1.0) / 2.0;
    let (mut both, mut rank_squares, mut index_squares) = (0.0, 0.0, 0.0);
    for (index, rank) in ranks.iter().enumerate() {
        let (x, y) = (index as f64 - mean, rank - mean);
        both += x * y;
        rank_squares += y * y;
        index_squares += x * x;
    }
    let scale = f64::sqrt(rank_squares * index_squares);
    (scale > 0.0).then(|| both / scale)
}

/// The rank of each value, from 0.
fn ranks(values: &[u64]) -> Vec<f64> {
    let mut sorted = values.to_vec();
    sorted.sort_unstable();
    let rank = |value: &u64| {
        let first = sorted.partition_point(|other| other < value);
        let behind = sorted.partition_point(|other| other <= value);
        (first + behind - 1) as f64 / 2.0
    };
    values.iter().map(rank).collect()
}

#[cfg(test)]
mod tests {
    use airmile_types::Instant;

    use super::super::bursts;
    use super::super::cases::script;
    use super::*;
    use crate::Parameters;

    #[test]
    fn growing_shrinking_and_neither() {
        assert_eq!(spearman(&[1, 2, 40]), Some(1.0));
        assert_eq!(spearman(&[9, 5, 2, 1]), Some(-1.0));
        assert_eq!(spearman(&[4, 4, 4]), None);
        assert_eq!(spearman(&[1, 2]), None);
    }

    #[test]
    fn ties_share_their_rank() {
        // Ranks 1, 3.5, 3.5, 2: 1.5 / sqrt(5 * 4.5).
        let found = spearman(&[1, 3, 3, 2]).unwrap();
        assert!((found - 1.5 / f64::sqrt(22.5)).abs() < 1e-12, "{found}");
    }

    #[test]
    fn bursts_that_begin_in_the_transfer() {
        let all = script("100 9 . 100 9 . 100 100 9 . 100 . 100 9 . 1");
        let found = bursts(&all, &Parameters::default()).0;
        let at = |ms: i64| Instant::from_nanos(ms * 1_000_000);
        let growth = burst_growth(&found, Span { from: at(1), until: at(11) });
        assert_eq!(growth.lengths_ms, [1, 2, 3]);
        assert_eq!(growth.rank_correlation, Some(1.0));
    }
}
