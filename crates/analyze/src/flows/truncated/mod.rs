#![doc = include_str!("truncated.md")]

use airmile_track::{Analysis, Events, FlowFacts, NoEvents, RttSum, Scope, Segment};
use airmile_types::{Direction, Instant, Parameters, PerDirection, Protocol, Vantage, columns};

use crate::flows::self_inflicted::{base, over_radio};

columns! {
    /// The beginning of a download, evaluated like a flow of its own.
    #[derive(Default)]
    pub struct TruncatedRow {
        /// Time from the first downlink payload to the first ACK beyond `truncated.bytes` of it.
        /// Null when less was acknowledged, when the capture lacks the begin of the flow, and when
        /// the clock of the capture stepped back by more than that time.
        #[unit("s")] #[cite("D2, HWY18 section 5.2")] pub first_s: Option<f64>,
        /// Rate of the beginning of the download: the bytes that the first ACK beyond
        /// `truncated.bytes` acknowledges, divided by `first_s`.
        #[unit("bps")] #[cite("D2, HWY18 section 5.2")] pub first_bps: Option<f64>,
        /// `self_inflicted_delay_ms` computed from the samples up to the first ACK beyond
        /// `truncated.bytes`. Null with `first_s` and, for the same reasons, with
        /// `self_inflicted_delay_ms`. Negative values are kept.
        #[unit("ms")] #[cite("D2, B6, HWY18 section 5.6")] pub first_self_inflicted_ms: Option<f64>,
    }
}

/// The beginning of the download, as far as it has passed.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct Truncated(Option<Box<Beginning>>);

#[derive(Clone, Debug, Default, PartialEq)]
struct Beginning {
    /// The time and the sequence offset of the first downlink payload.
    first: Option<(Instant, i64)>,
    /// The time of the ACK that ends the beginning, and the bytes that it acknowledges.
    end: Option<(Instant, i64)>,
    /// The RTT samples of the data of each direction until then.
    rtt: PerDirection<RttSum>,
}

airmile_types::held!(Truncated { 0 } Beginning {});

impl Analysis for Truncated {
    const NAME: &'static str = "truncated";
    const PAGE: &'static str = include_str!("truncated.md");
    const SCOPE: Scope = Scope::Flow;
    const WANTS: Events = Events::PAYLOAD.or(Events::ADVANCES).or(Events::RTT);
    type Row = TruncatedRow;
    type Event = NoEvents;

    #[inline]
    fn on_segment(&mut self, segment: &Segment<'_>, parameters: &Parameters, _: &mut Vec<NoEvents>) {
        match &mut self.0 {
            Some(beginning) if beginning.end.is_some() => {}
            Some(beginning) => beginning.goes_on(segment, parameters),
            None if segment.payload_bytes > 0 || segment.rtt.is_some() => {
                self.0.get_or_insert_default().goes_on(segment, parameters);
            }
            None => {}
        }
    }

    fn row(&self, flow: &FlowFacts, _: Direction, parameters: &Parameters) -> TruncatedRow {
        match &self.0 {
            Some(beginning) if flow.protocol == Protocol::Tcp && flow.initiator.is_some() => {
                beginning.row(flow, parameters)
            }
            _ => TruncatedRow::default(),
        }
    }
}

impl Beginning {
    fn goes_on(&mut self, segment: &Segment<'_>, parameters: &Parameters) {
        if let Some(sample) = segment.rtt {
            self.rtt.of_mut(segment.direction.reverse()).add(sample.rtt);
        }
        if segment.direction == Direction::Downlink && segment.payload_bytes > 0 {
            self.first.get_or_insert((segment.time, segment.start));
        }
        let advances = segment.events.any(Events::ADVANCES);
        if let Some((_, start)) = self.first
            && advances
            && segment.direction == Direction::Uplink
        {
            let acknowledged = segment.peer.unacked() - start;
            if acknowledged as f64 > parameters.truncated_bytes {
                self.end = Some((segment.time, acknowledged));
            }
        }
    }

    fn row(&self, flow: &FlowFacts, parameters: &Parameters) -> TruncatedRow {
        let Some(((begin, _), (end, bytes))) = self.first.zip(self.end) else {
            return TruncatedRow::default();
        };
        let took_s = (end - begin).as_secs_f64();
        // The clock stepped back by more than the beginning took.
        if took_s < 0.0 {
            return TruncatedRow::default();
        }
        TruncatedRow {
            first_s: Some(took_s),
            first_bps: (took_s > 0.0).then(|| bytes as f64 * 8.0 / took_s),
            first_self_inflicted_ms: self.self_inflicted_ms(flow, parameters),
        }
    }

    /// The delay that the beginning adds. At the phone its data have no round trip over the radio.
    fn self_inflicted_ms(&self, flow: &FlowFacts, parameters: &Parameters) -> Option<f64> {
        if flow.vantage == Some(Vantage::Ue) {
            return None;
        }
        let rtt = self.rtt.of(over_radio(flow));
        let base = base(flow, rtt.least?, parameters).ok()?;
        Some(rtt.mean_ms()? - base.as_millis_f64())
    }
}

#[cfg(test)]
mod tests {
    use crate::script::{Value, run};

    #[test]
    fn a_download_that_is_not_longer_has_the_delay_of_the_whole_flow() {
        let outcome = run("vantage = server\nset truncated.bytes = 1500\n\
             +0 > S 0:0(0)\n+0 < S. 0:0(0) ack 1\n+.05 > . ack 1\n\
             +0 > P. +100 ack 1\n+0 < . +1000 ack 101\n+0 < . +1000 ack 101\n+.08 > . ack 2001")
        .unwrap();
        let flows = outcome.table("flows").unwrap();
        let whole = flows.cell(0, "self_inflicted_delay_ms").unwrap();
        assert!(matches!(whole, Value::F64(ms) if (ms - 30.0).abs() < 1e-9), "{whole:?}");
        assert_eq!(flows.cell(0, "first_self_inflicted_ms"), Some(whole));
    }
}
