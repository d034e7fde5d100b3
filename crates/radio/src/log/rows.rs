//! The columns of `ttis`, `bursts`, `cells`, `handovers` and `buffer_status`.

use airmile_types::{Direction, EventTable, Instant, columns};

columns! {
    /// One transport block.
    pub struct TtiRow {
        /// The time at which the block was on the air; on the capture's clock where there is one,
        /// else on the modem's.
        #[unit("ns")] #[cite("G1")] pub time_ns: Instant,
        /// Subframe, unwrapped.
        #[unit("ms")] #[cite("G1")] pub tti: i64,
        /// Subscription of the phone, or RNTI where a sniffer saw all users of a cell.
        #[unit("")] #[cite("G1")] pub user: i64,
        /// Direction of the block.
        #[unit("")] #[cite("G1")] pub direction: Direction,
        /// Physical cell identity; null when the log does not contain it.
        #[unit("")] #[cite("G1")] pub cell: Option<i64>,
        /// 0 for the primary carrier, then the secondary ones.
        #[unit("")] #[cite("G1")] pub carrier: i64,
        /// 0, or 1 for the second block of a subframe, whose PRBs are those of the first.
        #[unit("")] #[cite("G1")] pub block: i64,
        /// Kind of RNTI that the block was addressed to: c, sps, other.
        #[unit("")] #[cite("TS 36.321 section 7.1")] pub rnti: &'static str,
        /// PRBs allocated.
        #[unit("PRB")] #[cite("G1")] pub prbs: Option<i64>,
        /// PRBs of the carrier's cell (N_RB); null when nothing shows them.
        #[unit("PRB")] #[cite("G1")] pub prb_total: Option<i64>,
        /// The source of the cell bandwidth: option, record, mib, serving_cell, pdcch, beside,
        /// largest_seen.
        #[unit("")] #[cite("G1")] pub prb_total_source: Option<&'static str>,
        /// Size of the block without its CRC.
        #[unit("bytes")] #[cite("G1")] pub tbs_bytes: Option<i64>,
        /// Modulation and coding scheme.
        #[unit("")] #[cite("G1")] pub mcs: Option<i64>,
        /// Modulation: QPSK, 16QAM, 64QAM, 256QAM.
        #[unit("")] #[cite("G1")] pub modulation: Option<&'static str>,
        /// Spatial layers.
        #[unit("")] #[cite("G1")] pub layers: Option<i64>,
        /// HARQ process.
        #[unit("")] #[cite("G1")] pub harq: Option<i64>,
        /// Whether the block is a HARQ retransmission.
        #[unit("")] #[cite("G1")] pub retransmission: Option<bool>,
        /// Whether the block was decoded; a block that was not is no volume.
        #[unit("")] #[cite("G1")] pub crc_ok: Option<bool>,
        /// Bytes of the block that carry nothing.
        #[unit("bytes")] #[cite("G5")] pub padding_bytes: Option<i64>,
        /// Message or format that the row is from.
        #[unit("")] #[cite("G1")] pub source: &'static str,
    }
}

impl EventTable for TtiRow {
    const TABLE: &'static str = "ttis";
    const DOC: &'static str =
        "One row per transport block of a user in a millisecond (methods G1), by time.";
}

columns! {
    /// One burst.
    pub struct BurstRow {
        /// User that the burst belongs to, as in `ttis`.
        #[unit("")] #[cite("G2")] pub user: i64,
        /// Physical cell identity of the primary carrier at its beginning.
        #[unit("")] #[cite("G2")] pub cell: Option<i64>,
        /// Carrier of the burst; null when the burst is of all carriers together.
        #[unit("")] #[cite("G2")] pub carrier: Option<i64>,
        /// Estimator of the burst: bursttracker, online, or joint for the queue estimate.
        #[unit("")] #[cite("G3")] pub estimator: &'static str,
        /// Begin of the first scheduled millisecond.
        #[unit("ns")] #[cite("G2")] pub start_ns: Instant,
        /// Begin of the last scheduled millisecond, which Throughput Time leaves out.
        #[unit("ns")] #[cite("G2")] pub end_ns: Instant,
        /// Milliseconds of ACTIVE and CONTENTION, without LAST ACTIVE.
        #[unit("ms")] #[cite("G3")] pub throughput_time_ms: f64,
        /// Scheduled milliseconds, without the last one.
        #[unit("ms")] #[cite("G3")] pub active_ms: f64,
        /// Milliseconds that were not scheduled although data waited.
        #[unit("ms")] #[cite("G2")] pub contention_ms: f64,
        /// Bytes of the decoded blocks without those of the last millisecond; null when the size of
        /// one is not in the log.
        #[unit("bytes")] #[cite("G3")] pub bytes: Option<i64>,
        /// Bytes over Throughput Time; null for a burst of one millisecond, or without bytes.
        #[unit("bps")] #[cite("G3")] pub throughput_bps: Option<f64>,
        /// Whether the end was seen; else the log ends within the burst.
        #[unit("")] #[cite("G3")] pub closed: bool,
    }
}

impl EventTable for BurstRow {
    const TABLE: &'static str = "bursts";
    const DOC: &'static str = "One row per burst (methods G2): from the first millisecond in which the queue at the base station is busy to the one that empties it.";
}

columns! {
    /// One measurement.
    pub struct CellRow {
        /// Time of the measurement; on the capture's clock where there is one, else on the modem's.
        #[unit("ns")] #[cite("G6")] pub time_ns: Instant,
        /// User whose phone measured, as in `ttis`.
        #[unit("")] #[cite("G6")] pub user: i64,
        /// Physical cell identity.
        #[unit("")] #[cite("G6")] pub cell: Option<i64>,
        /// Downlink EARFCN.
        #[unit("")] #[cite("G6")] pub earfcn: Option<i64>,
        /// 0 for the primary carrier.
        #[unit("")] #[cite("G6")] pub carrier: Option<i64>,
        /// Whether the cell serves the phone.
        #[unit("")] #[cite("G6")] pub serving: Option<bool>,
        /// Reference signal received power.
        #[unit("dBm")] #[cite("G6")] pub rsrp_dbm: Option<f64>,
        /// Reference signal received quality.
        #[unit("dB")] #[cite("G6")] pub rsrq_db: Option<f64>,
        /// Signal to interference and noise ratio of the better antenna.
        #[unit("dB")] #[cite("G6")] pub sinr_db: Option<f64>,
        /// Received signal strength.
        #[unit("dBm")] #[cite("G6")] pub rssi_dbm: Option<f64>,
        /// Wideband channel quality of the first codeword, as reported.
        #[unit("")] #[cite("G6")] pub cqi: Option<i64>,
        /// Message or format that the row is from.
        #[unit("")] #[cite("G6")] pub source: &'static str,
    }
}

impl EventTable for CellRow {
    const TABLE: &'static str = "cells";
    const DOC: &'static str = "One row per measurement of a cell (methods G6), by time.";
}

columns! {
    /// One handover.
    pub struct HandoverRow {
        /// User whose phone moved, as in `ttis`.
        #[unit("")] #[cite("G7")] pub user: i64,
        /// Handover command; for changes seen in measurements, the last measurement of the old
        /// cell.
        #[unit("ns")] #[cite("G7")] pub start_ns: Instant,
        /// Completion in the target cell; for changes seen in measurements, the first measurement
        /// of the new cell. Null when the log contains no completion.
        #[unit("ns")] #[cite("G7")] pub end_ns: Option<Instant>,
        /// Physical cell identity before the handover.
        #[unit("")] #[cite("G7")] pub from_cell: Option<i64>,
        /// EARFCN before the handover.
        #[unit("")] #[cite("G7")] pub from_earfcn: Option<i64>,
        /// Physical cell identity after the handover.
        #[unit("")] #[cite("G7")] pub to_cell: Option<i64>,
        /// EARFCN after the handover.
        #[unit("")] #[cite("G7")] pub to_earfcn: Option<i64>,
        /// Kind of the row: handover, or reestablishment, which is no handover.
        #[unit("")] #[cite("G7")] pub kind: &'static str,
        /// Source of the row: rrc for RRC messages; serving_cell for changes in measurements, a
        /// lower bound.
        #[unit("")] #[cite("G7")] pub source: &'static str,
    }
}

impl EventTable for HandoverRow {
    const TABLE: &'static str = "handovers";
    const DOC: &'static str =
        "One row per executed handover or re-establishment (methods G7), by time.";
}

columns! {
    /// One report.
    pub struct BufferStatusRow {
        /// Time of the report; on the capture's clock where there is one, else on the modem's.
        #[unit("ns")] #[cite("G8")] pub time_ns: Instant,
        /// User whose phone reported, as in `ttis`.
        #[unit("")] #[cite("G8")] pub user: i64,
        /// Logical channel group of a reported level; null for exact occupancy.
        #[unit("")] #[cite("G8")] pub lcg: Option<i64>,
        /// Index of the level.
        #[unit("")] #[cite("TS 36.321 section 6.1.3.1")] pub index: Option<i64>,
        /// Least number of bytes of the level.
        #[unit("bytes")] #[cite("TS 36.321 section 6.1.3.1")] pub low_bytes: Option<i64>,
        /// Largest number of bytes of the level; null for the top level.
        #[unit("bytes")] #[cite("TS 36.321 section 6.1.3.1")] pub high_bytes: Option<i64>,
        /// Exact occupancy of all logical channels where the modem logs it.
        #[unit("bytes")] #[cite("G8")] pub firmware_queue_bytes: Option<i64>,
        /// Message or format that the row is from.
        #[unit("")] #[cite("G8")] pub source: &'static str,
    }
}

impl EventTable for BufferStatusRow {
    const TABLE: &'static str = "buffer_status";
    const DOC: &'static str =
        "One row per report of what waits in the phone for the uplink (methods G8), by time.";
}
