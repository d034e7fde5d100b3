//! One TCP packet against its flow's scoreboards: the facts.

use airmile_read::{Fragment, Packet, TcpFlags, TcpHeader};
use airmile_types::{Direction, PerDirection};

use crate::scoreboard::{AckInput, AckOutcome, DataInput, DataOutcome, Scoreboard};
use crate::{Faults, FlowFacts, Segment, SegmentClass, UeFacts};

/// What a packet did to the two scoreboards.
pub(super) struct Applied {
    start: i64,
    end: i64,
    data: Option<DataOutcome>,
    repeated_control: Option<SegmentClass>,
    ack: Option<(i64, AckOutcome)>,
    window_bytes: Option<u32>,
    empty_probe: bool,
}

impl Applied {
    /// Its ACK gave an RTT sample.
    pub(super) fn is_rtt_sample(&self) -> bool {
        self.ack.is_some_and(|(_, outcome)| outcome.rtt.is_some())
    }

    /// What is wrong with the record of the packet (methods A10).
    fn faults(&self, tcp: &TcpHeader) -> Faults {
        let twice = self.ack.is_some_and(|(_, ack)| ack.recorded_twice)
            || self.repeated_control == Some(SegmentClass::CaptureDuplicate)
            || self.data.is_some_and(|d| d.class == SegmentClass::CaptureDuplicate);
        Faults::default()
            .with(Faults::RECORDED_TWICE, twice)
            .with(Faults::AFTER_ITS_ACK, self.data.is_some_and(|d| d.after_its_ack))
            .with(Faults::OPTIONS_CUT, tcp.options.cut)
    }
}

/// Updates the scoreboards. `shift` is the scale of this packet's window, when known.
pub(super) fn apply(
    packet: &Packet<'_>,
    tcp: &TcpHeader,
    direction: Direction,
    boards: &mut PerDirection<Scoreboard>,
    shift: Option<u8>,
) -> Applied {
    let syn = tcp.flags.has(TcpFlags::SYN);
    let syn_repeated =
        syn && !tcp.flags.has(TcpFlags::RST) && boards.of_mut(direction).synchronize(tcp.sequence);
    let window_bytes =
        window_bytes(tcp, shift).filter(|_| !boards.of(direction.reverse()).is_finished());
    let mut applied = apply_data(packet, tcp, direction, boards, syn_repeated);
    applied.ack = apply_ack(packet, tcp, direction, boards, window_bytes);
    if applied.data.is_some() {
        // A hole in what it receives would keep the sender echoing what came before (RFC 7323
        // section 4.3).
        let heard_all = boards.of(direction.reverse()).in_flight_bytes() <= 0;
        let tsecr = tcp.options.timestamps.filter(|_| heard_all).map(|stamps| stamps.echo);
        boards.of_mut(direction).note_known(packet.time, tsecr);
    }
    applied.window_bytes = window_bytes;
    applied
}

/// A SYN's window is never scaled (RFC 7323 section 2.2), an RST's means nothing, and 0 is 0 at any
/// scale.
fn window_bytes(tcp: &TcpHeader, shift: Option<u8>) -> Option<u32> {
    if tcp.flags.has(TcpFlags::RST) {
        return None;
    }
    if tcp.flags.has(TcpFlags::SYN) || tcp.window == 0 {
        return Some(tcp.window.into());
    }
    shift.map(|shift| u32::from(tcp.window) << shift.min(14))
}

fn apply_data(
    packet: &Packet<'_>,
    tcp: &TcpHeader,
    direction: Direction,
    boards: &mut PerDirection<Scoreboard>,
    syn_repeated: bool,
) -> Applied {
    let own = boards.of_mut(direction);
    let reset = tcp.flags.has(TcpFlags::RST);
    let payload = i64::from(packet.payload_bytes);
    if reset && payload == 0 && own.next() == 0 && own.unacked() == 0 {
        // A reset's number tells nothing of data that was never seen (RFC 9293 section 3.5.2).
        return Applied::at(0, 0);
    }
    let Some(start) = own.offset(tcp.sequence) else { return Applied::at(own.next(), own.next()) };
    let first_byte = start + i64::from(tcp.flags.has(TcpFlags::SYN));
    let mut applied = Applied::at(start, first_byte + payload);
    let input = DataInput {
        start: first_byte,
        end: applied.end,
        time: packet.time,
        tsval: tcp.options.timestamps.map(|t| t.value),
        tsecr: tcp.options.timestamps.filter(|_| tcp.flags.has(TcpFlags::ACK)).map(|t| t.echo),
        ip_id: packet.ip_id,
        hop_limit: packet.hop_limit,
        super_segment: packet.super_segment,
    };
    if payload > 0 {
        applied.start = first_byte;
        applied.data = Some(own.on_data(&input));
        if packet.fragment == Fragment::First {
            own.note_fragment(first_byte, applied.end, packet.time);
        }
    }
    let plain = !tcp.flags.any(TcpFlags::SYN | TcpFlags::FIN | TcpFlags::RST);
    applied.empty_probe = payload == 0 && plain && own.is_empty_probe(start, packet.time);
    let fin = tcp.flags.has(TcpFlags::FIN);
    let fin_repeated = fin && own.on_fin(applied.end, packet.time);
    if fin || first_byte > start {
        let numbers = DataInput { start, end: applied.end + i64::from(fin), ..input };
        applied.repeated_control = own.on_control(&numbers, syn_repeated || fin_repeated);
    }
    applied
}

impl Applied {
    const fn at(start: i64, end: i64) -> Self {
        Self {
            start,
            end,
            data: None,
            repeated_control: None,
            ack: None,
            window_bytes: None,
            empty_probe: false,
        }
    }
}

fn apply_ack(
    packet: &Packet<'_>,
    tcp: &TcpHeader,
    direction: Direction,
    boards: &mut PerDirection<Scoreboard>,
    window_bytes: Option<u32>,
) -> Option<(i64, AckOutcome)> {
    let silent = TcpFlags::RST;
    if !tcp.flags.has(TcpFlags::ACK) || tcp.flags.any(silent) {
        return None;
    }
    let finished = boards.of(direction).is_finished();
    let unconfirmed = boards.of(direction).is_unconfirmed();
    let peer = boards.of_mut(direction.reverse());
    if unconfirmed && peer.syn_number().is_some() && !peer.has_sent(tcp.acknowledgement) {
        // A packet of an earlier connection meets a SYN (RFC 9293 section 3.10.7.3).
        return None;
    }
    let ack = peer.offset(tcp.acknowledgement).filter(|ack| !peer.doubts(*ack))?;
    let mut sack = [(0i64, 0i64); 4];
    let mut blocks = 0;
    for &(left, right) in tcp.options.sack() {
        if let (Some(left), Some(right)) = (peer.offset(left), peer.offset(right))
            && left < right
        {
            sack[blocks] = (left, right);
            blocks += 1;
        }
    }
    let control = TcpFlags::SYN | TcpFlags::FIN | TcpFlags::RST;
    let outcome = peer.on_ack(&AckInput {
        ack,
        sack: &sack[..blocks],
        time: packet.time,
        window_field: tcp.window,
        window_bytes,
        // One that closes at its own end may say 0 beside its FIN and after it.
        closed: tcp.window == 0 && !tcp.flags.has(TcpFlags::SYN) && !finished,
        pure: packet.payload_bytes == 0 && !tcp.flags.any(control),
        tsval: tcp.options.timestamps.map(|t| t.value),
        tsecr: tcp.options.timestamps.map(|t| t.echo),
        ip_id: packet.ip_id,
    });
    if let Some(timestamps) = tcp.options.timestamps {
        peer.mark_timestamp(timestamps.value, packet.time, direction == Direction::Uplink);
    }
    if let Some(sample) = outcome.rtt {
        boards.of_mut(direction).loop_sample(sample.rtt, packet.time);
    }
    Some((ack, outcome))
}

/// Puts the facts together.
pub(super) fn segment<'a>(
    packet: &Packet<'a>,
    tcp: &TcpHeader,
    direction: Direction,
    applied: &Applied,
    boards: &'a PerDirection<Scoreboard>,
    flow: &'a FlowFacts,
    ue: &'a UeFacts,
) -> Segment<'a> {
    let data = applied.data;
    let ack = applied.ack.map(|(_, outcome)| outcome).unwrap_or_default();
    Segment {
        time: packet.time,
        frame: packet.frame,
        direction,
        flags: tcp.flags,
        start: applied.start,
        end: applied.end,
        ip_bytes: packet.ip_bytes,
        payload_bytes: packet.payload_bytes,
        payload: packet.payload,
        super_segment: packet.super_segment,
        faults: applied.faults(tcp).with(Faults::FRAGMENTED, packet.fragment != Fragment::Whole),
        class: data.map(|d| d.class),
        window_probe: applied.empty_probe
            || data.is_some_and(|d| d.class == SegmentClass::WindowProbe),
        repeated_control: applied.repeated_control,
        new_bytes: data.map_or(0, |d| d.new_bytes),
        below_highest: data.is_some_and(|d| d.below_highest),
        timeout: data.is_some_and(|d| d.timeout),
        ack: applied.ack.map(|(ack, _)| ack),
        acked_bytes: ack.acked_bytes,
        probed_bytes: ack.probed_bytes,
        delivered_bytes: ack.delivered_bytes,
        sacked_bytes: ack.sacked_bytes,
        dsack: ack.dsack,
        unneeded_retransmission: ack.unneeded_retransmission,
        duplicate_ack: ack.duplicate,
        window_field: tcp.window,
        window_bytes: applied.window_bytes,
        timestamps: tcp.options.timestamps,
        tail_probe: ack.tail_probe.or(data.and_then(|d| d.tail_probe)),
        may_be_probe: data.is_some_and(|d| d.may_be_probe),
        rtt: ack.rtt,
        sack_rtt: ack.sack_rtt,
        since_last_data: data.and_then(|d| d.since_last_data),
        hop_limit: packet.hop_limit,
        ecn: packet.ecn,
        own: boards.of(direction),
        peer: boards.of(direction.reverse()),
        flow,
        ue,
    }
}

/// Whether a SYN opens another connection than the one that holds its ports (methods A4).
pub(super) fn is_new_connection(
    tcp: &TcpHeader,
    syn_number: Option<u32>,
    late: bool,
    closed: bool,
) -> bool {
    let another = match syn_number {
        Some(number) => number != tcp.sequence,
        // In mid-stream, or after a SYN-ACK whose SYN was missed.
        None => !late || closed,
    };
    // An answer may come twice with two numbers; one to a SYN that was not captured tells of
    // another connection only where the old one was over.
    another && (closed || !tcp.flags.has(TcpFlags::ACK))
}
