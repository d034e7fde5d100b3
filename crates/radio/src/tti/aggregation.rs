//! Adds up the blocks of one millisecond.

use airmile_read::modem::Tti;
use airmile_types::Instant;

use super::ms::Ms;

/// A millisecond of which further blocks may come.
#[derive(Clone, Debug)]
pub(super) struct TtiAggregation {
    time: Instant,
    cell: Option<u16>,
    /// The first carrier. Most milliseconds have only one, and then need no memory for a list.
    carrier: Option<Carrier>,
    more_carriers: Vec<Carrier>,
    bytes: Option<u64>,
    failed_bytes: u64,
    padding_bytes: Option<u64>,
    /// Whether a block was a first transmission, and whether that is unknown for a block.
    first: bool,
    unknown: bool,
}

/// What is allocated to the user on one carrier in this millisecond.
#[derive(Clone, Copy, Debug)]
struct Carrier {
    number: u8,
    prbs: Option<u16>,
    total: Option<u16>,
}

impl TtiAggregation {
    pub(super) const fn new(tti: &Tti, cell: Option<u16>) -> Self {
        Self {
            time: tti.time,
            cell,
            carrier: None,
            more_carriers: Vec::new(),
            bytes: Some(0),
            failed_bytes: 0,
            padding_bytes: Some(0),
            first: false,
            unknown: false,
        }
    }

    pub(super) fn add(&mut self, tti: &Tti, total: &impl Fn(u8, Instant) -> Option<u16>) {
        self.time = self.time.min(tti.time);
        if tti.carrier == 0 {
            self.cell = tti.cell;
        }
        self.allocate(tti, tti.prb_total.or_else(|| total(tti.carrier, tti.time)));
        self.count(tti);
        match tti.retransmission {
            Some(true) => {}
            Some(false) => self.first = true,
            None => self.unknown = true,
        }
    }

    /// Adds the PRBs of a block. The second block of a subframe has the PRBs of the first (TS
    /// 36.213 section 7.1.7: one resource allocation for both codewords), so they are not added
    /// again.
    fn allocate(&mut self, tti: &Tti, total: Option<u16>) {
        let mut known = self.carrier.iter_mut().chain(&mut self.more_carriers);
        if let Some(carrier) = known.find(|carrier| carrier.number == tti.carrier) {
            carrier.prbs = carrier.prbs.max(tti.prbs);
            carrier.total = carrier.total.or(total);
            return;
        }
        let new = Carrier { number: tti.carrier, prbs: tti.prbs, total };
        match self.carrier {
            None => self.carrier = Some(new),
            Some(_) => self.more_carriers.push(new),
        }
    }

    /// Adds the bytes of a block. A block counts as volume if it is decoded (methods G1). If the
    /// log does not show that, as the log of a sniffer, its first transmission counts.
    fn count(&mut self, tti: &Tti) {
        let size = tti.tbs_bytes.map(u64::from);
        match (tti.crc_ok, tti.retransmission) {
            (Some(true), _) | (None, Some(false) | None) => {
                self.bytes = self.bytes.zip(size).map(|(sum, size)| sum.saturating_add(size));
                let padding = tti.padding_bytes.map(u64::from);
                let sum = self.padding_bytes.zip(padding);
                self.padding_bytes = sum.map(|(sum, more)| sum.saturating_add(more));
            }
            (Some(false), _) => {
                self.failed_bytes = self.failed_bytes.saturating_add(size.unwrap_or(0));
            }
            (None, Some(true)) => {}
        }
    }

    pub(super) fn finish(self, tti: i64, after_gap: bool) -> Ms {
        Ms {
            tti,
            time: self.time,
            cell: self.cell,
            share: self.share(),
            bytes: self.bytes,
            failed_bytes: self.failed_bytes,
            padding_bytes: self.padding_bytes,
            retransmission: self.retransmission(),
            after_gap,
        }
    }

    fn carriers(&self) -> impl Iterator<Item = &Carrier> {
        self.carrier.iter().chain(&self.more_carriers)
    }

    /// The largest share of all carriers (methods G2); `None` if a share is not known.
    fn share(&self) -> Option<f64> {
        self.carriers().try_fold(0.0, |largest: f64, carrier| {
            let total = carrier.total.filter(|total| *total > 0)?;
            Some(largest.max(f64::from(carrier.prbs?) / f64::from(total)))
        })
    }

    const fn retransmission(&self) -> Option<bool> {
        match (self.first, self.unknown) {
            (true, _) => Some(false),
            (false, true) => None,
            (false, false) => Some(true),
        }
    }
}
