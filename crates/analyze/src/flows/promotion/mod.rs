#![doc = include_str!("promotion.md")]

use airmile_track::{Analysis, FlowFacts, HandshakePacket, KnownTick, NoEvents, Scope, Segment, Shared, Stack, SynOptions};
use airmile_types::{Direction, Duration, Parameters, Side, Vantage, columns};

columns! {
    /// How long the radio took to wake up before the flow.
    #[derive(Default)]
    pub struct PromotionRow {
        /// Extra time that the phone's first SYN needed to cross the radio, compared with the ACK
        /// of the handshake. Some milliseconds, also below 0, when the radio was awake. Null with
        /// `promotion_reason`.
        #[unit("ms")] #[cite("B2, LTE13 section 4.2")] pub promotion_delay_ms: Option<f64>,
        /// How far the true value may be from `promotion_delay_ms`, in either direction.
        #[unit("ms")] #[cite("B2")] pub promotion_uncertainty_ms: Option<f64>,
        /// The clock that gives the delay: tsval (the flow's own tick), tsval_session (the tick of
        /// another flow of the same host), tsval_nominal (the only known tick that a short flow's
        /// packets agree with), handshake (at the phone: the duration of the handshake beyond the
        /// server's median RTT while connected).
        #[unit("")] #[cite("B2")] pub promotion_source: Option<&'static str>,
        /// Whether the delay is doubtful. It is when it is below `promotion.floor_ms` or within its
        /// uncertainty, because the radio was then probably not idle. It also is when the delay
        /// exceeds the initial RTO of a second although no copy of the SYN passed: the first SYN
        /// may be lost, and the delay too small.
        #[unit("")] #[cite("B2, RFC 6298 section 2.1")] pub promotion_doubtful: Option<bool>,
        /// Why `promotion_delay_ms` is null: `no_syn` (no SYN of the phone was captured), `awake`
        /// (silent for less than `promotion.silence_s`), `silence_unknown` (the capture began
        /// later), `no_handshake`, `no_timestamps`, `clock_unknown` (no tick), `no_rtt` (at the
        /// phone: no RTT of the server), `syn_lost` (at the phone: the answer echoes a later SYN, so
        /// that the first was lost), `syn_repeated` (at the phone: without timestamps nothing shows
        /// whether the first SYN was lost or late), `below_zero` (by more than the uncertainty: something else
        /// delayed the ACK).
        #[unit("")] #[cite("B2")] pub promotion_reason: Option<&'static str>,
    }
}

/// The relative error of a host's tick (methods B2: 0.1 % of the span measured with its clock).
const TICK_ERROR: f64 = 0.001;
/// The number of RTTs that the median is taken from; later RTTs say less about the handshake.
const RTT_SAMPLES: usize = 31;
/// A SYN that waits for longer than this is retransmitted (RFC 6298 section 2.1).
const INITIAL_RTO_MS: f64 = 1000.0;

/// At the phone, the first RTTs; and the delay that was measured.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct Promotion {
    hop_limit: Option<u8>,
    rtts: Option<Box<Rtts>>,
    outcome: Option<Result<Delay, &'static str>>,
}

#[derive(Clone, Debug, Default, PartialEq)]
struct Rtts(Vec<Duration>);

airmile_types::held!(Promotion { rtts } Rtts { 0 });

/// A measured promotion delay.
#[derive(Clone, Copy, Debug, PartialEq)]
struct Delay {
    ms: f64,
    uncertainty_ms: f64,
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
            && self.rtts.as_ref().is_none_or(|rtts| !rtts.is_full())
            && segment.flow.vantage == Some(Vantage::Ue)
            && is_candidate(segment.flow, parameters)
        {
            self.rtts.get_or_insert_default().add(sample.rtt);
        }
    }

    fn share(&mut self, flow: &FlowFacts, parameters: &Parameters, shared: &mut Shared) {
        let own = shared.tick;
        if let (Some(stack), Some(tick)) = (self.stack(flow), own) {
            shared.learn(stack, tick);
        }
        self.outcome = Some(self.measure(flow, own, shared, parameters));
    }

    fn row(&self, flow: &FlowFacts, _: Direction, parameters: &Parameters) -> PromotionRow {
        match self.outcome {
            None => PromotionRow::default(),
            Some(Err(reason)) => PromotionRow { promotion_reason: Some(reason), ..PromotionRow::default() },
            Some(Ok(delay)) => PromotionRow {
                promotion_delay_ms: Some(delay.ms),
                promotion_uncertainty_ms: Some(delay.uncertainty_ms),
                promotion_source: Some(delay.source),
                promotion_doubtful: Some(!delay.is_promotion(parameters) || delay.is_cut(flow)),
                promotion_reason: None,
            },
        }
    }
}

impl Promotion {
    /// How long the radio took to wake up; `own` is the tick of the flow's own clock. `None` when
    /// the delay does not show that the radio was asleep.
    pub(crate) fn wake_up(
        &self,
        flow: &FlowFacts,
        own: Option<KnownTick>,
        shared: &Shared,
        parameters: &Parameters,
    ) -> Option<Duration> {
        let delay = self.measure(flow, own, shared, parameters).ok()?;
        delay.is_promotion(parameters).then(|| Duration::from_secs_f64(delay.ms / 1e3))
    }

    fn measure(
        &self,
        flow: &FlowFacts,
        own: Option<KnownTick>,
        shared: &Shared,
        parameters: &Parameters,
    ) -> Result<Delay, &'static str> {
        let syn = flow.syn.filter(|_| flow.initiator == Some(Side::Ue)).ok_or("no_syn")?;
        match flow.after_silence(parameters) {
            None => return Err("silence_unknown"),
            Some(false) => return Err("awake"),
            Some(true) => {}
        }
        let delay = match flow.vantage {
            Some(Vantage::Ue) => self.beyond_median(flow, shared, parameters)?,
            Some(Vantage::Monitor | Vantage::Server) | None => {
                let ack = flow.handshake_ack.ok_or("no_handshake")?;
                let ticks = ticks(syn, ack).ok_or("no_timestamps")?;
                let (tick, source) = self.clock(flow, own, shared).ok_or("clock_unknown")?;
                let tick_ns = tick.tick.best_ns(parameters.nominal_tolerance_ratio);
                between_clocks(ticks, ack.time - syn.time, tick_ns, source, parameters)
            }
        };
        if delay.ms < -delay.uncertainty_ms { Err("below_zero") } else { Ok(delay) }
    }

    /// The tick of the flow's own clock when it was fitted; else the tick of another flow of the
    /// same host; else the known tick with which the packets of a short flow agree.
    fn clock(
        &self,
        flow: &FlowFacts,
        own: Option<KnownTick>,
        shared: &Shared,
    ) -> Option<(KnownTick, &'static str)> {
        if let Some(tick) = own.filter(|own| own.fitted) {
            return Some((tick, "tsval"));
        }
        let known = self.stack(flow).and_then(|stack| shared.clock(stack)).filter(|tick| tick.fitted || own.is_none());
        known.map(|tick| (tick, "tsval_session")).or(own.map(|tick| (tick, "tsval_nominal")))
    }

    fn stack(&self, flow: &FlowFacts) -> Option<Stack> {
        let options = flow.options(Direction::Uplink)?;
        // The window of a SYN depends on the socket, not on the host.
        Some(Stack { options: SynOptions { window: 0, ..options }, hop_limit: self.hop_limit? })
    }

    /// The delay at the phone, where the SYN passes the capture point before the radio wakes up:
    /// the duration of the handshake beyond the server's usual RTT, which the flow's own data
    /// shows, or else other handshakes.
    fn beyond_median(
        &self,
        flow: &FlowFacts,
        shared: &Shared,
        parameters: &Parameters,
    ) -> Result<Delay, &'static str> {
        let (syn, syn_ack) = flow.syn.zip(flow.syn_ack).ok_or("no_handshake")?;
        match flow.lost_syn() {
            Some(true) => return Err("syn_lost"),
            None if flow.repeated_syn.is_some() => return Err("syn_repeated"),
            _ => {}
        }
        let mut rtts = self.rtts.as_ref().map_or_else(|| shared.handshakes.clone(), |own| own.0.clone());
        rtts.sort_unstable();
        let median = *rtts.get(rtts.len() / 2).ok_or("no_rtt")?;
        let spread = rtts.last().zip(rtts.first()).map_or(0.0, |(most, least)| (*most - *least).as_millis_f64());
        Ok(Delay {
            ms: (syn_ack.time - syn.time - median).as_millis_f64(),
            uncertainty_ms: spread.max(parameters.phone_spread_ms),
            source: "handshake",
        })
    }
}

impl Rtts {
    const fn is_full(&self) -> bool {
        self.0.len() == RTT_SAMPLES
    }

    fn add(&mut self, rtt: Duration) {
        self.0.push(rtt);
    }
}

impl Delay {
    /// Whether the delay is too long for a radio that was awake: longer than a grant and its
    /// retransmissions.
    fn is_promotion(&self, parameters: &Parameters) -> bool {
        self.ms >= parameters.promotion_floor_ms && self.ms > self.uncertainty_ms
    }

    /// Whether the SYN must have been retransmitted although no copy passed, so that the first may
    /// be lost too.
    fn is_cut(&self, flow: &FlowFacts) -> bool {
        self.ms >= INITIAL_RTO_MS && flow.syn.is_some_and(|syn| syn.copies == 1)
    }
}

/// G (TSval_ack - TSval_syn) - (t_ack - t_syn), by LTE13 section 4.2. (The paper prints the
/// difference the other way round.) Both packets crossed the same path, so the difference is the
/// delay of the SYN alone, less the delay of the ACK alone, which waits for its own grant.
fn between_clocks(
    ticks: i32,
    passed: Duration,
    tick_ns: f64,
    source: &'static str,
    parameters: &Parameters,
) -> Delay {
    let tick_ms = tick_ns / 1e6;
    let span_ms = f64::from(ticks) * tick_ms;
    Delay {
        ms: span_ms - passed.as_millis_f64(),
        uncertainty_ms: tick_ms + TICK_ERROR * span_ms.abs() + parameters.phone_spread_ms,
        source,
    }
}

/// Whether the phone opened the flow after a silence in which its radio may have become idle.
pub(crate) fn is_candidate(flow: &FlowFacts, parameters: &Parameters) -> bool {
    flow.initiator == Some(Side::Ue) && flow.syn.is_some() && flow.after_silence(parameters) == Some(true)
}

fn ticks(syn: HandshakePacket, ack: HandshakePacket) -> Option<i32> {
    let (syn, ack) = syn.timestamps.zip(ack.timestamps)?;
    Some(ack.value.wrapping_sub(syn.value) as i32)
}
