#![doc = include_str!("tick.md")]

mod fit;

use airmile_read::Timestamps;
use airmile_track::{Analysis, Events, FlowFacts, KnownTick, NoEvents, Scope, Segment, Shared, Tick};
use airmile_types::{Direction, Duration, Instant, Parameters, Side, columns};

pub(crate) use fit::TickFit;


columns! {
    /// The tick of the UE's timestamp clock.
    #[derive(Default)]
    pub struct TickRow {
        /// Length of one tick of the UE's timestamp clock, by a line fitted below its packets; null
        /// without timestamps, or when the packets span less than `tick.delta_g_s`.
        #[unit("ms")] #[cite("E1")] pub tick_ms: Option<f64>,
        /// The known tick length (1, 2, 10/3, 4, 10 or 100 ms) that is within
        /// `tick.nominal_tolerance_ratio` of the fitted one; null when none is.
        #[unit("ms")] #[cite("E1")] pub tick_nominal_ms: Option<f64>,
        /// Tick length from two packets as in the paper: the first packet, and the next one at
        /// least `tick.delta_g_s` later.
        #[unit("ms")] #[cite("E1, LTE13 section 6.1")] pub tick_paper_ms: Option<f64>,
        /// Number of the UE's packets that the fit uses.
        #[unit("packets")] #[cite("E1")] pub tick_packets: Option<i64>,
    }
}

/// The UE's clock in one flow.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct TickClock(Option<Box<Clock>>);

#[derive(Clone, Debug, PartialEq)]
struct Clock {
    fit: TickFit,
    first: (Instant, u32),
    paper_ns: Option<f64>,
}

airmile_types::held!(TickClock { 0 } Clock { fit });

impl Analysis for TickClock {
    const NAME: &'static str = "tick";
    const PAGE: &'static str = include_str!("tick.md");
    const SCOPE: Scope = Scope::Flow;
    const WANTS: Events = Events::TIMESTAMPS;
    type Row = TickRow;
    type Event = NoEvents;

    #[inline(always)]
    fn on_segment(&mut self, segment: &Segment<'_>, parameters: &Parameters, _: &mut Vec<NoEvents>) {
        let Some(stamp) = segment.timestamps.filter(|_| segment.direction == Direction::Uplink) else { return };
        let clock = self.0.get_or_insert_with(|| Box::new(Clock::new(segment, stamp)));
        clock.push(segment.time, stamp.value, parameters);
    }

    fn share(&mut self, flow: &FlowFacts, parameters: &Parameters, shared: &mut Shared) {
        shared.tick = self.known(flow, parameters);
    }

    fn row(&self, _: &FlowFacts, _: Direction, parameters: &Parameters) -> TickRow {
        let Some(clock) = &self.0 else { return TickRow::default() };
        let tick = clock.tick(parameters);
        TickRow {
            tick_ms: tick.map(|tick| tick.fitted_ns / 1e6),
            tick_nominal_ms: tick.and_then(|tick| tick.nominal_ms(parameters.nominal_tolerance_ratio)),
            tick_paper_ms: clock.paper_ns.map(|ns| ns / 1e6),
            tick_packets: tick.map(|tick| tick.packets as i64),
        }
    }
}

impl TickClock {
    /// The tick as far as it is known: the fitted tick, or for a short flow the known tick with
    /// which its packets agree (methods B2). The SYN is left out, because it may have waited for
    /// the radio.
    pub(crate) fn known(&self, flow: &FlowFacts, parameters: &Parameters) -> Option<KnownTick> {
        let clock = self.0.as_ref()?;
        if let Some(tick) = clock.tick(parameters) {
            return Some(KnownTick { tick, fitted: true });
        }
        let jitter = Duration::from_secs_f64(parameters.phone_spread_ms / 1e3);
        let tick = clock.fit.agreed(flow.handshake_ack?.time, jitter)?;
        Some(KnownTick { tick, fitted: false })
    }
}

impl Clock {
    fn new(segment: &Segment<'_>, stamp: Timestamps) -> Self {
        let mut fit = TickFit::default();
        // The flow's state may begin after its handshake.
        for (time, value) in handshake(segment.flow).filter(|(time, _)| *time < segment.time) {
            fit.push(time, value);
        }
        let first = handshake(segment.flow).next().unwrap_or((segment.time, stamp.value));
        Self { fit, first, paper_ns: None }
    }

    /// The fit, once its packets span `tick.delta_g_s`.
    fn tick(&self, parameters: &Parameters) -> Option<Tick> {
        let least = Duration::from_secs_f64(parameters.delta_g_s);
        self.fit.tick().filter(|tick| tick.span >= least)
    }

    fn push(&mut self, time: Instant, value: u32, parameters: &Parameters) {
        self.fit.push(time, value);
        if self.paper_ns.is_some() {
            return;
        }
        let (since, ticks) = (time - self.first.0, value.wrapping_sub(self.first.1) as i32);
        if since.as_secs_f64() >= parameters.delta_g_s && ticks > 0 {
            self.paper_ns = Some(since.as_nanos() as f64 / f64::from(ticks));
        }
    }
}

/// The time and TSval of the UE's packets of the handshake, in order.
pub(crate) fn handshake(flow: &FlowFacts) -> impl Iterator<Item = (Instant, u32)> {
    let of_ue = match flow.initiator {
        Some(Side::Ue) => [flow.syn, flow.handshake_ack],
        Some(Side::Server) => [flow.syn_ack, None],
        None => [None, None],
    };
    of_ue.into_iter().flatten().filter_map(|packet| Some((packet.time, packet.timestamps?.value)))
}
