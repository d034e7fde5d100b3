#![doc = include_str!("self_inflicted.md")]

use airmile_track::{Analysis, Events, FlowFacts, NoEvents, RttSum, Scope, Shared};
use airmile_types::{Direction, Duration, Parameters, Protocol, Side, Vantage, columns};

use crate::flows::handshake::legs;

columns! {
    /// The delay that the flow's own data added to the path.
    #[derive(Default)]
    pub struct SelfInflictedRow {
        /// Mean RTT of the flow's data over the radio, minus the RTT of its handshake over the same
        /// part of the path. Negative values are kept. Null with `self_inflicted_reason`.
        #[unit("ms")] #[cite("B6, HWY18 section 5.6")] pub self_inflicted_delay_ms: Option<f64>,
        /// Mean RTT of the flow's data over the radio, minus the least of these RTTs; null without
        /// samples, and for a download that was captured at the phone.
        #[unit("ms")] #[cite("B6")] pub self_inflicted_over_least_ms: Option<f64>,
        /// Number of RTT samples of the flow's data over the radio; null for protocols other than
        /// TCP, and for a download that was captured at the phone.
        #[unit("samples")] #[cite("B6, B4")] pub self_inflicted_samples: Option<u32>,
        /// Why `self_inflicted_delay_ms` is null: `not_tcp`, `no_samples`, `no_handshake` (not seen, or ambiguous), `promotion` (the handshake may include a promotion of the radio), `download_at_ue` (a download that was captured at the phone: only its requests have round trips over the radio).
        #[unit("")] #[cite("B6")] pub self_inflicted_reason: Option<&'static str>,
    }
}

/// RTT samples of the data over the radio, when the flow has ended.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct SelfInflicted {
    rtt: RttSum,
    /// Whether more payload was received than sent.
    download: bool,
}

airmile_types::held!(SelfInflicted {});

impl Analysis for SelfInflicted {
    const NAME: &'static str = "self_inflicted";
    const PAGE: &'static str = include_str!("self_inflicted.md");
    const SCOPE: Scope = Scope::Flow;
    const WANTS: Events = Events::NONE;
    type Row = SelfInflictedRow;
    type Event = NoEvents;

    fn share(&mut self, flow: &FlowFacts, _: &Parameters, shared: &mut Shared) {
        self.rtt = *shared.rtt.of(over_radio(flow));
        self.download = shared.unique_bytes.downlink > shared.unique_bytes.uplink;
    }

    fn row(&self, flow: &FlowFacts, _: Direction, parameters: &Parameters) -> SelfInflictedRow {
        let null = |reason| SelfInflictedRow { self_inflicted_reason: Some(reason), ..Default::default() };
        if flow.protocol != Protocol::Tcp {
            return null("not_tcp");
        }
        if self.download && flow.vantage == Some(Vantage::Ue) {
            return null("download_at_ue");
        }
        let (Some(least), Some(mean_ms)) = (self.rtt.least, self.rtt.mean_ms()) else {
            return SelfInflictedRow { self_inflicted_samples: Some(0), ..null("no_samples") };
        };
        let base = base(flow, least, parameters);
        SelfInflictedRow {
            self_inflicted_delay_ms: base.ok().map(|base| mean_ms - base.as_millis_f64()),
            self_inflicted_over_least_ms: Some(mean_ms - least.as_millis_f64()),
            self_inflicted_samples: u32::try_from(self.rtt.count).ok(),
            self_inflicted_reason: base.err(),
        }
    }
}

/// The direction of the data whose RTT from the capture point includes the radio.
pub(crate) fn over_radio(flow: &FlowFacts) -> Direction {
    if flow.vantage == Some(Vantage::Ue) { Direction::Uplink } else { Direction::Downlink }
}

/// The handshake's RTT over the same part of the path; the error is the reason why there is none.
pub(crate) fn base(flow: &FlowFacts, least: Duration, parameters: &Parameters) -> Result<Duration, &'static str> {
    let (answer, confirm) = legs(flow).ok_or("no_handshake")?;
    let initiator = flow.initiator.ok_or("no_handshake")?;
    let at_ue = flow.vantage == Some(Vantage::Ue);
    // The peer answers the SYN, and the initiator confirms. At the phone the server's part counts,
    // elsewhere the phone's.
    if (initiator == Side::Server) == at_ue {
        return confirm.ok_or("no_handshake");
    }
    // The SYN may have had to wake the radio; later packets find the radio awake.
    let floor = Duration::from_secs_f64(parameters.promotion_floor_ms / 1e3);
    match flow.after_silence(parameters) {
        Some(false) => Ok(answer),
        _ if answer - least <= floor => Ok(answer),
        _ => Err("promotion"),
    }
}
