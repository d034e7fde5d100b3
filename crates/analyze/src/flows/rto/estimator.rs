//! Computes the sender's retransmission timeout by three rules (RFC 6298; methods C5).

use airmile_types::{Duration, Parameters};

/// Smoothed RTT and its variation, SRTT and RTTVAR.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Estimator {
    smoothed: Option<(Duration, Duration)>,
}

/// The timeouts by the three rules.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Timeouts {
    /// The timeout by RFC 6298: at least 1 s.
    pub(super) rfc: Duration,
    /// The timeout by RFC 6298 with a floor of 200 ms, which gives the 290 ms of LTE13 Fig 16.
    pub(super) lte13: Duration,
    /// The timeout of Linux: the floor of 200 ms applies to the second term.
    pub(super) linux: Duration,
}

impl Timeouts {
    /// The timeouts in the order rfc, lte13, linux.
    pub(super) const fn rules(&self) -> [Duration; 3] {
        [self.rfc, self.lte13, self.linux]
    }
}

impl Estimator {
    /// Takes a sample of the whole path (RFC 6298 sections 2.2 and 2.3: gains 1/8 and 1/4, and
    /// RTTVAR is updated with the SRTT from before).
    pub(super) fn sample(&mut self, rtt: Duration) {
        self.smoothed = Some(match self.smoothed {
            None => (rtt, rtt.over(2)),
            Some((srtt, rttvar)) => {
                let deviation = (srtt - rtt).abs();
                (srtt + (rtt - srtt).over(8), rttvar + (deviation - rttvar).over(4))
            }
        });
    }

    /// Whether there was no sample yet.
    pub(super) const fn is_empty(&self) -> bool {
        self.smoothed.is_none()
    }

    /// The timeouts; `None` before the first sample.
    pub(super) fn timeouts(&self, parameters: &Parameters) -> Option<Timeouts> {
        let (srtt, rttvar) = self.smoothed?;
        let ms = |ms: f64| Duration::from_secs_f64(ms / 1e3);
        let spread = rttvar.times(4);
        Some(Timeouts {
            rfc: (srtt + spread).max(ms(parameters.rto_floor_rfc_ms)),
            lte13: (srtt + spread).max(ms(parameters.rto_floor_ms)),
            linux: srtt + spread.max(ms(parameters.rto_floor_ms)),
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_first_sample_gives_three_times_itself() {
        let mut estimator = Estimator::default();
        assert_eq!(estimator.timeouts(&Parameters::default()), None);
        estimator.sample(Duration::from_millis(400));
        let timeouts = estimator.timeouts(&Parameters::default()).unwrap();
        assert_eq!(timeouts.rfc, Duration::from_millis(1200));
        assert_eq!(timeouts.linux, Duration::from_millis(1200));
    }

    /// LTE13, Figure 16: an RTT of 262 ms and a timeout of about 290 ms.
    #[test]
    fn a_steady_path_shows_where_each_rule_puts_its_floor() {
        let mut estimator = Estimator::default();
        for _ in 0..100 {
            estimator.sample(Duration::from_millis(262));
            estimator.sample(Duration::from_millis(276));
        }
        let timeouts = estimator.timeouts(&Parameters::default()).unwrap();
        assert_eq!(timeouts.rfc, Duration::from_secs(1));
        assert!((timeouts.lte13 - Duration::from_millis(296)).abs() < Duration::from_millis(4), "{timeouts:?}");
        assert!((timeouts.linux - Duration::from_millis(469)).abs() < Duration::from_millis(4), "{timeouts:?}");
    }
}
