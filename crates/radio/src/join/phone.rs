//! Keeps what a modem log shows about a phone's queue at the base station, on the clock of the
//! capture, for the verdict.

use std::collections::BTreeMap;
use std::sync::Arc;

use airmile_types::{Address, Instant, PerDirection};

use crate::demand::{LinkDemand, QueueTimes};
use crate::spans::{CumulativeBytes, TimeSpans};

/// What modem logs show about the phones in a capture.
#[derive(Clone, Debug, Default)]
pub struct PhoneRadios {
    phones: BTreeMap<Address, Arc<PhoneRadio>>,
}

impl PhoneRadios {
    /// Adds the data of one phone.
    pub fn insert(&mut self, ue: Address, phone: PhoneRadio) {
        self.phones.insert(ue, Arc::new(phone));
    }

    /// Whether no modem log was given.
    pub fn is_empty(&self) -> bool {
        self.phones.is_empty()
    }

    /// The data of one phone; `None` if no modem log of the phone was given.
    pub fn of(&self, ue: Address) -> Option<&Arc<PhoneRadio>> {
        self.phones.get(&ue)
    }
}

/// What a modem log shows about one phone.
#[derive(Clone, Debug, Default)]
pub struct PhoneRadio {
    /// The times when the queue before the radio was not empty, by direction of the queued data.
    pub backlogged: PerDirection<TimeSpans>,
    /// The times when the state of the queue is known, by direction.
    pub known: PerDirection<TimeSpans>,
    /// The times when the downlink queue certainly was not empty.
    pub surely: TimeSpans,
    /// The times when the downlink queue was possibly not empty.
    pub perhaps: TimeSpans,
    /// The times when a downlink burst by the burst rule was open, without its last millisecond.
    pub bursts: TimeSpans,
    /// The times when the phone was changing cells and no data could pass.
    pub handovers: TimeSpans,
    /// The downlink payload that passed the capture point over time; each byte counts once.
    pub volume: CumulativeBytes,
}

/// The link demand of a transfer, from all that is known of the phone and from the burst rule
/// alone.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct PhoneDemand {
    /// The link demand from all evidence about the phone.
    pub all: LinkDemand,
    /// The link demand by the burst rule; `None` if less than nine tenths of the span are known.
    pub bursttracker: Option<f64>,
    /// The number of milliseconds in which the queue was not empty.
    pub throughput_time_ms: f64,
}

impl PhoneRadio {
    /// The link demand over `[from, to)`; `None` if no part of the span is known, or if it has no
    /// length.
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
