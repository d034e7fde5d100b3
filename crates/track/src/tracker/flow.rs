//! Keeps one live flow: its facts, the handler's state, and for TCP its two scoreboards.

use airmile_read::{Packet, TcpFlags, TcpHeader};
use airmile_types::{Direction, Duration, Held, Instant, PerDirection, Side, Vantage};

use super::answers::{AT_THE_TAP, Answers};
use super::hosts::HostScales;
use super::scale::Scale;
use crate::facts::{Ending, FlowFacts, HandshakePacket, SynOptions, VantageSource};
use crate::outcomes::SegmentClass;
use crate::scoreboard::Scoreboard;
use crate::segment_facts::SegmentFacts;

/// A closed flow takes late packets for at most this long (methods A4).
const LINGER_MAX: Duration = Duration::from_secs(10);
/// A side that repeats its FIN may wait this long, however short the path is (RFC 6298 section
/// 2.4).
const RTO_LEAST: Duration = Duration::from_secs(1);
/// A SYN may be recorded at most this long after the first packet of its connection (methods A4).
const LATE_SYN: Duration = Duration::from_secs(1);
/// The longest time between two copies of a packet that a capture has of it, on two of its interfaces.
const TWICE_CAPTURED: Duration = Duration::from_millis(10);
/// At the receiver, which ACK the sender knew is uncertain by this number of segments (methods C6).
const RECEIVER_SEGMENTS: u32 = 3;
/// The number of RTT samples of one direction that show whether its ACKs follow at once.
const SAMPLES: u8 = 8;

#[derive(Debug)]
pub(super) struct Flow<S> {
    pub(super) facts: FlowFacts,
    pub(super) state: S,
    pub(super) subscriber: u32,
    /// A number that distinguishes this flow from earlier flows in the same slot.
    pub(super) number: u32,
    /// The stretch of the capture in which the newest packet came, see [`super::Turn`].
    pub(super) stretch: u32,
    /// Whether the phone is the lower end of the flow's key.
    ue_is_lower: bool,
    /// Whether the addresses of the first packet showed which end is the phone.
    pub(super) is_routed: bool,
    /// Whether only SYNs were seen, so that the flow counts as a connection attempt.
    pub(super) half_open: bool,
    /// Whether its capture is over, and no packet of another one has continued the flow.
    pub(super) interrupted: bool,
    /// The time at which a closed flow ends; `None` while the flow is open.
    pub(super) closed: Option<Instant>,
    /// The state of a TCP connection. Other flows do not need it, and most flows of a large capture
    /// are not TCP.
    pub(super) connection: Option<Box<Connection>>,
}

/// What is known of a TCP connection in addition to the flow's facts.
#[derive(Debug)]
pub(super) struct Connection {
    pub(super) boards: PerDirection<Scoreboard>,
    fins: PerDirection<bool>,
    reset: bool,
    packets_beyond_syn: bool,
    /// Whether the connection is neither opening nor closing, as far as was seen. Most packets come
    /// then, and need no further check.
    is_between: bool,
    /// The initial sequence number of the SYN that opened the connection.
    syn_number: Option<u32>,
    /// Whether the flow's own packets may still show where the capture point is.
    listens: bool,
    /// The number of RTT samples, by direction of the data, while `listens` is true.
    samples: PerDirection<u8>,
    /// How the sender of each direction ends its silences, while `listens` is true.
    answers: PerDirection<Answers>,
    /// What shows the scale of each side's window, if the handshake was not captured.
    scales: Option<Box<PerDirection<Scale>>>,
}

airmile_types::held!(Connection { boards });

impl<S> Flow<S> {
    pub(super) fn new(
        facts: FlowFacts,
        state: S,
        subscriber: u32,
        number: u32,
        ue_is_lower: bool,
    ) -> Self {
        Self {
            facts,
            state,
            subscriber,
            number,
            stretch: 0,
            ue_is_lower,
            is_routed: false,
            half_open: false,
            interrupted: false,
            closed: None,
            connection: None,
        }
    }

    /// The direction of a packet, where `by_lower` says whether the lower end of the flow's key
    /// sent it.
    #[inline]
    pub(super) const fn direction(&self, by_lower: bool) -> Direction {
        if by_lower == self.ue_is_lower { Direction::Uplink } else { Direction::Downlink }
    }

    /// The bytes that the flow uses, except its slot and the handler's lists.
    pub(super) fn held_bytes(&self) -> usize {
        size_of::<Self>() + self.connection.held_bytes()
    }

    /// Frees the memory of lists that have been emptied, except the handler's lists.
    pub(super) fn give_back(&mut self) {
        self.connection.give_back();
    }

    /// How the flow ended (methods A4); `otherwise` if none of its own packets shows it.
    pub(super) fn ending(&self, otherwise: Ending) -> Ending {
        let connection = self.connection.as_deref();
        connection.map_or(otherwise, |connection| connection.ending(&self.facts, otherwise))
    }
}

impl Connection {
    pub(super) fn new(facts: &FlowFacts) -> Self {
        use VantageSource::{Given, Tunnel};
        Self {
            boards: PerDirection::default(),
            fins: PerDirection::default(),
            reset: false,
            packets_beyond_syn: false,
            is_between: false,
            syn_number: None,
            listens: !matches!(facts.vantage_source, Some(Given | Tunnel)),
            samples: PerDirection::default(),
            answers: PerDirection::default(),
            scales: None,
        }
    }

    /// Notes a packet that may open or close the connection. `closed` is set to the time of the
    /// flow's end when both sides have sent a FIN, or one an RST.
    #[inline]
    pub(super) fn note(
        &mut self,
        facts: &mut FlowFacts,
        packet: &Packet<'_>,
        tcp: &TcpHeader,
        direction: Direction,
        closed: &mut Option<Instant>,
    ) {
        let says_more = tcp.flags.any(TcpFlags::CONTROL) || tcp.options.mptcp_token.is_some();
        if says_more || !self.is_between {
            self.note_any(facts, packet, tcp, direction, closed);
        } else {
            self.packets_beyond_syn = true;
            facts.end = facts.end.max(packet.time);
        }
    }

    #[inline(never)]
    fn note_any(
        &mut self,
        facts: &mut FlowFacts,
        packet: &Packet<'_>,
        tcp: &TcpHeader,
        direction: Direction,
        closed: &mut Option<Instant>,
    ) {
        let now = packet.time;
        let silence = now - facts.end;
        facts.end = facts.end.max(now);
        let flags = tcp.flags;
        if flags.has(TcpFlags::SYN) {
            if self.is_first_answer(tcp, direction) {
                // Everything before this SYN belongs to an earlier connection, including that
                // connection's end.
                self.restart(direction);
                *closed = None;
            }
            self.note_syn(facts, packet, tcp, direction);
        } else {
            self.packets_beyond_syn = true;
            self.note_handshake_ack(facts, packet, tcp, direction);
        }
        if tcp.options.mptcp_token.is_some() {
            facts.mptcp_token = facts.mptcp_token.or(tcp.options.mptcp_token);
        }
        if flags.has(TcpFlags::FIN) {
            *self.fins.of_mut(direction) = true;
        }
        self.reset |= flags.has(TcpFlags::RST);
        let opens = facts.syn_ack.is_some() && facts.handshake_ack.is_none();
        let closes = self.reset || (self.fins.downlink && self.fins.uplink);
        self.is_between = !opens && !closes;
        if closes {
            *closed = Some(now + self.linger(silence));
        }
    }

    /// Forgets what was seen of this sender, because it belongs to an earlier connection.
    fn restart(&mut self, direction: Direction) {
        self.boards.of_mut(direction).restart();
        *self.fins.of_mut(direction) = false;
        self.reset = false;
    }

    /// How long a further packet may belong to this connection, if the last one came after
    /// `silence`: each repeat waits twice as long as the one before (RFC 6298 section 5.5).
    fn linger(&self, silence: Duration) -> Duration {
        let rto = self.boards.downlink.rto().max(self.boards.uplink.rto()).max(RTO_LEAST);
        rto.times(2).max(silence.times(3)).min(LINGER_MAX)
    }

    /// The initial sequence number with which a SYN of `direction` is compared. It is that of the
    /// SYN that opened the flow. For an answer, and if both sides opened at once (RFC 9293 section
    /// 3.5), it is that of the same sender.
    pub(super) fn syn_number(
        &self,
        facts: &FlowFacts,
        direction: Direction,
        answer: bool,
    ) -> Option<u32> {
        let own = self.boards.of(direction).syn_number();
        let opener = facts.initiator.is_none_or(|side| side == direction.sender());
        let at_once = !opener && (own.is_some() || !self.packets_beyond_syn);
        if answer || at_once { own } else { self.syn_number }
    }

    /// Whether a SYN-ACK answers the opener's SYN (RFC 9293 section 3.10.7.3) although earlier
    /// packets of the same sender belong to an earlier connection.
    pub(super) fn is_first_answer(&self, tcp: &TcpHeader, direction: Direction) -> bool {
        let own = self.boards.of(direction);
        tcp.flags.has(TcpFlags::ACK)
            && own.is_unconfirmed()
            && own.is_just_below(tcp.sequence) == Some(false)
            && self.boards.of(direction.reverse()).has_sent(tcp.acknowledgement)
    }

    /// Whether a SYN may belong to the packets before it and was only recorded late. While the
    /// sequence numbers of those packets are unknown, only the time shows it.
    pub(super) fn is_late_syn(
        &self,
        facts: &FlowFacts,
        tcp: &TcpHeader,
        direction: Direction,
        now: Instant,
    ) -> bool {
        let below = self.boards.of(direction).is_just_below(tcp.sequence);
        now - facts.start <= LATE_SYN && below.unwrap_or(true)
    }

    /// Whether this sender has closed the connection; of the other sender, nothing may have been
    /// captured.
    pub(super) const fn is_closed_by(&self, direction: Direction) -> bool {
        *self.fins.of(direction)
    }

    /// How the connection ended (methods A4): `fin` wins over a later RST, and a SYN answered by an
    /// RST gives `rst`.
    fn ending(&self, facts: &FlowFacts, otherwise: Ending) -> Ending {
        if self.fins.downlink && self.fins.uplink {
            Ending::Fin
        } else if self.reset {
            Ending::Rst
        } else if !self.packets_beyond_syn && (facts.syn.is_some() || facts.syn_ack.is_some()) {
            Ending::SynOnly
        } else {
            otherwise
        }
    }

    fn note_syn(
        &mut self,
        facts: &mut FlowFacts,
        packet: &Packet<'_>,
        tcp: &TcpHeader,
        direction: Direction,
    ) {
        let answer = tcp.flags.has(TcpFlags::ACK);
        if !answer {
            self.syn_number.get_or_insert(tcp.sequence);
            facts.initiator.get_or_insert(direction.sender());
        } else if facts.initiator.is_none() {
            facts.initiator = Some(direction.reverse().sender());
        }
        let slot = if answer { &mut facts.syn_ack } else { &mut facts.syn };
        match slot {
            Some(first) => {
                first.copies += 1;
                // What the answer echoes was sent before it. No timer is as short as the time between
                // two copies that a capture has of one packet.
                let again = packet.time - first.time > TWICE_CAPTURED;
                let same = facts.initiator == Some(direction.sender());
                if !answer && facts.syn_ack.is_none() && again && same {
                    let value = tcp.options.timestamps.map(|stamps| stamps.value);
                    facts.repeated_syn = Some((packet.time, value));
                }
            }
            None => *slot = Some(of_handshake(packet, tcp)),
        }
        let announced = syn_options(tcp);
        facts.announce(direction, &announced);
        self.announce(facts);
    }

    /// Notes the MSS that each side announces, which limits the segments of the other side, and the
    /// options that both have agreed on.
    fn announce(&mut self, facts: &FlowFacts) {
        let both = facts.options(Direction::Uplink).zip(facts.options(Direction::Downlink));
        let timestamps = both.is_some_and(|(a, b)| a.timestamps && b.timestamps);
        // The announced MSS does not take options into account (RFC 6691 section 2); timestamps
        // take 12 bytes.
        let options_bytes = if timestamps { 12 } else { 0 };
        let sacks = both.is_some_and(|(a, b)| a.sack && b.sack);
        for direction in [Direction::Uplink, Direction::Downlink] {
            if let Some(announced) = facts.options(direction.reverse()) {
                let board = self.boards.of_mut(direction);
                board.announce_mss(announced.mss_bytes, options_bytes);
            }
            self.boards.of_mut(direction).announce_sack(sacks);
        }
    }

    /// Notes the first packet of the initiator that acknowledges the SYN-ACK (methods B1).
    fn note_handshake_ack(
        &mut self,
        facts: &mut FlowFacts,
        packet: &Packet<'_>,
        tcp: &TcpHeader,
        direction: Direction,
    ) {
        if facts.handshake_ack.is_some() {
            return;
        }
        let from_initiator = facts.initiator == Some(direction.sender());
        let Some(syn_ack) = facts.syn_ack else { return };
        if !from_initiator || !tcp.flags.has(TcpFlags::ACK) {
            return;
        }
        let bare = packet.payload_bytes == 0;
        facts.handshake_ack = Some(of_handshake(packet, tcp));
        facts.handshake_ack_had_payload = !bare;
        if let Some(syn) = facts.syn
            && syn.copies == 1
            && syn_ack.copies == 1
        {
            self.sample_handshake(direction, syn.time, syn_ack.time, packet.time, bare);
        }
    }

    /// Gives the two halves of the handshake to the scoreboards as RTT samples. Karn's rule applies
    /// to SYN and SYN-ACK (RFC 6298 section 3).
    fn sample_handshake(
        &mut self,
        from: Direction,
        syn: Instant,
        syn_ack: Instant,
        ack: Instant,
        bare: bool,
    ) {
        let (answer, confirm) = (syn_ack - syn, ack - syn_ack);
        if stepped_back(answer, confirm) {
            return;
        }
        let to = from.reverse();
        // The responder answers the SYN. This gives the round trip between capture point and
        // responder, which is also the initiator's RTT beyond the capture point.
        self.boards.of_mut(to).loop_sample(answer, ack);
        self.boards.of_mut(from).handshake_rtt(answer);
        self.boards.of_mut(from).timer_sample(answer + confirm);
        if bare {
            self.boards.of_mut(from).loop_sample(confirm, ack);
            self.boards.of_mut(to).handshake_rtt(confirm);
            self.boards.of_mut(to).timer_sample(answer + confirm);
        }
    }

    /// Finds out, after a packet of a flow whose handshake was not captured, the scale of its
    /// sender's window (methods C6): that of the same host's other handshakes if the packets agree
    /// with it, or else the one that they show.
    pub(super) fn find_scale(
        &mut self,
        facts: &mut FlowFacts,
        segment: &SegmentFacts<'_>,
        tcp: &TcpHeader,
        hosts: Option<&HostScales>,
    ) {
        if tcp.flags.any(TcpFlags::SYN | TcpFlags::RST) {
            return;
        }
        let direction = segment.direction;
        let scales = self.scales.get_or_insert_default();
        if segment.class == Some(SegmentClass::New) {
            let at_receiver = facts.is_at_receiver_of(direction);
            let scale = scales.of_mut(direction.reverse());
            test_edge(scale, self.boards.of(direction), segment, at_receiver);
        }
        let scale = scales.of_mut(direction);
        if let Some(ack) = segment.ack {
            scale.announce(ack, tcp.window);
        }
        let host = if direction == Direction::Uplink { facts.ue } else { facts.server };
        let offered = hosts.and_then(|hosts| hosts.of(host)).filter(|known| scale.allows(*known));
        let shown = scale.known();
        *facts.window_shifts.of_mut(direction) = offered.or(shown);
        *facts.guessed_shifts.of_mut(direction) = offered.is_some() && offered != shown;
        *facts.least_shifts.of_mut(direction) = scale.least();
    }

    /// Sets in the scoreboards which sender is at the capture point. At the server that is the
    /// sender of downlink data (methods C6: D = 0), and the time that it takes to answer is no
    /// round trip.
    #[inline]
    pub(super) fn stand_senders(&mut self, vantage: Option<Vantage>) {
        self.boards.downlink.stands_at_tap(vantage == Some(Vantage::Server));
        self.boards.downlink.stands_across_radio(vantage == Some(Vantage::Ue));
    }

    /// Whether the flow itself may still show where the capture point is (methods A11).
    pub(super) const fn listens(&self) -> bool {
        self.listens
    }

    /// Notes a packet with new data.
    #[inline]
    pub(super) fn note_answer(&mut self, segment: &SegmentFacts<'_>) {
        if segment.class == Some(SegmentClass::New) {
            let board = self.boards.of(segment.direction);
            self.answers.of_mut(segment.direction).take(segment.time, board.last_advance());
        }
    }

    /// Finds out, after a packet that goes to `direction`, where the capture point is (methods
    /// A11). The handshake shows it, or else the flow's data and ACKs.
    pub(super) fn hear_vantage(
        &mut self,
        facts: &mut FlowFacts,
        direction: Direction,
        rtt_sample: bool,
    ) -> Option<(Vantage, VantageSource)> {
        let heard = match handshake_vantage(facts) {
            Some(vantage) => (vantage, VantageSource::Handshake),
            None if rtt_sample => (self.acks_vantage(direction.reverse())?, VantageSource::Acks),
            None => return None,
        };
        self.listens = false;
        facts.vantage = Some(heard.0);
        facts.vantage_source = Some(heard.1);
        Some(heard)
    }

    /// The capture point of a flow without a handshake. A side whose ACKs follow data at once, or
    /// that at once sends data that an ACK allowed, is at the capture point. If both sides were
    /// observed and neither does so, the capture point is between them.
    fn acks_vantage(&mut self, data: Direction) -> Option<Vantage> {
        let samples = self.samples.of_mut(data);
        *samples = samples.saturating_add(1);
        // Once this number of samples shows nothing, further ones will not either.
        self.listens = *samples < u8::MAX;
        if *samples < SAMPLES {
            return None;
        }
        let at_once = |board: &Scoreboard, answers: &Answers| {
            let timed = board.loop_time().map(|least| least <= AT_THE_TAP);
            timed.or_else(|| answers.come_at_once().then_some(true))
        };
        // The scoreboard of a sender measures the round trip from the capture point to that sender
        // and back.
        let answers = &self.answers;
        match (
            at_once(&self.boards.uplink, &answers.uplink),
            at_once(&self.boards.downlink, &answers.downlink),
        ) {
            (Some(true), Some(false) | None) => Some(Vantage::Ue),
            (Some(false) | None, Some(true)) => Some(Vantage::Server),
            (Some(false), Some(false)) => Some(Vantage::Monitor),
            _ => None,
        }
    }
}

/// Compares new data with the right edge of the window, for a scale that is not known. At the
/// receiver the newest edge is a round trip ahead of the data, and refutes hardly a scale; there it
/// is the edge that the sender knew, with the margin of a full window (methods C6).
fn test_edge(scale: &mut Scale, board: &Scoreboard, segment: &SegmentFacts<'_>, at_receiver: bool) {
    let (end, now, mss) = (segment.end, segment.time, board.mss_bytes());
    let known = board.announced_known(now);
    if at_receiver {
        scale.send(end, known.filter(|_| board.loop_time().is_some()), RECEIVER_SEGMENTS * mss);
    } else {
        scale.send(end, None, mss);
    }
    if let Some((known, round_trip)) = known.zip(whole_loop(board)) {
        scale.meet(end, known, (now, round_trip), mss);
    }
}

/// The least round trip of the whole path: of the parts of it that the capture shows.
fn whole_loop(board: &Scoreboard) -> Option<Duration> {
    let parts =
        board.rtt_min().unwrap_or(Duration::ZERO) + board.loop_time().unwrap_or(Duration::ZERO);
    (parts > Duration::ZERO).then_some(parts)
}

/// The capture point that this handshake shows (methods A11).
fn handshake_vantage(facts: &FlowFacts) -> Option<Vantage> {
    let (syn, syn_ack, ack) = (facts.syn?, facts.syn_ack?, facts.handshake_ack?);
    if syn.copies > 1 || syn_ack.copies > 1 || facts.handshake_ack_had_payload {
        return None;
    }
    let (answer, confirm) = (syn_ack.time - syn.time, ack.time - syn_ack.time);
    if stepped_back(answer, confirm) {
        return None;
    }
    let (ue, server) = match facts.initiator? {
        Side::Ue => (confirm, answer),
        Side::Server => (answer, confirm),
    };
    match (ue <= AT_THE_TAP, server <= AT_THE_TAP) {
        (true, false) => Some(Vantage::Ue),
        (false, true) => Some(Vantage::Server),
        (false, false) => Some(Vantage::Monitor),
        (true, true) => None,
    }
}

/// Whether the clock of the capture stepped back during the handshake (methods A10), so that
/// neither half is a valid time.
fn stepped_back(answer: Duration, confirm: Duration) -> bool {
    answer < Duration::ZERO || confirm < Duration::ZERO
}

fn of_handshake(packet: &Packet<'_>, tcp: &TcpHeader) -> HandshakePacket {
    HandshakePacket {
        time: packet.time,
        frame: packet.frame,
        timestamps: tcp.options.timestamps,
        copies: 1,
    }
}

fn syn_options(tcp: &TcpHeader) -> SynOptions {
    let options = &tcp.options;
    SynOptions {
        mss_bytes: options.mss,
        window_scale: options.window_scale,
        sack: options.sack_permitted,
        timestamps: options.timestamps.is_some(),
        window: tcp.window,
        ecn: tcp.flags.has(TcpFlags::ECE),
        accurate_ecn: is_accurate_ecn(tcp.flags),
        mptcp: options.mptcp,
        fast_open: options.fast_open,
    }
}

/// Whether a SYN offers accurate ECN, or a SYN-ACK accepts it (RFC 9768 section 3.1.2): a host that
/// knows only RFC 3168 answers with ECE, and one that reflects the flags with all three.
const fn is_accurate_ecn(flags: TcpFlags) -> bool {
    match (flags.has(TcpFlags::ACK), flags.has(TcpFlags::AE)) {
        (false, offered) => offered,
        (true, true) => !flags.has(TcpFlags::ECE),
        (true, false) => flags.has(TcpFlags::CWR),
    }
}
