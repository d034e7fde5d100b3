//! Estimates the round trip between the capture point and a server: the path of a request and of
//! the first byte of its answer (methods T3).
//!
//! Samples come from handshakes and from ACKs without payload. An ACK that comes with the answer
//! also contains the server's own time, so the wait that it ends is only an upper bound of the
//! round trip.

use std::collections::VecDeque;
use std::iter::empty;

use airmile_track::{FlowFacts, Segment};
use airmile_types::{Address, Direction, Duration, Held, Instant, Parameters, Side, Vantage};

use super::one_way::ClockLine;

/// Samples of the round trip between the capture point and the server of one flow.
#[derive(Clone, Debug, Default)]
pub(crate) struct ServerLoop {
    /// The samples from ACKs; allocated with the first of them.
    samples: Option<Box<Samples>>,
    /// Whether the subscriber's other flows know the handshake.
    begun: bool,
    /// Whether they know the newest upper bound, too. Then a packet has nothing to give them.
    shared: bool,
}

/// Samples from ACKs without payload, and upper bounds from answers.
#[derive(Clone, Debug, Default)]
struct Samples {
    acks: VecDeque<Duration>,
    bounds: VecDeque<Duration>,
    /// The newest upper bound, until the subscriber's other flows know it.
    newest: Option<Duration>,
}

airmile_types::held!(ServerLoop { samples } Samples { acks, bounds });

/// The estimated round trip from the capture point to the server and back, and how much its samples
/// differ.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct LoopEstimate {
    /// The median of the samples; or, without a sample, the least of many waits.
    pub(crate) median: Duration,
    /// Whether there is no sample, so that the loop is at most `median`.
    pub(crate) at_most: bool,
    /// The 90th percentile less the median, or the smallest spread that this capture point must
    /// allow for.
    pub(crate) spread: Duration,
}

/// The handshakes of a subscriber and the waits for answers, by server: flows of one page share the
/// path to their server.
#[derive(Clone, Debug, Default)]
pub struct HandshakeLoops(Vec<(Address, Known)>);

/// What is known of the path to one server.
#[derive(Clone, Debug, Default)]
struct Known {
    handshakes: VecDeque<Handshake>,
    acks: VecDeque<Measured>,
    waits: VecDeque<Measured>,
    /// Its timestamp clock, as the newest flow whose clock became known shows it.
    clock: Option<(Option<Vantage>, ClockLine)>,
}

airmile_types::held!(Known { handshakes, acks, waits });

impl Held for HandshakeLoops {
    fn held_bytes(&self) -> usize {
        let servers = self.0.capacity() * size_of::<(Address, Known)>();
        servers + self.0.iter().map(|(_, samples)| samples.held_bytes()).sum::<usize>()
    }

    fn give_back(&mut self) {
        self.0.iter_mut().for_each(|(_, samples)| samples.give_back());
    }
}

/// One handshake with a server.
#[derive(Clone, Copy, Debug)]
struct Handshake {
    at: Instant,
    vantage: Option<Vantage>,
    sample: Duration,
    /// Whether the phone had been silent before, so that its radio may have slept.
    silent: bool,
}

/// The time until an ACK without payload or an answer came, of any flow with a server.
#[derive(Clone, Copy, Debug)]
struct Measured {
    at: Instant,
    vantage: Option<Vantage>,
    time: Duration,
}

/// The number of newest samples that are kept of a flow, and of the handshakes with one server.
const KEPT_SAMPLES: usize = 64;
const KEPT_HANDSHAKES: usize = 16;
/// The number of servers of a subscriber whose handshakes are kept; a page uses fewer servers.
const KEPT_SERVERS: usize = 32;
/// A handshake that is further than this before or after a flow may have taken another path.
const HANDSHAKE_LIFE: Duration = Duration::from_secs(60);
/// The least of this number of waits bounds a loop of which there is no sample.
const MANY_BOUNDS: usize = 10;
/// This number of upper bounds below the median shows that the median is too high.
const BOUNDS_THAT_DECIDE: usize = 3;

impl ServerLoop {
    /// Takes a segment of a flow whose handshake is complete.
    #[inline]
    pub(crate) fn take(
        &mut self,
        segment: &Segment<'_>,
        handshakes: &mut HandshakeLoops,
        parameters: &Parameters,
    ) {
        if !self.shared {
            self.share(segment, handshakes, parameters);
        }
        if let Some(sample) = of_lone_ack(segment) {
            if let Some(known) = handshakes.of(segment.flow.server) {
                keep(&mut known.acks, measured(segment, sample), KEPT_SAMPLES);
            }
            keep(&mut self.samples.get_or_insert_default().acks, sample, KEPT_SAMPLES);
        }
    }

    /// Gives the subscriber's other flows the handshake, once, and the newest upper bound.
    #[cold]
    fn share(
        &mut self,
        segment: &Segment<'_>,
        handshakes: &mut HandshakeLoops,
        parameters: &Parameters,
    ) {
        self.shared = true;
        if !std::mem::replace(&mut self.begun, true) {
            share_handshake(segment.flow, handshakes, parameters);
        }
        if let Some(wait) = self.samples.as_mut().and_then(|samples| samples.newest.take())
            && let Some(known) = handshakes.of(segment.flow.server)
        {
            keep(&mut known.waits, measured(segment, wait), KEPT_SAMPLES);
        }
    }

    /// Notes an answer that came this long after its request.
    pub(crate) fn note_bound(&mut self, wait: Duration) {
        let samples = self.samples.get_or_insert_default();
        keep(&mut samples.bounds, wait, KEPT_SAMPLES);
        samples.newest = Some(wait);
        self.shared = false;
    }

    /// The round trip that the samples show, or else those of the phone's other flows with this
    /// server. Without any sample it is the one that echoed
    /// timestamps show (`echoed`, methods T8), or the least of many waits, which bounds it.
    pub(crate) fn estimate(
        &self,
        flow: &FlowFacts,
        echoed: Option<Duration>,
        handshakes: &HandshakeLoops,
        parameters: &Parameters,
    ) -> Option<LoopEstimate> {
        if flow.vantage == Some(Vantage::Server) {
            let (median, spread) = (Duration::ZERO, Duration::ZERO);
            return Some(LoopEstimate { median, at_most: false, spread });
        }
        let least_spread = Duration::from_secs_f64(match flow.vantage {
            Some(Vantage::Ue) => parameters.phone_spread_ms / 1e3,
            _ => parameters.wired_spread_ms / 1e3,
        });
        let mut samples = self.samples(handshakes.near(flow), empty(), parameters);
        if samples.is_empty() {
            samples = self.samples(empty(), handshakes.acks(flow), parameters);
        }
        let Some(median) = percentile(&samples, 0.5) else {
            return self.without_samples(echoed, handshakes.waits(flow), least_spread);
        };
        let spread = percentile(&samples, 0.9)? - median;
        Some(LoopEstimate { median, at_most: false, spread: spread.max(least_spread) })
    }

    /// The loop without a sample of its own. An answer echoes the timestamp of its request, so that
    /// each wait is an echo too; one that is shorter than all waits comes from data that an ACK
    /// released. The waits of all flows with the server (`pooled`) bound the loop together.
    fn without_samples(
        &self,
        echoed: Option<Duration>,
        pooled: impl Iterator<Item = Duration>,
        spread: Duration,
    ) -> Option<LoopEstimate> {
        let bounds = &self.samples.as_ref()?.bounds;
        let least = bounds.iter().copied().min()?;
        if let Some(median) = echoed.filter(|echoed| *echoed + spread < least) {
            return Some(LoopEstimate { median, at_most: false, spread });
        }
        let (number, least) = pooled.fold((0, least), |(n, least), wait| (n + 1, least.min(wait)));
        let many = bounds.len().max(number) >= MANY_BOUNDS;
        many.then_some(LoopEstimate { median: least, at_most: true, spread })
    }

    /// The samples from handshakes, and from ACKs of other flows and its own that no timer delayed,
    /// sorted. When several waits were shorter than the median, these waits are samples as well.
    fn samples(
        &self,
        handshakes: impl Iterator<Item = Duration>,
        others: impl Iterator<Item = Duration>,
        parameters: &Parameters,
    ) -> Vec<Duration> {
        let mut samples: Vec<Duration> = handshakes.collect();
        let own = self.samples.iter().flat_map(|known| &known.acks).copied();
        let acks: Vec<Duration> = others.chain(own).collect();
        let least = samples.iter().chain(&acks).copied().min();
        let held_back = Duration::from_secs_f64(parameters.least_delayed_ack_ms / 1e3);
        let limit = least.map_or(Duration::ZERO, |least| least + held_back);
        samples.extend(acks.iter().filter(|ack| **ack < limit));
        samples.sort_unstable();
        let Some(median) = percentile(&samples, 0.5) else { return samples };
        let bounds = self.samples.iter().flat_map(|known| &known.bounds);
        let shorter = bounds.copied().filter(|bound| *bound < median);
        if shorter.clone().count() >= BOUNDS_THAT_DECIDE {
            samples.extend(shorter);
            samples.sort_unstable();
        }
        samples
    }
}

impl HandshakeLoops {
    fn add(&mut self, server: Address, handshake: Handshake) {
        if let Some(known) = self.of(server) {
            keep(&mut known.handshakes, handshake, KEPT_HANDSHAKES);
        }
    }

    /// What is known of a server, which becomes the newest one; the oldest is forgotten.
    fn of(&mut self, server: Address) -> Option<&mut Known> {
        let known = self.0.iter().position(|(address, _)| *address == server);
        let known = known.map(|index| self.0.remove(index).1).unwrap_or_default();
        if self.0.len() == KEPT_SERVERS {
            self.0.remove(0);
        }
        self.0.push((server, known));
        self.0.last_mut().map(|(_, known)| known)
    }

    /// Notes the timestamp clock of the flow's server.
    pub(super) fn note_clock(&mut self, flow: &FlowFacts, line: Option<ClockLine>) {
        if let Some((known, line)) = self.of(flow.server).zip(line) {
            known.clock = Some((flow.vantage, line));
        }
    }

    /// How late the answer to the flow's SYN was by the clock that another flow with its server
    /// showed; `None` if their clocks are not known to be the same. Linux gives each pair of addresses
    /// an offset of its own, some hosts each connection, and a balancer has a host for each.
    pub(super) fn late_by_clock(&self, flow: &FlowFacts) -> Option<Duration> {
        let (syn, answer) = flow.syn.zip(flow.syn_ack)?;
        let (vantage, line) = self.known(flow)?.clock?;
        let stamped = (answer.time, answer.timestamps?.value);
        line.late(stamped, answer.time - syn.time).filter(|_| vantage == flow.vantage)
    }

    /// The waits for answers of the flow's server.
    fn waits(&self, flow: &FlowFacts) -> impl Iterator<Item = Duration> {
        near(self.known(flow).into_iter().flat_map(|known| &known.waits), flow)
    }

    /// The times until the flow's server had acknowledged something without an answer.
    fn acks(&self, flow: &FlowFacts) -> impl Iterator<Item = Duration> {
        near(self.known(flow).into_iter().flat_map(|known| &known.acks), flow)
    }

    fn known(&self, flow: &FlowFacts) -> Option<&Known> {
        self.0.iter().find(|(address, _)| *address == flow.server).map(|(_, known)| known)
    }

    /// The samples of handshakes with the flow's server, near in time and at the same capture
    /// point. An address may be reached over several networks, and captures of several points may
    /// be read together.
    fn near(&self, flow: &FlowFacts) -> impl Iterator<Item = Duration> {
        self.of_server(flow).map(|handshake| handshake.sample)
    }

    /// The least round trip that a handshake with the flow's server shows.
    pub(super) fn least(&self, flow: &FlowFacts) -> Option<Duration> {
        self.near(flow).min()
    }

    /// The handshakes that `near` gives, of other flows only, and only of those whose radio was
    /// awake.
    pub fn awake(&self, flow: &FlowFacts) -> impl Iterator<Item = Duration> {
        let start = flow.start;
        self.of_server(flow).filter(move |h| !h.silent && h.at != start).map(|h| h.sample)
    }

    fn of_server(&self, flow: &FlowFacts) -> impl Iterator<Item = &Handshake> {
        let span = flow.start - HANDSHAKE_LIFE..=flow.end + HANDSHAKE_LIFE;
        let all = self.known(flow).into_iter().flat_map(|known| &known.handshakes);
        all.filter(move |h| h.vantage == flow.vantage && span.contains(&h.at))
    }
}

fn measured(segment: &Segment<'_>, time: Duration) -> Measured {
    Measured { at: segment.time, vantage: segment.flow.vantage, time }
}

/// The times that were measured near in time to a flow, and at the same capture point.
fn near<'a>(
    measured: impl Iterator<Item = &'a Measured>,
    flow: &FlowFacts,
) -> impl Iterator<Item = Duration> {
    let span = flow.start - HANDSHAKE_LIFE..=flow.end + HANDSHAKE_LIFE;
    let vantage = flow.vantage;
    measured.filter(move |m| m.vantage == vantage && span.contains(&m.at)).map(|m| m.time)
}

/// Adds the handshake of a flow to those that other flows use.
#[cold]
fn share_handshake(flow: &FlowFacts, handshakes: &mut HandshakeLoops, parameters: &Parameters) {
    if let Some(sample) = of_handshake(flow, parameters) {
        let silent = flow.after_silence(parameters) != Some(false);
        let handshake = Handshake { at: flow.start, vantage: flow.vantage, sample, silent };
        handshakes.add(flow.server, handshake);
    }
}

/// The server's part of a handshake. `None` when one of its packets was retransmitted (Karn's rule)
/// and, at the phone, when the handshake may have woken the radio.
fn of_handshake(flow: &FlowFacts, parameters: &Parameters) -> Option<Duration> {
    let (syn, syn_ack) = (flow.syn?, flow.syn_ack?);
    let woken = flow.vantage == Some(Vantage::Ue)
        && flow.ue_idle_before.is_some_and(|idle| idle.as_secs_f64() >= parameters.tail_s);
    if syn.copies > 1 || syn_ack.copies > 1 || woken {
        return None;
    }
    let sample = match flow.initiator? {
        Side::Ue => syn_ack.time - syn.time,
        Side::Server if flow.handshake_ack_had_payload => return None,
        Side::Server => flow.handshake_ack?.time - syn_ack.time,
    };
    (sample >= Duration::ZERO).then_some(sample)
}

/// The round trip that an ACK without an answer shows. It must acknowledge one or two segments with
/// nothing after them: then no queue that the request itself made is part of the time.
#[inline]
fn of_lone_ack(segment: &Segment<'_>) -> Option<Duration> {
    if segment.direction == Direction::Uplink || segment.payload_bytes > 0 {
        return None;
    }
    let few = 2 * u64::from(segment.peer.mss_bytes());
    let alone = segment.acked_bytes <= few && segment.peer.in_flight_bytes() <= 0;
    segment.rtt.filter(|_| alone).map(|sample| sample.rtt)
}

fn keep<T>(samples: &mut VecDeque<T>, sample: T, most: usize) {
    if samples.len() == most {
        samples.pop_front();
    }
    samples.push_back(sample);
}

/// The value below which this share of sorted samples lies; between two samples, the lower one.
fn percentile(sorted: &[Duration], share: f64) -> Option<Duration> {
    let last = sorted.len().checked_sub(1)?;
    sorted.get((last as f64 * share).floor() as usize).copied()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn ms(values: &[i64]) -> VecDeque<Duration> {
        values.iter().map(|value| Duration::from_millis(*value)).collect()
    }

    fn median(handshakes: &[i64], acks: &[i64], bounds: &[i64]) -> Option<Duration> {
        let known = Samples { acks: ms(acks), bounds: ms(bounds), newest: None };
        let path = ServerLoop { samples: Some(Box::new(known)), ..ServerLoop::default() };
        let samples = path.samples(ms(handshakes).into_iter(), empty(), &Parameters::default());
        percentile(&samples, 0.5)
    }

    #[test]
    fn an_ack_that_a_timer_held_back_is_no_sample() {
        assert_eq!(median(&[50], &[91, 92, 95, 52], &[]), Some(Duration::from_millis(50)));
    }

    #[test]
    fn waits_shorter_than_a_late_handshake_correct_it() {
        assert_eq!(median(&[300], &[], &[60, 62]), Some(Duration::from_millis(300)));
        assert_eq!(median(&[300], &[], &[60, 62, 61]), Some(Duration::from_millis(61)));
    }

    #[test]
    fn without_a_sample_waits_alone_say_nothing() {
        assert_eq!(median(&[], &[], &[60, 62, 61]), None);
    }

    #[test]
    fn handshakes_are_kept_for_a_bounded_number_of_servers() {
        let mut loops = HandshakeLoops::default();
        for server in 0..100u8 {
            let sample = Duration::from_millis(1);
            let handshake =
                Handshake { at: Instant::from_nanos(0), vantage: None, sample, silent: false };
            loops.add(Address::v4([10, 0, 0, server]), handshake);
        }
        assert_eq!(loops.0.len(), KEPT_SERVERS);
    }
}
