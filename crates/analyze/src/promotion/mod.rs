#![doc = include_str!("promotion.md")]

use airmile_track::{FlowFacts, HandshakePacket, Segment, SynOptions};
use airmile_types::{Direction, Duration, Side, Vantage, columns};

use crate::handshake::after_idle;
use crate::shared::Stack;
use crate::tick::Tick;
use crate::{Analysis, NoEvents, Parameters, Scope, Shared};

columns! {
    /// How long the radio took to wake up.
    #[derive(Default)]
    pub struct PromotionRow {
        /// Time from the phone's sending of its first SYN to the SYN's passing of the radio,
        /// beyond what its handshake ACK took; null unless the phone opened the flow after
        /// `b2.idle_before_s` of silence and its clock is known.
        #[unit("ms")] #[cite("B2, LTE13 section 4.2")] pub promotion_delay_ms: Option<f64>,
        /// How far the true value may lie on either side.
        #[unit("ms")] #[cite("B2")] pub promotion_uncertainty_ms: Option<f64>,
        /// What it rests on: tsval (the flow's own tick), tsval_session (the tick of another flow
        /// of the same host), handshake (at the phone: the handshake beyond the flow's median
        /// RTT).
        #[unit("")] #[cite("B2")] pub promotion_source: Option<&'static str>,
        /// The delay is below `b2.floor_ms`: the radio was probably not idle.
        #[unit("")] #[cite("B2")] pub promotion_doubtful: Option<bool>,
    }
}

/// Relative error of a stack's tick (methods B2: 0.1 % of the span).
const TICK_ERROR: f64 = 0.001;
/// So many RTTs give a median; what the flow does later says less of its handshake.
const RTT_SAMPLES: usize = 31;

/// The host's stack, its clock, and at the phone the first RTTs.
#[derive(Debug, Default)]
pub(crate) struct Promotion {
    hop_limit: Option<u8>,
    clock: Option<Clock>,
    rtts: Vec<Duration>,
}

#[derive(Clone, Copy, Debug)]
struct Clock {
    tick_ns: f64,
    source: &'static str,
}

impl Analysis for Promotion {
    const NAME: &'static str = "promotion";
    const PAGE: &'static str = include_str!("promotion.md");
    const SCOPE: Scope = Scope::Flow;
    type Row = PromotionRow;
    type Event = NoEvents;

    fn on_segment(&mut self, segment: &Segment<'_>, parameters: &Parameters, _: &mut Vec<NoEvents>) {
        if segment.direction == Direction::Uplink {
            self.hop_limit.get_or_insert(segment.hop_limit);
        } else if let Some(sample) = segment.rtt
            && segment.flow.vantage == Some(Vantage::Ue)
            && is_candidate(segment.flow, parameters)
            && self.rtts.len() < RTT_SAMPLES
        {
            self.rtts.push(sample.rtt);
        }
    }

    fn share(&mut self, flow: &FlowFacts, parameters: &Parameters, shared: &mut Shared) {
        let own = shared.tick;
        if let (Some(stack), Some(tick)) = (self.stack(flow), own) {
            shared.learn(stack, tick);
        }
        self.clock = self.clock_of(flow, own, shared, parameters);
    }

    fn row(&self, flow: &FlowFacts, _: Direction, parameters: &Parameters) -> PromotionRow {
        if !is_candidate(flow, parameters) {
            return PromotionRow::default();
        }
        let measured = match flow.vantage {
            Some(Vantage::Ue) => self.beyond_median(flow),
            Some(Vantage::Monitor | Vantage::Server) | None => {
                self.clock.and_then(|clock| between_clocks(flow, clock))
            }
        };
        let Some((delay_ms, uncertainty_ms, source)) = measured else { return PromotionRow::default() };
        PromotionRow {
            promotion_delay_ms: Some(delay_ms),
            promotion_uncertainty_ms: Some(uncertainty_ms),
            promotion_source: Some(source),
            promotion_doubtful: Some(delay_ms < parameters.promotion_floor_ms),
        }
    }
}

impl Promotion {
    /// The delay of a radio that waked up, as it is known so far: `own` is the tick of the flow's
    /// own clock. At the phone there is none before the flow has ended.
    pub(crate) fn delay_ms(
        &self,
        flow: &FlowFacts,
        own: Option<Tick>,
        shared: &Shared,
        parameters: &Parameters,
    ) -> Option<f64> {
        if !is_candidate(flow, parameters) || flow.vantage == Some(Vantage::Ue) {
            return None;
        }
        let clock = self.clock_of(flow, own, shared, parameters)?;
        between_clocks(flow, clock).map(|(delay_ms, ..)| delay_ms)
    }

    /// The flow's own clock, else that of an earlier flow of the same host.
    fn clock_of(
        &self,
        flow: &FlowFacts,
        own: Option<Tick>,
        shared: &Shared,
        parameters: &Parameters,
    ) -> Option<Clock> {
        let stack = self.stack(flow)?;
        let source = if own.is_some() { "tsval" } else { "tsval_session" };
        own.or_else(|| shared.clock(stack)).map(|tick| Clock::new(tick, source, parameters))
    }

    fn stack(&self, flow: &FlowFacts) -> Option<Stack> {
        let options = flow.options(Direction::Uplink)?;
        // The window of a SYN varies with the socket, not with the host.
        Some(Stack { options: SynOptions { window: 0, ..options }, hop_limit: self.hop_limit? })
    }

    /// At the phone the SYN passes the tap before the radio wakes up: the whole handshake beyond
    /// the server's usual RTT.
    fn beyond_median(&self, flow: &FlowFacts) -> Option<(f64, f64, &'static str)> {
        let (syn, syn_ack) = (flow.syn?, flow.syn_ack?);
        let mut rtts = self.rtts.clone();
        rtts.sort_unstable();
        let median = rtts.get(rtts.len() / 2)?;
        let spread = *rtts.last()? - *rtts.first()?;
        let delay = syn_ack.time - syn.time - *median;
        Some((delay.as_millis_f64(), spread.as_millis_f64(), "handshake"))
    }
}

impl Clock {
    fn new(tick: Tick, source: &'static str, parameters: &Parameters) -> Self {
        Self { tick_ns: tick.best_ns(parameters.nominal_tolerance_ratio), source }
    }
}

/// LTE13 section 4.2: G (TSval_ack - TSval_syn) - (t_ack - t_syn). (The paper prints the
/// difference the other way round.) Both packets crossed the same path, so what is left is
/// what held back the first one only.
fn between_clocks(flow: &FlowFacts, clock: Clock) -> Option<(f64, f64, &'static str)> {
    let (syn, ack) = (flow.syn?, flow.handshake_ack?);
    let ticks = value(ack)?.wrapping_sub(value(syn)?) as i32;
    let (sent_ms, tick_ms) = (f64::from(ticks) * clock.tick_ns / 1e6, clock.tick_ns / 1e6);
    let passed_ms = (ack.time - syn.time).as_millis_f64();
    Some((sent_ms - passed_ms, tick_ms + TICK_ERROR * passed_ms.abs(), clock.source))
}

/// The phone opened the flow after its radio had gone to sleep.
pub(crate) fn is_candidate(flow: &FlowFacts, parameters: &Parameters) -> bool {
    let idle = Duration::from_secs_f64(parameters.idle_before_s);
    flow.initiator == Some(Side::Ue) && flow.syn.is_some() && after_idle(flow, idle) == Some(true)
}

fn value(packet: HandshakePacket) -> Option<u32> {
    packet.timestamps.map(|timestamps| timestamps.value)
}
