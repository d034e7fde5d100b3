//! Runs the stages of the engine, each with all stages before it, to measure what each costs per
//! packet.

use std::hint::black_box;
use std::io;

use airmile_analyze::{Engine, FlowRow, Output};
use airmile_read::{Capture, Packet, Source, TcpFlags, Transport};
use airmile_track::{
    Datagram, FlowFacts, Handler, Scoreboard, Segment, SessionFacts, TrackConfig, Tracker,
};
use airmile_types::{Address, EventTable, Instant, Parameters, PerDirection, RowSink};
use hashbrown::HashMap;

/// Runs a stage over a capture and counts its packets; `None` when there is no such stage.
pub(crate) fn run(name: &str, capture: &str) -> io::Result<Option<u64>> {
    let mut capture = Capture::open(&Source::file(capture))
        .map_err(|error| io::Error::other(error.to_string()))?;
    Ok(match name {
        "walk" => Some(walk(&mut capture)),
        "decode" => Some(each(&mut capture, |_| {})),
        "table" => Some(table(&mut capture)),
        "track" => Some(track(&mut capture)),
        "analyze" => Some(analyze(&mut capture)),
        _ => None,
    })
}

fn walk(capture: &mut Capture) -> u64 {
    let mut records = 0;
    while capture.skip_record() {
        records += 1;
    }
    records
}

fn each(capture: &mut Capture, mut take: impl FnMut(&Packet<'_>)) -> u64 {
    let mut packets = 0;
    while let Some(packet) = capture.next_packet() {
        take(&packet);
        packets += 1;
    }
    packets
}

/// The least work of any flow tool: one update of a table, with eviction of closed flows.
fn table(capture: &mut Capture) -> u64 {
    #[derive(Default)]
    struct Entry {
        packets: u64,
        bytes: u64,
        last: Option<Instant>,
    }
    let mut flows: HashMap<(Address, Address, u16, u16, u8), Entry> = HashMap::new();
    each(capture, |packet| {
        let (source, destination, over) = match &packet.transport {
            Transport::Tcp(tcp) => {
                let over = tcp.flags.any(TcpFlags::FIN | TcpFlags::RST);
                (tcp.source_port, tcp.destination_port, over)
            }
            Transport::Udp { source_port, destination_port } => {
                (*source_port, *destination_port, false)
            }
            _ => (0, 0, false),
        };
        let ends = [(packet.source, source), (packet.destination, destination)];
        let [low, high] = if ends[0] <= ends[1] { ends } else { [ends[1], ends[0]] };
        let key = (low.0, high.0, low.1, high.1, packet.ip_protocol);
        if over {
            flows.remove(&key);
            return;
        }
        let entry = flows.entry(key).or_default();
        entry.packets += 1;
        entry.bytes += u64::from(packet.ip_bytes);
        entry.last = Some(packet.time);
    })
}

fn track(capture: &mut Capture) -> u64 {
    let mut tracker = Tracker::new(TrackConfig::default(), Nothing);
    let packets = each(capture, |packet| tracker.packet(packet));
    tracker.finish();
    packets
}

fn analyze(capture: &mut Capture) -> u64 {
    let engine = Engine::new(Parameters::default(), Nothing);
    let mut tracker = Tracker::new(TrackConfig::default(), engine);
    let packets = each(capture, |packet| tracker.packet(packet));
    tracker.finish().finish();
    packets
}

/// A handler that drops facts and rows.
struct Nothing;

impl Handler for Nothing {
    type Flow = ();
    type Ue = ();
    fn open(&mut self, _: &FlowFacts) {}
    fn segment(&mut self, (): &mut (), (): &mut (), segment: &Segment<'_>) {
        black_box(segment);
    }
    fn datagram(&mut self, (): &mut (), (): &mut (), _: &Datagram<'_>) {}
    fn end(&mut self, (): (), (): &mut (), _: &FlowFacts, _: Option<&PerDirection<Scoreboard>>) {}
    fn session(&mut self, (): (), _: &SessionFacts) {}
}

impl Output for Nothing {
    fn flow(&mut self, row: &FlowRow<'_>) {
        row.put(self);
    }
    fn rows<T: EventTable>(&mut self, rows: &mut Vec<T>) {
        rows.clear();
    }
}

/// The cells are computed, as for any other sink.
impl RowSink for Nothing {
    fn i64(&mut self, value: Option<i64>) {
        black_box(value);
    }
    fn u64(&mut self, value: Option<u64>) {
        black_box(value);
    }
    fn u16(&mut self, value: Option<u16>) {
        black_box(value);
    }
    fn f64(&mut self, value: Option<f64>) {
        black_box(value);
    }
    fn bool(&mut self, value: Option<bool>) {
        black_box(value);
    }
    fn utf8(&mut self, value: Option<&str>) {
        black_box(value);
    }
}
