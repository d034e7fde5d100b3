#![doc = include_str!("rto.md")]

mod sender;

use airmile_track::{Analysis, Events, FlowFacts, NoEvents, Scope, Scoreboard, Segment, Timer};
use airmile_types::{Direction, Duration, Parameters, PerDirection, columns};

use sender::Sender;

columns! {
    /// The sender's retransmission timeout at the end of the flow by three rules, and the number of
    /// long trains of duplicate ACKs in which the timeout was exceeded.
    #[derive(Default)]
    pub struct RtoRow {
        /// Timeout by RFC 6298, max(1 s, SRTT + 4 RTTVAR), one sample per advancing ACK; null
        /// without any sample.
        #[unit("ms")] #[cite("C5, RFC 6298 section 2")] pub rto_rfc_ms: Option<f64>,
        /// Timeout by LTE13's rule, max(200 ms, SRTT + 4 RTTVAR).
        #[unit("ms")] #[cite("C5, LTE13 section 5")] pub rto_lte13_ms: Option<f64>,
        /// Timeout by Linux's rule, SRTT + max(200 ms, 4 RTTVAR).
        #[unit("ms")] #[cite("C5")] pub rto_linux_ms: Option<f64>,
        /// `rto_rfc_ms` with one more sample per duplicate ACK.
        #[unit("ms")] #[cite("C5, LTE13 section 5")] pub rto_rfc_duplicates_ms: Option<f64>,
        /// `rto_lte13_ms` with one more sample per duplicate ACK.
        #[unit("ms")] #[cite("C5, LTE13 section 5")] pub rto_lte13_duplicates_ms: Option<f64>,
        /// `rto_linux_ms` with one more sample per duplicate ACK, as Linux senders since 3.12 do.
        #[unit("ms")] #[cite("C5, LTE13 section 5")] pub rto_linux_duplicates_ms: Option<f64>,
        /// Trains of more than `loss_episodes.train_min` duplicate ACKs whose hole was
        /// retransmitted and acknowledged. Null, as are all columns of this analysis, when there
        /// was no sample, and when the capture point is at the receiver, where the sender's RTT
        /// cannot be measured.
        #[unit("trains")] #[cite("C5")] pub rto_trains: Option<u32>,
        /// Trains of `rto_trains` in which the RTT of the retransmission exceeded the timeout by
        /// rule `rfc` without samples from duplicate ACKs.
        #[unit("trains")] #[cite("C5")] pub rto_exceeded_rfc: Option<u32>,
        /// Trains of `rto_trains` in which the RTT of the retransmission exceeded the timeout by
        /// rule `lte13` without samples from duplicate ACKs.
        #[unit("trains")] #[cite("C5")] pub rto_exceeded_lte13: Option<u32>,
        /// Trains of `rto_trains` in which the RTT of the retransmission exceeded the timeout by
        /// rule `linux` without samples from duplicate ACKs.
        #[unit("trains")] #[cite("C5")] pub rto_exceeded_linux: Option<u32>,
        /// Trains of `rto_exceeded_rfc` in which samples from duplicate ACKs would have prevented the timeout.
        #[unit("trains")] #[cite("C5, LTE13 section 5")] pub rto_prevented_rfc: Option<u32>,
        /// Trains of `rto_exceeded_lte13` in which samples from duplicate ACKs would have prevented the timeout (LTE13: more than 95 %).
        #[unit("trains")] #[cite("C5, LTE13 section 5")] pub rto_prevented_lte13: Option<u32>,
        /// Trains of `rto_exceeded_linux` in which samples from duplicate ACKs would have prevented the timeout.
        #[unit("trains")] #[cite("C5, LTE13 section 5")] pub rto_prevented_linux: Option<u32>,
        /// Longest RTT of the retransmissions in `rto_trains`, over the whole path.
        #[unit("ms")] #[cite("C5")] pub retransmission_rtt_max_ms: Option<f64>,
    }
}

/// The retransmission timers of both senders.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct Rto(PerDirection<Sender>);

airmile_types::held!(Rto { 0 });

impl Analysis for Rto {
    const NAME: &'static str = "rto";
    const PAGE: &'static str = include_str!("rto.md");
    const SCOPE: Scope = Scope::Direction;
    type Row = RtoRow;
    type Event = NoEvents;

    #[inline]
    fn on_segment(&mut self, segment: &Segment<'_>, parameters: &Parameters, _: &mut Vec<NoEvents>) {
        let sent = self.0.of_mut(segment.direction);
        if sent.has_losses() && segment.events.any(Events::OLD) {
            sent.on_sender(segment, parameters);
        }
        let heard = self.0.of_mut(segment.direction.reverse());
        if heard.has_losses() || segment.events.any(Events::DUPLICATE) {
            heard.on_receiver(segment, parameters);
        }
    }

    fn row(&self, flow: &FlowFacts, direction: Direction, parameters: &Parameters) -> RtoRow {
        let sender = self.0.of(direction);
        // At the receiver of the data its RTT samples do not cover the path (methods B4, B7).
        let Some(plain) = sender.timer().filter(|_| !flow.is_at_receiver_of(direction)) else {
            return RtoRow::default();
        };
        let of = |timer: &Timer| {
            let timeouts = timer.timeouts(parameters).map(|timeouts| timeouts.rules());
            timeouts.map_or([None; 3], |rules| rules.map(|rule| Some(rule.as_millis_f64())))
        };
        let [rto_rfc_ms, rto_lte13_ms, rto_linux_ms] = of(plain);
        let [rto_rfc_duplicates_ms, rto_lte13_duplicates_ms, rto_linux_duplicates_ms] =
            of(sender.with_duplicates().unwrap_or(plain));
        let counts = sender.counts();
        let [rto_exceeded_rfc, rto_exceeded_lte13, rto_exceeded_linux] = counts.exceeded.map(Some);
        let [rto_prevented_rfc, rto_prevented_lte13, rto_prevented_linux] = counts.prevented.map(Some);
        RtoRow {
            rto_rfc_ms,
            rto_lte13_ms,
            rto_linux_ms,
            rto_rfc_duplicates_ms,
            rto_lte13_duplicates_ms,
            rto_linux_duplicates_ms,
            rto_trains: Some(counts.trains),
            rto_exceeded_rfc,
            rto_exceeded_lte13,
            rto_exceeded_linux,
            rto_prevented_rfc,
            rto_prevented_lte13,
            rto_prevented_linux,
            retransmission_rtt_max_ms: counts.longest.map(Duration::as_millis_f64),
        }
    }
}

impl Rto {
    /// Takes the timers of the scoreboards, after the flow has ended.
    pub(crate) fn settle(&mut self, boards: &PerDirection<Scoreboard>) {
        for direction in [Direction::Uplink, Direction::Downlink] {
            self.0.of_mut(direction).settle(boards.of(direction));
        }
    }
}
