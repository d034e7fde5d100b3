//! Defines all thresholds, each with its name, unit, range, default and source.

mod former;
mod ports;
mod range;
mod setting;

pub use former::present_name;
pub use ports::Ports;
pub use range::Range;
use range::{
    BPS, BYTES, COUNT, FLAG, GAP, MILLIJOULES, MILLISECONDS, MILLIWATTS, PORT, SECONDS, SHARE,
    SOME, TIMES,
};
pub use setting::{Preset, Setting};

macro_rules! parameters {
    ($($(#[doc = $doc:literal])+ #[unit($unit:literal)] #[source($source:literal)] #[range($range:expr)] $name:ident $key:literal = $default:expr),* $(,)?;
     $($(#[doc = $list_doc:literal])+ #[source($list_source:literal)] $list:ident $list_key:literal = $ports:expr),* $(,)?) => {
        /// The thresholds in force.
        #[derive(Clone, Debug, PartialEq)]
        pub struct Parameters {
            $($(#[doc = $doc])+ pub $name: f64,)*
            $($(#[doc = $list_doc])+ pub $list: Ports,)*
            /// Also fill the tables of single samples (`--samples`), which are larger than all
            /// the others together.
            pub samples: bool,
        }

        impl Default for Parameters {
            fn default() -> Self {
                Self { $($name: $default,)* $($list: Ports::new(&$ports),)* samples: false }
            }
        }

        /// Every parameter: name, unit, description, source, range, default.
        pub const PARAMETERS: &[Parameter] = &[$(Parameter {
            name: $key, unit: $unit, doc: concat!($($doc),+), source: $source, range: $range,
            default: Preset::Number($default),
        },)* $(Parameter {
            name: $list_key, unit: "ports", doc: concat!($($list_doc),+), source: $list_source,
            range: PORT, default: Preset::Ports(&$ports),
        },)*];

        impl Parameters {
            fn number(&mut self, key: &str) -> Option<&mut f64> {
                match key { $($key => Some(&mut self.$name),)* _ => None }
            }

            fn ports(&mut self, key: &str) -> Option<&mut Ports> {
                match key { $($list_key => Some(&mut self.$list),)* _ => None }
            }

            /// The value of the parameter named `key`; `None` if no parameter has this present
            /// name.
            pub fn get(&self, key: &str) -> Option<Setting> {
                match key {
                    $($key => Some(Setting::Number(self.$name)),)*
                    $($list_key => Some(Setting::Ports(self.$list.clone())),)*
                    _ => None,
                }
            }
        }
    };
}

/// A threshold that users may set with `--set NAME=VALUE`.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Parameter {
    /// The name on the command line: what the parameter belongs to, a dot, and its own name.
    pub name: &'static str,
    /// The unit in words.
    pub unit: &'static str,
    /// What the parameter does.
    pub doc: &'static str,
    /// Where the default value comes from.
    pub source: &'static str,
    /// The values that the parameter may have; for a list, the values that each member may have.
    pub range: Range,
    /// The value that is in force unless the user sets another one.
    pub default: Preset,
}

/// Why a value is refused for a parameter.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Refused {
    /// No parameter has this name.
    Unknown,
    /// The text is not a finite number.
    NoNumber,
    /// The text is not a comma-separated list of whole numbers. Also: a number was given for a list
    /// parameter, or a list for a number parameter.
    NoList,
    /// The value lies outside the parameter's range.
    OutOfRange(&'static Parameter),
}

impl Parameters {
    /// Sets the parameter with this present or former name. Values from outside are set by no other
    /// way, so that each is checked.
    ///
    /// # Errors
    /// No parameter has this name, the value lies outside the parameter's range, or the value is a
    /// list where a number is needed, or the reverse.
    pub fn set(&mut self, key: &str, value: impl Into<Setting>) -> Result<(), Refused> {
        let parameter = Parameter::named(key).ok_or(Refused::Unknown)?;
        let value = value.into();
        if !value.members().all(|member| parameter.range.holds(member)) {
            return Err(Refused::OutOfRange(parameter));
        }
        match value {
            Setting::Number(number) => {
                *self.number(parameter.name).ok_or(Refused::NoList)? = number;
            }
            Setting::Ports(ports) => *self.ports(parameter.name).ok_or(Refused::NoNumber)? = ports,
        }
        Ok(())
    }

    /// Sets the parameter with this present or former name from a text: a number, or a
    /// comma-separated list of numbers.
    ///
    /// # Errors
    /// Those of [`Self::set`]. Also: the text is not a number, or it is not a list although the
    /// parameter needs one.
    pub fn set_text(&mut self, key: &str, text: &str) -> Result<(), Refused> {
        let parameter = Parameter::named(key).ok_or(Refused::Unknown)?;
        match parameter.default {
            Preset::Number(_) => {
                let number = text.trim().parse().ok().filter(|number: &f64| number.is_finite());
                self.set(key, number.ok_or(Refused::NoNumber)?)
            }
            Preset::Ports(_) => {
                let numbers = ports::numbers(text).ok_or(Refused::NoList)?;
                let ports: Option<Vec<u16>> =
                    numbers.into_iter().map(|number| u16::try_from(number).ok()).collect();
                self.set(key, Ports::new(&ports.ok_or(Refused::OutOfRange(parameter))?))
            }
        }
    }
}

impl Parameter {
    /// The parameter with this present or former name.
    fn named(key: &str) -> Option<&'static Self> {
        let key = present_name(key);
        PARAMETERS.iter().find(|parameter| parameter.name == key)
    }
}

parameters! {
    /// The session of a UE ends when no packet of the UE was seen for this long.
    #[unit("s")] #[source("LTE13 section 3.1")] #[range(GAP)] session_gap_s "sessions.gap_s" = 3600.0,
    /// A flow ends when none of its packets was seen for this long.
    #[unit("s")] #[source("LTE13 section 3.1")] #[range(GAP)] flow_gap_s "flows.gap_s" = 3600.0,
    /// Silences of the UE longer than this are rows of the table `silences`.
    #[unit("s")] #[source("methods F3; no network turns the radio off sooner, TS 38.331 section 6.3.2 (dataInactivityTimer)")] #[range(SECONDS)] least_listed_silence_s "silences.least_s" = 1.0,
    /// How long the radio stays on after the last packet.
    #[unit("s")] #[source("LTE13 section 4.1")] #[range(SECONDS)] tail_s "sessions.tail_s" = 10.0,
    /// A packet recorded this much before an earlier one shows a step of the capture's clock.
    #[unit("ms")] #[source("methods A10; queues of a tap swap packets by less")] #[range(MILLISECONDS)] clock_step_ms "quality.clock_step_ms" = 10.0,
    /// If the capture lost more than this share of the bytes of a flow in either direction,
    /// silences of the flow are not interpreted.
    #[unit("ratio")] #[source("methods A10; lost packets look like silence")] #[range(SHARE)] lost_max_ratio "quality.lost_max_ratio" = 0.03,
    /// After a silence of the UE of this length its radio is certainly idle.
    #[unit("s")] #[source("LTE13 section 4.2, above the tail of section 4.1")] #[range(SECONDS)] idle_before_s "promotion.idle_before_s" = 13.0,
    /// Shortest silence of the UE before a connection or a later request for which the promotion
    /// delay is measured; 13 in profile lte13.
    #[unit("s")] #[source("methods T3; TS 38.331 section 6.3.2: no dataInactivityTimer is shorter")] #[range(SECONDS)] least_silence_s "promotion.silence_s" = 1.0,
    /// A promotion delay below this is flagged as doubtful.
    #[unit("ms")] #[source("methods B2")] #[range(MILLISECONDS)] promotion_floor_ms "promotion.floor_ms" = 50.0,
    /// Two packets of the UE must be at least this far apart to estimate the tick of the UE's
    /// timestamp clock.
    #[unit("s")] #[source("LTE13 section 6.1 (delta_G)")] #[range(SECONDS)] delta_g_s "tick.delta_g_s" = 3.0,
    /// A fitted tick that differs from a known tick length by at most this ratio is replaced by the
    /// known length.
    #[unit("ratio")] #[source("methods E1")] #[range(SHARE)] nominal_tolerance_ratio "tick.nominal_tolerance_ratio" = 0.01,
    /// A train of at most this many duplicate ACKs (or their equivalents) is too short to show a
    /// slow start.
    #[unit("duplicate ACKs")] #[source("methods C4, code of LTE13's authors")] #[range(COUNT)] train_min "loss_episodes.train_min" = 20.0,
    /// A silence of this length ends a train of duplicate ACKs, and separates two loss episodes.
    #[unit("s")] #[source("methods C4, code of LTE13's authors")] #[range(SECONDS)] train_gap_s "loss_episodes.train_gap_s" = 1.0,
    /// Length of each of the two spans whose throughputs R_ss compares.
    #[unit("ms")] #[source("LTE13 section 5")] #[range(MILLISECONDS)] rss_span_ms "loss_episodes.rss_span_ms" = 100.0,
    /// A loss episode whose R_ss is above this counts as a slow start.
    #[unit("ratio")] #[source("LTE13 section 5")] #[range(TIMES)] rss_min_ratio "loss_episodes.rss_min_ratio" = 1.5,
    /// 1 moves the spans of R_ss by the round trip between capture point and sender; 0 leaves them
    /// at the time at which the duplicate ACK passed the capture point (profile lte13).
    #[unit("flag")] #[source("methods C4")] #[range(FLAG)] rss_shift "loss_episodes.rss_shift" = 1.0,
    /// A timeout counts as undone if, within two round trips of the ACK that showed it spurious,
    /// the bytes in flight again reach this share of their earlier number.
    #[unit("ratio")] #[source("RFC 5682 section 2.1, RFC 4015; what jumps to the slow-start threshold has 0.5 to 0.7 of it")] #[range(SHARE)] undone_ratio "loss_episodes.undone_ratio" = 0.9,
    /// A download of at least this much payload may be compared with bulk tests.
    #[unit("bytes")] #[source("LTE13 section 4.4")] #[range(BYTES)] fair_downlink_bytes "fair.downlink_bytes" = 1e6,
    /// An upload of at least this much payload may be compared with bulk tests.
    #[unit("bytes")] #[source("LTE13 section 4.4")] #[range(BYTES)] fair_uplink_bytes "fair.uplink_bytes" = 200e3,
    /// If two successive packets of a flow are this far apart, the flow has paused, and its rate is
    /// not the rate of the path.
    #[unit("s")] #[source("LTE13 section 4.4")] #[range(SECONDS)] fair_gap_s "fair.gap_s" = 1.0,
    /// The truncated flow ends with the first ACK beyond this many bytes of the download.
    #[unit("bytes")] #[source("HWY18 section 5.2")] #[range(BYTES)] truncated_bytes "truncated.bytes" = 1e6,
    /// A flow is inactive between two packets with payload of one direction that are further apart
    /// than this.
    #[unit("s")] #[source("LTE13 section 4.1, UP16 section 3")] #[range(SECONDS)] active_gap_s "active_spans.gap_s" = 1.0,
    /// Two successive packets of a flow that are further apart than this belong to different bursts
    /// of payload.
    #[unit("s")] #[source("UP16 section 3")] #[range(SECONDS)] burst_gap_s "payload_bursts.gap_s" = 1.0,
    /// Least time with payload for which a rate is given.
    #[unit("s")] #[source("UP16 section 3")] #[range(SECONDS)] burst_least_s "payload_bursts.least_s" = 3.0,
    /// Lower bound of the retransmission timeout in the standard.
    #[unit("ms")] #[source("RFC 6298 section 2.4")] #[range(MILLISECONDS)] rto_floor_rfc_ms "rto.floor_rfc_ms" = 1000.0,
    /// Lower bound of the retransmission timeout in practice: of the whole timeout (rule lte13) or
    /// of its second term (rule linux).
    #[unit("ms")] #[source("LTE13 section 5, Linux TCP_RTO_MIN")] #[range(MILLISECONDS)] rto_floor_ms "rto.floor_ms" = 200.0,
    /// The receive window counts as full when the data sent ends within this many segments of the
    /// window's right edge.
    #[unit("segments")] #[source("methods C6")] #[range(COUNT)] full_mss "receive_window.full_segments" = 1.0,
    /// At a capture point at the receiver, the receive window counts as full when the data sent
    /// ends within this many segments of the window's right edge; the sender is a whole RTT away.
    #[unit("segments")] #[source("methods C6")] #[range(COUNT)] full_receiver_mss "receive_window.full_at_receiver_segments" = 3.0,
    /// Initial window in segments, unless the flow's own first flight was larger.
    #[unit("segments")] #[source("RFC 6928 section 2")] #[range(COUNT)] initial_window_segments "idle_gaps.initial_window_segments" = 10.0,
    /// A first flight after an idle gap of at most this many initial windows shows that the sender
    /// reset its window.
    #[unit("ratio")] #[source("methods C7")] #[range(TIMES)] reset_ratio "idle_gaps.reset_ratio" = 1.25,
    /// The window grew after an idle gap if a later flight is this many times as large as the first
    /// one after the gap.
    #[unit("ratio")] #[source("methods C7")] #[range(TIMES)] restart_growth_ratio "idle_gaps.growth_ratio" = 2.0,
    /// A window of data sent at more than this rate must have filled the queue; LTE13 calls this
    /// rate C.
    #[unit("bps")] #[source("LTE13 section 6.1")] #[range(BPS)] min_send_bps "bandwidth.min_send_bps" = 30e6,
    /// Least length of a receive window in ticks of the UE's clock.
    #[unit("ticks")] #[source("methods E2")] #[range(COUNT)] sample_min_ticks "bandwidth.min_ticks" = 20.0,
    /// Greatest length of a receive window in the rule of LTE13, as a multiple of the least RTT of
    /// the whole path.
    #[unit("RTTs")] #[source("methods E2, LTE13 section 6.1")] #[range(COUNT)] sample_max_rtts "bandwidth.max_rtts" = 4.0,
    /// Greatest length of a receive window in the rule of LTE13 in ticks of the UE's clock, where
    /// that is longer than the limit in RTTs.
    #[unit("ticks")] #[source("methods E2")] #[range(COUNT)] sample_max_ticks "bandwidth.max_ticks" = 40.0,
    /// An ACK was not delayed by the receiver if it acknowledges at least this many segments.
    #[unit("segments")] #[source("methods E2")] #[range(COUNT)] sample_min_mss "bandwidth.min_advance_segments" = 1.1,
    /// A wait longer than this plus one tick of the UE's clock is a wait in a queue, because a link
    /// without a queue sends in the next TTI.
    #[unit("ms")] #[source("TS 36.211 section 4")] #[range(MILLISECONDS)] queue_excess_ms "bandwidth.queue_excess_ms" = 1.0,
    /// A queue must have existed during at least this share of a window.
    #[unit("ratio")] #[source("methods E2")] #[range(SOME)] busy_ratio "bandwidth.busy_ratio" = 0.9,
    /// Shortest window with a queue from which a bandwidth sample is taken.
    #[unit("s")] #[source("methods E2")] #[range(SECONDS)] queue_window_min_s "bandwidth.queue_window_min_s" = 0.1,
    /// Longest window with a queue from which a bandwidth sample is taken; the links of methods E6
    /// do not keep a rate for longer.
    #[unit("s")] #[source("methods E2, E6")] #[range(SECONDS)] queue_window_max_s "bandwidth.queue_window_max_s" = 0.5,
    /// Least time between two bandwidth samples of one estimator; 0 gives one sample per ACK.
    #[unit("ms")] #[source("methods E4: a fifth of its windows of 250 ms")] #[range(MILLISECONDS)] sample_spacing_ms "bandwidth.spacing_ms" = 50.0,
    /// Estimator behind `bandwidth_bps`: 1 is the rule of LTE13 (profile lte13), 0 the rule that
    /// looks for evidence of a queue.
    #[unit("flag")] #[source("methods E2")] #[range(FLAG)] use_c_rule "bandwidth.use_c_rule" = 0.0,
    /// A large flow has more downlink payload than this; `flows.large_s` must be exceeded too.
    #[unit("bytes")] #[source("methods T5, LTE13 section 5")] #[range(BYTES)] large_bytes "flows.large_bytes" = 1e6,
    /// A large flow takes longer than this for its downlink payload; `flows.large_bytes` must be
    /// exceeded too.
    #[unit("s")] #[source("methods T5, LTE13 section 5")] #[range(SECONDS)] large_s "flows.large_s" = 5.0,
    /// Length of the windows of the utilisation; each window takes the sample nearest to its
    /// centre.
    #[unit("ms")] #[source("LTE13 section 6.3")] #[range(MILLISECONDS)] utilisation_window_ms "bandwidth.utilisation_window_ms" = 250.0,
    /// Round trip of a HARQ retransmission: a wait of this length may be due to one.
    #[unit("ms")] #[source("TS 36.321 section 5.3.2.2: eight TTIs")] #[range(MILLISECONDS)] harq_ms "bandwidth.harq_ms" = 8.0,
    /// The bandwidth must be known during at least this share of a flow's time; otherwise no
    /// utilisation is given.
    #[unit("ratio")] #[source("a choice of ours: the rest may be twice as fast, and moves the share by a sixth")] #[range(SHARE)] utilisation_seen_ratio "bandwidth.utilisation_seen_ratio" = 0.8,
    /// No utilisation is given if its lower and its upper bound are further apart than this.
    #[unit("ratio")] #[source("a choice of ours: a fifth of the scale")] #[range(SHARE)] utilisation_range_ratio "bandwidth.utilisation_range_ratio" = 0.2,
    /// Least payload of an uplink packet that may begin a transfer.
    #[unit("bytes")] #[source("methods T1")] #[range(BYTES)] request_min_bytes "transfers.request_min_bytes" = 64.0,
    /// Least body of the record that holds the client's Finished in TLS 1.3: 4 + 32 bytes, a type
    /// byte, and a tag of 16 bytes.
    #[unit("bytes")] #[source("RFC 8446 sections 4.4.4 and 5.2, with SHA-256")] #[range(BYTES)] finished_min_bytes "tls.finished_min_bytes" = 53.0,
    /// Greatest body of the record that holds the client's Finished in TLS 1.3: 69 bytes with
    /// SHA-384; the rest allows for padding.
    #[unit("bytes")] #[source("methods T1; RFC 8446 section 5.4")] #[range(BYTES)] finished_max_bytes "tls.finished_max_bytes" = 90.0,
    /// A record of the server of at most this length, header included, may be one session ticket of
    /// TLS 1.3, or two.
    #[unit("bytes")] #[source("RFC 8446 section 4.6.1; OpenSSL sends two of about 255, BoringSSL both in one record of about 540")] #[range(BYTES)] ticket_max_bytes "tls.ticket_max_bytes" = 600.0,
    /// The server's first record in HTTP/2 is taken for SETTINGS up to this length, header
    /// included.
    #[unit("bytes")] #[source("RFC 9113 sections 6.5 and 6.9: 9 + 6 x 6 and 13 bytes, with the 29 that TLS 1.2 adds, and some more settings")] #[range(BYTES)] settings_max_bytes "tls.settings_max_bytes" = 110.0,
    /// Least first flight of a TLS client; used where no payload was captured.
    #[unit("bytes")] #[source("RFC 8446 section 4.1.2: with a name and a dozen ciphers; SSH and tunnels begin with less")] #[range(BYTES)] client_hello_min_bytes "tls.client_hello_min_bytes" = 150.0,
    /// Greatest first flight of a TLS client; used where no payload was captured.
    #[unit("bytes")] #[source("RFC 8446 section 4.1.2 with a key share of X25519MLKEM768 (1,216 bytes)")] #[range(BYTES)] client_hello_max_bytes "tls.client_hello_max_bytes" = 2200.0,
    /// Least flight of a TLS server, as in a resumption; used where no payload was captured.
    #[unit("bytes")] #[source("RFC 8446 section 4.1.3: ServerHello, EncryptedExtensions and Finished take more")] #[range(BYTES)] server_flight_min_bytes "tls.server_flight_min_bytes" = 100.0,
    /// A second flight of the client that is longer than this contains a request too; used where no
    /// payload was captured.
    #[unit("bytes")] #[source("RFC 5246 section 7.4.7: a key exchange of RSA-4096 and a Finished take 600")] #[range(BYTES)] client_flight_max_bytes "tls.client_flight_max_bytes" = 600.0,
    /// Greatest second flight of the server, which holds the ticket and the Finished of TLS 1.2;
    /// used where no payload was captured.
    #[unit("bytes")] #[source("RFC 5077 section 3.3; tickets of about 200 bytes")] #[range(BYTES)] second_server_flight_max_bytes "tls.second_server_flight_max_bytes" = 400.0,
    /// A record of at least this length that is too short to be certainly a request counts as a
    /// request if an answer follows it.
    #[unit("bytes")] #[source("RFC 9113 section 6.7, RFC 8446 section 5.2: the longest lone control frame, PING, takes 39 in a record")] #[range(BYTES)] small_request_bytes "transfers.small_request_bytes" = 40.0,
    /// A transfer ends after this much silence while no request is open.
    #[unit("s")] #[source("methods T1")] #[range(SECONDS)] silence_s "transfers.silence_s" = 1.0,
    /// A transfer with less payload than this in both directions is control traffic, which the
    /// shares leave out.
    #[unit("bytes")] #[source("methods T1")] #[range(BYTES)] control_bytes "transfers.control_bytes" = 1000.0,
    /// At the phone, round trips differ by up to this much without a queue, because of an uplink
    /// grant and HARQ retransmissions each way.
    #[unit("ms")] #[source("methods T3")] #[range(MILLISECONDS)] phone_spread_ms "verdict.phone_spread_ms" = 20.0,
    /// Between the radio network and a server, round trips differ by up to this much without a
    /// queue, because of the server's scheduler and interrupts.
    #[unit("ms")] #[source("methods T3; a process is woken within a few milliseconds")] #[range(MILLISECONDS)] wired_spread_ms "verdict.wired_spread_ms" = 2.0,
    /// No delayed-ACK timer is shorter than this, so an ACK that exceeds the least round trip by
    /// less was not held back.
    #[unit("ms")] #[source("Linux TCP_DELACK_MIN; RFC 1122 section 4.2.3.2 allows 500 ms")] #[range(MILLISECONDS)] least_delayed_ack_ms "verdict.least_delayed_ack_ms" = 40.0,
    /// A request that waits for its answer longer than this may be a long poll, whose server has
    /// nothing to send.
    #[unit("s")] #[source("RFC 6202 section 5.5: timeouts of 30 s are usual")] #[range(SECONDS)] long_poll_s "transfers.long_poll_s" = 20.0,
    /// An RTT that exceeds the least RTT by at most this much shows no queue: a HARQ retransmission
    /// and the wait for a slot take as long.
    #[unit("ms")] #[source("methods T7: a HARQ round takes 8 to 12 ms")] #[range(MILLISECONDS)] queue_slack_ms "verdict.queue_slack_ms" = 12.0,
    /// Where the timestamp clock of a sender shows how late a packet or an ACK was, a wait of at
    /// most this much plus one tick of that clock above the least shows no queue: HARQ
    /// retransmissions add this much on average.
    #[unit("ms")] #[source("TS 36.213 section 7: one block in ten is retransmitted 8 ms later (methods G5)")] #[range(MILLISECONDS)] queue_jitter_ms "verdict.queue_jitter_ms" = 1.0,
    /// An ACK of one or two segments with no later segment in flight may have been held back for up
    /// to this long.
    #[unit("ms")] #[source("RFC 1122 section 4.2.3.2")] #[range(MILLISECONDS)] delayed_ack_ms "verdict.delayed_ack_ms" = 500.0,
    /// Once a congestion window that was never cut has had twice this number of round trips, it
    /// holds at least this many segments.
    #[unit("segments")] #[source("RFC 5681 section 3.1; as many as RFC 6928 begins with")] #[range(COUNT)] uncut_segments "verdict.uncut_segments" = 10.0,
    /// At least this many round trips or one-way delays must have been measured before one of them
    /// can show a queue.
    #[unit("samples")] #[source("fewer do not distinguish delay jitter from a queue; an initial window of ten segments gives five (RFC 6928, RFC 5681 section 4.2)")] #[range(COUNT)] queue_samples "verdict.queue_samples" = 5.0,
    /// If the capture cuts a transfer off before a round trip has passed, fewer packets than this
    /// name no cause.
    #[unit("packets")] #[source("RFC 6928: that many segments leave before the first ACK can change anything")] #[range(COUNT)] scant_packets "verdict.scant_packets" = 10.0,
    /// A one-way delay that exceeds the least by this much shows a queue before the capture point:
    /// a scheduling request, a grant and HARQ retransmissions take less.
    #[unit("ms")] #[source("methods E2, three HARQ rounds and a grant")] #[range(MILLISECONDS)] queue_before_ms "verdict.queue_before_ms" = 30.0,
    /// A sender that sends nothing for this long after an ACK freed space in its window has nothing
    /// to send.
    #[unit("ms")] #[source("methods T8; pacing and jitter of the wired path")] #[range(MILLISECONDS)] application_slack_ms "verdict.application_slack_ms" = 10.0,
    /// Data that follows so soon on an ACK known to the sender was sent because of that ACK (5 % of
    /// the round trip between capture point and sender is added for jitter).
    #[unit("ms")] #[source("methods T8; ACK-clocked senders answer within a millisecond")] #[range(MILLISECONDS)] ack_clock_ms "verdict.ack_clock_ms" = 3.0,
    /// A cause that holds for this share of a slice has the majority of it.
    #[unit("ratio")] #[source("methods H6, the rule of labels")] #[range(SHARE)] majority_ratio "verdict.majority_ratio" = 0.5,
    /// A queue during at least this share of a slice decides the slice's cause regardless of other
    /// evidence.
    #[unit("ratio")] #[source("methods T6")] #[range(SHARE)] link_sure_ratio "verdict.link_sure_ratio" = 0.8,
    /// While the receive window is full too, a queue during at least this share of a slice decides
    /// the slice's cause; the window is announced, whereas the queue is estimated.
    #[unit("ratio")] #[source("one HARQ round of 100 ms, which jitter adds to a queue (TS 36.213 section 7)")] #[range(SHARE)] link_over_window_ratio "verdict.link_over_window_ratio" = 0.9,
    /// A queue during at least this share of a slice decides the slice's cause where neither a
    /// window nor the application does.
    #[unit("ratio")] #[source("methods T6: 0.4 to 0.5")] #[range(SHARE)] link_likely_ratio "verdict.link_likely_ratio" = 0.5,
    /// A queue is attributed to the link if, during at least this share of a slice, even the
    /// quickest packets of any three consecutive HARQ rounds wait.
    #[unit("ratio")] #[source("one HARQ round of 100 ms: what only the others waited for is jitter (TS 36.213 section 7)")] #[range(SHARE)] standing_ratio "verdict.standing_ratio" = 0.1,
    /// A queue that exists during a part of a slice is attributed to the link if the link delivers
    /// at least this share of its highest rate in the two seconds before.
    #[unit("ratio")] #[source("methods E2: a standing queue makes the receive rate the capacity; it halves within seconds at most")] #[range(SHARE)] delivered_ratio "verdict.delivered_ratio" = 0.5,
    /// A full receive window during at least this share of a slice decides the slice's cause.
    #[unit("ratio")] #[source("methods H6, the rule of labels: 30 ms of 100")] #[range(SHARE)] window_ratio "verdict.window_ratio" = 0.3,
    /// A timeout, its wait and its repair decide the slice's cause if they take at least this share
    /// of the slice.
    #[unit("ratio")] #[source("methods T8")] #[range(SHARE)] timeout_ratio "verdict.timeout_ratio" = 0.3,
    /// The repair of a loss during at least this share of a slice decides the slice's cause.
    #[unit("ratio")] #[source("as for a timeout")] #[range(SHARE)] recovery_ratio "verdict.recovery_ratio" = 0.3,
    /// A loss costs no delivery if the link delivers at least this share of its highest rate in the
    /// two seconds before while the loss is repaired.
    #[unit("ratio")] #[source("RFC 9438 section 4.6: the window falls to 0.7 after a loss; with it the rate, unless a queue was there")] #[range(SHARE)] repaired_ratio "verdict.repaired_ratio" = 0.7,
    /// The congestion window grows if the sender releases more than this many bytes per byte
    /// acknowledged.
    #[unit("ratio")] #[source("methods T8")] #[range(TIMES)] growth_ratio "verdict.growth_ratio" = 1.35,
    /// A timeout is an undesired slow start if at least this share of its wait was undesired.
    #[unit("ratio")] #[source("methods C4; the larger part of it")] #[range(SHARE)] undesired_ratio "verdict.undesired_ratio" = 0.5,
    /// The firing of a timer was undesired if ACKs kept coming during at least this share of its
    /// wait.
    #[unit("ratio")] #[source("LTE13 section 5; the larger part of it")] #[range(SHARE)] kept_coming_ratio "verdict.kept_coming_ratio" = 0.5,
    /// A full window is attributed to the receiving application if the window was zero, or less than
    /// half of the largest one was free, during at least this share of the time.
    #[unit("ratio")] #[source("methods T6; the larger part of it")] #[range(SHARE)] zero_window_ratio "verdict.zero_window_ratio" = 0.5,
    /// Bytes in flight below this share of what the window has allowed show that the application
    /// limits the sender.
    #[unit("ratio")] #[source("RFC 7661 section 4.1: half the window used")] #[range(SHARE)] flight_ratio "verdict.flight_ratio" = 0.5,
    /// Width of the bins of the throughput series; 0 switches it off.
    #[unit("s")] #[source("LTE13 section 3.2")] #[range(SECONDS)] throughput_bin_s "throughput.bin_s" = 0.5,
    /// An ICMP echo request counts as unanswered if no reply comes within this time.
    #[unit("s")] #[source("ping(8) of iputils: waits 10 s")] #[range(SECONDS)] ping_timeout_s "pings.timeout_s" = 10.0,
    /// A DNS query counts as unanswered if no response comes within this time.
    #[unit("s")] #[source("RFC 1035 section 4.2.1 (retries of seconds), resolvers give up by then")] #[range(SECONDS)] dns_timeout_s "dns.timeout_s" = 30.0,
    /// After a silence of this length the radio leaves continuous reception and enters its tail.
    #[unit("ms")] #[source("methods F3, Huang et al., MobiSys 2012 (T_i)")] #[range(MILLISECONDS)] inactivity_ms "energy.inactivity_ms" = 100.0,
    /// Base power of the radio in continuous reception, without the power for data.
    #[unit("mW")] #[source("methods F3, Huang et al., MobiSys 2012, Table 4 (LTE)")] #[range(MILLIWATTS)] active_mw "energy.active_mw" = 1288.04,
    /// Mean power of the radio in its tail.
    #[unit("mW")] #[source("methods F3, Huang et al., MobiSys 2012, Table 3 (LTE)")] #[range(MILLIWATTS)] tail_mw "energy.tail_mw" = 1060.0,
    /// Mean power of the radio during a promotion.
    #[unit("mW")] #[source("methods F3, Huang et al., MobiSys 2012, Table 3 (LTE)")] #[range(MILLIWATTS)] promotion_mw "energy.promotion_mw" = 1210.7,
    /// Duration of a promotion, from which its energy is computed.
    #[unit("ms")] #[source("methods F3, Huang et al., MobiSys 2012, Table 3 (LTE)")] #[range(MILLISECONDS)] promotion_model_ms "energy.promotion_ms" = 260.1,
    /// Energy for one megabit sent by the phone.
    #[unit("mJ/Mbit")] #[source("methods F3, Huang et al., MobiSys 2012, Table 4 (LTE, mW per Mbps)")] #[range(MILLIJOULES)] uplink_mj_per_mbit "energy.uplink_mj_per_mbit" = 438.39,
    /// Energy for one megabit received by the phone.
    #[unit("mJ/Mbit")] #[source("methods F3, Huang et al., MobiSys 2012, Table 4 (LTE, mW per Mbps)")] #[range(MILLIJOULES)] downlink_mj_per_mbit "energy.downlink_mj_per_mbit" = 51.97,
    /// A burst begins in a millisecond in which the user has more than this share of the cell's
    /// PRBs.
    #[unit("ratio")] #[source("BT19 section 3.2.2")] #[range(SHARE)] burst_start_ratio "bursts.start_ratio" = 0.9,
    /// A burst ends at an unscheduled millisecond if the user had less than this share of the
    /// cell's PRBs in the millisecond before.
    #[unit("ratio")] #[source("BT19 section 3.2.2")] #[range(SHARE)] burst_end_ratio "bursts.end_ratio" = 0.4,
    /// A silence within a burst that is longer than this is attributed to missing records (a clock
    /// that stepped, a log that was off) and ends the burst; the rule of BT19 has no limit.
    #[unit("s")] #[source("LTE13 section 3.1: a UE not seen for so long ends its session")] #[range(SECONDS)] burst_log_gap_s "bursts.log_gap_s" = 3600.0,
    /// A silence of at most this length within a burst may be due to the scheduling of other users.
    #[unit("ms")] #[source("methods G3: gaps of 100 to 200 ms")] #[range(MILLISECONDS)] contention_max_ms "bursts.contention_max_ms" = 100.0,
    /// The burst rule is trusted while at most this share of the burst time depends on the rule's
    /// assumption.
    #[unit("ratio")] #[source("BT19 section 4.1: median error 7 %, upper quartile 12-15 %")] #[range(SHARE)] undecided_max_ratio "bursts.undecided_max_ratio" = 0.1,
    /// If more than this share of the lone milliseconds are not full, nothing shows whether the
    /// burst rule is right.
    #[unit("ratio")] #[source("the larger part of them")] #[range(SHARE)] lone_max_ratio "bursts.lone_max_ratio" = 0.5,
    /// If the range of the link demand is wider than this, texts give the range and no single
    /// value.
    #[unit("ratio")] #[source("methods G3")] #[range(SHARE)] demand_wide_ratio "verdict.demand_wide_ratio" = 0.1;
    /// Server ports at which the operator's performance-enhancing proxy (PEP) answers;
    /// `handshake.pep_ports=` sets no port.
    #[source("LTE13 section 4.2, RFC 3135")] pep_ports "handshake.pep_ports" = [80, 8080],
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::*;

    #[test]
    fn every_parameter_is_named_once_and_documented() {
        let mut seen = BTreeSet::new();
        for parameter in PARAMETERS {
            let name = parameter.name;
            assert!(seen.insert(name), "two parameters are called {name}");
            assert!(name.contains('.'), "{name}: write what it belongs to, dot, name");
            assert!(parameter.doc.trim().ends_with('.'), "{name}: the description is no sentence");
            assert!(
                !parameter.unit.is_empty() && !parameter.source.is_empty(),
                "{name}: no unit or source"
            );
        }
    }

    #[test]
    fn what_is_set_is_in_force() {
        let mut parameters = Parameters::default();
        assert_eq!(parameters.set("sessions.tail_s", 3.0), Ok(()));
        assert_eq!(parameters.get("sessions.tail_s"), Some(Setting::Number(3.0)));
        assert_eq!(parameters.set("a6.tail_s", 4.0), Ok(()));
        assert_eq!((parameters.get("a6.tail_s"), parameters.tail_s), (None, 4.0));
        assert_eq!(parameters.set("sessions.tail", 3.0), Err(Refused::Unknown));
        assert_eq!(parameters.get("sessions.tail"), None);
    }

    #[test]
    fn a_list_is_set_as_a_whole_also_by_its_former_name() {
        let mut parameters = Parameters::default();
        assert!(parameters.pep_ports.holds(80) && parameters.pep_ports.holds(8080));
        assert_eq!(parameters.set_text("b1.pep_ports", " 3128, 80,3128 "), Ok(()));
        assert_eq!(parameters.pep_ports, Ports::new(&[80, 3128]));
        assert_eq!(parameters.set_text("handshake.pep_ports", ""), Ok(()));
        assert!(!parameters.pep_ports.holds(80));
    }

    #[test]
    fn a_list_with_a_member_that_is_no_port_is_refused_as_a_whole() {
        for (text, is_list) in
            [("80,0", true), ("80,65536", true), ("80,,81", false), ("80;81", false)]
        {
            let mut parameters = Parameters::default();
            let refused = parameters.set_text("handshake.pep_ports", text).unwrap_err();
            assert_eq!(matches!(refused, Refused::OutOfRange(_)), is_list, "{text}");
            assert_eq!(parameters, Parameters::default());
        }
    }

    #[test]
    fn a_number_is_no_list_and_a_list_no_number() {
        let mut parameters = Parameters::default();
        assert_eq!(parameters.set("handshake.pep_ports", 80.0), Err(Refused::NoList));
        assert_eq!(parameters.set("sessions.tail_s", Ports::new(&[80])), Err(Refused::NoNumber));
        assert_eq!(parameters.set_text("sessions.tail_s", "80,81"), Err(Refused::NoNumber));
        assert_eq!(parameters, Parameters::default());
    }

    #[test]
    fn what_is_out_of_range_is_refused_and_changes_nothing() {
        for parameter in PARAMETERS {
            let mut parameters = Parameters::default();
            for value in [-f64::MIN_POSITIVE, f64::NAN, f64::INFINITY, f64::NEG_INFINITY] {
                let refused = parameters.set(parameter.name, value);
                assert_eq!(refused, Err(Refused::OutOfRange(parameter)), "{value}");
            }
            assert_eq!(parameters, Parameters::default());
        }
    }

    #[test]
    fn every_default_and_every_end_of_a_range_is_within_it() {
        for parameter in PARAMETERS {
            let (least, most) = parameter.range.ends();
            for value in Setting::from(parameter.default).members().chain([least, most]) {
                assert!(parameter.range.holds(value), "{}: {value}", parameter.name);
            }
        }
    }
}
