//! Says how short a queue the slices of each cause would have hidden.

use std::collections::BTreeMap;

use airmile_types::{Direction, PerDirection};

use super::live::Piece;

/// The part of a cause's time, one in so many, that may lack a `least_queue_ms`.
const FEW: i128 = 10;

/// For each cause, the greatest `least_queue_ms` of its slices in the direction with most of its
/// time; none if more than a tenth of that time has none.
pub(super) fn least_queue_ms(judged: &[&Piece]) -> BTreeMap<&'static str, f64> {
    let mut causes: BTreeMap<&'static str, PerDirection<Hidden>> = BTreeMap::new();
    for piece in judged.iter().filter(|piece| piece.weight_ns() > 0) {
        let ways = causes.entry(piece.cause.as_str()).or_default();
        ways.of_mut(piece.direction).add(piece.weight_ns(), piece.least_queue_ms);
    }
    let known = causes.into_iter().filter_map(|(cause, ways)| Some((cause, mainly(&ways)?)));
    known.collect()
}

/// The greatest of the direction with most time; the downlink when both took as long.
fn mainly(ways: &PerDirection<Hidden>) -> Option<f64> {
    let uplink = ways.uplink.every_ns > ways.downlink.every_ns;
    ways.of(if uplink { Direction::Uplink } else { Direction::Downlink }).greatest()
}

/// How short a queue slices could have shown.
#[derive(Clone, Copy, Debug, Default)]
struct Hidden {
    every_ns: i128,
    unknown_ns: i128,
    greatest_ms: Option<f64>,
}

impl Hidden {
    fn add(&mut self, length_ns: i128, least_ms: Option<f64>) {
        self.every_ns += length_ns;
        match least_ms {
            Some(least) => {
                let greatest = self.greatest_ms.map_or(least, |known| known.max(least));
                self.greatest_ms = Some(greatest);
            }
            None => self.unknown_ns += length_ns,
        }
    }

    fn greatest(&self) -> Option<f64> {
        self.greatest_ms.filter(|_| self.unknown_ns * FEW <= self.every_ns)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn hidden(slices: &[(i128, Option<f64>)]) -> Hidden {
        let mut hidden = Hidden::default();
        slices.iter().for_each(|(length_ns, least_ms)| hidden.add(*length_ns, *least_ms));
        hidden
    }

    #[test]
    fn a_tenth_of_the_time_may_be_unknown() {
        assert_eq!(hidden(&[(4, Some(2.0)), (5, Some(12.0)), (1, None)]).greatest(), Some(12.0));
        assert_eq!(hidden(&[(8, Some(2.0)), (1, None)]).greatest(), None);
        assert_eq!(hidden(&[(8, None)]).greatest(), None);
    }

    #[test]
    fn the_direction_with_most_time_counts() {
        let ways = |uplink, downlink| PerDirection {
            uplink: hidden(&[(uplink, Some(12.0))]),
            downlink: hidden(&[(downlink, Some(2.0))]),
        };
        assert_eq!(mainly(&ways(7, 6)), Some(12.0));
        assert_eq!(mainly(&ways(7, 7)), Some(2.0));
    }
}
