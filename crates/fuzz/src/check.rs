//! Checks after each packet what the tracker promises of its counts and offsets.

use std::collections::HashSet;

use airmile_read::{Packet, TcpFlags};
use airmile_track::{
    Datagram, FlowFacts, Handler, Scoreboard, Segment, SegmentClass, SessionFacts, TrackConfig,
    Tracker,
};
use airmile_types::{Direction, Instant, PerDirection};

/// The facts that the tracker has passed on.
#[derive(Debug, Default)]
pub(crate) struct Check {
    packets: u64,
    payload_bytes: u64,
    live: u64,
    session_flows: u64,
    session_payload_bytes: u64,
    flows: u64,
    uids: HashSet<u64>,
    session_ids: HashSet<u64>,
    /// The first and the last instant of all flows and sessions.
    span: Option<(Instant, Instant)>,
}

/// Sums of one direction of a flow.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Sums {
    payload_bytes: u64,
    unique_bytes: u64,
    acked_bytes: u64,
    sacked_bytes: u64,
    next: i64,
    unacked: i64,
    /// The offset from which acknowledged bytes are counted.
    base: i64,
    /// The length of the longest probe of a closed window; its bytes count later.
    probe: u32,
}

impl Check {
    /// Tracks the packets and checks the sums at the end.
    pub(crate) fn run(play: impl FnOnce(&mut dyn FnMut(&Packet<'_>))) {
        let mut tracker = Tracker::new(TrackConfig::default(), Self::default());
        let (mut packets, mut payload_bytes, mut span) = (0, 0, None);
        play(&mut |packet| {
            packets += 1;
            widen(&mut span, packet.time, packet.time);
            payload_bytes += u64::from(packet.payload_bytes);
            tracker.packet(packet);
        });
        let check = tracker.finish();
        assert_eq!((check.packets, check.payload_bytes), (packets, payload_bytes));
        assert_eq!(check.live, 0, "a flow never ended");
        let within = |(start, end): (Instant, Instant)| {
            span.is_some_and(|(first, last)| first <= start && end <= last)
        };
        assert!(check.span.is_none_or(within), "an instant lies outside of the capture");
        assert_eq!(check.session_flows, check.flows, "flows of the sessions");
        assert_eq!(check.session_payload_bytes, payload_bytes, "payload of the sessions");
    }
}

impl Handler for Check {
    type Flow = PerDirection<Sums>;
    type Ue = ();

    fn open(&mut self, _: &FlowFacts) -> Self::Flow {
        self.flows += 1;
        self.live += 1;
        PerDirection::default()
    }

    fn segment(&mut self, sums: &mut Self::Flow, (): &mut (), segment: &Segment<'_>) {
        self.packets += 1;
        self.payload_bytes += u64::from(segment.payload_bytes);
        #[cfg(debug_assertions)]
        [segment.own, segment.peer].into_iter().for_each(Scoreboard::assert_sound);
        assert!(segment.start <= segment.end);
        assert!(segment.sacked_bytes <= segment.delivered_bytes);
        let own = sums.of_mut(segment.direction);
        assert!(segment.new_bytes <= segment.payload_bytes.saturating_add(own.probe));
        if segment.class.is_some() {
            own.note_probe(segment);
            own.payload_bytes += u64::from(segment.payload_bytes);
            own.unique_bytes += u64::from(segment.new_bytes);
        }
        let back = segment.own.next() < own.next || segment.own.unacked() < own.unacked;
        if segment.flags.has(TcpFlags::SYN) && back {
            own.restart();
        }
        own.forward(segment.own);
        let peer = sums.of_mut(segment.direction.reverse());
        peer.acked_bytes += segment.acked_bytes;
        peer.sacked_bytes += segment.sacked_bytes;
        assert!(segment.probed_bytes <= peer.probe);
        peer.unique_bytes += u64::from(segment.probed_bytes);
        peer.meet(segment.peer);
        peer.forward(segment.peer);
    }

    fn datagram(&mut self, _: &mut Self::Flow, (): &mut (), datagram: &Datagram<'_>) {
        self.packets += 1;
        self.payload_bytes += u64::from(datagram.payload_bytes);
    }

    fn end(
        &mut self,
        sums: Self::Flow,
        (): &mut (),
        flow: &FlowFacts,
        boards: Option<&PerDirection<Scoreboard>>,
    ) {
        self.live -= 1;
        assert!(flow.start <= flow.end);
        assert!(self.uids.insert(flow.uid), "two flows have one uid");
        widen(&mut self.span, flow.start, flow.end);
        let Some(boards) = boards else { return };
        for direction in [Direction::Downlink, Direction::Uplink] {
            let (sums, board) = (sums.of(direction), boards.of(direction));
            assert_eq!(sums.payload_bytes, board.payload_bytes());
            assert_eq!(sums.unique_bytes, board.unique_bytes());
            assert_eq!(sums.sacked_bytes, board.sacked_bytes());
            assert!(i128::from(sums.acked_bytes) <= i128::from(board.unacked() - sums.base).max(0));
        }
    }

    fn session(&mut self, (): (), session: &SessionFacts) {
        assert!(session.start <= session.end);
        assert!(self.session_ids.insert(session.session_id), "two sessions have one number");
        widen(&mut self.span, session.start, session.end);
        self.session_flows += u64::from(session.flows);
        let bytes = session.payload_bytes;
        self.session_payload_bytes += bytes.downlink + bytes.uplink;
    }
}

fn widen(span: &mut Option<(Instant, Instant)>, start: Instant, end: Instant) {
    let (first, last) = span.get_or_insert((start, end));
    (*first, *last) = ((*first).min(start), (*last).max(end));
}

impl Sums {
    /// Starts the counts anew after a SYN-ACK, which shows that earlier numbers belonged to an
    /// earlier connection.
    const fn restart(&mut self) {
        (self.next, self.unacked, self.base, self.acked_bytes) = (0, 0, 0, 0);
    }

    /// The first ACK of a flow whose start was not captured may lie below the first byte seen,
    /// which has offset 1. The bytes between the two are still in flight. This happens at most
    /// once.
    fn meet(&mut self, board: &Scoreboard) {
        if self.unacked == 1 && self.acked_bytes == 0 && board.unacked() < self.unacked {
            (self.unacked, self.base) = (board.unacked(), board.unacked());
        }
    }

    /// Notes a probe. Its bytes are new once they are acknowledged, or once the sender continues
    /// after them. A capture duplicate of a probe is a probe too.
    fn note_probe(&mut self, segment: &Segment<'_>) {
        if matches!(segment.class, Some(SegmentClass::WindowProbe | SegmentClass::CaptureDuplicate))
        {
            self.probe = self.probe.max(segment.payload_bytes);
        }
    }

    /// Checks that neither edge moves back.
    fn forward(&mut self, board: &Scoreboard) {
        assert!(board.next() >= self.next && board.unacked() >= self.unacked);
        (self.next, self.unacked) = (board.next(), board.unacked());
    }
}
