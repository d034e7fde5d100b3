#![doc = include_str!("payload_bursts.md")]

use airmile_track::{Analysis, FlowFacts, Scope, Segment};
use airmile_types::{
    Direction, Duration, EventTable, Held, Instant, Maybe, Parameters, PerDirection, Protocol,
    columns,
};

columns! {
    /// How long one direction of a flow was busy with payload.
    #[derive(Default)]
    pub struct PayloadBurstsRow {
        /// Total duration of the bursts of payload; null for protocols other than TCP.
        #[unit("s")] #[cite("A9, UP16 section 3")] pub burst_s: Option<f64>,
        /// Payload divided by the total duration of the bursts of payload; null when that duration
        /// is below `payload_bursts.least_s`.
        #[unit("bps")] #[cite("A9, UP16 section 3")] pub burst_bps: Option<f64>,
    }
}

columns! {
    /// A burst of payload of one direction.
    pub struct PayloadBurst {
        /// The flow that the burst belongs to.
        #[unit("")] #[cite("A12")] pub uid: u64,
        /// The direction of the payload.
        #[unit("")] #[cite("A9")] pub direction: Direction,
        /// Time of the burst's first packet with payload.
        #[unit("ns")] #[cite("A9, UP16 section 3")] pub start_ns: Instant,
        /// Time of the burst's last packet with payload; equal to the start when there is only one.
        #[unit("ns")] #[cite("A9, UP16 section 3")] pub end_ns: Instant,
        /// Payload of the burst's packets, retransmissions included.
        #[unit("bytes")] #[cite("A5")] pub bytes: i64,
    }
}

impl EventTable for PayloadBurst {
    const TABLE: &'static str = "payload_burst_samples";
    const DOC: &'static str = "One row per burst of payload of a TCP flow (methods A9), whose lengths add up to `ul_burst_s` and `dl_burst_s` of `flows`; only with `--samples`.";
}

/// The burst in progress, and the totals of the bursts so far.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct PayloadBursts {
    /// The direction of the burst in progress, and the time of its last packet with payload.
    open: Option<(Direction, Instant)>,
    last_packet: Maybe<Instant>,
    lasted: PerDirection<Duration>,
    payload_bytes: PerDirection<u64>,
    /// With `--samples`: what the row of the burst in progress needs in addition.
    sample: Option<Box<Sample>>,
}

/// The time of a burst's first packet, and its payload so far.
#[derive(Clone, Copy, Debug, PartialEq)]
struct Sample {
    start: Instant,
    bytes: i64,
}

impl Held for PayloadBursts {
    fn held_bytes(&self) -> usize {
        self.sample.as_deref().map_or(0, size_of_val)
    }

    fn give_back(&mut self) {}
}

impl Analysis for PayloadBursts {
    const NAME: &'static str = "payload_bursts";
    const PAGE: &'static str = include_str!("payload_bursts.md");
    const SCOPE: Scope = Scope::Direction;
    type Row = PayloadBurstsRow;
    type Event = PayloadBurst;

    fn on_segment(
        &mut self,
        segment: &Segment<'_>,
        parameters: &Parameters,
        out: &mut Vec<PayloadBurst>,
    ) {
        let last = self.last_packet.get();
        if last.is_some_and(|last| (segment.time - last).exceeds_secs_f64(parameters.burst_gap_s)) {
            self.close(segment.flow.uid, out);
        }
        self.last_packet.note(segment.time);
        if segment.payload_bytes > 0 {
            self.extend(segment, parameters.samples, out);
            *self.payload_bytes.of_mut(segment.direction) += u64::from(segment.payload_bytes);
        }
    }

    fn on_end(&mut self, flow: &FlowFacts, _: &Parameters, out: &mut Vec<PayloadBurst>) {
        self.close(flow.uid, out);
    }

    fn row(&self, flow: &FlowFacts, direction: Direction, parameters: &Parameters) -> PayloadBurstsRow {
        if flow.protocol != Protocol::Tcp {
            return PayloadBurstsRow::default();
        }
        let burst_s = self.lasted.of(direction).as_secs_f64();
        let bits = *self.payload_bytes.of(direction) as f64 * 8.0;
        let long = burst_s > 0.0 && burst_s >= parameters.burst_least_s;
        PayloadBurstsRow { burst_s: Some(burst_s), burst_bps: long.then(|| bits / burst_s) }
    }
}

impl PayloadBursts {
    /// Extends the burst by the time since its last packet; a packet of the other direction begins
    /// another burst.
    fn extend(&mut self, segment: &Segment<'_>, samples: bool, out: &mut Vec<PayloadBurst>) {
        let (direction, time) = (segment.direction, segment.time);
        match &mut self.open {
            Some((open, last)) if *open == direction => {
                if *last < time {
                    *self.lasted.of_mut(direction) += time - *last;
                    *last = time;
                }
            }
            _ => {
                self.close(segment.flow.uid, out);
                self.open = Some((direction, time));
                self.sample = samples.then(|| Box::new(Sample { start: time, bytes: 0 }));
            }
        }
        if let Some(sample) = &mut self.sample {
            sample.bytes += i64::from(segment.payload_bytes);
        }
    }

    /// Ends the burst in progress.
    fn close(&mut self, uid: u64, out: &mut Vec<PayloadBurst>) {
        if let (Some((direction, end_ns)), Some(sample)) = (self.open.take(), self.sample.take()) {
            let Sample { start: start_ns, bytes } = *sample;
            out.push(PayloadBurst { uid, direction, start_ns, end_ns, bytes });
        }
    }
}
