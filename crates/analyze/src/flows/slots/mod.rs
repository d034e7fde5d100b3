#![doc = include_str!("slots.md")]

use airmile_track::{Analysis, Events, FlowFacts, NoColumns, Scope, Segment};
use airmile_types::{Direction, Duration, EventTable, Instant, Parameters, columns};

use crate::flows::{on_device, rtt::covers};

columns! {
    /// One second of a session in which a flow had payload.
    pub struct SlotRow {
        /// The flow that had payload in the slot.
        #[unit("")] #[cite("A12")] pub uid: u64,
        /// The session that the slot belongs to.
        #[unit("")] #[cite("A3")] pub session_id: Option<u64>,
        /// Number of the slot: whole seconds since the session's first packet.
        #[unit("")] #[cite("A8, UP16 section 3")] pub slot: u32,
        /// Beginning of the slot.
        #[unit("ns")] #[cite("A8")] pub start_ns: Instant,
        /// Uplink payload of the flow in the slot, retransmissions included.
        #[unit("bytes")] #[cite("A5, A9")] pub ul_bytes: i64,
        /// Downlink payload of the flow in the slot, retransmissions included.
        #[unit("bytes")] #[cite("A5, A9")] pub dl_bytes: i64,
        /// Mean RTT of the uplink data that was sent in the slot; null without samples. This value
        /// minus the flow's `ul_rtt_min_ms` is the RTT increase of the slot.
        #[unit("ms")] #[cite("A9, B4, UP16 section 3")] pub ul_rtt_ms: Option<f64>,
        /// Number of RTT samples of the uplink data that was sent in the slot.
        #[unit("samples")] #[cite("A9, B4")] pub ul_rtt_samples: u32,
        /// Mean delay within the phone of the downlink data that came in the slot; null without
        /// samples.
        #[unit("ms")] #[cite("A9, B7, UP16 section 3")] pub on_device_delay_ms: Option<f64>,
        /// Number of samples of the delay within the phone of the downlink data that came in the
        /// slot.
        #[unit("samples")] #[cite("A9, B7")] pub on_device_delay_samples: u32,
    }
}

impl EventTable for SlotRow {
    const TABLE: &'static str = "slots";
    const DOC: &'static str = "One row per TCP flow and second of its session with payload (methods A8, A9); filled with --samples only.";
}

/// The number of slots that wait for RTT samples of their data. An ACK that comes later counts
/// nowhere.
const WAITING_MOST: usize = 16;

const LENGTH: Duration = Duration::from_secs(1);

/// The newest slots of a flow, the oldest first.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct Slots(Vec<Slot>);

airmile_types::held!(Slots { 0 });

#[derive(Clone, Copy, Debug, PartialEq)]
struct Slot {
    number: u32,
    session_id: Option<u64>,
    start: Instant,
    ul_bytes: i64,
    dl_bytes: i64,
    ul_rtt: Mean,
    on_device: Mean,
}

#[derive(Clone, Copy, Debug, Default, PartialEq)]
struct Mean {
    count: u32,
    sum_ns: i64,
}

impl Analysis for Slots {
    const NAME: &'static str = "slots";
    const PAGE: &'static str = include_str!("slots.md");
    const SCOPE: Scope = Scope::Flow;
    const WANTS: Events = Events::PAYLOAD.or(Events::RTT);
    type Row = NoColumns;
    type Event = SlotRow;

    #[inline]
    fn on_segment(&mut self, segment: &Segment<'_>, parameters: &Parameters, out: &mut Vec<SlotRow>) {
        if !parameters.samples {
            return;
        }
        if segment.payload_bytes > 0 {
            self.payload(segment, out);
        }
        self.samples(segment, parameters);
    }

    fn on_end(&mut self, flow: &FlowFacts, _: &Parameters, out: &mut Vec<SlotRow>) {
        out.extend(self.0.drain(..).map(|slot| slot.row(flow.uid)));
    }

    fn row(&self, _: &FlowFacts, _: Direction, _: &Parameters) -> NoColumns {
        NoColumns
    }
}

impl Slots {
    fn payload(&mut self, segment: &Segment<'_>, out: &mut Vec<SlotRow>) {
        let new = Slot::new(segment);
        // A packet out of order may belong to a slot older than the newest.
        let at = self.0.iter().rposition(|slot| slot.start <= new.start);
        if at.is_none() && self.0.len() == WAITING_MOST {
            // The clock has stepped back: no room would be left for any slot before those that wait.
            out.extend(self.0.drain(..).map(|slot| slot.row(segment.flow.uid)));
        }
        let known = at.filter(|at| self.0.get(*at).is_some_and(|slot| slot.start == new.start));
        let at = known.unwrap_or_else(|| {
            let next = at.map_or(0, |at| at + 1);
            self.0.insert(next, new);
            next
        });
        if let Some(slot) = self.0.get_mut(at) {
            match segment.direction {
                Direction::Uplink => slot.ul_bytes += i64::from(segment.payload_bytes),
                Direction::Downlink => slot.dl_bytes += i64::from(segment.payload_bytes),
            }
        }
        let over = self.0.len().saturating_sub(WAITING_MOST);
        out.extend(self.0.drain(..over).map(|slot| slot.row(segment.flow.uid)));
    }

    /// Counts the sample that an ACK gives, in the slot in which the acknowledged data passed.
    fn samples(&mut self, segment: &Segment<'_>, parameters: &Parameters) {
        if let Some(sample) = on_device::sample(segment, parameters) {
            if let Some(slot) = self.at(sample.sent) {
                slot.on_device.add(sample.rtt);
            }
        } else if segment.direction == Direction::Downlink
            && let Some(sample) = segment.rtt
            && covers(segment.flow.vantage, Direction::Uplink).is_some()
            && let Some(slot) = self.at(sample.sent)
        {
            slot.ul_rtt.add(sample.rtt);
        }
    }

    /// The slot of an instant, which may belong to the previous session.
    fn at(&mut self, time: Instant) -> Option<&mut Slot> {
        self.0.iter_mut().rev().find(|slot| slot.start <= time && time < slot.start + LENGTH)
    }
}

impl Slot {
    /// The slot in which a segment passes.
    fn new(segment: &Segment<'_>) -> Self {
        let number = number(segment);
        Self {
            number,
            session_id: segment.flow.is_subscribers.then_some(segment.ue.session_id),
            start: segment.ue.session_start + Duration::from_secs(number.into()),
            ul_bytes: 0,
            dl_bytes: 0,
            ul_rtt: Mean::default(),
            on_device: Mean::default(),
        }
    }

    fn row(self, uid: u64) -> SlotRow {
        SlotRow {
            uid,
            session_id: self.session_id,
            slot: self.number,
            start_ns: self.start,
            ul_bytes: self.ul_bytes,
            dl_bytes: self.dl_bytes,
            ul_rtt_ms: self.ul_rtt.ms(),
            ul_rtt_samples: self.ul_rtt.count,
            on_device_delay_ms: self.on_device.ms(),
            on_device_delay_samples: self.on_device.count,
        }
    }
}

impl Mean {
    fn add(&mut self, each: Duration) {
        self.count += 1;
        self.sum_ns = self.sum_ns.saturating_add(each.as_nanos());
    }

    fn ms(self) -> Option<f64> {
        (self.count > 0).then(|| self.sum_ns as f64 / f64::from(self.count) / 1e6)
    }
}

/// The number of a segment's slot; 0 when the clock stepped back to before the session.
fn number(segment: &Segment<'_>) -> u32 {
    let seconds = (segment.time - segment.ue.session_start).as_nanos() / LENGTH.as_nanos();
    u32::try_from(seconds).unwrap_or(0)
}

#[cfg(test)]
mod tests {
    use crate::script::run;

    #[test]
    fn packets_after_the_clock_stepped_back_share_the_row_of_their_slot() {
        let ahead: String = (30..46).map(|second| format!("{second} > P. +100 ack 1\n")).collect();
        let outcome = run(&format!(
            "samples = on\nset sessions.gap_s = 600\n+0 > S 0:0(0)\n+.05 < S. 0:0(0) ack 1\n\
             +.05 > . ack 1\n{ahead}10.1 > P. +100 ack 1\n+.1 > P. +100 ack 1\n+.1 > P. +100 ack 1"
        ))
        .unwrap();
        let table = outcome.table("slots").unwrap();
        let row = |row| ["slot", "ul_bytes"].map(|name| table.cell(row, name).unwrap().to_string());
        assert_eq!(table.rows.len(), 17);
        assert_eq!(row(16), ["10", "300"]);
    }
}
