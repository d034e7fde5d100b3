//! Makes the rows of `ttis`, `cells` and `buffer_status`.

use airmile_radio::{BufferStatusRow, CellBandwidths, CellRow, RadioLog, ServingCells, TtiRow};
use airmile_read::modem::{BufferStatus, CellMeasurement, Modulation, PrbSource, Rnti, Tti, User};
use airmile_types::Instant;

/// Converts a time of the modem's clock to the clock of the tables, which is the capture's clock if
/// the two were aligned.
pub(crate) type Clock<'a> = dyn Fn(User, Instant) -> Instant + 'a;

/// Makes the rows of a log's records.
pub(crate) struct RadioRows<'a> {
    log: &'a RadioLog,
    totals: &'a CellBandwidths,
    clock: &'a Clock<'a>,
    cells: ServingCells,
}

impl<'a> RadioRows<'a> {
    /// Makes rows for a log, with its cell bandwidths and its clock.
    pub(crate) fn new(log: &'a RadioLog, totals: &'a CellBandwidths, clock: &'a Clock<'a>) -> Self {
        Self { log, totals, clock, cells: ServingCells::new(log) }
    }

    /// The rows of `ttis`, one per transport block.
    pub(crate) fn ttis(&self) -> impl Iterator<Item = TtiRow> {
        self.log.ttis.iter().map(|tti| self.tti(tti))
    }

    /// The rows of `cells`, one per measurement.
    pub(crate) fn cells(&self) -> impl Iterator<Item = CellRow> {
        self.log.cells.iter().map(|cell| self.cell(cell))
    }

    /// The rows of `buffer_status`, one per report.
    pub(crate) fn buffers(&self) -> impl Iterator<Item = BufferStatusRow> {
        self.log.buffers.iter().map(|buffer| self.buffer(buffer))
    }

    fn tti(&self, tti: &Tti) -> TtiRow {
        let (prb_total, source) = self.totals.of(tti).unzip();
        TtiRow {
            time_ns: (self.clock)(tti.user, tti.time),
            tti: tti.tti,
            epoch: i64::from(tti.epoch),
            user: i64::from(tti.user.0),
            direction: tti.direction,
            cell: tti.cell.or_else(|| self.cells.of(tti)).map(i64::from),
            carrier: i64::from(tti.carrier),
            block: i64::from(tti.block),
            rnti: match tti.rnti {
                Rnti::C => "c",
                Rnti::Sps => "sps",
                Rnti::Other => "other",
            },
            prbs: tti.prbs.map(i64::from),
            prb_total: prb_total.map(i64::from),
            prb_total_source: source.map(PrbSource::as_str),
            tbs_bytes: tti.tbs_bytes.map(i64::from),
            mcs: tti.mcs.map(i64::from),
            modulation: tti.modulation.map(Modulation::as_str),
            layers: tti.layers.map(i64::from),
            harq: tti.harq.map(i64::from),
            retransmission: tti.retransmission,
            crc_ok: tti.crc_ok,
            padding_bytes: tti.padding_bytes.map(i64::from),
            source: tti.source,
        }
    }

    fn cell(&self, cell: &CellMeasurement) -> CellRow {
        CellRow {
            time_ns: (self.clock)(cell.user, cell.time),
            user: i64::from(cell.user.0),
            cell: cell.cell.map(i64::from),
            earfcn: cell.earfcn.map(i64::from),
            carrier: cell.carrier.map(i64::from),
            serving: cell.serving,
            rsrp_dbm: cell.rsrp_dbm,
            rsrq_db: cell.rsrq_db,
            sinr_db: cell.sinr_db,
            rssi_dbm: cell.rssi_dbm,
            cqi: cell.cqi.map(i64::from),
            source: cell.source,
        }
    }

    fn buffer(&self, buffer: &BufferStatus) -> BufferStatusRow {
        BufferStatusRow {
            time_ns: (self.clock)(buffer.user, buffer.time),
            user: i64::from(buffer.user.0),
            lcg: buffer.lcg.map(i64::from),
            index: buffer.index.map(i64::from),
            low_bytes: buffer.low_bytes.map(i64::from),
            high_bytes: buffer.high_bytes.map(i64::from),
            firmware_queue_bytes: buffer
                .firmware_queue_bytes
                .map(|bytes| i64::try_from(bytes).unwrap_or(i64::MAX)),
            source: buffer.source,
        }
    }
}
