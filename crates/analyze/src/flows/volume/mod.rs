#![doc = include_str!("volume.md")]

use airmile_track::{Analysis, Datagram, Events, FlowFacts, NoEvents, Scope, Segment, Shared};
use airmile_types::{Direction, Instant, Maybe, Parameters, PerDirection, Protocol, columns};

columns! {
    /// The packets and bytes of one direction of a flow.
    pub struct VolumeRow {
        /// Packets, with and without payload.
        #[unit("packets")] #[cite("A5")] pub packets: u32,
        /// Payload of all packets by IP length, retransmissions included.
        #[unit("bytes")] #[cite("A5")] pub payload_bytes: i64,
        /// Payload counted once per sequence number; null for protocols without sequence numbers.
        #[unit("bytes")] #[cite("A5")] pub unique_bytes: Option<i64>,
        /// Payload divided by the flow's duration; null when the duration is 0.
        #[unit("bps")] #[cite("A5")] pub rate_bps: Option<f64>,
        /// Time of the first packet with payload; null when there is none.
        #[unit("ns")] #[cite("A5")] pub first_payload_ns: Option<Instant>,
        /// Time of the last packet with payload; null when there is none.
        #[unit("ns")] #[cite("A5")] pub last_payload_ns: Option<Instant>,
        /// Time of the last packet; null when there is none.
        #[unit("ns")] #[cite("A5")] pub last_ns: Option<Instant>,
        /// Packets with SYN; null for protocols other than TCP.
        #[unit("packets")] #[cite("A5")] pub syn: Option<u32>,
        /// Packets with FIN; null for protocols other than TCP.
        #[unit("packets")] #[cite("A5")] pub fin: Option<u32>,
        /// Packets with RST; null for protocols other than TCP.
        #[unit("packets")] #[cite("A5")] pub rst: Option<u32>,
    }
}

/// Counts of both directions.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct Volume(Box<PerDirection<Counts>>);

#[derive(Clone, Debug, Default, PartialEq)]
struct Counts {
    packets: u32,
    syn: u32,
    fin: u32,
    rst: u32,
    payload_bytes: i64,
    unique_bytes: i64,
    payload: Option<(Instant, Instant)>,
    last: Maybe<Instant>,
}

airmile_types::held!(Volume { 0 } Counts {});

impl Analysis for Volume {
    const NAME: &'static str = "volume";
    const PAGE: &'static str = include_str!("volume.md");
    const SCOPE: Scope = Scope::Direction;
    type Row = VolumeRow;
    type Event = NoEvents;

    fn on_segment(&mut self, segment: &Segment<'_>, _: &Parameters, _: &mut Vec<NoEvents>) {
        let counts = self.0.of_mut(segment.direction);
        counts.packet(segment.time, segment.payload_bytes);
        counts.unique_bytes += i64::from(segment.new_bytes);
        if segment.events.any(Events::CONTROL) {
            counts.control(segment.events);
        }
        if segment.events.any(Events::ODD) {
            let peer = self.0.of_mut(segment.direction.reverse());
            peer.unique_bytes += i64::from(segment.probed_bytes);
        }
    }

    fn on_datagram(&mut self, datagram: &Datagram<'_>, _: &Parameters, _: &mut Vec<NoEvents>) {
        self.0.of_mut(datagram.direction).packet(datagram.time, datagram.payload_bytes);
    }

    fn share(&mut self, _: &FlowFacts, _: &Parameters, shared: &mut Shared) {
        let seen = |direction| self.0.of(direction).packets > 0;
        shared.seen = PerDirection { downlink: seen(Direction::Downlink), uplink: seen(Direction::Uplink) };
        shared.unique_bytes =
            PerDirection { downlink: self.0.downlink.unique_bytes, uplink: self.0.uplink.unique_bytes };
    }

    fn row(&self, flow: &FlowFacts, direction: Direction, _: &Parameters) -> VolumeRow {
        let counts = self.0.of(direction);
        let tcp = flow.protocol == Protocol::Tcp;
        let duration_s = (flow.end - flow.start).as_secs_f64();
        VolumeRow {
            packets: counts.packets,
            payload_bytes: counts.payload_bytes,
            unique_bytes: tcp.then_some(counts.unique_bytes),
            rate_bps: (duration_s > 0.0).then(|| counts.payload_bytes as f64 * 8.0 / duration_s),
            first_payload_ns: counts.payload.map(|(first, _)| first),
            last_payload_ns: counts.payload.map(|(_, last)| last),
            last_ns: counts.last.get(),
            syn: tcp.then_some(counts.syn),
            fin: tcp.then_some(counts.fin),
            rst: tcp.then_some(counts.rst),
        }
    }
}

impl Counts {
    #[inline]
    fn packet(&mut self, time: Instant, payload_bytes: u32) {
        self.packets += 1;
        self.last.note(time);
        if payload_bytes == 0 {
            return;
        }
        self.payload_bytes += i64::from(payload_bytes);
        match &mut self.payload {
            Some((_, last)) if *last <= time => *last = time,
            Some((first, _)) => *first = (*first).min(time),
            None => self.payload = Some((time, time)),
        }
    }

    fn control(&mut self, events: Events) {
        self.syn += u32::from(events.any(Events::SYN));
        self.fin += u32::from(events.any(Events::FIN));
        self.rst += u32::from(events.any(Events::RST));
    }
}
