//! Makes the packets of a few flows from arbitrary steps. Most packets are close to what a
//! connection would send next, and some are arbitrary.

use airmile_read::{Fragment, Packet, TcpFlags, TcpHeader, TcpOptions, Timestamps, Transport};
use airmile_types::{Address, Instant};
use arbitrary::Arbitrary;

/// The events on the wire.
#[derive(Arbitrary, Debug)]
pub(crate) struct Script {
    /// The steps, in the order of their times.
    pub(crate) steps: Vec<Step>,
}

/// One packet.
#[derive(Arbitrary, Debug)]
pub(crate) struct Step {
    gap: Gap,
    /// Selects the flow, the direction, and rare properties.
    select: u8,
    kind: Kind,
}

#[derive(Arbitrary, Debug)]
enum Gap {
    Micros(u16),
    Millis(u16),
    Seconds(u16),
    Back(u16),
    Anywhere(i64),
}

#[derive(Arbitrary, Debug)]
enum Kind {
    /// The next bytes in order, acknowledging all that came.
    Next {
        bytes: u16,
    },
    /// An ACK for a part of the data that came, with SACK blocks.
    Ack {
        behind: u16,
        window: u16,
        sack: [(u16, u16); 3],
        blocks: u8,
    },
    /// A handshake packet.
    Syn {
        sequence: u16,
        options: u8,
        ack: bool,
    },
    /// A packet whose numbers are close to the expected ones.
    Near {
        flags: u8,
        sequence: i16,
        ack: i16,
        bytes: u16,
        window: u16,
        tsval: u16,
        id: u16,
    },
    /// A packet with any numbers.
    Wild {
        flags: u16,
        sequence: u32,
        ack: u32,
        bytes: u32,
        window: u16,
        tsval: u32,
        sack: [(u32, u32); 4],
    },
    /// A datagram of another protocol than TCP.
    Datagram {
        protocol: u8,
        ports: (u16, u16),
        payload: [u8; 24],
        bytes: u16,
    },
    Echo {
        reply: bool,
        id: u8,
        sequence: u8,
    },
    LaterFragment,
}

/// The state of each direction of each flow.
#[derive(Clone, Copy, Debug, Default)]
struct Side {
    next: u32,
    tsval: u32,
}

const FLOWS: usize = 4;

impl Script {
    /// Passes every packet to `take`.
    pub(crate) fn play(&self, mut take: impl FnMut(&Packet<'_>)) {
        let mut sides = [[Side::default(); 2]; FLOWS];
        for (flow, pair) in sides.iter_mut().enumerate() {
            // A sequence number that wraps soon.
            *pair = [
                Side { next: u32::MAX - 5000 * flow as u32, tsval: 7 },
                Side { next: 1_000_000, tsval: u32::MAX - 20 },
            ];
        }
        let mut now: i64 = 1_600_000_000_000_000_000;
        for step in &self.steps {
            now = step.gap.after(now);
            step.packet(now, &mut sides, &mut take);
        }
    }
}

impl Gap {
    fn after(&self, now: i64) -> i64 {
        match *self {
            Self::Micros(us) => now.saturating_add(i64::from(us) * 1_000),
            Self::Millis(ms) => now.saturating_add(i64::from(ms) * 1_000_000),
            Self::Seconds(s) => now.saturating_add(i64::from(s) * 1_000_000_000),
            Self::Back(ms) => now.saturating_sub(i64::from(ms) * 1_000_000),
            Self::Anywhere(ns) => ns,
        }
    }
}

impl Step {
    fn packet(&self, now: i64, sides: &mut [[Side; 2]; FLOWS], take: &mut impl FnMut(&Packet<'_>)) {
        let flow = usize::from(self.select & 3);
        let uplink = self.select & 4 != 0;
        let [down, up] = sides.get_mut(flow).expect("four flows");
        let (own, peer) = if uplink { (up, down) } else { (down, up) };
        own.tsval = own.tsval.wrapping_add(1);
        let mut tcp = TcpHeader {
            flags: TcpFlags::ACK,
            sequence: own.next,
            acknowledgement: peer.next,
            window: 500,
            ..TcpHeader::default()
        };
        if self.select & 8 != 0 {
            let echo = peer.tsval;
            tcp.options.timestamps = Some(Timestamps { value: own.tsval, echo });
        }
        let mut bytes = 0;
        let mut text = [b'x'; 24];
        let mut id = own.next as u16;
        match &self.kind {
            Kind::Next { bytes: b } => {
                bytes = u32::from(*b);
                own.next = own.next.wrapping_add(bytes);
                text[..16].copy_from_slice(b"GET / HTTP/1.1\r\n");
            }
            Kind::Ack { behind, window, sack, blocks } => {
                tcp.acknowledgement = peer.next.wrapping_sub(u32::from(*behind));
                tcp.window = *window;
                tcp.options.sack_count = blocks % 4;
                for (slot, (from, length)) in tcp.options.sack_blocks.iter_mut().zip(sack) {
                    let left = tcp.acknowledgement.wrapping_add(u32::from(*from));
                    *slot = (left, left.wrapping_add(u32::from(*length)));
                }
            }
            Kind::Syn { sequence, options, ack } => {
                own.next = u32::from(*sequence).wrapping_sub(300);
                tcp.sequence = own.next;
                own.next = own.next.wrapping_add(1);
                tcp.flags = if *ack { TcpFlags::SYN | TcpFlags::ACK } else { TcpFlags::SYN };
                tcp.options = syn_options(*options, tcp.options.timestamps);
                bytes = u32::from(options >> 6);
            }
            Kind::Near { flags, sequence, ack, bytes: b, window, tsval, id: i } => {
                tcp.flags = TcpFlags(u16::from(*flags));
                tcp.sequence = own.next.wrapping_add_signed((*sequence).into());
                tcp.acknowledgement = peer.next.wrapping_add_signed((*ack).into());
                tcp.window = *window;
                let value = own.tsval.wrapping_sub(u32::from(*tsval));
                tcp.options.timestamps = Some(Timestamps { value, echo: peer.tsval });
                (bytes, id) = (u32::from(*b), *i);
            }
            Kind::Wild { flags, sequence, ack, bytes: b, window, tsval, sack } => {
                tcp.flags = TcpFlags(*flags & 0x1ff);
                (tcp.sequence, tcp.acknowledgement, tcp.window) = (*sequence, *ack, *window);
                tcp.options.timestamps = Some(Timestamps { value: *tsval, echo: *ack });
                (tcp.options.sack_blocks, tcp.options.sack_count) = (*sack, 4);
                // A larger datagram would be an IPv6 jumbogram (RFC 2675), which no reader returns.
                bytes = *b & 0xf_ffff;
            }
            Kind::Datagram { protocol, ports, payload, bytes: b } => {
                let transport = Transport::Udp { source_port: ports.0, destination_port: ports.1 };
                let packet =
                    self.of(now, flow, uplink, *protocol, transport, (u32::from(*b), payload, id));
                return take(&packet);
            }
            Kind::Echo { reply, id: i, sequence } => {
                let transport = Transport::Echo {
                    reply: *reply,
                    id: u16::from(*i),
                    sequence: u16::from(*sequence),
                };
                return take(&self.of(now, flow, uplink, 1, transport, (56, &text, id)));
            }
            Kind::LaterFragment => {
                let whole = self.of(now, flow, uplink, 17, Transport::None, (1000, &text, id));
                return take(&Packet { fragment: Fragment::Later, ..whole });
            }
        }
        (tcp.source_port, tcp.destination_port) =
            if uplink { (40_000 + flow as u16, 443) } else { (443, 40_000 + flow as u16) };
        take(&self.of(now, flow, uplink, 6, Transport::Tcp(tcp), (bytes, &text, id)));
    }

    fn of<'a>(
        &self,
        now: i64,
        flow: usize,
        uplink: bool,
        ip_protocol: u8,
        transport: Transport,
        (payload_bytes, text, ip_id): (u32, &'a [u8], u16),
    ) -> Packet<'a> {
        let phone = Address::v4([10, 0, 0, flow as u8 / 2]);
        let server = Address::v4([203, 0, 113, 9]);
        let (source, destination) = if uplink { (phone, server) } else { (server, phone) };
        let captured = text.len().min(payload_bytes as usize);
        Packet {
            time: Instant::from_nanos(now),
            frame: 0,
            source,
            destination,
            ip_protocol,
            ip_version: 4,
            hop_limit: 60,
            ecn: self.select >> 6,
            ip_id,
            fragment: Fragment::Whole,
            teid: (self.select & 0x30 == 0x30).then_some(u32::from(self.select)),
            interface: 0,
            capture: 0,
            access: airmile_read::Access::Unknown,
            outgoing: None,
            super_segment: payload_bytes > 1500,
            ip_bytes: payload_bytes.saturating_add(40),
            payload_bytes,
            payload: text.get(..captured).unwrap_or_default(),
            transport,
        }
    }
}

fn syn_options(bits: u8, timestamps: Option<Timestamps>) -> TcpOptions {
    TcpOptions {
        mss: (bits & 1 != 0).then_some(if bits & 2 != 0 { 1460 } else { u16::from(bits) }),
        window_scale: (bits & 4 != 0).then_some(bits >> 3 & 15),
        sack_permitted: bits & 8 != 0,
        timestamps,
        mptcp: bits & 16 != 0,
        fast_open: bits & 32 != 0,
        ..TcpOptions::default()
    }
}
