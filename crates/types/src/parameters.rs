//! Every threshold by name, with its unit, its range, its default and its source.

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

            /// The value of one by name.
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
    /// Name on the command line: what it belongs to, dot, name.
    pub name: &'static str,
    /// Unit in words.
    pub unit: &'static str,
    /// What it does.
    pub doc: &'static str,
    /// The source of its value.
    pub source: &'static str,
    /// The values that it may have; of a list, those of its members.
    pub range: Range,
    /// Its value unless set.
    pub default: Preset,
}

/// Why a parameter cannot be set so.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Refused {
    /// There is none of that name.
    Unknown,
    /// The text is not a finite number.
    NoNumber,
    /// The text is not a list of whole numbers with commas between, or one number was given for a
    /// list, or a list for a number.
    NoList,
    /// The value is none that it may have.
    OutOfRange(&'static Parameter),
}

impl Parameters {
    /// Sets one by name, present or former: the only way for values from outside.
    ///
    /// # Errors
    /// There is none of that name, or the value is not within its range.
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

    /// Sets one by name, from a text: a number, or a list with commas between.
    ///
    /// # Errors
    /// As of [`Self::set`]; also when the text is no number, or no list where the parameter is one.
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
    /// The parameter of a name, present or former.
    fn named(key: &str) -> Option<&'static Self> {
        let key = present_name(key);
        PARAMETERS.iter().find(|parameter| parameter.name == key)
    }
}

parameters! {
    /// A UE not seen for this long ends its session.
    #[unit("s")] #[source("LTE13 section 3.1")] #[range(GAP)] session_gap_s "sessions.gap_s" = 3600.0,
    /// A flow without packets for this long ends.
    #[unit("s")] #[source("LTE13 section 3.1")] #[range(GAP)] flow_gap_s "flows.gap_s" = 3600.0,
    /// Silences of the UE longer than this are rows of the table `silences`.
    #[unit("s")] #[source("methods F3; no network turns the radio off sooner, TS 38.331 section 6.3.2 (dataInactivityTimer)")] #[range(SECONDS)] least_listed_silence_s "silences.least_s" = 1.0,
    /// How long the radio stays on after the last packet.
    #[unit("s")] #[source("LTE13 section 4.1")] #[range(SECONDS)] tail_s "sessions.tail_s" = 10.0,
    /// A packet recorded this much before an earlier one shows a step of the capture's clock.
    #[unit("ms")] #[source("methods A10; queues of a tap swap packets by less")] #[range(MILLISECONDS)] clock_step_ms "quality.clock_step_ms" = 10.0,
    /// A flow of which the capture lost this share of either direction's bytes is not judged by what was not seen.
    #[unit("ratio")] #[source("methods A10; lost packets look like silence")] #[range(SHARE)] lost_max_ratio "quality.lost_max_ratio" = 0.03,
    /// Silence of the UE after which its radio is idle for certain.
    #[unit("s")] #[source("LTE13 section 4.2, above the tail of section 4.1")] #[range(SECONDS)] idle_before_s "promotion.idle_before_s" = 13.0,
    /// Least silence of the UE before an opening, or a later request, whose waking up is measured; 13 in profile lte13.
    #[unit("s")] #[source("methods T3; TS 38.331 section 6.3.2: no dataInactivityTimer is shorter")] #[range(SECONDS)] least_silence_s "promotion.silence_s" = 1.0,
    /// A promotion delay below this is flagged as doubtful.
    #[unit("ms")] #[source("methods B2")] #[range(MILLISECONDS)] promotion_floor_ms "promotion.floor_ms" = 50.0,
    /// Two packets of the UE at least this far apart give the tick of its clock.
    #[unit("s")] #[source("LTE13 section 6.1 (delta_G)")] #[range(SECONDS)] delta_g_s "tick.delta_g_s" = 3.0,
    /// A fitted tick this close to a known one is taken for it.
    #[unit("ratio")] #[source("methods E1")] #[range(SHARE)] nominal_tolerance_ratio "tick.nominal_tolerance_ratio" = 0.01,
    /// Trains of at most this many duplicate ACKs (or their equivalents) say nothing of a slow start.
    #[unit("duplicate ACKs")] #[source("methods C4, code of LTE13's authors")] #[range(COUNT)] train_min "loss_episodes.train_min" = 20.0,
    /// A silence of this long ends a train, and parts one episode of trains from the next.
    #[unit("s")] #[source("methods C4, code of LTE13's authors")] #[range(SECONDS)] train_gap_s "loss_episodes.train_gap_s" = 1.0,
    /// Length of each of the two spans whose throughputs R_ss compares.
    #[unit("ms")] #[source("LTE13 section 5")] #[range(MILLISECONDS)] rss_span_ms "loss_episodes.rss_span_ms" = 100.0,
    /// R_ss above this is a slow start.
    #[unit("ratio")] #[source("LTE13 section 5")] #[range(TIMES)] rss_min_ratio "loss_episodes.rss_min_ratio" = 1.5,
    /// 1 moves the spans of R_ss by the tap-sender-tap loop, 0 leaves them where the duplicate ACK passed (profile lte13).
    #[unit("flag")] #[source("methods C4")] #[range(FLAG)] rss_shift "loss_episodes.rss_shift" = 1.0,
    /// A timeout was undone when the flight is again this share of the earlier one within two round trips of the ACK that showed it spurious.
    #[unit("ratio")] #[source("RFC 5682 section 2.1, RFC 4015; what jumps to the slow-start threshold has 0.5 to 0.7 of it")] #[range(SHARE)] undone_ratio "loss_episodes.undone_ratio" = 0.9,
    /// A download of at least this much payload may be compared with bulk tests.
    #[unit("bytes")] #[source("LTE13 section 4.4")] #[range(BYTES)] fair_downlink_bytes "fair.downlink_bytes" = 1e6,
    /// An upload of at least this much payload may be compared with bulk tests.
    #[unit("bytes")] #[source("LTE13 section 4.4")] #[range(BYTES)] fair_uplink_bytes "fair.uplink_bytes" = 200e3,
    /// Two successive packets of a flow this far apart are a pause, so that its rate is not that of the path.
    #[unit("s")] #[source("LTE13 section 4.4")] #[range(SECONDS)] fair_gap_s "fair.gap_s" = 1.0,
    /// Where the truncated flow ends: its first ACK beyond this many bytes of the download.
    #[unit("bytes")] #[source("HWY18 section 5.2")] #[range(BYTES)] truncated_bytes "truncated.bytes" = 1e6,
    /// A flow whose next payload of a direction comes later than this was not active in between.
    #[unit("s")] #[source("LTE13 section 4.1, UP16 section 3")] #[range(SECONDS)] active_gap_s "active_spans.gap_s" = 1.0,
    /// Two successive packets of a flow further apart than this are in different bursts of payload.
    #[unit("s")] #[source("UP16 section 3")] #[range(SECONDS)] burst_gap_s "payload_bursts.gap_s" = 1.0,
    /// Least time with payload from which a rate is given.
    #[unit("s")] #[source("UP16 section 3")] #[range(SECONDS)] burst_least_s "payload_bursts.least_s" = 3.0,
    /// Floor of the retransmission timeout by the standard.
    #[unit("ms")] #[source("RFC 6298 section 2.4")] #[range(MILLISECONDS)] rto_floor_rfc_ms "rto.floor_rfc_ms" = 1000.0,
    /// Floor of the retransmission timeout in practice: of the whole (rule lte13) or of its second term (rule linux).
    #[unit("ms")] #[source("LTE13 section 5, Linux TCP_RTO_MIN")] #[range(MILLISECONDS)] rto_floor_ms "rto.floor_ms" = 200.0,
    /// Segments below the right edge at which the window counts as full.
    #[unit("segments")] #[source("methods C6")] #[range(COUNT)] full_mss "receive_window.full_segments" = 1.0,
    /// The same where the tap is at the receiver, a whole RTT from the sender.
    #[unit("segments")] #[source("methods C6")] #[range(COUNT)] full_receiver_mss "receive_window.full_at_receiver_segments" = 3.0,
    /// Initial window in segments, unless the flow's own first flight was larger.
    #[unit("segments")] #[source("RFC 6928 section 2")] #[range(COUNT)] initial_window_segments "idle_gaps.initial_window_segments" = 10.0,
    /// A first flight after a gap up to this many initial windows is a reset window.
    #[unit("ratio")] #[source("methods C7")] #[range(TIMES)] reset_ratio "idle_gaps.reset_ratio" = 1.25,
    /// A flight this many times the first one after a gap shows growth.
    #[unit("ratio")] #[source("methods C7")] #[range(TIMES)] restart_growth_ratio "idle_gaps.growth_ratio" = 2.0,
    /// Sending rate above which a window must have filled the queue: the paper's C.
    #[unit("bps")] #[source("LTE13 section 6.1")] #[range(BPS)] min_send_bps "bandwidth.min_send_bps" = 30e6,
    /// Least length of a receive window in ticks of the UE's clock.
    #[unit("ticks")] #[source("methods E2")] #[range(COUNT)] sample_min_ticks "bandwidth.min_ticks" = 20.0,
    /// Most length of a window of the paper's rule, in least whole RTTs.
    #[unit("RTTs")] #[source("methods E2, LTE13 section 6.1")] #[range(COUNT)] sample_max_rtts "bandwidth.max_rtts" = 4.0,
    /// The same in ticks, where that is longer.
    #[unit("ticks")] #[source("methods E2")] #[range(COUNT)] sample_max_ticks "bandwidth.max_ticks" = 40.0,
    /// Least advance, in segments, of an ACK that was not delayed.
    #[unit("segments")] #[source("methods E2")] #[range(COUNT)] sample_min_mss "bandwidth.min_advance_segments" = 1.1,
    /// A longer wait, beside one tick of the clock, is one in a queue: an empty link sends in the next TTI.
    #[unit("ms")] #[source("TS 36.211 section 4")] #[range(MILLISECONDS)] queue_excess_ms "bandwidth.queue_excess_ms" = 1.0,
    /// Share of a window in which there must have been a queue.
    #[unit("ratio")] #[source("methods E2")] #[range(SOME)] busy_ratio "bandwidth.busy_ratio" = 0.9,
    /// Least length of a window with a queue.
    #[unit("s")] #[source("methods E2")] #[range(SECONDS)] queue_window_min_s "bandwidth.queue_window_min_s" = 0.1,
    /// Most length of a window with a queue: no longer than links of methods E6 hold a rate.
    #[unit("s")] #[source("methods E2, E6")] #[range(SECONDS)] queue_window_max_s "bandwidth.queue_window_max_s" = 0.5,
    /// Least time between two bandwidth samples of one estimator; 0 for one per ACK.
    #[unit("ms")] #[source("methods E4: a fifth of its windows of 250 ms")] #[range(MILLISECONDS)] sample_spacing_ms "bandwidth.spacing_ms" = 50.0,
    /// 1 makes the paper's rule the estimator behind `bandwidth_bps` (profile lte13), 0 the queue-evident one.
    #[unit("flag")] #[source("methods E2")] #[range(FLAG)] use_c_rule "bandwidth.use_c_rule" = 0.0,
    /// A large flow has more downlink payload than this ...
    #[unit("bytes")] #[source("methods T5, LTE13 section 5")] #[range(BYTES)] large_bytes "flows.large_bytes" = 1e6,
    /// ... and takes longer than this for it.
    #[unit("s")] #[source("methods T5, LTE13 section 5")] #[range(SECONDS)] large_s "flows.large_s" = 5.0,
    /// Windows of which each takes the sample nearest its centre.
    #[unit("ms")] #[source("LTE13 section 6.3")] #[range(MILLISECONDS)] utilisation_window_ms "bandwidth.utilisation_window_ms" = 250.0,
    /// Round trip of a repetition (HARQ): a wait of that length may be one.
    #[unit("ms")] #[source("TS 36.321 section 5.3.2.2: eight TTIs")] #[range(MILLISECONDS)] harq_ms "bandwidth.harq_ms" = 8.0,
    /// Share of a flow's time that must show what the link could carry.
    #[unit("ratio")] #[source("a choice of ours: the rest may be twice as fast, and moves the share by a sixth")] #[range(SHARE)] utilisation_seen_ratio "bandwidth.utilisation_seen_ratio" = 0.8,
    /// A utilisation whose bounds are further apart is not given.
    #[unit("ratio")] #[source("a choice of ours: a fifth of the scale")] #[range(SHARE)] utilisation_range_ratio "bandwidth.utilisation_range_ratio" = 0.2,
    /// Least payload of an uplink packet that begins a transfer.
    #[unit("bytes")] #[source("methods T1")] #[range(BYTES)] request_min_bytes "transfers.request_min_bytes" = 64.0,
    /// Least body of the record that holds the client's Finished in TLS 1.3: 4 + 32 bytes, a type byte, a tag of 16.
    #[unit("bytes")] #[source("RFC 8446 sections 4.4.4 and 5.2, with SHA-256")] #[range(BYTES)] finished_min_bytes "tls.finished_min_bytes" = 53.0,
    /// Most of the same: with SHA-384 it is 69 bytes; more is padding.
    #[unit("bytes")] #[source("methods T1; RFC 8446 section 5.4")] #[range(BYTES)] finished_max_bytes "tls.finished_max_bytes" = 90.0,
    /// A record of the server up to this length, header included, may be a session ticket of TLS 1.3, or two of them.
    #[unit("bytes")] #[source("RFC 8446 section 4.6.1; OpenSSL sends two of about 255, BoringSSL both in one record of about 540")] #[range(BYTES)] ticket_max_bytes "tls.ticket_max_bytes" = 600.0,
    /// The server's first record in HTTP/2 is SETTINGS up to this length, header included.
    #[unit("bytes")] #[source("RFC 9113 sections 6.5 and 6.9: 9 + 6 x 6 and 13 bytes, with the 29 that TLS 1.2 adds, and some more settings")] #[range(BYTES)] settings_max_bytes "tls.settings_max_bytes" = 110.0,
    /// Without captured payload: least first flight of a TLS client.
    #[unit("bytes")] #[source("RFC 8446 section 4.1.2: with a name and a dozen ciphers; SSH and tunnels begin with less")] #[range(BYTES)] client_hello_min_bytes "tls.client_hello_min_bytes" = 150.0,
    /// Without captured payload: most first flight of a TLS client.
    #[unit("bytes")] #[source("RFC 8446 section 4.1.2 with a key share of X25519MLKEM768 (1,216 bytes)")] #[range(BYTES)] client_hello_max_bytes "tls.client_hello_max_bytes" = 2200.0,
    /// Without captured payload: least flight of a TLS server, as in resumption.
    #[unit("bytes")] #[source("RFC 8446 section 4.1.3: ServerHello, EncryptedExtensions and Finished take more")] #[range(BYTES)] server_flight_min_bytes "tls.server_flight_min_bytes" = 100.0,
    /// Without captured payload: a second flight of the client above this holds a request too.
    #[unit("bytes")] #[source("RFC 5246 section 7.4.7: a key exchange of RSA-4096 and a Finished take 600")] #[range(BYTES)] client_flight_max_bytes "tls.client_flight_max_bytes" = 600.0,
    /// Without captured payload: a second flight of the server (ticket and Finished of TLS 1.2) takes no more.
    #[unit("bytes")] #[source("RFC 5077 section 3.3; tickets of about 200 bytes")] #[range(BYTES)] second_server_flight_max_bytes "tls.second_server_flight_max_bytes" = 400.0,
    /// A record of at least this, and less than a sure request, is one where an answer follows it.
    #[unit("bytes")] #[source("RFC 9113 section 6.7, RFC 8446 section 5.2: the longest lone control frame, PING, takes 39 in a record")] #[range(BYTES)] small_request_bytes "transfers.small_request_bytes" = 40.0,
    /// Silence with no request open that ends a transfer.
    #[unit("s")] #[source("methods T1")] #[range(SECONDS)] silence_s "transfers.silence_s" = 1.0,
    /// Less than this both ways is control traffic, not in shares.
    #[unit("bytes")] #[source("methods T1")] #[range(BYTES)] control_bytes "transfers.control_bytes" = 1000.0,
    /// At the phone, round trips differ by so much without a queue: an uplink grant and HARQ rounds each way.
    #[unit("ms")] #[source("methods T3")] #[range(MILLISECONDS)] phone_spread_ms "verdict.phone_spread_ms" = 20.0,
    /// Between the radio network and a server, a loop differs by so much: the server's scheduler and interrupts.
    #[unit("ms")] #[source("methods T3; a process is woken within a few milliseconds")] #[range(MILLISECONDS)] wired_spread_ms "verdict.wired_spread_ms" = 2.0,
    /// No delayed-ACK timer is shorter, so an ACK this soon after the least was not held back.
    #[unit("ms")] #[source("Linux TCP_DELACK_MIN; RFC 1122 section 4.2.3.2 allows 500 ms")] #[range(MILLISECONDS)] least_delayed_ack_ms "verdict.least_delayed_ack_ms" = 40.0,
    /// A request that waits for longer may be a long poll, whose server has nothing to say.
    #[unit("s")] #[source("RFC 6202 section 5.5: timeouts of 30 s are usual")] #[range(SECONDS)] long_poll_s "transfers.long_poll_s" = 20.0,
    /// An RTT this far above the least is no queue: a HARQ round, and a wait for its slot.
    #[unit("ms")] #[source("methods T7: a HARQ round takes 8 to 12 ms")] #[range(MILLISECONDS)] queue_slack_ms "verdict.queue_slack_ms" = 12.0,
    /// Where the phone's clock shows how late an ACK was, a wait this far and one of its ticks above the least is none: what HARQ rounds add on average.
    #[unit("ms")] #[source("TS 36.213 section 7: one block in ten is retransmitted 8 ms later (methods G5)")] #[range(MILLISECONDS)] queue_jitter_ms "verdict.queue_jitter_ms" = 1.0,
    /// An ACK of one or two segments with nothing behind them may have been held back for so long.
    #[unit("ms")] #[source("RFC 1122 section 4.2.3.2")] #[range(MILLISECONDS)] delayed_ack_ms "verdict.delayed_ack_ms" = 500.0,
    /// A window that was never cut holds this number of segments once it has had twice as many round trips.
    #[unit("segments")] #[source("RFC 5681 section 3.1; as many as RFC 6928 begins with")] #[range(COUNT)] uncut_segments "verdict.uncut_segments" = 10.0,
    /// Number of round trips or one-way delays that must have been seen before one of them shows a queue.
    #[unit("samples")] #[source("fewer do not distinguish delay jitter from a queue; an initial window of ten segments gives five (RFC 6928, RFC 5681 section 4.2)")] #[range(COUNT)] queue_samples "verdict.queue_samples" = 5.0,
    /// Of a transfer that the capture cuts before a round trip has passed, fewer packets name no cause.
    #[unit("packets")] #[source("RFC 6928: that many segments leave before the first ACK can change anything")] #[range(COUNT)] scant_packets "verdict.scant_packets" = 10.0,
    /// A one-way delay this far above the least is a queue before the tap: SR, grant and HARQ rounds cost less.
    #[unit("ms")] #[source("methods E2, three HARQ rounds and a grant")] #[range(MILLISECONDS)] queue_before_ms "verdict.queue_before_ms" = 30.0,
    /// A sender that sends nothing for this long after an ACK freed its window has nothing to send.
    #[unit("ms")] #[source("methods T8; pacing and jitter of the wired path")] #[range(MILLISECONDS)] application_slack_ms "verdict.application_slack_ms" = 10.0,
    /// Data this soon after an ACK that the sender knew was sent because of it (and 5 % of the loop, for its jitter).
    #[unit("ms")] #[source("methods T8; ACK-clocked senders answer within a millisecond")] #[range(MILLISECONDS)] ack_clock_ms "verdict.ack_clock_ms" = 3.0,
    /// A cause that holds for this share of a slice has the majority of it.
    #[unit("ratio")] #[source("methods H6, the rule of labels")] #[range(SHARE)] majority_ratio "verdict.majority_ratio" = 0.5,
    /// A queue for this share of a slice decides at once.
    #[unit("ratio")] #[source("methods T6")] #[range(SHARE)] link_sure_ratio "verdict.link_sure_ratio" = 0.8,
    /// ... beside a full receive window, which is announced where the queue is estimated.
    #[unit("ratio")] #[source("one HARQ round of 100 ms, which jitter adds to a queue (TS 36.213 section 7)")] #[range(SHARE)] link_over_window_ratio "verdict.link_over_window_ratio" = 0.9,
    /// A queue for this share decides where neither window nor application does.
    #[unit("ratio")] #[source("methods T6: 0.4 to 0.5")] #[range(SHARE)] link_likely_ratio "verdict.link_likely_ratio" = 0.5,
    /// A queue is the link's if even the quickest packets of three HARQ rounds wait for this share of a slice.
    #[unit("ratio")] #[source("one HARQ round of 100 ms: what only the others waited for is jitter (TS 36.213 section 7)")] #[range(SHARE)] standing_ratio "verdict.standing_ratio" = 0.1,
    /// A queue for a part of a slice is the link's if it delivers at least this share of the most in the two seconds before.
    #[unit("ratio")] #[source("methods E2: a standing queue makes the receive rate the capacity; it halves within seconds at most")] #[range(SHARE)] delivered_ratio "verdict.delivered_ratio" = 0.5,
    /// A closed window for this share of a slice decides.
    #[unit("ratio")] #[source("methods H6, the rule of labels: 30 ms of 100")] #[range(SHARE)] window_ratio "verdict.window_ratio" = 0.3,
    /// A timeout for this share of a slice decides.
    #[unit("ratio")] #[source("methods T8")] #[range(SHARE)] timeout_ratio "verdict.timeout_ratio" = 0.3,
    /// The repair of a loss for this share of a slice decides.
    #[unit("ratio")] #[source("as for a timeout")] #[range(SHARE)] recovery_ratio "verdict.recovery_ratio" = 0.3,
    /// More bytes released per byte acknowledged than this is a growing window.
    #[unit("ratio")] #[source("methods T8")] #[range(TIMES)] growth_ratio "verdict.growth_ratio" = 1.35,
    /// A timeout whose wait was undesired for this share of it is an undesired slow start.
    #[unit("ratio")] #[source("methods C4; the larger part of it")] #[range(SHARE)] undesired_ratio "verdict.undesired_ratio" = 0.5,
    /// ACKs that kept coming for this share of a timer's wait make its firing undesired.
    #[unit("ratio")] #[source("LTE13 section 5; the larger part of it")] #[range(SHARE)] kept_coming_ratio "verdict.kept_coming_ratio" = 0.5,
    /// A full window that was zero for this share of the time is the reader's.
    #[unit("ratio")] #[source("methods T6; the larger part of it")] #[range(SHARE)] zero_window_ratio "verdict.zero_window_ratio" = 0.5,
    /// A flight below this share of what the window has allowed is the application's.
    #[unit("ratio")] #[source("RFC 7661 section 4.1: half the window used")] #[range(SHARE)] flight_ratio "verdict.flight_ratio" = 0.5,
    /// Width of the bins of the throughput series; 0 switches it off.
    #[unit("s")] #[source("LTE13 section 3.2")] #[range(SECONDS)] throughput_bin_s "throughput.bin_s" = 0.5,
    /// An ICMP echo request without a reply for this long is unanswered.
    #[unit("s")] #[source("ping(8) of iputils: waits 10 s")] #[range(SECONDS)] ping_timeout_s "pings.timeout_s" = 10.0,
    /// A DNS query without a response for this long is unanswered.
    #[unit("s")] #[source("RFC 1035 section 4.2.1 (retries of seconds), resolvers give up by then")] #[range(SECONDS)] dns_timeout_s "dns.timeout_s" = 30.0,
    /// Silence after which the radio leaves continuous reception for its tail.
    #[unit("ms")] #[source("methods F3, Huang et al., MobiSys 2012 (T_i)")] #[range(MILLISECONDS)] inactivity_ms "energy.inactivity_ms" = 100.0,
    /// Base power of the radio in continuous reception.
    #[unit("mW")] #[source("methods F3, Huang et al., MobiSys 2012, Table 4 (LTE)")] #[range(MILLIWATTS)] active_mw "energy.active_mw" = 1288.04,
    /// Mean power of the radio in its tail.
    #[unit("mW")] #[source("methods F3, Huang et al., MobiSys 2012, Table 3 (LTE)")] #[range(MILLIWATTS)] tail_mw "energy.tail_mw" = 1060.0,
    /// Power while the radio is promoted.
    #[unit("mW")] #[source("methods F3, Huang et al., MobiSys 2012, Table 3 (LTE)")] #[range(MILLIWATTS)] promotion_mw "energy.promotion_mw" = 1210.7,
    /// How long a promotion takes, for its energy.
    #[unit("ms")] #[source("methods F3, Huang et al., MobiSys 2012, Table 3 (LTE)")] #[range(MILLISECONDS)] promotion_model_ms "energy.promotion_ms" = 260.1,
    /// Energy of a megabit sent.
    #[unit("mJ/Mbit")] #[source("methods F3, Huang et al., MobiSys 2012, Table 4 (LTE, mW per Mbps)")] #[range(MILLIJOULES)] uplink_mj_per_mbit "energy.uplink_mj_per_mbit" = 438.39,
    /// Energy of a megabit received.
    #[unit("mJ/Mbit")] #[source("methods F3, Huang et al., MobiSys 2012, Table 4 (LTE, mW per Mbps)")] #[range(MILLIJOULES)] downlink_mj_per_mbit "energy.downlink_mj_per_mbit" = 51.97,
    /// A burst begins in a millisecond with more than this share of a cell's PRBs.
    #[unit("ratio")] #[source("BT19 section 3.2.2")] #[range(SHARE)] burst_start_ratio "bursts.start_ratio" = 0.9,
    /// A burst ends at an unscheduled millisecond behind one with less than this share.
    #[unit("ratio")] #[source("BT19 section 3.2.2")] #[range(SHARE)] burst_end_ratio "bursts.end_ratio" = 0.4,
    /// A silence longer than this within a burst is taken for missing records (a stepping clock, a log that was off) and breaks it off; the paper's rule knows no limit.
    #[unit("s")] #[source("LTE13 section 3.1: a UE not seen for so long ends its session")] #[range(SECONDS)] burst_log_gap_s "bursts.log_gap_s" = 3600.0,
    /// A silence within a burst up to this long may be the turns of other users.
    #[unit("ms")] #[source("methods G3: gaps of 100 to 200 ms")] #[range(MILLISECONDS)] contention_max_ms "bursts.contention_max_ms" = 100.0,
    /// The burst rule is trusted while at most this share of the time hangs on its assumption.
    #[unit("ratio")] #[source("BT19 section 4.1: median error 7 %, upper quartile 12-15 %")] #[range(SHARE)] undecided_max_ratio "bursts.undecided_max_ratio" = 0.1,
    /// With more lone milliseconds that are not full than this share, nothing shows whether the burst rule is right.
    #[unit("ratio")] #[source("the larger part of them")] #[range(SHARE)] lone_max_ratio "bursts.lone_max_ratio" = 0.5;
    /// Server ports at which the operator's proxy (performance-enhancing proxy, PEP) answers; none: `handshake.pep_ports=`.
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
