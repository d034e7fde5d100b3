#![doc = include_str!("throughput.md")]

use airmile_track::{Analysis, Datagram, Events, FlowFacts, NoColumns, Scope, Segment};
use airmile_types::{Direction, Duration, EventTable, Instant, Parameters, PerDirection, columns};

columns! {
    /// The payload of one direction of a flow in one bin of time.
    pub struct ThroughputBin {
        /// The flow that the bin belongs to.
        #[unit("")] #[cite("A12")] pub uid: u64,
        /// The direction of the data.
        #[unit("")] #[cite("D3")] pub direction: Direction,
        /// Start of the bin, a multiple of its width in UTC.
        #[unit("ns")] #[cite("D3")] pub start_ns: Instant,
        /// Payload that passed for the first time.
        #[unit("bytes")] #[cite("D3")] pub bytes: i64,
        /// `bytes` divided by the width of the bin.
        #[unit("bps")] #[cite("D3")] pub throughput_bps: f64,
    }
}

impl EventTable for ThroughputBin {
    const TABLE: &'static str = "throughput";
    const DOC: &'static str =
        "One row per flow, direction and bin of `throughput.bin_s` in which new payload passed (methods D3); the other bins are 0.";
}

/// The open bin of each direction.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct Throughput(PerDirection<Option<Bin>>);

airmile_types::held!(Throughput {});

#[derive(Clone, Copy, Debug, PartialEq)]
struct Bin {
    start: Instant,
    end: Instant,
    bytes: i64,
}

impl Analysis for Throughput {
    const NAME: &'static str = "throughput";
    const PAGE: &'static str = include_str!("throughput.md");
    const SCOPE: Scope = Scope::Flow;
    const WANTS: Events = Events::NEW.or(Events::OLD);
    type Row = NoColumns;
    type Event = ThroughputBin;

    fn on_segment(&mut self, segment: &Segment<'_>, parameters: &Parameters, out: &mut Vec<ThroughputBin>) {
        match self.0.of_mut(segment.direction) {
            Some(bin) if bin.holds(segment.time) => bin.bytes += i64::from(segment.new_bytes),
            _ if segment.new_bytes > 0 => self.begin(segment, parameters, out),
            _ => {}
        }
    }

    fn on_datagram(&mut self, datagram: &Datagram<'_>, parameters: &Parameters, out: &mut Vec<ThroughputBin>) {
        if datagram.payload_bytes > 0 {
            self.add(datagram.flow.uid, datagram.direction, datagram.time, datagram.payload_bytes, parameters, out);
        }
    }

    fn on_end(&mut self, flow: &FlowFacts, _: &Parameters, out: &mut Vec<ThroughputBin>) {
        for direction in [Direction::Uplink, Direction::Downlink] {
            let bin = self.0.of_mut(direction).take();
            out.extend(bin.map(|bin| bin.row(flow.uid, direction)));
        }
    }

    fn row(&self, _: &FlowFacts, _: Direction, _: &Parameters) -> NoColumns {
        NoColumns
    }
}

impl Throughput {
    fn begin(&mut self, segment: &Segment<'_>, parameters: &Parameters, out: &mut Vec<ThroughputBin>) {
        self.add(segment.flow.uid, segment.direction, segment.time, segment.new_bytes, parameters, out);
    }

    fn add(
        &mut self,
        uid: u64,
        direction: Direction,
        time: Instant,
        bytes: u32,
        parameters: &Parameters,
        out: &mut Vec<ThroughputBin>,
    ) {
        let open = self.0.of_mut(direction);
        // After the clock stepped back, a bin may have two rows; grouped by flow and start, they
        // add up.
        match open {
            Some(bin) if bin.holds(time) => bin.bytes += i64::from(bytes),
            _ => {
                out.extend(open.map(|bin| bin.row(uid, direction)));
                *open = width(parameters).map(|width| Bin::at(time, width, bytes));
            }
        }
    }
}

impl Bin {
    #[inline]
    fn holds(&self, time: Instant) -> bool {
        self.start <= time && time < self.end
    }

    fn at(time: Instant, width: Duration, bytes: u32) -> Self {
        let start = Instant::from_nanos(time.bin(width).saturating_mul(width.as_nanos()));
        Self { start, end: start + width, bytes: bytes.into() }
    }

    fn row(self, uid: u64, direction: Direction) -> ThroughputBin {
        ThroughputBin {
            uid,
            direction,
            start_ns: self.start,
            bytes: self.bytes,
            throughput_bps: self.bytes as f64 * 8.0 / (self.end - self.start).as_secs_f64(),
        }
    }
}

/// The width of a bin; `None` when a width of 0 switches the series off.
fn width(parameters: &Parameters) -> Option<Duration> {
    let width = Duration::from_secs_f64(parameters.throughput_bin_s);
    (width > Duration::ZERO).then_some(width)
}
