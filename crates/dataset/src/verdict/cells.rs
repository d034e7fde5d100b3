//! Keeps the cells of a row of `flows` that the verdict uses.

use airmile_types::RowSink;
use serde::Serialize;

/// A cell of a row.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
#[serde(untagged)]
pub enum CellValue {
    /// The value is unknown.
    #[default]
    Null,
    /// A signed integer.
    I64(i64),
    /// An unsigned integer.
    U64(u64),
    /// A floating-point number.
    F64(f64),
    /// A flag.
    Bool(bool),
    /// A word from the program text, such as a cause.
    Word(&'static str),
    /// Another text.
    Text(String),
}

/// The columns of a flow's row that the verdict reports for the heaviest flows
/// (`python/airmile/answers/verdict/_facts.py` has the same names).
pub(super) const FACTS: [&str; 81] = [
    "uid",
    "ue",
    "ue_port",
    "server",
    "server_name",
    "server_port",
    "start_ns",
    "duration_s",
    "ending",
    "quality",
    "vantage",
    "handshake_rtt_ms",
    "tls_handshake_ms",
    "upstream_rtt_ms",
    "promotion_delay_ms",
    "promotion_doubtful",
    "initial_window_bytes",
    "ue_initial_window_bytes",
    "ue_window_scale",
    "server_window_scale",
    "ue_sack",
    "server_sack",
    "window_full_s",
    "ul_window_full_s",
    "zero_window_s",
    "ul_zero_window_s",
    "window_full_first_ratio",
    "bandwidth_bps",
    "ul_bandwidth_bps",
    "utilisation_ratio",
    "undesired_slow_starts",
    "timeouts_seen",
    "self_inflicted_delay_ms",
    "dl_payload_bytes",
    "dl_unique_bytes",
    "dl_packets",
    "dl_recorded_twice",
    "dl_super_segments",
    "dl_rate_bps",
    "dl_first_payload_ns",
    "dl_last_payload_ns",
    "dl_retransmissions",
    "dl_spurious_retransmissions",
    "dl_tail_probes",
    "dl_upstream_losses",
    "dl_reordered",
    "dl_zero_windows",
    "dl_rtt_min_ms",
    "dl_rtt_p50_ms",
    "dl_rtt_p95_ms",
    "dl_rtt_max_ms",
    "dl_in_flight_max_bytes",
    "dl_syn",
    "dl_rtt_samples",
    "dl_window_probes",
    "dl_empty_window_probes",
    "dl_keep_alives",
    "ul_payload_bytes",
    "ul_unique_bytes",
    "ul_packets",
    "ul_recorded_twice",
    "ul_super_segments",
    "ul_rate_bps",
    "ul_first_payload_ns",
    "ul_last_payload_ns",
    "ul_retransmissions",
    "ul_spurious_retransmissions",
    "ul_tail_probes",
    "ul_upstream_losses",
    "ul_reordered",
    "ul_zero_windows",
    "ul_rtt_min_ms",
    "ul_rtt_p50_ms",
    "ul_rtt_p95_ms",
    "ul_rtt_max_ms",
    "ul_in_flight_max_bytes",
    "ul_syn",
    "ul_rtt_samples",
    "ul_window_probes",
    "ul_empty_window_probes",
    "ul_keep_alives",
];

/// The other columns that are counted for every flow.
const COUNTED: [&str; 16] = [
    "subscriber",
    "protocol",
    "end_ns",
    "teid",
    "vantage_source",
    "service",
    "bandwidth_source",
    "initiator",
    "dl_capture_lost_bytes",
    "dl_recorded_late",
    "dl_cut_options",
    "dl_clock_steps",
    "ul_capture_lost_bytes",
    "ul_recorded_late",
    "ul_cut_options",
    "ul_clock_steps",
];

const KEPT: usize = FACTS.len() + COUNTED.len();

/// The index at which the cell of a column is kept.
#[derive(Clone, Copy)]
pub(super) struct Place(usize);

impl Place {
    /// The index of a column, looked up at compile time: `at!("end_ns")`.
    pub(super) const fn of(name: &str) -> Self {
        let mut place = 0;
        while place < KEPT {
            let known =
                if place < FACTS.len() { FACTS[place] } else { COUNTED[place - FACTS.len()] };
            if same(known.as_bytes(), name.as_bytes()) {
                return Self(place);
            }
            place += 1;
        }
        panic!("no such cell is kept")
    }
}

const fn same(one: &[u8], other: &[u8]) -> bool {
    let mut at = 0;
    while at < one.len() && at < other.len() && one[at] == other[at] {
        at += 1;
    }
    at == one.len() && at == other.len()
}

/// The index of a column whose cell is kept.
macro_rules! at {
    ($name:literal) => {
        const { $crate::verdict::cells::Place::of($name) }
    };
}
pub(super) use at;

/// The kept cells of one row of `flows`.
pub(super) struct Cells([CellValue; KEPT]);

impl Default for Cells {
    fn default() -> Self {
        Self(std::array::from_fn(|_| CellValue::Null))
    }
}

impl Cells {
    /// The cells of a flow that are reported, in the order of [`FACTS`].
    pub(super) fn facts(&self) -> &[CellValue] {
        self.0.get(..FACTS.len()).unwrap_or_default()
    }

    /// The cell as a whole number; `None` when it is unknown.
    pub(super) fn number(&self, place: Place) -> Option<i64> {
        match self.cell(place) {
            CellValue::I64(value) => Some(*value),
            CellValue::U64(value) => i64::try_from(*value).ok(),
            _ => None,
        }
    }

    /// The number of the flow.
    pub(super) fn uid(&self) -> Option<u64> {
        match self.cell(at!("uid")) {
            CellValue::U64(uid) => Some(*uid),
            _ => None,
        }
    }

    /// The cell as a finite number; `None` when it is unknown or infinite.
    pub(super) fn real(&self, place: Place) -> Option<f64> {
        match self.cell(place) {
            CellValue::F64(value) => Some(*value).filter(|value| value.is_finite()),
            _ => None,
        }
    }

    /// The cell as a text; `None` when it is unknown.
    pub(super) fn text(&self, place: Place) -> Option<&str> {
        match self.cell(place) {
            CellValue::Word(word) => Some(word),
            CellValue::Text(text) => Some(text),
            _ => None,
        }
    }

    /// Whether JSON can contain the reported cells, because none is infinite.
    pub(super) fn are_finite(&self) -> bool {
        !self.0.iter().any(|cell| matches!(cell, CellValue::F64(value) if !value.is_finite()))
    }

    fn cell(&self, place: Place) -> &CellValue {
        self.0.get(place.0).unwrap_or(&CellValue::Null)
    }
}

/// Takes a row of `flows` cell by cell, and keeps the cells that the verdict uses.
pub(crate) struct Picker {
    /// For each column, the index at which its cell is kept, if it is.
    places: Vec<Option<usize>>,
    cursor: usize,
    cells: Cells,
}

impl Picker {
    /// Makes a picker for rows with these columns.
    pub(super) fn new<'a>(columns: impl Iterator<Item = &'a str>) -> Self {
        let place = |column| FACTS.iter().chain(&COUNTED).position(|name| *name == column);
        Self { places: columns.map(place).collect(), cursor: 0, cells: Cells::default() }
    }

    /// The cells of the row.
    pub(super) const fn cells(&self) -> &Cells {
        &self.cells
    }

    /// Takes the cells out, and is then ready for the next row.
    pub(super) fn take(&mut self) -> Cells {
        self.cursor = 0;
        std::mem::take(&mut self.cells)
    }

    fn next(&mut self) -> Option<&mut CellValue> {
        let place = self.places.get(self.cursor).copied().flatten();
        self.cursor += 1;
        self.cells.0.get_mut(place?)
    }

    fn keep(&mut self, value: Option<CellValue>) {
        if let Some(cell) = self.next() {
            *cell = value.unwrap_or_default();
        }
    }
}

impl RowSink for Picker {
    fn i64(&mut self, value: Option<i64>) {
        self.keep(value.map(CellValue::I64));
    }
    fn u64(&mut self, value: Option<u64>) {
        self.keep(value.map(CellValue::U64));
    }
    fn u16(&mut self, value: Option<u16>) {
        self.keep(value.map(|value| CellValue::U64(value.into())));
    }
    fn f64(&mut self, value: Option<f64>) {
        self.keep(value.map(CellValue::F64));
    }
    fn bool(&mut self, value: Option<bool>) {
        self.keep(value.map(CellValue::Bool));
    }
    fn utf8(&mut self, value: Option<&str>) {
        // Most texts are not kept, and are then not copied either.
        if let Some(cell) = self.next() {
            *cell = value.map_or(CellValue::Null, |text| CellValue::Text(text.to_owned()));
        }
    }
    fn word(&mut self, value: Option<&'static str>) {
        self.keep(value.map(CellValue::Word));
    }
}

#[cfg(test)]
mod tests {
    use airmile_analyze::flow_columns;

    use super::*;

    #[test]
    fn every_cell_that_is_wanted_is_a_column() {
        let columns = flow_columns();
        for name in FACTS.iter().chain(&COUNTED) {
            assert!(columns.iter().any(|column| column.name == *name), "{name}");
        }
    }
}
