//! Joins the tracker with the analyses: facts of packets come in, rows come out.

use std::sync::Arc;

use airmile_radio::PhoneRadios;
use airmile_track::{Datagram, FlowFacts, Handler, Scoreboard, Segment, SessionFacts, Shared};
use airmile_types::{Duration, Held, Parameters, PerDirection, Vantage};
use airmile_verdict::{LimitRow, Limits, TransferEvents, Transfers, UeQueues};

use crate::flows::bandwidth::SharedLink;
use crate::flows::dns::{DnsRow, Names, asking};
use crate::flows::idle_gaps::IdleGapRow;
use crate::flows::promotion::is_candidate;
use crate::flows::service::is_quic_initial;
use crate::flows::{Bundle, Events};
use crate::identity::IdentityRow;
use crate::output::{FlowRow, Output};
use crate::sessions::{RadioEnergy, SessionRow, SilenceRow};

/// The state that is kept for a live flow.
pub struct FlowState {
    bundle: Bundle,
    /// Created at the first packet with payload, because most flows of a scan or a flood never have
    /// one.
    transfers: Option<Box<Transfers>>,
}

/// The state that is kept for a live subscriber.
#[derive(Debug, Default)]
pub struct UeState {
    radio: RadioEnergy,
    names: Names,
    /// Created at the first TCP packet, because in a flood each forged address becomes a
    /// subscriber.
    tcp: Option<Box<UeTcp>>,
}

/// The state that all TCP flows of a subscriber share.
#[derive(Debug, Default)]
struct UeTcp {
    shared: Shared,
    queues: UeQueues,
    link: SharedLink,
}

airmile_types::held! {
    FlowState { bundle, transfers }
    UeState { names, tcp }
    UeTcp { shared, queues, link }
}

impl UeTcp {
    /// Gives the flow the handshakes with its server. At the phone they show how long the flow's
    /// own handshake would have taken without a promotion.
    fn note_handshakes(&mut self, flow: &FlowFacts) {
        if flow.vantage == Some(Vantage::Ue) {
            self.shared.handshakes = self.queues.handshakes.awake(flow).collect();
        }
    }
}

/// Rows are handed to the output at least once in this number of packets.
const FLUSH_PACKETS: u64 = 4096;
/// Rows are handed to the output after the packet that makes this many of one table. A packet that
/// offloading joined may complete thousands of pipelined HTTP responses, and a packet after hours of
/// silence may end as many slices.
const FLUSH_ROWS: usize = 4096;

/// Runs every analysis over the facts of a tracker and hands the rows to the output `O`.
///
/// The rows of a table are handed over in the order in which they were made: rows of `flows` in the
/// order in which the flows ended, events in the order of the packets that completed them.
pub struct Engine<O> {
    parameters: Parameters,
    limits: Limits,
    output: O,
    events: Events,
    transfer_events: TransferEvents,
    silences: Vec<SilenceRow>,
    packets: u64,
    /// The number of flows that have begun to move payload.
    begun: u64,
    radio: Arc<PhoneRadios>,
}

impl<O: Output> Engine<O> {
    /// Creates an engine that has seen no packet.
    pub fn new(parameters: Parameters, output: O) -> Self {
        Self {
            limits: Limits::new(&parameters),
            parameters,
            output,
            events: Events::default(),
            transfer_events: TransferEvents::default(),
            silences: Vec::new(),
            packets: 0,
            begun: 0,
            radio: Arc::default(),
        }
    }

    /// Adds the phones' modem logs.
    #[must_use]
    pub fn with_radio(self, radio: Arc<PhoneRadios>) -> Self {
        Self { radio, ..self }
    }

    /// The thresholds in force.
    pub const fn parameters(&self) -> &Parameters {
        &self.parameters
    }

    /// The number of flows that have begun to move payload, including those that have ended. Each
    /// needs more memory from then on.
    pub const fn begun(&self) -> u64 {
        self.begun
    }

    /// The output, which takes the rows.
    pub const fn output(&mut self) -> &mut O {
        &mut self.output
    }

    /// Returns the output after the last flow and session have ended.
    pub fn finish(mut self) -> O {
        self.flush();
        self.output
    }

    /// Hands rows over every [`FLUSH_PACKETS`] packets and every [`FLUSH_ROWS`] rows. Otherwise one
    /// long flow with samples, or with many requests, would keep all its rows in memory until it
    /// ends.
    fn flush_now_and_then(&mut self) {
        self.packets += 1;
        let most = self.events.http.len().max(self.transfer_events.slices.len());
        if self.packets.is_multiple_of(FLUSH_PACKETS) || most >= FLUSH_ROWS {
            self.flush();
        }
    }

    fn note_silence(&mut self, ue: &mut UeState, datagram: &Datagram<'_>) {
        let silence = ue.radio.on_packet(datagram.time, &self.parameters);
        if let Some(silence) = silence.filter(|_| datagram.flow.is_subscribers) {
            self.silences.push(silence.row(datagram.session_id, datagram.direction));
        }
    }

    /// Writes the rows of idle gaps that the evidence of the verdict has observed.
    #[inline]
    fn write_gaps(&mut self, uid: u64) {
        if !self.transfer_events.gaps.is_empty() {
            let gaps = self.transfer_events.gaps.drain(..);
            let rows = gaps.map(|gap| IdleGapRow::new(uid, &gap, &self.parameters));
            self.events.idle_gaps.extend(rows);
        }
    }

    fn flush(&mut self) {
        self.events.flush(&mut self.output);
        let TransferEvents { transfers, slices, .. } = &mut self.transfer_events;
        if !transfers.is_empty() {
            self.output.rows(transfers);
        }
        if !slices.is_empty() {
            self.output.rows(slices);
        }
        if !self.silences.is_empty() {
            self.output.rows(&mut self.silences);
        }
    }
}

impl<O: Output> Handler for Engine<O> {
    type Flow = FlowState;
    type Ue = UeState;

    fn open(&mut self, _flow: &FlowFacts) -> FlowState {
        FlowState { bundle: Bundle::default(), transfers: None }
    }

    fn segment(&mut self, state: &mut FlowState, ue: &mut UeState, segment: &Segment<'_>) {
        let tcp = ue.tcp.get_or_insert_default().as_mut();
        if !self.radio.is_empty() && tcp.queues.radio.is_none() {
            tcp.queues.radio = self.radio.of(segment.flow.ue.subscriber()).cloned();
        }
        let silence = ue.radio.on_packet(segment.time, &self.parameters);
        if let Some(silence) = silence.filter(|_| segment.flow.is_subscribers) {
            self.silences.push(silence.row(segment.ue.session_id, segment.direction));
        }
        state.bundle.on_segment(segment, &self.parameters, &mut self.events);
        let moves = segment.payload_bytes > 0 || segment.peer.window_is_closed();
        if moves && state.transfers.is_none() {
            let (flow, now) = (segment.flow, segment.time);
            let opened = flow.syn.or(flow.syn_ack).map_or(now, |syn| syn.time);
            let lookup = ue.names.lookup(flow.server, opened);
            state.transfers = Some(Box::new(Transfers::new(segment.flow, lookup)));
            self.begun += 1;
            state.bundle.tls.note_name(ue.names.of(segment.flow.server));
        }
        if let Some(transfers) = &mut state.transfers {
            if transfers.may_open(segment.time) {
                let promotion = promotion(&state.bundle, segment.flow, tcp, &self.parameters);
                transfers.note_promotion(promotion);
            }
            transfers.on_segment(
                segment,
                (state.bundle.tls.progress(), state.bundle.http.progress()),
                &mut tcp.queues,
                (&self.parameters, &self.limits),
                &mut self.transfer_events,
            );
            self.write_gaps(segment.flow.uid);
            let late = transfers.excess(segment);
            let samples = &mut self.events.bandwidth;
            state.bundle.bandwidth.take(segment, late, &mut tcp.link, &self.parameters, samples);
        }
        self.flush_now_and_then();
    }

    fn lets_wait(&mut self, ue: &mut UeState, datagram: &Datagram<'_>) -> bool {
        let waits = !reads_payload(datagram);
        if waits {
            self.note_silence(ue, datagram);
            self.flush_now_and_then();
        }
        waits
    }

    fn catch_up(&mut self, state: &mut FlowState, datagram: &Datagram<'_>) {
        state.bundle.on_datagram(datagram, &self.parameters, &mut self.events);
    }

    fn datagram(&mut self, state: &mut FlowState, ue: &mut UeState, datagram: &Datagram<'_>) {
        self.note_silence(ue, datagram);
        state.bundle.on_datagram(datagram, &self.parameters, &mut self.events);
        ue.names.take(datagram, DnsRow::asked(&self.events.dns, datagram));
        self.flush_now_and_then();
    }

    fn end(
        &mut self,
        mut state: FlowState,
        ue: &mut UeState,
        flow: &FlowFacts,
        boards: Option<&PerDirection<Scoreboard>>,
    ) {
        state.bundle.on_end(flow, &self.parameters, &mut self.events);
        let mut nothing;
        let ue = if let Some(tcp) = ue.tcp.as_deref_mut() {
            tcp
        } else {
            nothing = UeTcp::default();
            &mut nothing
        };
        state.bundle.bandwidth.finish(&ue.link, &self.parameters, &mut self.events.bandwidth);
        ue.note_handshakes(flow);
        state.bundle.share(flow, &self.parameters, &mut ue.shared);
        if let Some(boards) = boards {
            state.bundle.quality.settle(boards);
            state.bundle.rto.settle(boards);
        }
        if let (Some(transfers), Some(boards)) = (&mut state.transfers, boards) {
            transfers.note_promotion(promotion(&state.bundle, flow, ue, &self.parameters));
            let rules = (&self.parameters, &self.limits);
            transfers.on_end(flow, boards, &mut ue.queues, rules, &mut self.transfer_events);
            state.bundle.receive_window.settle(transfers.windows(flow, boards));
        }
        self.write_gaps(flow.uid);
        let limited_by = LimitRow::new(
            flow.protocol,
            state.bundle.service.word(flow),
            state.transfers.as_deref(),
        );
        let identity = IdentityRow::new(flow, state.bundle.quality.words(flow));
        let (bundle, parameters) = (&state.bundle, &self.parameters);
        self.output.flow(&FlowRow { identity, bundle, flow, parameters, limited_by });
        self.flush();
    }

    fn held_by(&self, state: &FlowState) -> usize {
        state.held_bytes()
    }

    fn held_by_ue(&self, ue: &UeState) -> usize {
        ue.held_bytes()
    }

    fn give_back(&self, state: &mut FlowState) {
        state.give_back();
    }

    fn give_back_ue(&self, ue: &mut UeState) {
        ue.give_back();
    }

    /// The radio's state is the session's; names, clocks and paths are needed until the connections
    /// end.
    fn take_session(ue: &mut UeState) -> UeState {
        UeState { radio: std::mem::take(&mut ue.radio), ..UeState::default() }
    }

    fn session(&mut self, ue: UeState, session: &SessionFacts) {
        let radio = ue.radio.finish(session, &self.parameters);
        self.output.rows(&mut vec![SessionRow::new(session, radio)]);
    }
}

/// Whether any analysis reads the payload of a packet, beyond its lengths.
fn reads_payload(datagram: &Datagram<'_>) -> bool {
    datagram.echo.is_some() || asking(datagram.flow).is_some() || is_quic_initial(datagram.payload)
}

/// The duration of the promotion before a flow, from the tick of its clock as known so far. Both
/// slices and `flows` use this value.
fn promotion(
    bundle: &Bundle,
    flow: &FlowFacts,
    ue: &mut UeTcp,
    parameters: &Parameters,
) -> Option<Duration> {
    if !is_candidate(flow, parameters) {
        return None;
    }
    ue.note_handshakes(flow);
    bundle.promotion.wake_up(flow, bundle.tick.known(flow, parameters), &ue.shared, parameters)
}
