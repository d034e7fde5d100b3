//! Writes the facts of every TCP packet as tab-separated lines, for tests that compute the same
//! figures independently: `cargo run -p airmile-track --example facts -- CAPTURE`.
//!
//! Columns: flow, phone's address and port, server's address and port, time in ns, direction,
//! flags, window field, sequence and ACK number as in the packet, first and last offset, payload
//! bytes, whether the record holds several segments. An unknown value is empty.

use std::io::{BufWriter, Stdout, Write, stdout};

use airmile_read::{Capture, Source, TcpFlags, Transport};
use airmile_track::{
    Datagram, FlowFacts, Handler, Scoreboard, Segment, SessionFacts, TrackConfig, Tracker,
};
use airmile_types::{Direction, PerDirection};

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let name = std::env::args().nth(1).ok_or("name a capture")?;
    let mut capture = Capture::open(&Source::file(name))?;
    let out = BufWriter::new(stdout());
    let writer = Writer { out, written: Ok(()), sequence: 0, acknowledgement: None };
    let mut tracker = Tracker::new(TrackConfig::default(), writer);
    while let Some(packet) = capture.next_packet() {
        if let Transport::Tcp(tcp) = &packet.transport {
            let writer = tracker.handler();
            writer.sequence = tcp.sequence;
            writer.acknowledgement = tcp.flags.has(TcpFlags::ACK).then_some(tcp.acknowledgement);
        }
        tracker.packet(&packet);
    }
    let mut writer = tracker.finish();
    writer.written?;
    Ok(writer.out.flush()?)
}

/// Writes the facts as they come. The sequence and ACK numbers are those of the current packet.
struct Writer {
    out: BufWriter<Stdout>,
    /// The first error; nothing is written after it.
    written: std::io::Result<()>,
    sequence: u32,
    acknowledgement: Option<u32>,
}

impl Handler for Writer {
    type Flow = ();
    type Ue = ();

    fn open(&mut self, _: &FlowFacts) {}

    fn segment(&mut self, (): &mut (), (): &mut (), s: &Segment<'_>) {
        if self.written.is_ok() {
            self.written = self.write(s);
        }
    }

    fn datagram(&mut self, (): &mut (), (): &mut (), _: &Datagram<'_>) {}

    fn end(&mut self, (): (), (): &mut (), _: &FlowFacts, _: Option<&PerDirection<Scoreboard>>) {}

    fn session(&mut self, (): (), _: &SessionFacts) {}
}

impl Writer {
    fn write(&mut self, s: &Segment<'_>) -> std::io::Result<()> {
        let out = &mut self.out;
        let flow = s.flow;
        write!(out, "{}\t{}\t{}\t", flow.uid, flow.ue, flow.ue_port)?;
        write!(out, "{}\t{}\t{}\t", flow.server, flow.server_port, s.time.as_nanos())?;
        let direction = if s.direction == Direction::Uplink { "ul" } else { "dl" };
        write!(out, "{direction}\t{}\t{}\t{}\t", s.flags.0, s.window_field, self.sequence)?;
        write!(out, "{}\t{}\t{}\t", optional(self.acknowledgement), s.start, s.end)?;
        writeln!(out, "{}\t{}", s.payload_bytes, u8::from(s.super_segment))
    }
}

fn optional(value: Option<u32>) -> String {
    value.map_or_else(String::new, |value| value.to_string())
}
