//! Links through which tests send packets in virtual time.

use airmile_link::{
    AirConfig, Event, HarqConfig, LinkConfig, Measured, Moved, Packet, QueueConfig, Ran,
    RateConfig, Row, TcpFields, Truth,
};
use airmile_types::{Direction, Duration, Instant};

/// A packet with payload and a number, of a flow, whose sender may take marks.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Numbered {
    bytes: u32,
    number: usize,
    flow: u64,
    ecn: bool,
}

impl Packet for Numbered {
    fn bytes(&self) -> u32 {
        self.bytes
    }

    fn tcp(&self) -> Option<TcpFields> {
        let payload_bytes = self.bytes - 40;
        Some(TcpFields { payload_bytes, ..TcpFields::default() })
    }

    fn flow(&self) -> u64 {
        self.flow
    }

    fn mark(&mut self) -> bool {
        self.ecn
    }
}

/// The results of a run.
#[derive(Debug, Default)]
pub(crate) struct Played {
    direction: Option<Direction>,
    pub(crate) rows: Vec<Row>,
    pub(crate) events: Vec<Event>,
    pub(crate) measured: Vec<Measured>,
    pub(crate) moved: Vec<Moved>,
    pub(crate) sent: Vec<Instant>,
    pub(crate) delivered: Vec<(Instant, usize)>,
    pub(crate) path_change_ms: f64,
}

impl Truth for Played {
    fn row(&mut self, direction: Direction, row: &Row) {
        if self.direction == Some(direction) {
            self.rows.push(*row);
        }
    }

    fn event(&mut self, event: &Event) {
        self.events.push(*event);
    }

    fn measured(&mut self, measured: &Measured) {
        self.measured.push(*measured);
    }

    fn handover(&mut self, moved: &Moved) {
        self.moved.push(*moved);
    }
}

impl Played {
    pub(crate) fn served_bytes(&self) -> u64 {
        self.rows.iter().map(|row| u64::from(row.served_bytes)).sum()
    }

    pub(crate) fn delays_ms(&self) -> Vec<f64> {
        let delay = |(at, number): &(Instant, usize)| (*at - self.sent[*number]).as_millis_f64();
        self.delivered.iter().map(delay).collect()
    }

    pub(crate) fn is_in_order(&self) -> bool {
        self.delivered.windows(2).all(|pair| pair[0].1 < pair[1].1 && pair[0].0 <= pair[1].0)
    }
}

/// A link with 20 Mbit/s in each direction, without HARQ retransmissions and other users.
pub(crate) fn quiet() -> LinkConfig {
    let air = AirConfig {
        rate: RateConfig::Constant { mbps: 20.0 },
        harq: HarqConfig { failure: 0.0, ..HarqConfig::default() },
        ..AirConfig::default()
    };
    let uplink = AirConfig {
        queue: QueueConfig { qdisc_packets: 0, ..air.queue },
        ..LinkConfig::default().uplink
    };
    LinkConfig {
        uplink: AirConfig { rate: air.rate.clone(), harq: air.harq, ..uplink },
        downlink: air,
        ..LinkConfig::default()
    }
}

/// Keeps the queue of a direction full for this number of TTIs.
pub(crate) fn saturated(config: &LinkConfig, direction: Direction, ttis: u64) -> Played {
    let mut ran = Ran::new(config).unwrap();
    let mut played = Played { direction: Some(direction), ..Played::default() };
    for _ in 0..ttis {
        let now = ran.next_tick();
        while played.rows.last().is_none_or(|row| row.queue_bytes < 60_000) && can_take(&played) {
            push(&mut ran, direction, now, 1500, &mut played);
        }
        for _ in 0..8 {
            push(&mut ran, direction, now, 1500, &mut played);
        }
        step(&mut ran, direction, &mut played);
    }
    played
}

/// Sends a packet every `gap_ns`; the first comes 0.3 ms into a TTI.
pub(crate) fn spaced(
    config: &LinkConfig,
    direction: Direction,
    bytes: u32,
    gap_ns: i64,
    count: usize,
) -> Played {
    timed(config, direction, bytes, (0..count as i64).map(|n| 20_300_000 + gap_ns * n))
}

/// Sends a packet at each of these nanoseconds, and runs the link for one second more.
pub(crate) fn timed(
    config: &LinkConfig,
    direction: Direction,
    bytes: u32,
    at_ns: impl IntoIterator<Item = i64>,
) -> Played {
    of_flows(config, direction, at_ns.into_iter().map(|ns| Sent { ns, bytes, flow: 0, ecn: false }))
}

/// A packet of a flow, and the time in nanoseconds at which it is sent.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Sent {
    pub(crate) ns: i64,
    pub(crate) bytes: u32,
    pub(crate) flow: u64,
    pub(crate) ecn: bool,
}

/// Sends these packets, and runs the link for one second more.
pub(crate) fn of_flows(
    config: &LinkConfig,
    direction: Direction,
    packets: impl IntoIterator<Item = Sent>,
) -> Played {
    let mut ran = Ran::new(config).unwrap();
    let mut played = Played { direction: Some(direction), ..Played::default() };
    for sent in packets {
        let at = Instant::from_nanos(sent.ns);
        while ran.next_tick() < at {
            step(&mut ran, direction, &mut played);
        }
        let Sent { bytes, flow, ecn, .. } = sent;
        let packet = Numbered { bytes, number: played.sent.len(), flow, ecn };
        played.sent.push(at);
        ran.arrive(direction, at, packet, &mut played);
    }
    let end = ran.next_tick() + Duration::from_secs(1);
    while ran.next_tick() < end {
        step(&mut ran, direction, &mut played);
    }
    played
}

/// Whether the packets fit: during the first TTIs there is no row to look at.
fn can_take(played: &Played) -> bool {
    played.sent.len() < 40 + 8 * played.rows.len()
}

fn push(
    ran: &mut Ran<Numbered>,
    direction: Direction,
    now: Instant,
    bytes: u32,
    played: &mut Played,
) {
    let packet = Numbered { bytes, number: played.sent.len(), flow: 0, ecn: false };
    played.sent.push(now);
    ran.arrive(direction, now, packet, played);
}

fn step(ran: &mut Ran<Numbered>, direction: Direction, played: &mut Played) {
    ran.tick(played);
    played.path_change_ms += ran.take_path_change().as_millis_f64();
    let now = ran.next_tick();
    while let Some((at, packet)) = ran.pop(direction, now) {
        played.delivered.push((at, packet.number));
    }
}
