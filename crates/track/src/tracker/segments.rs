//! Computes the facts of one TCP packet from its flow's scoreboards.

use airmile_read::{Fragment, Packet, TcpFlags, TcpHeader};
use airmile_types::{Direction, PerDirection};

use super::plain;
use crate::events::Events;
use crate::scoreboard::{AckInput, DataInput, Scoreboard};
use crate::segment_facts::SegmentFacts;

/// Updates the scoreboards, and writes down what has changed. `shift` is the scale of this packet's
/// window; `None` if it is unknown.
#[inline(always)]
pub(super) fn apply(
    facts: &mut SegmentFacts<'_>,
    packet: &Packet<'_>,
    tcp: &TcpHeader,
    boards: &mut PerDirection<Scoreboard>,
    shift: Option<u8>,
) {
    if plain::apply(facts, packet, tcp, boards, shift).is_none() {
        apply_any(facts, packet, tcp, boards, shift);
    }
}

/// Takes any packet, by the definitions alone.
#[inline(never)]
pub(super) fn apply_any(
    facts: &mut SegmentFacts<'_>,
    packet: &Packet<'_>,
    tcp: &TcpHeader,
    boards: &mut PerDirection<Scoreboard>,
    shift: Option<u8>,
) {
    facts.note_packet(packet, tcp);
    let direction = facts.direction;
    let syn = tcp.flags.has(TcpFlags::SYN);
    let syn_repeated =
        syn && !tcp.flags.has(TcpFlags::RST) && boards.of_mut(direction).synchronize(tcp.sequence);
    facts.window_bytes =
        window_bytes(tcp, shift).filter(|_| !boards.of(direction.reverse()).is_finished());
    if let Some(start) = start(facts, tcp, boards.of_mut(direction)) {
        apply_numbers(facts, packet, tcp, boards.of_mut(direction), start, syn_repeated);
    }
    apply_ack(facts, packet, tcp, boards);
    if facts.class.is_some() {
        // If the sender misses data of its peer, it keeps echoing the timestamp from before the
        // missing data (RFC 7323 section 4.3).
        let heard_all = boards.of(direction.reverse()).in_flight_bytes() <= 0;
        let tsecr = tcp.options.timestamps.filter(|_| heard_all).map(|stamps| stamps.echo);
        boards.of_mut(direction).note_known(packet.time, tsecr);
    }
    let recovers = boards.downlink.is_recovering() || boards.uplink.is_recovering();
    facts.events = facts.events.with(Events::RECOVERY, recovers);
    boards.downlink.settle();
    boards.uplink.settle();
}

/// The receive window in bytes. A SYN's window is never scaled (RFC 7323 section 2.2), an RST's
/// window has no meaning, and 0 is 0 at any scale.
fn window_bytes(tcp: &TcpHeader, shift: Option<u8>) -> Option<u32> {
    if tcp.flags.has(TcpFlags::RST) {
        return None;
    }
    if tcp.flags.has(TcpFlags::SYN) || tcp.window == 0 {
        return Some(tcp.window.into());
    }
    shift.map(|shift| u32::from(tcp.window) << shift.min(14))
}

/// The offset of the packet's sequence number; `None` if the number has no meaning.
#[inline]
fn start(facts: &mut SegmentFacts<'_>, tcp: &TcpHeader, own: &mut Scoreboard) -> Option<i64> {
    let reset = tcp.flags.has(TcpFlags::RST);
    if reset && facts.payload_bytes == 0 && own.next() == 0 && own.unacked() == 0 {
        // The number of a reset shows nothing about data that was never seen (RFC 9293 section
        // 3.5.2).
        return None;
    }
    let start = own.offset(tcp.sequence);
    if start.is_none() {
        (facts.start, facts.end) = (own.next(), own.next());
    }
    start
}

/// Handles what the packet's sequence numbers cover: its payload, and its SYN or FIN.
#[inline]
fn apply_numbers(
    facts: &mut SegmentFacts<'_>,
    packet: &Packet<'_>,
    tcp: &TcpHeader,
    own: &mut Scoreboard,
    start: i64,
    syn_repeated: bool,
) {
    let control = tcp.flags.any(TcpFlags::SYN | TcpFlags::FIN | TcpFlags::RST);
    let first_byte = start + i64::from(tcp.flags.has(TcpFlags::SYN));
    (facts.start, facts.end) = (start, first_byte + i64::from(packet.payload_bytes));
    if packet.payload_bytes == 0 && !control {
        facts.window_probe = own.is_empty_probe(start, packet.time);
        let asks = facts.window_probe || own.take_empty_keep_alive(start);
        facts.events = facts.events.with(Events::ODD, facts.window_probe).with(Events::ASKS, asks);
        return;
    }
    let input = DataInput {
        start: first_byte,
        end: facts.end,
        time: packet.time,
        tsval: tcp.options.timestamps.map(|t| t.value),
        tsecr: tcp.options.timestamps.filter(|_| tcp.flags.has(TcpFlags::ACK)).map(|t| t.echo),
        ip_id: packet.ip_id,
        hop_limit: packet.hop_limit,
        super_segment: packet.super_segment,
    };
    if packet.payload_bytes > 0 {
        facts.start = first_byte;
        own.take_data(&input, facts);
        if packet.fragment == Fragment::First {
            own.note_fragment(first_byte, facts.end, packet.time);
        }
    }
    if tcp.flags.any(TcpFlags::SYN | TcpFlags::FIN) {
        apply_control(facts, tcp, own, (start, syn_repeated), &input);
    }
}

/// Handles a SYN or FIN, which uses a sequence number of its own.
#[cold]
fn apply_control(
    facts: &mut SegmentFacts<'_>,
    tcp: &TcpHeader,
    own: &mut Scoreboard,
    (start, syn_repeated): (i64, bool),
    input: &DataInput,
) {
    let fin = tcp.flags.has(TcpFlags::FIN);
    let fin_repeated = fin && own.on_fin(facts.end, input.time);
    let numbers = DataInput { start, end: facts.end + i64::from(fin), ..*input };
    facts.note_control(own.on_control(&numbers, syn_repeated || fin_repeated));
}

/// Handles the packet's acknowledgement; returns `None` if the ACK number has no meaning.
#[inline]
#[expect(clippy::indexing_slicing, reason = "a header has at most as many blocks as the list")]
fn apply_ack(
    facts: &mut SegmentFacts<'_>,
    packet: &Packet<'_>,
    tcp: &TcpHeader,
    boards: &mut PerDirection<Scoreboard>,
) -> Option<()> {
    if !tcp.flags.has(TcpFlags::ACK) || tcp.flags.has(TcpFlags::RST) {
        return None;
    }
    let direction = facts.direction;
    let finished = boards.of(direction).is_finished();
    let unconfirmed = boards.of(direction).is_unconfirmed();
    let peer = boards.of_mut(direction.reverse());
    if unconfirmed && peer.syn_number().is_some() && !peer.has_sent(tcp.acknowledgement) {
        // A packet of an earlier connection answers the SYN of a new one (RFC 9293 section
        // 3.10.7.3).
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
    let input = AckInput {
        ack,
        sack: &sack[..blocks],
        time: packet.time,
        window_field: tcp.window,
        window_bytes: facts.window_bytes,
        // A side that closes the connection may announce a window of 0 with its FIN and after it.
        closed: tcp.window == 0 && !tcp.flags.has(TcpFlags::SYN) && !finished,
        pure: packet.payload_bytes == 0 && !tcp.flags.any(control),
        asks: facts.events.any(Events::ASKS),
        tsval: tcp.options.timestamps.map(|t| t.value),
        tsecr: tcp.options.timestamps.map(|t| t.echo),
        ip_id: packet.ip_id,
    };
    peer.take_ack(&input, facts);
    if let Some(timestamps) = tcp.options.timestamps {
        peer.mark_timestamp(timestamps.value, packet.time, direction == Direction::Uplink);
    }
    if let Some(sample) = facts.rtt {
        boards.of_mut(direction).loop_sample(sample.rtt, packet.time);
    }
    Some(())
}

/// Whether a SYN opens a new connection on the ports of the present one (methods A4).
pub(super) fn is_new_connection(
    tcp: &TcpHeader,
    syn_number: Option<u32>,
    late: bool,
    closed: bool,
) -> bool {
    let another = match syn_number {
        Some(number) => number != tcp.sequence,
        // The flow was met in mid-stream, or after a SYN-ACK whose SYN was missed.
        None => !late || closed,
    };
    // A SYN may be answered twice with different numbers. An answer to a SYN that was not captured
    // shows a new connection only if the old one was over.
    another && (closed || !tcp.flags.has(TcpFlags::ACK))
}
