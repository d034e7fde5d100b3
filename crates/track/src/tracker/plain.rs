//! Takes plain packets by a fast path, the plain lane: nineteen of twenty packets change both
//! scoreboards as little as possible. Its result equals that of [`super::segments::apply_any`]; a
//! property test checks that.

use airmile_read::{Fragment, Packet, TcpFlags, TcpHeader};
use airmile_types::{Direction, PerDirection};

use crate::events::Events;
use crate::scoreboard::{AckInput, DataInput, Scoreboard};
use crate::segment_facts::SegmentFacts;

/// Takes a plain packet. Returns `None` if the packet is not plain; then nothing has changed.
#[inline(always)]
pub(super) fn apply(
    facts: &mut SegmentFacts<'_>,
    packet: &Packet<'_>,
    tcp: &TcpHeader,
    boards: &mut PerDirection<Scoreboard>,
    shift: Option<u8>,
) -> Option<()> {
    let PerDirection { downlink, uplink } = boards;
    let uplinked = facts.direction == Direction::Uplink;
    let (own, peer) = if uplinked { (uplink, downlink) } else { (downlink, uplink) };
    let payload = packet.payload_bytes > 0;
    if !is_plain(packet, tcp) || !own.goes_on_at(tcp.sequence, payload) {
        return None;
    }
    let ack = AckInput {
        ack: peer.plain_ack(tcp.acknowledgement)?,
        sack: &[],
        time: packet.time,
        window_field: tcp.window,
        window_bytes: shift.map(|shift| u32::from(tcp.window) << shift.min(14)),
        closed: false,
        pure: !payload,
        asks: false,
        tsval: tcp.options.timestamps.map(|t| t.value),
        tsecr: tcp.options.timestamps.map(|t| t.echo),
        ip_id: packet.ip_id,
    };
    if peer.repeats(&ack) {
        return None;
    }
    facts.start = own.next();
    facts.end = facts.start + i64::from(packet.payload_bytes);
    facts.events = Events::of_plain(packet, tcp);
    if payload {
        take_data(facts, packet, &ack, own)?;
    }
    facts.window_bytes = ack.window_bytes;
    facts.ack = Some(ack.ack);
    facts.note_plain_ack(&peer.on_plain_ack(&ack));
    if let Some(timestamps) = tcp.options.timestamps {
        peer.mark_timestamp(timestamps.value, packet.time, uplinked);
    }
    if let Some(sample) = facts.rtt {
        own.loop_sample(sample.rtt, packet.time);
    }
    if payload {
        let heard_all = peer.in_flight_bytes() <= 0;
        own.note_known(packet.time, ack.tsecr.filter(|_| heard_all));
    }
    facts.events = facts.events.with(Events::RECOVERY, own.is_recovering());
    Some(())
}

/// Whether the packet is data or an ACK, captured completely, with a window and without rare
/// fields.
#[inline]
fn is_plain(packet: &Packet<'_>, tcp: &TcpHeader) -> bool {
    (tcp.flags.0 & (TcpFlags::CONTROL.0 | TcpFlags::ACK.0)) == TcpFlags::ACK.0
        && tcp.options.sack_count == 0
        && tcp.window != 0
        && !tcp.options.cut
        && packet.fragment == Fragment::Whole
}

#[inline(always)]
fn take_data(
    facts: &mut SegmentFacts<'_>,
    packet: &Packet<'_>,
    ack: &AckInput<'_>,
    own: &mut Scoreboard,
) -> Option<()> {
    let input = DataInput {
        start: facts.start,
        end: facts.end,
        time: packet.time,
        tsval: ack.tsval,
        tsecr: ack.tsecr,
        ip_id: packet.ip_id,
        hop_limit: packet.hop_limit,
        super_segment: packet.super_segment,
    };
    let silence = own.goes_on_since(&input)?;
    own.on_plain(&input);
    facts.note_plain_data(packet.payload_bytes, silence);
    Some(())
}

#[cfg(test)]
mod tests {
    use airmile_read::{Timestamps, Transport};
    use airmile_types::{Address, Instant};
    use proptest::prelude::*;

    use super::super::segments::{apply, apply_any};
    use super::*;

    /// One packet of a connection with few losses.
    #[derive(Clone, Debug)]
    struct Beat {
        uplink: bool,
        payload: u32,
        /// The share, in quarters, of the bytes in flight that the packet acknowledges.
        quarters: u32,
        after_us: i64,
        /// What is unusual about the packet; two of three packets have nothing unusual.
        oddity: u8,
    }

    fn beats() -> impl Strategy<Value = Vec<Beat>> {
        let payload = prop_oneof![Just(0), Just(0), Just(1448), 1u32..3000];
        let beat = (any::<bool>(), payload, 0u32..5, 0i64..60_000, 0u8..40).prop_map(
            |(uplink, payload, quarters, after_us, oddity)| Beat {
                uplink,
                payload,
                quarters,
                after_us,
                oddity,
            },
        );
        prop::collection::vec(beat, 1..150)
    }

    /// The TCP header of a packet, given what both sides have sent so far.
    fn header(beat: &Beat, boards: &PerDirection<Scoreboard>, ms: u32) -> TcpHeader {
        let direction = direction(beat);
        let (own, peer) = (boards.of(direction), boards.of(direction.reverse()));
        let flight = peer.in_flight_bytes() as u32;
        let mut tcp = TcpHeader {
            sequence: (own.next() as u32).wrapping_sub(500),
            acknowledgement: (peer.unacked() as u32)
                .wrapping_add((u64::from(flight) * u64::from(beat.quarters) / 4) as u32)
                .wrapping_sub(500),
            flags: TcpFlags::ACK,
            window: 900 + beat.after_us as u16 % 3,
            ..TcpHeader::default()
        };
        tcp.options.timestamps =
            Some(Timestamps { value: ms, echo: ms.saturating_sub(beat.quarters * 9) });
        match beat.oddity {
            0 => tcp.sequence = tcp.sequence.wrapping_sub(1448),
            1 => tcp.sequence = tcp.sequence.wrapping_add(1448),
            2 => tcp.acknowledgement = tcp.acknowledgement.wrapping_add(5000),
            3 => tcp.acknowledgement = tcp.acknowledgement.wrapping_sub(1),
            4 => tcp.window = 0,
            5 => tcp.flags = TcpFlags(0),
            6 => tcp.flags = tcp.flags | TcpFlags::FIN,
            7 => tcp.flags = tcp.flags | TcpFlags::RST,
            8 => tcp.options.timestamps = None,
            9 => tcp.flags = tcp.flags | TcpFlags::ECE,
            10 => tcp.options.cut = true,
            11 | 12 => {
                let right = (peer.next() as u32).wrapping_sub(500);
                tcp.options.sack_blocks[0] = (right.wrapping_sub(1000), right);
                tcp.options.sack_count = 1;
            }
            _ => {}
        }
        tcp
    }

    fn direction(beat: &Beat) -> Direction {
        if beat.uplink { Direction::Uplink } else { Direction::Downlink }
    }

    fn packet(beat: &Beat, tcp: TcpHeader, now: Instant, number: u16) -> Packet<'static> {
        Packet {
            time: now,
            frame: number.into(),
            source: Address::default(),
            destination: Address::default(),
            ip_protocol: 6,
            ip_version: 4,
            hop_limit: 64,
            ecn: beat.oddity.saturating_sub(36),
            ip_id: number,
            fragment: if beat.oddity == 13 { Fragment::First } else { Fragment::Whole },
            teid: None,
            interface: 0,
            capture: 0,
            access: airmile_read::Access::Unknown,
            outgoing: None,
            super_segment: beat.payload > 1448,
            ip_bytes: 52 + beat.payload,
            payload_bytes: beat.payload,
            payload: &[],
            transport: Transport::Tcp(tcp),
        }
    }

    /// Scoreboards after a SYN of each side, so that most packets are plain.
    fn opened() -> PerDirection<Scoreboard> {
        let mut boards = PerDirection::<Scoreboard>::default();
        let syn = |uplink| Beat { uplink, payload: 0, quarters: 4, after_us: 0, oddity: 99 };
        for (uplink, flags) in [(true, TcpFlags::SYN), (false, TcpFlags::SYN | TcpFlags::ACK)] {
            let mut tcp = header(&syn(uplink), &boards, 0);
            tcp.flags = flags;
            let packet = packet(&syn(uplink), tcp, Instant::default(), 0);
            let mut facts = SegmentFacts::new(&packet, &tcp, direction(&syn(uplink)));
            apply_any(&mut facts, &packet, &tcp, &mut boards, Some(7));
        }
        boards
    }

    proptest! {
        #[test]
        fn plain_packets_are_what_the_definitions_make_of_them(
            beats in beats(),
            handshake: bool,
            shift in prop::option::of(0u8..15),
        ) {
            let mut mixed = if handshake { opened() } else { PerDirection::default() };
            let mut rules = mixed.clone();
            let mut now = Instant::from_nanos(1_700_000_000_000_000_000);
            for (beat, number) in beats.iter().zip(1u16..) {
                now = now + airmile_types::Duration::from_micros(beat.after_us);
                if beat.oddity == 14 {
                    mixed.downlink.stands_at_tap(beat.uplink);
                    rules.downlink.stands_at_tap(beat.uplink);
                }
                let tcp = header(beat, &mixed, (now.as_nanos() / 1_000_000) as u32);
                let packet = packet(beat, tcp, now, number);
                let mut facts = [SegmentFacts::new(&packet, &tcp, direction(beat)); 2];
                apply(&mut facts[0], &packet, &tcp, &mut mixed, shift);
                apply_any(&mut facts[1], &packet, &tcp, &mut rules, shift);
                prop_assert_eq!(format!("{:?}", facts[0]), format!("{:?}", facts[1]));
                prop_assert_eq!(format!("{mixed:?}"), format!("{rules:?}"));
            }
        }

        #[test]
        fn all_but_the_first_after_a_pause_are_plain(sizes in prop::collection::vec(2u32..1400, 8..60)) {
            let mut boards = opened();
            let mut plain = 0;
            let mut now = Instant::default();
            for (&payload, number) in sizes.iter().zip(1u16..) {
                for (uplink, payload, us) in
                    [(false, payload, 10), (false, payload, 10), (false, payload, 10), (true, 0, 90)]
                {
                    now = now + airmile_types::Duration::from_micros(us);
                    let beat = Beat { uplink, payload, quarters: 4, after_us: 0, oddity: 30 };
                    let tcp = header(&beat, &boards, number.into());
                    let packet = packet(&beat, tcp, now, number);
                    let mut facts = SegmentFacts::new(&packet, &tcp, direction(&beat));
                    let taken = super::apply(&mut facts, &packet, &tcp, &mut boards, Some(7));
                    plain += usize::from(taken.is_some());
                    if taken.is_none() {
                        apply_any(&mut facts, &packet, &tcp, &mut boards, Some(7));
                    }
                }
            }
            prop_assert!(plain + 4 >= 3 * sizes.len(), "{plain} of {}", 4 * sizes.len());
        }
    }
}
