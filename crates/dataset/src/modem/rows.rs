//! Rows of `ttis`, `cells` and `buffer_status`.

use airmile_analyze::{BufferStatusRow, CellRow, TtiRow};
use airmile_read::modem::{
    BufferStatus, CellInfo, CellMeasurement, Modulation, PrbSource, Rnti, Tti, User,
};
use airmile_types::Instant;

use crate::modem::load::RadioLog;
use crate::modem::prbs::PrbTotals;

/// From the modem's clock to that of the tables: the capture's where one was aligned with it.
pub(crate) type Clock<'a> = dyn Fn(User, Instant) -> Instant + 'a;

/// Makes rows of records.
pub(crate) struct RadioRows<'a> {
    pub(crate) log: &'a RadioLog,
    pub(crate) totals: &'a PrbTotals,
    pub(crate) clock: &'a Clock<'a>,
}

impl RadioRows<'_> {
    /// One row per transport block.
    pub(crate) fn ttis(&self) -> impl Iterator<Item = TtiRow> {
        self.log.ttis.iter().map(|tti| self.tti(tti))
    }

    /// One row per measurement.
    pub(crate) fn cells(&self) -> impl Iterator<Item = CellRow> {
        self.log.cells.iter().map(|cell| self.cell(cell))
    }

    /// One row per report.
    pub(crate) fn buffers(&self) -> impl Iterator<Item = BufferStatusRow> {
        self.log.buffers.iter().map(|buffer| self.buffer(buffer))
    }

    fn tti(&self, tti: &Tti) -> TtiRow {
        let (prb_total, source) = self.totals.of(tti).unzip();
        TtiRow {
            time_ns: (self.clock)(tti.user, tti.time),
            tti: tti.tti,
            user: i64::from(tti.user.0),
            direction: tti.direction,
            cell: tti.cell.or_else(|| self.cell_of(tti)).map(i64::from),
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

    /// Statistics of the PDSCH (0xB173) do not name their cell; the newest information of the
    /// carrier, or a measurement of the serving cell, does.
    fn cell_of(&self, tti: &Tti) -> Option<u16> {
        let told = before(&self.log.infos, tti.time, |info: &CellInfo| {
            (info.time, info.user == tti.user && info.carrier.unwrap_or(0) == tti.carrier)
        });
        let measured = before(&self.log.cells, tti.time, |cell: &CellMeasurement| {
            let serving = cell.serving == Some(true) && cell.carrier == Some(tti.carrier);
            (cell.time, cell.user == tti.user && serving)
        });
        let told = told.and_then(|info| Some((info.time, info.cell?)));
        let measured = measured.and_then(|cell| Some((cell.time, cell.cell?)));
        told.into_iter().chain(measured).max().map(|(_, cell)| cell)
    }
}

/// How many records are looked through for one that fits: those of other carriers and users.
const LOOK_BACK: usize = 64;

/// The newest record that fits at a time.
fn before<T>(sorted: &[T], time: Instant, fits: impl Fn(&T) -> (Instant, bool)) -> Option<&T> {
    let until = sorted.partition_point(|record| fits(record).0 <= time);
    sorted.get(..until)?.iter().rev().take(LOOK_BACK).find(|record| fits(record).1)
}
