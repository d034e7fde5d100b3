//! Turns the lines of a script into the packets that a capture would contain.

use airmile_read::{Fragment, Packet, TcpFlags, TcpHeader, TcpOptions, Timestamps, Transport};
use airmile_types::{Direction, Instant, PerDirection};

use super::line::{Data, Kind, Line, OptionWord, TcpLine, When};
use super::number::Number;
use super::script::{Endpoints, Script};

/// Script time 0: 2020-01-01 00:00:00 UTC.
pub(super) const EPOCH: Instant = Instant::from_nanos(1_577_836_800_000_000_000);

/// The initial sequence numbers of a script's flows. The server's wraps after 1,000 bytes, so that
/// every script also tests the unwrapping.
const ISN: PerDirection<u32> = PerDirection { downlink: u32::MAX - 1_000, uplink: 1_000_000 };

/// Creates packets, and remembers what each flow has sent.
#[derive(Debug)]
pub(super) struct Wire<'a> {
    script: &'a Script,
    now: Instant,
    /// The number of packets so far; each is one record of the capture.
    frame: u64,
    flows: Vec<(u32, Flow)>,
}

#[derive(Clone, Copy, Debug, Default)]
struct Flow {
    sides: PerDirection<Sender>,
}

/// What one sender has sent so far, as offsets in its data.
#[derive(Clone, Copy, Debug, Default)]
struct Sender {
    isn: u32,
    next: i64,
    ack: i64,
    window: u16,
    ip_id: u16,
    timestamps: Timestamps,
}

impl<'a> Wire<'a> {
    /// Creates a wire on which nothing has been sent.
    pub(super) const fn new(script: &'a Script) -> Self {
        Self { script, now: EPOCH, frame: 0, flows: Vec::new() }
    }

    /// Makes the packet that a line describes.
    pub(super) fn packet<'p>(&mut self, line: &'p Line) -> Packet<'p> {
        self.now = match line.when {
            When::After(span) => self.now + span,
            When::At(span) => EPOCH + span,
        };
        self.frame += 1;
        let ends = self.script.endpoints(line.extras.flow);
        let (from, to) = match line.direction {
            Direction::Uplink => (ends.ue, ends.server),
            Direction::Downlink => (ends.server, ends.ue),
        };
        let payload = &line.extras.payload[..];
        let captured = line.extras.cut.unwrap_or(payload.len()).min(payload.len());
        let ip_id = self.ip_id(line);
        let (transport, payload_bytes) = self.transport(line, ends);
        let v4 = from.0.as_v4().is_some();
        Packet {
            time: self.now,
            frame: self.frame,
            source: from.0,
            destination: to.0,
            ip_protocol: match (&line.kind, v4) {
                (Kind::Tcp(_), _) => 6,
                (Kind::Udp(_), _) => 17,
                (Kind::Echo { .. }, true) => 1,
                (Kind::Echo { .. }, false) => 58,
            },
            ip_version: if v4 { 4 } else { 6 },
            hop_limit: line.extras.ttl,
            ecn: line.extras.ecn,
            ip_id,
            fragment: line.extras.fragment,
            teid: line.extras.teid,
            interface: 0,
            capture: 0,
            access: airmile_read::Access::Unknown,
            outgoing: None,
            super_segment: line.extras.super_segment,
            ip_bytes: if v4 { 40 } else { 60 } + payload_bytes,
            payload_bytes,
            payload: &payload[..captured],
            transport,
        }
    }

    fn transport(&mut self, line: &Line, ends: Endpoints) -> (Transport, u32) {
        let (source_port, destination_port) = match line.direction {
            Direction::Uplink => (ends.ue.1, ends.server.1),
            Direction::Downlink => (ends.server.1, ends.ue.1),
        };
        let spoken = line.extras.payload.len() as u32;
        if line.extras.fragment == Fragment::Later {
            return (Transport::None, spoken);
        }
        match &line.kind {
            Kind::Udp(bytes) => {
                (Transport::Udp { source_port, destination_port }, bytes.unwrap_or(spoken))
            }
            Kind::Echo { reply, sequence } => {
                (Transport::Echo { reply: *reply, id: ends.ue.1, sequence: *sequence }, 56)
            }
            Kind::Tcp(tcp) => {
                let flow = self.flow(line);
                let (header, bytes) = flow.send(line.direction, tcp, spoken);
                (Transport::Tcp(TcpHeader { source_port, destination_port, ..header }), bytes)
            }
        }
    }

    fn ip_id(&mut self, line: &Line) -> u16 {
        let sides = &mut self.flow(line).sides;
        let newest = i64::from(sides.of(line.direction.reverse()).ip_id);
        let own = sides.of_mut(line.direction);
        own.ip_id = resolve(line.extras.ip_id, own.ip_id.into(), newest) as u16;
        own.ip_id
    }

    fn flow(&mut self, line: &Line) -> &mut Flow {
        let number = line.extras.flow;
        let at = self.flows.iter().position(|(known, _)| *known == number).unwrap_or_else(|| {
            self.flows.push((number, Flow::new()));
            self.flows.len() - 1
        });
        let flow = &mut self.flows[at].1;
        if let Some(isn) = line.extras.isn {
            *flow.sides.of_mut(line.direction) = Sender::new(isn);
        }
        flow
    }
}

impl Sender {
    fn new(isn: u32) -> Self {
        Self { isn, window: u16::MAX, ..Self::default() }
    }

    /// The sequence number of an offset.
    const fn number(&self, offset: i64) -> u32 {
        self.isn.wrapping_add(offset as u32)
    }
}

impl Flow {
    fn new() -> Self {
        let sender = |direction| Sender::new(*ISN.of(direction));
        Self {
            sides: PerDirection {
                downlink: sender(Direction::Downlink),
                uplink: sender(Direction::Uplink),
            },
        }
    }

    /// Makes the header, and returns it with the number of payload bytes that follow.
    fn send(&mut self, direction: Direction, line: &TcpLine, spoken: u32) -> (TcpHeader, u32) {
        let peer = *self.sides.of(direction.reverse());
        let own = self.sides.of_mut(direction);
        let (start, end) = match line.data {
            Data::At(start, end) => (start, end),
            Data::Next(bytes) => (own.next, own.next + bytes),
            Data::None => (own.next, own.next + i64::from(spoken)),
        };
        let flags =
            [TcpFlags::SYN, TcpFlags::FIN].iter().filter(|flag| line.flags.has(**flag)).count();
        own.next = own.next.max(end + flags as i64);
        own.ack = resolve(line.ack, own.ack, peer.next);
        own.window = line.window.unwrap_or(own.window);
        let mut options = TcpOptions::default();
        for word in &line.options {
            put(word, own, &peer, &mut options);
        }
        let header = TcpHeader {
            sequence: own.number(start),
            acknowledgement: if line.flags.has(TcpFlags::ACK) { peer.number(own.ack) } else { 0 },
            flags: line.flags,
            window: own.window,
            options,
            ..TcpHeader::default()
        };
        (header, (end - start) as u32)
    }
}

fn put(word: &OptionWord, own: &mut Sender, peer: &Sender, options: &mut TcpOptions) {
    let kind = match word {
        OptionWord::Nop => 1,
        OptionWord::Mss(bytes) => {
            options.mss = Some(*bytes);
            2
        }
        OptionWord::WindowScale(shift) => {
            options.window_scale = Some(*shift);
            3
        }
        OptionWord::SackPermitted => {
            options.sack_permitted = true;
            4
        }
        OptionWord::Timestamps(value, echo) => {
            let newest = i64::from(peer.timestamps.value);
            own.timestamps = Timestamps {
                value: resolve(*value, i64::from(own.timestamps.value), newest) as u32,
                echo: resolve(*echo, i64::from(own.timestamps.echo), newest) as u32,
            };
            options.timestamps = Some(own.timestamps);
            8
        }
        OptionWord::Sack(blocks) => {
            for (slot, (left, right)) in options.sack_blocks.iter_mut().zip(blocks) {
                *slot = (peer.number(*left), peer.number(*right));
                options.sack_count += 1;
            }
            5
        }
        OptionWord::Mptcp(token) => {
            options.mptcp = true;
            options.mptcp_token = *token;
            30
        }
        OptionWord::FastOpen => {
            options.fast_open = true;
            34
        }
    };
    options.layout = options.layout.wrapping_mul(37).wrapping_add(kind);
}

const fn resolve(number: Number, before: i64, newest: i64) -> i64 {
    match number {
        Number::Same => before,
        Number::Is(value) => value,
        Number::Plus(more) => before.wrapping_add(more),
        Number::Newest => newest,
    }
}
