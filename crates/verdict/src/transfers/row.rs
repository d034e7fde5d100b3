//! Defines the rows of `transfers`.

use airmile_types::{
    Cause, Certainty, Column, Direction, EventTable, Instant, Protocol, RowSink, Table, Vantage,
    columns,
};

use super::cause_times::CauseTimes;
use super::state::Transfers;

columns! {
    /// The summary of a transfer, without its shares.
    pub struct TransferSummary {
        /// Number of the transfer, unique in a dataset.
        #[unit("")] #[cite("T1")] pub transfer_id: u64,
        /// The flow that the transfer belongs to.
        #[unit("")] #[cite("A12")] pub uid: u64,
        /// The session of the subscriber that the transfer belongs to; null for traffic within a
        /// link.
        #[unit("")] #[cite("A3")] pub session_id: Option<u64>,
        /// Number of the capture that the flow's first packet is of.
        #[unit("")] #[cite("A1")] pub capture: u32,
        /// The direction with more bytes.
        #[unit("")] #[cite("T1")] pub direction: Direction,
        /// What began the transfer: http, request, push, flow.
        #[unit("")] #[cite("T1")] pub boundary: &'static str,
        /// Time of the request; for a transfer without a request, time of the first payload.
        #[unit("ns")] #[cite("T1")] pub request_ns: Instant,
        /// Time of the last new byte of the request that began the transfer; for an upload, of its
        /// last byte. Null for a push, and when the capture's clock stepped so that the time is not
        /// within the transfer.
        #[unit("ns")] #[cite("T3")] pub request_end_ns: Option<Instant>,
        /// Time of the first payload byte in the direction of the transfer; null when none came,
        /// and when the capture's clock stepped so that the time is not within the transfer.
        #[unit("ns")] #[cite("T1")] pub first_byte_ns: Option<Instant>,
        /// Time at which the transfer ended. Downlink: the last new payload byte; uplink: the last
        /// ACK, or the last byte of the answer.
        #[unit("ns")] #[cite("T1")] pub end_ns: Instant,
        /// Time from the end of the transfer's request to the first byte of the answer; null
        /// without an answer.
        #[unit("ms")] #[cite("T3")] pub first_byte_ms: Option<f64>,
        /// The part of the wait for the answer that exceeds one round trip to the server,
        /// retransmissions and queues: the time of the server, or of what is behind it. Null
        /// without an answer, and without a sample of the round trip.
        #[unit("ms")] #[cite("T3")] pub server_wait_ms: Option<f64>,
        /// Round trip from the capture point to the server and back that was subtracted from the
        /// wait: the median of handshakes and ACKs without payload; 0 at the server. Null without a
        /// sample.
        #[unit("ms")] #[cite("T3")] pub loop_ms: Option<f64>,
        /// Number of round trips to the server that the requests of the transfer waited for.
        #[unit("loops")] #[cite("T3")] pub round_trips: i64,
        /// Least round trip of downlink data so far, or of the handshake. For a capture at a
        /// monitor, only the part between the monitor and the phone; for one at the phone or the
        /// server, the whole path. Null without a sample.
        #[unit("ms")] #[cite("T3")] pub path_rtt_ms: Option<f64>,
        /// Payload in the direction of the transfer that was never seen before.
        #[unit("bytes")] #[cite("T1")] pub bytes: i64,
        /// Whether both directions have less than 1 KB. Such a transfer is kept in the table, and
        /// does not count in shares.
        #[unit("")] #[cite("T1")] pub control: bool,
        /// The cause with the largest share; null for a transfer that took no time.
        #[unit("")] #[cite("T6")] pub limited_by: Option<Cause>,
        /// How sure `limited_by` is: sure, likely, open; null where `limited_by` is null.
        #[unit("")] #[cite("T9")] pub certainty: Option<Certainty>,
        /// The other causes that may have the largest share, with commas between them; null when
        /// `limited_by` is sure or null, and when nothing shows which are possible.
        #[unit("")] #[cite("T9")] pub second: Option<String>,
        /// Share of the transfer's time in which the queue before the radio was not empty. Null: needs a modem log.
        #[unit("ratio")] #[cite("G3")] pub link_demand_ratio: Option<f64>,
        /// Lower end of the range of the link demand. Null: needs a modem log.
        #[unit("ratio")] #[cite("G3")] pub link_demand_low_ratio: Option<f64>,
        /// Upper end of the range of the link demand. Null: needs a modem log.
        #[unit("ratio")] #[cite("G3")] pub link_demand_high_ratio: Option<f64>,
        /// Link demand that the burst rule gives. Null: needs a modem log.
        #[unit("ratio")] #[cite("G3")] pub link_demand_bursttracker_ratio: Option<f64>,
        /// Share of the UE's downlink payload during the transfer that belongs to other flows.
        /// Null: needs a modem log.
        #[unit("ratio")] #[cite("G3")] pub other_bytes_ratio: Option<f64>,
        /// Payload of the UE during the transfer over its throughput time. Null: needs a modem log.
        #[unit("bps")] #[cite("G3")] pub link_throughput_bps: Option<f64>,
    }
}

columns! {
    /// The main cause that limited a flow, or the reason why there is none.
    pub struct LimitRow {
        /// The cause with the largest share of the time of the flow's transfers; null for a flow
        /// without a transfer of 1 KB or more.
        #[unit("")] #[cite("T6")] pub limited_by: Option<Cause>,
        /// Why `limited_by` is null: quic, udp, icmp, other_protocol (no TCP evidence: not assessable),
        /// no_payload, no_transfer (payload, but nothing that begins a transfer), control (no transfer
        /// of 1 KB or more), no_time (such transfers took no time); null otherwise.
        #[unit("")] #[cite("T6, F1")] pub limited_by_reason: Option<&'static str>,
        /// How sure `limited_by` is: sure, likely, open; null where `limited_by` is null.
        #[unit("")] #[cite("T9")] pub certainty: Option<Certainty>,
        /// The other causes that may have the largest share, with commas between them; null when
        /// `limited_by` is sure or null, and when nothing shows which are possible.
        #[unit("")] #[cite("T9")] pub second: Option<String>,
    }
}

/// The keys of other possible causes, as a cell contains them.
pub(super) fn keys(causes: &[Cause]) -> Option<String> {
    let keys: Vec<_> = causes.iter().map(|cause| cause.as_str()).collect();
    (!keys.is_empty()).then(|| keys.join(","))
}

impl LimitRow {
    /// The row of a flow: its main cause, or, without one, the reason that its protocol, service and
    /// transfers show. A flow without payload has no `transfers`.
    pub fn new(protocol: Protocol, service: &str, transfers: Option<&Transfers>) -> Self {
        let how_sure = transfers.and_then(Transfers::how_sure);
        let limited_by = how_sure.as_ref().map(|how_sure| how_sure.limited_by);
        let reason = match protocol {
            _ if limited_by.is_some() => None,
            Protocol::Udp if service == "quic" => Some("quic"),
            Protocol::Udp => Some("udp"),
            Protocol::Icmp => Some("icmp"),
            Protocol::Other => Some("other_protocol"),
            Protocol::Tcp => Some(transfers.map_or("no_payload", Transfers::why_unlimited)),
        };
        Self {
            limited_by,
            limited_by_reason: reason,
            certainty: how_sure.as_ref().map(|how_sure| how_sure.certainty),
            second: how_sure.and_then(|how_sure| keys(&how_sure.second)),
        }
    }
}

/// One row per transfer: its summary and its share of each cause.
#[derive(Clone, Debug)]
pub struct TransferRow {
    /// The transfer's own columns, without its causes.
    pub summary: TransferSummary,
    shares: CauseTimes,
    at_ue: bool,
    sees_window: bool,
}

impl TransferRow {
    pub(crate) fn new(
        summary: TransferSummary,
        shares: CauseTimes,
        vantage: Option<Vantage>,
        sees_window: bool,
    ) -> Self {
        Self { summary, shares, at_ue: vantage == Some(Vantage::Ue), sees_window }
    }

    /// The share of a cause. `None` when the transfer took no time, and when the capture point
    /// could not have seen the cause and nothing of it was seen.
    fn share(&self, cause: Cause) -> Option<f64> {
        let can_show = match cause {
            // Only a modem log shows handovers (methods G7).
            Cause::Handover => false,
            // At other capture points the phone's queue cannot be distinguished from the radio's.
            Cause::DeviceQueue => self.at_ue || self.summary.direction == Direction::Downlink,
            Cause::ReceiveWindow | Cause::ReceiverApp => self.sees_window,
            _ => true,
        };
        self.shares.ratio(cause).filter(|ratio| can_show || *ratio > 0.0)
    }
}

/// The column that contains a cause's share.
const fn share_column(cause: Cause) -> Column {
    Column {
        name: cause.share_column(),
        unit: "ratio",
        doc: cause.share_doc(),
        cite: "methods T6",
        kind: airmile_types::Kind::F64,
    }
}

const FACTS: usize = TransferSummary::COLUMNS.len();
const ALL: [Column; FACTS + Cause::ALL.len()] = {
    let mut all = [share_column(Cause::ALL[0]); FACTS + Cause::ALL.len()];
    let mut i = 0;
    while i < all.len() {
        all[i] = if i < FACTS {
            TransferSummary::COLUMNS[i]
        } else {
            share_column(Cause::ALL[i - FACTS])
        };
        i += 1;
    }
    all
};

impl Table for TransferRow {
    const COLUMNS: &'static [Column] = &ALL;
    fn put<S: RowSink + ?Sized>(&self, sink: &mut S) {
        self.summary.put(sink);
        for cause in Cause::ALL {
            sink.f64(self.share(*cause));
        }
    }
}

impl EventTable for TransferRow {
    const TABLE: &'static str = "transfers";
    const DOC: &'static str = "One row per transfer (methods T1), with what limited it.";
}
