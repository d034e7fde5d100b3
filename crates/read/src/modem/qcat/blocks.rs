//! Reads the table of 0xB173: transport blocks of the downlink.

use airmile_types::{Direction, Instant};

use super::table::Table;
use crate::modem::clock::{Aired, Clocks};
use crate::modem::diag::harq::{Process, Processes};
use crate::modem::record::{Rnti, Tti, User};
use crate::modem::text::{Bad, Column, Row, block_bytes, carrier, flag, modulation, passed, rnti};

/// The greatest number of PRBs: more than in TS 36.101 table 5.6-1, because logs contain larger
/// numbers.
const MOST_PRBS: u64 = 110;

/// A row without one of these columns cannot be a block.
const REQUIRED: [&str; 3] = ["subframe num", "frame num", "tb size (bytes)"];

/// The values that the rows of a table share.
#[derive(Default)]
pub(super) struct Blocks {
    /// The subframe of the row before; the cells of a second block are blank there.
    subframe: Option<Subframe>,
    missing: Option<&'static str>,
}

#[derive(Clone)]
struct Subframe {
    aired: Aired,
    carrier: u8,
    prbs: Option<u16>,
    layers: Option<u8>,
}

/// The values above the table, and the state that is kept from packet to packet.
pub(super) struct Of<'a> {
    pub(super) time: Instant,
    pub(super) user: User,
    pub(super) version: u32,
    pub(super) clocks: &'a mut Clocks,
    pub(super) processes: &'a mut Processes,
}

impl Blocks {
    /// The required column that the table lacks; `None` if it has all of them.
    pub(super) fn missing(&self) -> Option<&'static str> {
        self.missing
    }

    /// Reads the block of a row.
    pub(super) fn row(
        &mut self,
        table: &Table,
        row: &Row<'_>,
        of: &mut Of<'_>,
    ) -> Result<Tti, Bad> {
        if let Some(name) = REQUIRED.iter().find(|name| table.column(name).at.is_none()) {
            self.missing = Some(name);
            return Err(Bad::new(format!("the table has no column \"{name}\"")));
        }
        if row.cells().len() != table.width() {
            let (cells, columns) = (row.cells().len(), table.width());
            return Err(Bad::new(format!("{cells} cells in {columns} columns")));
        }
        if row.text(table.column("frame num")).is_some() {
            self.subframe = None;
            self.subframe = Some(subframe(table, row, of)?);
        }
        let subframe = self.subframe.clone();
        let subframe = subframe.ok_or_else(|| Bad::new("a second block without the first"))?;
        block(table, row, &subframe, of)
    }
}

fn subframe(table: &Table, row: &Row<'_>, of: &mut Of<'_>) -> Result<Subframe, Bad> {
    let frame: i64 = row.must(table.column("frame num"), 0..=1023)?;
    let subframe: i64 = row.must(table.column("subframe num"), 0..=9)?;
    let prbs = row.whole(table.column("num rbs"), 0..=MOST_PRBS)?;
    let layers = row.whole(table.column("num layers"), 1..=8)?;
    let carrier = row.read(table.column("serving cell index"), "PCELL or SCELL", carrier)?;
    let aired = of.clocks.of(of.user).aired(of.time, frame * 10 + subframe);
    Ok(Subframe { aired, carrier: carrier.unwrap_or(0), prbs, layers })
}

fn block(table: &Table, row: &Row<'_>, subframe: &Subframe, of: &mut Of<'_>) -> Result<Tti, Bad> {
    let size = row.must(table.column("tb size (bytes)"), 0..=u64::from(u16::MAX))?;
    let rnti = row.text(table.column("rnti type")).map_or(Rnti::Other, rnti);
    let number = row.whole(table.column("tb index"), 0..=1)?.unwrap_or(0);
    let harq = row.whole(table.column("harq id"), 0..=15)?;
    let version: Option<u32> = row.whole(table.column("rv"), 0..=3)?;
    let new_data = row.read(table.column("ndi"), "0 or 1", flag)?;
    let repeated = version.zip(new_data).zip(harq).map(|((version, new_data), id)| {
        let process = Process { user: of.user, carrier: subframe.carrier, block: number, id };
        of.processes.repeated(process, rnti, version, new_data)
    });
    // If two columns have this name, the second one belongs to the block and the first to the
    // record.
    let prbs: Column = table.last_column("num rbs");
    let own = row.whole(prbs, 0..=MOST_PRBS)?.filter(|prbs| *prbs > 0);
    Ok(Tti {
        time: subframe.aired.time,
        tti: subframe.aired.tti,
        epoch: 0,
        user: of.user,
        rnti,
        direction: Direction::Downlink,
        cell: None,
        carrier: subframe.carrier,
        prbs: own.or(subframe.prbs),
        prb_total: None,
        tbs_bytes: block_bytes(of.version, size),
        block: number,
        mcs: row.whole(table.column("mcs"), 0..=31)?,
        modulation: row.text(table.column("modulation type")).and_then(modulation),
        layers: subframe.layers,
        harq,
        retransmission: repeated.flatten(),
        crc_ok: row.read(table.column("crc result"), "Pass or Fail", passed)?,
        padding_bytes: None,
        source: "0xB173",
    })
}
