//! Ends what a capture showed when the capture is over (methods A1, A3, A4).

use airmile_read::{TcpFlags, TcpHeader};
use airmile_types::Protocol;

use super::brief::Slot;
use super::flow::Flow;
use super::state::{Tracker, end_session};
use crate::facts::Ending;
use crate::handler::Handler;

impl<H: Handler> Tracker<H> {
    /// Ends the sessions, and the flows without TCP, of phones that were seen last in one of these
    /// captures, because those are over. A TCP connection stays until a packet shows whether one of
    /// its bytes is missing.
    pub fn end_captures(&mut self, over: &[u32]) {
        if over.is_empty() {
            return;
        }
        self.recent.forget();
        self.newest = None;
        for slot in self.flows_of(over) {
            match self.flows.get_mut(slot) {
                Some(Slot::Whole(flow)) if is_open_connection(flow) => flow.interrupted = true,
                _ => self.end(slot, Ending::Open),
            }
        }
        for (ue, session) in self.subscribers.end_captures(over, H::take_session) {
            end_session(&mut self.handler, ue, &session);
        }
    }

    /// The flows of phones that were seen last in one of these captures, in the order of their
    /// first packets.
    fn flows_of(&self, captures: &[u32]) -> Vec<u32> {
        let of = |flow: &Slot<H::Flow>| self.subscribers.is_of(flow.subscriber(), captures);
        let mut slots: Vec<u32> =
            self.flows.live().filter(|(_, flow)| of(flow)).map(|(slot, _)| slot).collect();
        slots.sort_unstable_by(|a, b| self.by_first_packet(*a, *b));
        slots
    }
}

fn is_open_connection<S>(flow: &Flow<S>) -> bool {
    flow.facts.protocol == Protocol::Tcp && flow.connection.is_some() && flow.closed.is_none()
}

/// Whether no byte of a connection is missing before a packet of another capture: neither below the
/// packet's sequence number, nor below its acknowledgement.
pub(super) fn continues<S>(flow: &Flow<S>, tcp: &TcpHeader, by_lower: bool) -> bool {
    let Some(connection) = flow.connection.as_deref() else { return false };
    let direction = flow.direction(by_lower);
    let (own, peer) = (connection.boards.of(direction), connection.boards.of(direction.reverse()));
    let acks = tcp.flags.has(TcpFlags::ACK);
    own.is_sent_up_to(tcp.sequence) && (!acks || peer.is_acked_up_to(tcp.acknowledgement))
}

#[cfg(test)]
mod tests {
    use airmile_read::{Packet, Transport};
    use airmile_types::{Address, Duration, Instant, PerDirection};

    use super::*;
    use crate::facts::FlowFacts;
    use crate::handler::SessionFacts;
    use crate::scoreboard::Scoreboard;
    use crate::segment::{Datagram, Segment};
    use crate::tracker::config::TrackConfig;

    /// Notes how flows end, in which capture sessions are, and each idle time before a flow.
    #[derive(Debug, Default)]
    struct Ended {
        flows: Vec<(Ending, bool)>,
        known: Vec<u32>,
        sessions: Vec<u32>,
    }

    /// The segments of a phone: of its session, and all that its connections need to know.
    #[derive(Debug, Default)]
    struct Segments {
        of_session: u32,
        known: u32,
    }

    impl Handler for Ended {
        type Flow = ();
        type Ue = Segments;
        fn open(&mut self, _: &FlowFacts) {}
        fn segment(&mut self, (): &mut (), ue: &mut Segments, _: &Segment<'_>) {
            ue.of_session += 1;
            ue.known += 1;
        }
        fn datagram(&mut self, (): &mut (), _: &mut Segments, _: &Datagram<'_>) {}
        fn end(
            &mut self,
            (): (),
            ue: &mut Segments,
            flow: &FlowFacts,
            _: Option<&PerDirection<Scoreboard>>,
        ) {
            self.flows.push((flow.ending, flow.ue_idle_before.is_some()));
            self.known.push(ue.known);
        }
        fn take_session(ue: &mut Segments) -> Segments {
            Segments { of_session: std::mem::take(&mut ue.of_session), known: 0 }
        }
        fn session(&mut self, ue: Segments, session: &SessionFacts) {
            self.sessions.push(session.capture);
            assert!(ue.of_session <= 1, "each capture has one segment at most");
        }
    }

    fn packet(
        second: i64,
        capture: u32,
        source_port: u16,
        tcp: Option<(u32, u32)>,
    ) -> Packet<'static> {
        let destination_port = 443;
        let transport = match tcp {
            None => Transport::Udp { source_port, destination_port },
            Some((sequence, acknowledgement)) => Transport::Tcp(TcpHeader {
                source_port,
                destination_port,
                sequence,
                acknowledgement,
                flags: TcpFlags::ACK,
                ..TcpHeader::default()
            }),
        };
        Packet {
            time: Instant::from_nanos(second * 1_000_000_000),
            source: Address::v4([10, 0, 0, 1]),
            destination: Address::v4([203, 0, 113, 9]),
            ip_protocol: if tcp.is_some() { 6 } else { 17 },
            payload_bytes: 100,
            transport,
            capture,
            ..Packet::default()
        }
    }

    /// What ends if a capture with a connection and a datagram is over, and another one begins with
    /// a packet that has these sequence numbers.
    fn over(next: (u32, u32)) -> Ended {
        let mut tracker = Tracker::new(TrackConfig::default(), Ended::default());
        tracker.packet(&packet(1, 0, 4000, Some((1000, 1))));
        tracker.packet(&packet(2, 0, 5000, None));
        tracker.end_captures(&[0]);
        tracker.packet(&packet(60, 1, 4000, Some(next)));
        tracker.packet(&packet(61, 1, 6000, None));
        tracker.finish()
    }

    #[test]
    fn only_a_connection_without_a_missing_byte_goes_on() {
        let ended = over((1100, 1));
        assert_eq!(ended.sessions, [0, 1]);
        let idle = |flows: &[(Ending, bool)]| flows.iter().map(|flow| flow.1).collect::<Vec<_>>();
        assert_eq!(idle(&ended.flows), [true, false, true], "datagrams, connection, datagrams");
        assert_eq!(over((1101, 1)).flows.len(), 4, "a byte is missing");
        assert_eq!(over((1099, 1)).flows.len(), 3, "a keep-alive repeats a byte");
    }

    #[test]
    fn a_connection_ends_with_what_is_known_of_its_phone() {
        let mut tracker = Tracker::new(TrackConfig::default(), Ended::default());
        tracker.packet(&packet(1, 0, 4000, Some((1000, 1))));
        tracker.end_captures(&[0]);
        let day = 86_400;
        let other = packet(day, 1, 5000, Some((1, 1)));
        tracker.packet(&Packet { source: Address::v4([10, 0, 0, 2]), ..other });
        assert_eq!(tracker.finish().known, [1, 1]);
    }

    #[test]
    fn a_connection_outlives_a_session_with_what_is_known_of_its_phone() {
        let config = TrackConfig { session_gap: Duration::from_secs(60), ..TrackConfig::default() };
        let mut tracker = Tracker::new(config, Ended::default());
        tracker.packet(&packet(1, 0, 4000, Some((1000, 1))));
        let other = packet(1000, 0, 5000, Some((1, 1)));
        tracker.packet(&Packet { source: Address::v4([10, 0, 0, 2]), ..other });
        let ended = tracker.finish();
        assert_eq!((ended.sessions.len(), ended.known), (2, vec![1, 1]));
    }

    #[test]
    fn a_phone_of_another_capture_goes_on() {
        let mut tracker = Tracker::new(TrackConfig::default(), Ended::default());
        tracker.packet(&packet(1, 0, 5000, None));
        tracker.end_captures(&[1]);
        tracker.packet(&packet(2, 0, 5000, None));
        let ended = tracker.finish();
        assert_eq!((ended.flows.len(), ended.sessions), (1, vec![0]));
    }
}
