#![doc = include_str!("options.md")]

use std::num::NonZeroU32;

use airmile_read::TcpFlags;
use airmile_track::{Analysis, Events, FlowFacts, NoEvents, Scope, Segment, SynOptions};
use airmile_types::{Direction, Duration, Instant, Parameters, PerDirection, columns};

columns! {
    /// The TCP options that the two sides announced, and their first windows.
    pub struct OptionsRow {
        /// Maximum segment size in the phone's SYN; null without the option or the SYN.
        #[unit("bytes")] #[cite("C8, RFC 9293 section 3.7.1")] pub ue_mss_bytes: Option<u32>,
        /// Maximum segment size in the server's SYN; null without the option or the SYN.
        #[unit("bytes")] #[cite("C8, RFC 9293 section 3.7.1")] pub server_mss_bytes: Option<u32>,
        /// Window scale in the phone's SYN; null without the option or the SYN.
        #[unit("bits")] #[cite("C8, RFC 7323 section 2")] pub ue_window_scale: Option<i32>,
        /// Window scale in the server's SYN; null without the option or the SYN.
        #[unit("bits")] #[cite("C8, RFC 7323 section 2")] pub server_window_scale: Option<i32>,
        /// Whether the phone sent timestamps, in its SYN or later; null when it sent none and no
        /// SYN was seen.
        #[unit("")] #[cite("C8, RFC 7323 section 3")] pub ue_timestamps: Option<bool>,
        /// Whether the server sent timestamps, in its SYN or later; null when it sent none and no
        /// SYN was seen.
        #[unit("")] #[cite("C8, RFC 7323 section 3")] pub server_timestamps: Option<bool>,
        /// Whether the phone's SYN permitted SACK; null without its SYN.
        #[unit("")] #[cite("C8, RFC 2018 section 2")] pub ue_sack: Option<bool>,
        /// Whether the server's SYN permitted SACK; null without its SYN.
        #[unit("")] #[cite("C8, RFC 2018 section 2")] pub server_sack: Option<bool>,
        /// Whether the phone's SYN carried an MPTCP option; null without its SYN.
        #[unit("")] #[cite("RFC 8684 section 3.1")] pub ue_mptcp: Option<bool>,
        /// Token of the MPTCP connection that the flow is a subflow of. It is equal in all subflows
        /// that one side opens to the other. Null for plain TCP, and when neither keys nor token
        /// were captured.
        #[unit("")] #[cite("RFC 8684 section 3.2")] pub mptcp_token: Option<u32>,
        /// Downlink payload of the first flight: the payload that passed before the server could
        /// know of an ACK for any of it. Null without handshake, downlink payload, or an ACK for
        /// it.
        #[unit("bytes")] #[cite("C8, RFC 6928")] pub initial_window_bytes: Option<i64>,
        /// Scaled window in the phone's first packet after the SYN; null when the scale is unknown.
        #[unit("bytes")] #[cite("C6, LTE13 section 5")] pub ue_initial_window_bytes: Option<u32>,
    }
}

/// The first flight, and the phone's first window.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct Options {
    flight_bytes: i64,
    flight_ends: Option<Instant>,
    /// The end offset of the phone's first data that acknowledged data of the server.
    answered: Option<i64>,
    timestamps: PerDirection<bool>,
    ue_window: FirstWindow,
    /// Whether the phone's first window and its first ACK are known.
    begun: bool,
}

airmile_types::held!(Options {});

#[derive(Clone, Copy, Debug, Default, PartialEq)]
enum FirstWindow {
    #[default]
    Unseen,
    Seen(Option<u32>),
}

impl Analysis for Options {
    const NAME: &'static str = "options";
    const PAGE: &'static str = include_str!("options.md");
    const SCOPE: Scope = Scope::Flow;
    type Row = OptionsRow;
    type Event = NoEvents;

    fn on_segment(&mut self, segment: &Segment<'_>, _: &Parameters, _: &mut Vec<NoEvents>) {
        if segment.events.any(Events::TIMESTAMPS) {
            *self.timestamps.of_mut(segment.direction) = true;
        }
        match segment.direction {
            Direction::Downlink => self.fly(segment),
            Direction::Uplink if self.begun && (segment.payload_bytes == 0 || self.answered.is_some()) => {}
            Direction::Uplink => {
                self.note_window(segment);
                self.note_ack(segment);
                self.begun = self.flight_ends.is_some() && self.ue_window != FirstWindow::Unseen;
            }
        }
    }

    fn row(&self, flow: &FlowFacts, _: Direction, _: &Parameters) -> OptionsRow {
        let (ue, server) = (flow.options(Direction::Uplink), flow.options(Direction::Downlink));
        OptionsRow {
            ue_mss_bytes: mss(ue),
            server_mss_bytes: mss(server),
            ue_window_scale: scale(ue),
            server_window_scale: scale(server),
            ue_timestamps: self.timestamps.uplink.then_some(true).or(ue.map(|_| false)),
            server_timestamps: self.timestamps.downlink.then_some(true).or(server.map(|_| false)),
            ue_sack: ue.map(|options| options.sack),
            server_sack: server.map(|options| options.sack),
            ue_mptcp: ue.map(|options| options.mptcp),
            mptcp_token: flow.mptcp_token.map(NonZeroU32::get),
            initial_window_bytes: self.initial_window(flow),
            ue_initial_window_bytes: match self.ue_window {
                FirstWindow::Seen(bytes) => bytes,
                FirstWindow::Unseen => None,
            },
        }
    }
}

impl Options {
    /// Counts downlink data in the first flight, until a packet acknowledges what the phone sent
    /// with its first ACK: such a packet was sent after that ACK arrived, however long the round
    /// trip is.
    fn fly(&mut self, segment: &Segment<'_>) {
        if self.flight_ends.is_some_and(|end| end <= segment.time) {
            return;
        }
        let answers = segment.ack.zip(self.answered).is_some_and(|(ack, answered)| ack >= answered);
        match &mut self.flight_ends {
            Some(end) if answers => *end = segment.time,
            _ => self.flight_bytes += i64::from(segment.new_bytes),
        }
    }

    /// Notes the first ACK of any downlink payload. It lets the server send more, which passes the
    /// capture point one round trip to the server later. So early, that round trip is known from
    /// only one or two samples, so data that comes up to a tenth sooner counts as the answer too.
    fn note_ack(&mut self, segment: &Segment<'_>) {
        let is_known = self.flight_ends.is_some()
            && (self.answered.is_some() || segment.payload_bytes == 0);
        if is_known {
            return;
        }
        let acknowledges = self.flight_bytes > 0 && segment.ack.is_some_and(|ack| ack > 1);
        if acknowledges && segment.payload_bytes > 0 {
            self.answered.get_or_insert(segment.end);
        }
        if self.flight_ends.is_none() && acknowledges {
            let known = segment.peer.loop_time().unwrap_or(Duration::ZERO);
            self.flight_ends = Some(segment.time + known.times(9).over(10));
        }
    }

    fn note_window(&mut self, segment: &Segment<'_>) {
        let control = TcpFlags::SYN | TcpFlags::RST;
        if matches!(self.ue_window, FirstWindow::Unseen) && !segment.flags.any(control) {
            self.ue_window = FirstWindow::Seen(segment.window_bytes);
        }
    }

    fn initial_window(&self, flow: &FlowFacts) -> Option<i64> {
        let seen_from_the_start = flow.options(Direction::Downlink).is_some();
        (seen_from_the_start && self.flight_ends.is_some()).then_some(self.flight_bytes)
    }
}

fn mss(options: Option<SynOptions>) -> Option<u32> {
    options?.mss_bytes.map(u32::from)
}

fn scale(options: Option<SynOptions>) -> Option<i32> {
    options?.window_scale.map(i32::from)
}
