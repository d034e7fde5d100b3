//! Reads capacity traces in mahimahi's format: one line for each opportunity to send 1500 bytes,
//! with its millisecond from the start. The trace begins again after its last line.

use crate::config::ConfigError;

/// The bytes of one opportunity (Netravali et al., USENIX ATC 2015, section 4).
pub(crate) const OPPORTUNITY_BYTES: u32 = 1500;

/// A sequence of opportunities to send 1500 bytes each.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CapacityTrace {
    ms: Vec<u64>,
}

impl CapacityTrace {
    /// Checks that there are opportunities and that they are in order.
    ///
    /// # Errors
    /// Fails with the first line that is wrong.
    pub fn new(ms: Vec<u64>) -> Result<Self, ConfigError> {
        if ms.last().is_none_or(|&last| last == 0) {
            let problem = "a trace needs an opportunity after millisecond 0, where it repeats";
            return Err(ConfigError::new("trace", problem));
        }
        if let Some(at) = ms.windows(2).position(|pair| pair[0] > pair[1]) {
            let problem = format!("line {}: {} comes after {}", at + 2, ms[at + 1], ms[at]);
            return Err(ConfigError::new("trace", problem));
        }
        Ok(Self { ms })
    }

    /// Reads a trace; empty lines are ignored.
    ///
    /// # Errors
    /// Fails with the first line that is not a whole number, or is out of order.
    pub fn parse(text: &str) -> Result<Self, ConfigError> {
        let lines = text.lines().enumerate().filter(|(_, line)| !line.trim().is_empty());
        let read = |(index, line): (usize, &str)| {
            line.trim().parse().map_err(|_| {
                let problem = format!("line {}: {line:?} is not a millisecond", index + 1);
                ConfigError::new("trace", problem)
            })
        };
        Self::new(lines.map(read).collect::<Result<_, _>>()?)
    }

    /// The bytes that can leave in `width_ms` milliseconds from `from_ms` on. As in mahimahi, the
    /// opportunity at millisecond n belongs to the millisecond that ends there.
    pub fn bytes(&self, from_ms: u64, width_ms: u64) -> u32 {
        let upto = self.count_below(from_ms + width_ms);
        ((upto - self.count_below(from_ms)) as u32).saturating_mul(OPPORTUNITY_BYTES)
    }

    /// The number of opportunities in the first `ms` milliseconds, with all repetitions.
    fn count_below(&self, ms: u64) -> u64 {
        let period = self.ms.last().copied().unwrap_or(1);
        let within = self.ms.partition_point(|&at| at <= ms % period) as u64;
        // Opportunities at 0 come at the same time as the last ones of the previous round.
        ms / period * self.ms.len() as u64 + within
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn a_trace_repeats_after_its_last_line() {
        let trace = CapacityTrace::parse("1\n1\n3\n").unwrap();
        let bytes: Vec<u32> = (0..6).map(|ms| trace.bytes(ms, 1)).collect();
        assert_eq!(bytes, [3000, 0, 1500, 3000, 0, 1500]);
    }

    proptest! {
        #[test]
        fn any_trace_is_read_and_carries_each_opportunity_once_a_round(
            mut ms in prop::collection::vec(0u64..100_000, 1..200), last in 1u64..200_000,
        ) {
            ms.push(last);
            ms.sort_unstable();
            let trace = CapacityTrace::new(ms).unwrap();
            let text: String = trace.ms.iter().map(|ms| format!("{ms}\n")).collect();
            prop_assert_eq!(&CapacityTrace::parse(&text).unwrap(), &trace);
            // A round contains every opportunity once, however it is divided.
            let period = *trace.ms.last().unwrap();
            let carried = |from: u64| u64::from(trace.bytes(from, period)) / 1500;
            prop_assert_eq!(carried(0), trace.ms.len() as u64);
            prop_assert_eq!(carried(7), trace.ms.len() as u64);
        }
    }

    #[test]
    fn a_wrong_line_is_named() {
        let said = CapacityTrace::parse("1\nx\n").unwrap_err().to_string();
        assert_eq!(said, "trace: line 2: \"x\" is not a millisecond");
        let said = CapacityTrace::parse("5\n4\n").unwrap_err().to_string();
        assert_eq!(said, "trace: line 2: 4 comes after 5");
        assert!(CapacityTrace::parse("").is_err());
        assert!(CapacityTrace::parse("0\n").is_err());
    }
}
