//! Estimates the sender's retransmission timer from what passes the capture point.

use airmile_types::Duration;

/// The lower bound that Linux sets for the second term of the timeout (`TCP_RTO_MIN`, 200 ms;
/// methods C5 `linux`).
const RTO_MIN: Duration = Duration::from_millis(200);
/// The timeout before the first sample (RFC 6298 section 2.1).
const RTO_INITIAL: Duration = Duration::from_secs(1);

/// SRTT and RTTVAR of RFC 6298, computed from whole-path samples, one per advancing ACK.
#[derive(Clone, Copy, Debug)]
pub(super) struct Timer {
    smoothed: Option<(Duration, Duration)>,
    /// The current timeout, stored because each packet needs it several times.
    rto: Duration,
}

impl Default for Timer {
    fn default() -> Self {
        Self { smoothed: None, rto: RTO_INITIAL }
    }
}

impl Timer {
    /// Takes a sample, by RFC 6298 sections 2.2 and 2.3 with gains 1/8 and 1/4. No sample is
    /// negative, so neither SRTT nor RTTVAR is negative and no difference overflows.
    #[inline(always)]
    pub(super) fn sample(&mut self, rtt: Duration) {
        let (srtt, rttvar) = match self.smoothed {
            None => (rtt, rtt.over(2)),
            Some((srtt, rttvar)) => {
                let (srtt, rttvar) = (srtt.as_nanos(), rttvar.as_nanos());
                let error = rtt.as_nanos() - srtt;
                let deviation = error.abs() - rttvar;
                let nanos = Duration::from_nanos;
                (nanos(srtt + error / 8), nanos(rttvar + deviation / 4))
            }
        };
        self.smoothed = Some((srtt, rttvar));
        self.rto = srtt + rttvar.times(4).max(RTO_MIN);
    }

    pub(super) fn srtt(&self) -> Option<Duration> {
        self.smoothed.map(|(srtt, _)| srtt)
    }

    pub(super) const fn rto(&self) -> Duration {
        self.rto
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    proptest! {
        #[test]
        fn the_timer_is_that_of_rfc_6298(
            samples in prop::collection::vec(
                prop_oneof![0i64..2_000_000_000, Just(0), Just(i64::MAX)], 1..40,
            ),
        ) {
            let mut timer = Timer::default();
            let mut smoothed: Option<(i128, i128)> = None;
            prop_assert_eq!(timer.rto(), RTO_INITIAL);
            for sample in samples {
                timer.sample(Duration::from_nanos(sample));
                let rtt = i128::from(sample);
                let (srtt, rttvar) = smoothed.map_or((rtt, rtt / 2), |(srtt, rttvar)| {
                    (srtt + (rtt - srtt) / 8, rttvar + ((srtt - rtt).abs() - rttvar) / 4)
                });
                smoothed = Some((srtt, rttvar));
                let floor = i128::from(RTO_MIN.as_nanos());
                let rto = (srtt + (4 * rttvar).max(floor)).min(i128::from(i64::MAX));
                prop_assert_eq!(timer.srtt().map(|d| i128::from(d.as_nanos())), Some(srtt));
                prop_assert_eq!(i128::from(timer.rto().as_nanos()), rto);
            }
        }
    }
}
