//! Defines the columns of `ttis`, `bursts`, `cells`, `handovers` and `buffer_status`.

use airmile_types::{Direction, EventTable, Instant, columns};

columns! {
    /// One row per transport block.
    pub struct TtiRow {
        /// The time at which the block was on the air, by the clock of the capture if there is one,
        /// otherwise by the modem's clock.
        #[unit("ns")] #[cite("G1")] pub time_ns: Instant,
        /// Number of the millisecond. It goes on where the log's own number wraps or begins again.
        #[unit("ms")] #[cite("G10")] pub tti: i64,
        /// Number of the epoch: a stretch of the log in which the numbers of milliseconds go on.
        /// Nothing is known of the time between epochs.
        #[unit("")] #[cite("G10")] pub epoch: i64,
        /// Subscription of the phone; for a sniffer that saw all users of a cell, the RNTI.
        #[unit("")] #[cite("G1")] pub user: i64,
        /// Direction of the block.
        #[unit("")] #[cite("G1")] pub direction: Direction,
        /// Physical cell identity; null when the log does not contain it.
        #[unit("")] #[cite("G1")] pub cell: Option<i64>,
        /// Number of the carrier: 0 for the primary carrier, then the secondary ones.
        #[unit("")] #[cite("G1")] pub carrier: i64,
        /// Number of the block in its subframe: 0, or 1 for the second block, whose PRBs are those
        /// of the first.
        #[unit("")] #[cite("G1")] pub block: i64,
        /// Kind of the RNTI to which the block was addressed: c, sps, other.
        #[unit("")] #[cite("TS 36.321 section 7.1")] pub rnti: &'static str,
        /// Number of PRBs allocated.
        #[unit("PRB")] #[cite("G1")] pub prbs: Option<i64>,
        /// Number of PRBs of the carrier's cell (N_RB); null if it is not known.
        #[unit("PRB")] #[cite("G1")] pub prb_total: Option<i64>,
        /// Source of the cell bandwidth: option, record, mib, serving_cell, pdcch, beside,
        /// largest_seen.
        #[unit("")] #[cite("G1")] pub prb_total_source: Option<&'static str>,
        /// Size of the block without its CRC.
        #[unit("bytes")] #[cite("G1")] pub tbs_bytes: Option<i64>,
        /// Index of the modulation and coding scheme.
        #[unit("")] #[cite("G1")] pub mcs: Option<i64>,
        /// Modulation: QPSK, 16QAM, 64QAM, 256QAM.
        #[unit("")] #[cite("G1")] pub modulation: Option<&'static str>,
        /// Number of spatial layers.
        #[unit("")] #[cite("G1")] pub layers: Option<i64>,
        /// Number of the HARQ process.
        #[unit("")] #[cite("G1")] pub harq: Option<i64>,
        /// Whether the block is a HARQ retransmission.
        #[unit("")] #[cite("G1")] pub retransmission: Option<bool>,
        /// Whether the block was decoded; a block that was not decoded does not count as volume.
        #[unit("")] #[cite("G1")] pub crc_ok: Option<bool>,
        /// Bytes of padding in the block.
        #[unit("bytes")] #[cite("G5")] pub padding_bytes: Option<i64>,
        /// Message or format from which the row comes.
        #[unit("")] #[cite("G1")] pub source: &'static str,
    }
}

impl EventTable for TtiRow {
    const TABLE: &'static str = "ttis";
    const DOC: &'static str =
        "One row per transport block of a user in a millisecond (methods G1), by time.";
}

columns! {
    /// One row per burst.
    pub struct BurstRow {
        /// User to whom the burst belongs, as in `ttis`.
        #[unit("")] #[cite("G2")] pub user: i64,
        /// Physical cell identity of the primary carrier at the beginning of the burst.
        #[unit("")] #[cite("G2")] pub cell: Option<i64>,
        /// Carrier of the burst; null if the burst covers all carriers together.
        #[unit("")] #[cite("G2")] pub carrier: Option<i64>,
        /// Estimator that found the burst: bursttracker, online, or joint for the queue estimate.
        #[unit("")] #[cite("G3")] pub estimator: &'static str,
        /// Begin of the first scheduled millisecond.
        #[unit("ns")] #[cite("G2")] pub start_ns: Instant,
        /// Begin of the last scheduled millisecond, which Throughput Time does not include.
        #[unit("ns")] #[cite("G2")] pub end_ns: Instant,
        /// Number of ACTIVE and CONTENTION milliseconds, without LAST ACTIVE.
        #[unit("ms")] #[cite("G3")] pub throughput_time_ms: f64,
        /// Number of scheduled milliseconds, without the last one.
        #[unit("ms")] #[cite("G3")] pub active_ms: f64,
        /// Number of milliseconds in which data waited and the user was not scheduled.
        #[unit("ms")] #[cite("G2")] pub contention_ms: f64,
        /// Bytes of the decoded blocks, except those of the last millisecond; null if the log does
        /// not contain the size of a block.
        #[unit("bytes")] #[cite("G3")] pub bytes: Option<i64>,
        /// Bytes divided by Throughput Time; null for a burst of one millisecond, or if the bytes
        /// are not known.
        #[unit("bps")] #[cite("G3")] pub throughput_bps: Option<f64>,
        /// Whether the end of the burst was seen; if not, the log ends within the burst.
        #[unit("")] #[cite("G3")] pub closed: bool,
    }
}

impl EventTable for BurstRow {
    const TABLE: &'static str = "bursts";
    const DOC: &'static str = "One row per burst (methods G2): from the first millisecond in which the queue at the base station is busy to the one that empties it.";
}

columns! {
    /// One row per measurement of a cell.
    pub struct CellRow {
        /// Time of the measurement, by the clock of the capture if there is one, otherwise by the
        /// modem's clock.
        #[unit("ns")] #[cite("G6")] pub time_ns: Instant,
        /// User whose phone measured, as in `ttis`.
        #[unit("")] #[cite("G6")] pub user: i64,
        /// Physical cell identity.
        #[unit("")] #[cite("G6")] pub cell: Option<i64>,
        /// Downlink EARFCN.
        #[unit("")] #[cite("G6")] pub earfcn: Option<i64>,
        /// Number of the carrier: 0 for the primary carrier.
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
        /// Message or format from which the row comes.
        #[unit("")] #[cite("G6")] pub source: &'static str,
    }
}

impl EventTable for CellRow {
    const TABLE: &'static str = "cells";
    const DOC: &'static str = "One row per measurement of a cell (methods G6), by time.";
}

columns! {
    /// One row per handover or re-establishment.
    pub struct HandoverRow {
        /// User whose phone changed the cell, as in `ttis`.
        #[unit("")] #[cite("G7")] pub user: i64,
        /// Time of the handover command; for a change seen in measurements, time of the last
        /// measurement of the old cell.
        #[unit("ns")] #[cite("G7")] pub start_ns: Instant,
        /// Time of the completion in the target cell; for a change seen in measurements, time of
        /// the first measurement of the new cell. Null if the log contains no completion.
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
        /// Source of the row: rrc for RRC messages, serving_cell for changes in measurements, which
        /// are a lower bound.
        #[unit("")] #[cite("G7")] pub source: &'static str,
    }
}

impl EventTable for HandoverRow {
    const TABLE: &'static str = "handovers";
    const DOC: &'static str =
        "One row per executed handover or re-establishment (methods G7), by time.";
}

columns! {
    /// One row per report of waiting data.
    pub struct BufferStatusRow {
        /// Time of the report, by the clock of the capture if there is one, otherwise by the
        /// modem's clock.
        #[unit("ns")] #[cite("G8")] pub time_ns: Instant,
        /// User whose phone reported, as in `ttis`.
        #[unit("")] #[cite("G8")] pub user: i64,
        /// Logical channel group of a reported level; null if the modem logs the exact number of
        /// bytes.
        #[unit("")] #[cite("G8")] pub lcg: Option<i64>,
        /// Index of the buffer size level.
        #[unit("")] #[cite("TS 36.321 section 6.1.3.1")] pub index: Option<i64>,
        /// Least number of bytes in the level.
        #[unit("bytes")] #[cite("TS 36.321 section 6.1.3.1")] pub low_bytes: Option<i64>,
        /// Greatest number of bytes in the level; null for the top level.
        #[unit("bytes")] #[cite("TS 36.321 section 6.1.3.1")] pub high_bytes: Option<i64>,
        /// Exact number of bytes that wait in all logical channels; null if the modem does not log
        /// this number.
        #[unit("bytes")] #[cite("G8")] pub firmware_queue_bytes: Option<i64>,
        /// Message or format from which the row comes.
        #[unit("")] #[cite("G8")] pub source: &'static str,
    }
}

impl EventTable for BufferStatusRow {
    const TABLE: &'static str = "buffer_status";
    const DOC: &'static str =
        "One row per report of what waits in the phone for the uplink (methods G8), by time.";
}
