//! Estimates the sender's retransmission timer from what passes the capture point (methods C5).

use airmile_types::{Duration, Parameters};

/// The lower bound that Linux sets for the second term of the timeout (`TCP_RTO_MIN`, 200 ms;
/// methods C5 `linux`).
const RTO_MIN: Duration = Duration::from_millis(200);
/// The timeout before the first sample (RFC 6298 section 2.1).
const RTO_INITIAL: Duration = Duration::from_secs(1);

/// SRTT and RTTVAR of RFC 6298, computed from samples of the whole path.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Timer {
    smoothed: Option<(Duration, Duration)>,
    /// The current timeout, stored because each packet needs it several times.
    rto: Duration,
}

/// The timeouts of one sender by the three rules of methods C5.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Timeouts {
    /// The timeout by RFC 6298 section 2: SRTT + 4 RTTVAR, at least 1 s.
    pub rfc: Duration,
    /// The same with a floor of 200 ms, which gives the 290 ms of LTE13 figure 16.
    pub lte13: Duration,
    /// The timeout of Linux, whose floor of 200 ms applies to the second term.
    pub linux: Duration,
}

impl Timeouts {
    /// The timeouts in the order rfc, lte13, linux.
    pub const fn rules(&self) -> [Duration; 3] {
        [self.rfc, self.lte13, self.linux]
    }
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
    pub fn sample(&mut self, rtt: Duration) {
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

    /// The timeouts by the three rules, with the floors that the parameters set; `None` before the
    /// first sample.
    pub fn timeouts(&self, parameters: &Parameters) -> Option<Timeouts> {
        let (srtt, rttvar) = self.smoothed?;
        let ms = |ms: f64| Duration::from_secs_f64(ms / 1e3);
        let spread = rttvar.times(4);
        Some(Timeouts {
            rfc: (srtt + spread).max(ms(parameters.rto_floor_rfc_ms)),
            lte13: (srtt + spread).max(ms(parameters.rto_floor_ms)),
            linux: srtt + spread.max(ms(parameters.rto_floor_ms)),
        })
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

    #[test]
    fn the_first_sample_gives_three_times_itself() {
        let mut timer = Timer::default();
        assert_eq!(timer.timeouts(&Parameters::default()), None);
        timer.sample(Duration::from_millis(400));
        let timeouts = timer.timeouts(&Parameters::default()).unwrap();
        assert_eq!(timeouts.rules(), [Duration::from_millis(1200); 3]);
    }

    /// LTE13, Figure 16: an RTT of 262 ms and a timeout of about 290 ms.
    #[test]
    fn a_steady_path_shows_where_each_rule_puts_its_floor() {
        let mut timer = Timer::default();
        for _ in 0..100 {
            timer.sample(Duration::from_millis(262));
            timer.sample(Duration::from_millis(276));
        }
        let timeouts = timer.timeouts(&Parameters::default()).unwrap();
        let near = |found: Duration, ms: i64| {
            (found - Duration::from_millis(ms)).abs() < Duration::from_millis(4)
        };
        assert_eq!(timeouts.rfc, Duration::from_secs(1));
        assert!(near(timeouts.lte13, 296) && near(timeouts.linux, 469), "{timeouts:?}");
        assert_eq!(timeouts.linux, timer.rto());
    }

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
