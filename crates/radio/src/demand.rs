//! Computes link demand: the share of a time span in which the queue before the radio was not empty
//! (methods G3).

/// How long a queue was in each state within a time span. All fields use the same unit of time,
/// which the caller chooses.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct QueueTimes {
    /// The length of the span.
    pub length: f64,
    /// The part of the span for which the state is known; at most `length`.
    pub known: f64,
    /// The time during which the queue most likely was not empty.
    pub busy: f64,
    /// The time during which the queue certainly was not empty.
    pub surely: f64,
    /// The time during which the queue was possibly not empty.
    pub perhaps: f64,
}

/// The link demand of a time span.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct LinkDemand {
    /// The share of the known time with a queue. If the ratio is near 1, the link is the
    /// bottleneck.
    pub ratio: f64,
    /// The share of the span if the queue was empty in every doubtful millisecond.
    pub low: f64,
    /// The share of the span if the queue was not empty in any doubtful millisecond.
    pub high: f64,
    /// Whether at least nine tenths of the span are known.
    pub is_known: bool,
}

/// The share of a span that must be known for a result that counts. It equals the share of bytes
/// that log and capture must explain.
const KNOWN_RATIO: f64 = 0.9;

impl QueueTimes {
    /// The times of an estimate that knows the state at every moment.
    pub const fn certain(busy: f64, length: f64) -> Self {
        Self { length, known: length, busy, surely: busy, perhaps: busy }
    }

    /// The times of two spans together.
    #[must_use]
    pub const fn plus(self, other: Self) -> Self {
        Self {
            length: self.length + other.length,
            known: self.known + other.known,
            busy: self.busy + other.busy,
            surely: self.surely + other.surely,
            perhaps: self.perhaps + other.perhaps,
        }
    }

    /// The link demand; `None` if the span has no length, or no part of it is known.
    pub fn link_demand(self) -> Option<LinkDemand> {
        let Self { length, known, busy, surely, perhaps } = self;
        let unknown = length - known;
        (length > 0.0 && known > 0.0).then(|| LinkDemand {
            ratio: busy / known,
            low: surely.min(busy) / length,
            high: ((perhaps.max(busy) + unknown) / length).min(1.0),
            is_known: known >= KNOWN_RATIO * length,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const TIMES: QueueTimes =
        QueueTimes { length: 100.0, known: 80.0, busy: 40.0, surely: 30.0, perhaps: 50.0 };

    #[test]
    fn what_is_unknown_widens_the_range_and_is_no_idle_time() {
        let expected = LinkDemand { ratio: 0.5, low: 0.3, high: 0.7, is_known: false };
        assert_eq!(TIMES.link_demand(), Some(expected));
        let shorter = QueueTimes { length: 85.0, ..TIMES }.link_demand().unwrap();
        assert!(shorter.is_known);
    }

    #[test]
    fn a_certain_estimate_has_no_range() {
        let expected = LinkDemand { ratio: 0.5, low: 0.5, high: 0.5, is_known: true };
        assert_eq!(QueueTimes::certain(8.0, 16.0).link_demand(), Some(expected));
    }

    #[test]
    fn without_length_or_knowledge_there_is_none() {
        assert_eq!(QueueTimes::certain(0.0, 0.0).link_demand(), None);
        assert_eq!(QueueTimes::certain(0.0, f64::NAN).link_demand(), None);
        assert_eq!(QueueTimes { known: 0.0, ..TIMES }.link_demand(), None);
    }
}
