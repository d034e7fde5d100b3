//! What a modem log shows of a phone's queue at the base station, on the clock of the capture.

use std::collections::BTreeMap;
use std::sync::Arc;

use airmile_types::{Address, Instant, PerDirection};

use crate::demand::{LinkDemand, QueueTimes};
use crate::spans::{CumulativeBytes, TimeSpans};

/// What modem logs show of the phones in a capture.
#[derive(Clone, Debug, Default)]
pub struct PhoneRadios {
    phones: BTreeMap<Address, Arc<PhoneRadio>>,
}

impl PhoneRadios {
    /// Adds what is known of a phone.
    pub fn insert(&mut self, ue: Address, phone: PhoneRadio) {
        self.phones.insert(ue, Arc::new(phone));
    }

    /// Whether no modem log was given.
    pub fn is_empty(&self) -> bool {
        self.phones.is_empty()
    }

    /// What is known of a phone; `None` without a modem log of it.
    pub fn of(&self, ue: Address) -> Option<&Arc<PhoneRadio>> {
        self.phones.get(&ue)
    }
}

/// What a modem log shows of one phone.
#[derive(Clone, Debug, Default)]
pub struct PhoneRadio {
    /// The times when the queue before the radio was not empty, by direction of the data in it.
    pub backlogged: PerDirection<TimeSpans>,
    /// The times when the state of the queue is known.
    pub known: PerDirection<TimeSpans>,
    /// Downlink: when the queue certainly was not empty.
    pub surely: TimeSpans,
    /// Downlink: when the queue may have been not empty.
    pub perhaps: TimeSpans,
    /// Downlink: when a burst by the rule of the paper was open, without its last millisecond.
    pub bursts: TimeSpans,
    /// The times when the phone moved between cells and nothing could pass.
    pub handovers: TimeSpans,
    /// Downlink payload that passed the capture point, each byte once, cumulative.
    pub volume: CumulativeBytes,
}

/// Link demand of a transfer, by all that is known of the phone and by the burst rule alone.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct PhoneDemand {
    /// The link demand by everything that is known.
    pub all: LinkDemand,
    /// The link demand by the burst rule; `None` where less than nine tenths of the span are known.
    pub bursttracker: Option<f64>,
    /// The milliseconds in which the queue was not empty.
    pub throughput_time_ms: f64,
}

impl PhoneRadio {
    /// The link demand over `[from, to)`; `None` when nothing of it is known or it has no length.
    pub fn link_demand(&self, from: Instant, to: Instant) -> Option<PhoneDemand> {
        let times = QueueTimes {
            length: (to - from).as_millis_f64(),
            known: self.known.downlink.within_ms(from, to),
            busy: self.backlogged.downlink.within_ms(from, to),
            surely: self.surely.within_ms(from, to),
            perhaps: self.perhaps.within_ms(from, to),
        };
        let all = times.link_demand()?;
        let bursts = QueueTimes::certain(self.bursts.within_ms(from, to), times.length);
        let bursttracker = bursts.link_demand().filter(|_| all.is_known);
        Some(PhoneDemand {
            all,
            bursttracker: bursttracker.map(|demand| demand.ratio),
            throughput_time_ms: times.busy,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn at(ms: i64) -> Instant {
        Instant::from_nanos(1_700_000_000_000_000_000 + ms * 1_000_000)
    }

    #[test]
    fn a_demand_needs_nine_tenths_of_its_span_known() {
        let mut phone = PhoneRadio::default();
        phone.known.downlink = TimeSpans::union(vec![(at(0), at(80))]);
        phone.backlogged.downlink = TimeSpans::union(vec![(at(10), at(50))]);
        phone.surely = TimeSpans::union(vec![(at(10), at(40))]);
        phone.perhaps = TimeSpans::union(vec![(at(10), at(60))]);
        let demand = phone.link_demand(at(0), at(100)).unwrap();
        assert_eq!((demand.all.low, demand.all.high, demand.all.is_known), (0.3, 0.7, false));
        assert_eq!(demand.bursttracker, None, "what was not logged is no idle time");
        let demand = phone.link_demand(at(0), at(80)).unwrap();
        assert_eq!((demand.all.ratio, demand.bursttracker), (0.5, Some(0.0)));
        assert!(demand.all.is_known);
        assert!(demand.bursttracker.is_some_and(f64::is_sign_positive));
        assert_eq!(phone.link_demand(at(100), at(200)), None);
        assert_eq!(phone.link_demand(at(50), at(50)), None);
    }
}
