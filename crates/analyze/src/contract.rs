//! Checks the contract: the rules that every row of the engine obeys, whatever the capture
//! contained.
//!
//! The fuzz targets and the packet scripts check rows against it; `airmile verify` does so through
//! the schema. docs/design/damage.md describes the contract in words.

use std::sync::LazyLock;

use airmile_types::{EventTable, RowSink, Table};

use crate::{FlowColumn, FlowRow, flow_columns};

/// The units of levels and of instants, whose numbers may be negative.
const SIGNED_UNITS: [&str; 3] = ["dBm", "dB", "ns"];
/// Differences between two delays, each with its error (methods B2, B6), which may be negative.
pub(crate) const SIGNED: [&str; 3] =
    ["promotion_delay_ms", "self_inflicted_delay_ms", "first_self_inflicted_ms"];
/// Ratios that are infinite when the span that they compare with is empty (methods C4).
const UNBOUNDED: [&str; 2] = ["rss_ratio", "rss_loop_ratio"];
/// The error allowed in a sum of shares. Shares are quotients of whole nanoseconds, so only
/// rounding makes their sum inexact.
const SHARE_ERROR: f64 = 1e-9;

/// Whether a number in a column of this name and unit may be less than 0.
pub fn may_be_negative(name: &str, unit: &str) -> bool {
    SIGNED_UNITS.contains(&unit) || SIGNED.contains(&name)
}

/// Whether a number in a column of this name may be +inf. No column may have NaN.
pub fn may_be_infinite(name: &str) -> bool {
    UNBOUNDED.contains(&name)
}

/// The first rule that a row of `flows` breaks; `None` when it breaks none.
pub fn flow_fault(row: &FlowRow<'_>) -> Option<String> {
    static COLUMNS: LazyLock<Vec<FlowColumn>> = LazyLock::new(flow_columns);
    let columns: Vec<_> = COLUMNS.iter().map(|c| (c.name.as_str(), c.unit)).collect();
    let mut check = Check::new(&columns);
    row.put(&mut check);
    check.fault()
}

/// The first rule that a row of another table breaks; `None` when it breaks none.
pub fn row_fault<T: EventTable>(row: &T) -> Option<String> {
    let columns = <T as Table>::COLUMNS;
    let columns: Vec<_> = columns.iter().map(|c| (c.name, c.unit)).collect();
    let mut check = Check::new(&columns);
    row.put(&mut check);
    check.fault().map(|fault| format!("{}: {fault}", T::TABLE))
}

/// Checks the cells of one row as they are written.
struct Check<'a> {
    columns: std::slice::Iter<'a, (&'a str, &'a str)>,
    start_ns: Option<i64>,
    end_ns: Option<i64>,
    shares: Option<f64>,
    fault: Option<String>,
}

impl<'a> Check<'a> {
    fn new(columns: &'a [(&'a str, &'a str)]) -> Self {
        Self { columns: columns.iter(), start_ns: None, end_ns: None, shares: None, fault: None }
    }

    fn number(&mut self, (name, unit): (&str, &str), value: f64) {
        let wild = value.is_nan() || (value.is_infinite() && !may_be_infinite(name));
        if wild || (value < 0.0 && !may_be_negative(name, unit)) {
            self.fault.get_or_insert_with(|| format!("{name} is {value}"));
        }
        if name.starts_with("share_") {
            self.shares = Some(self.shares.unwrap_or(0.0) + value);
        }
    }

    fn fault(self) -> Option<String> {
        let backwards = self.start_ns.zip(self.end_ns).is_some_and(|(start, end)| end < start);
        let torn = self.shares.is_some_and(|sum| (sum - 1.0).abs() > SHARE_ERROR);
        let row = backwards.then(|| "it ends before it begins".to_owned());
        self.fault.or(row).or_else(|| torn.then(|| "its shares do not add up to 1".to_owned()))
    }
}

impl RowSink for Check<'_> {
    fn i64(&mut self, value: Option<i64>) {
        let Some(column) = self.columns.next() else { return };
        match column.0 {
            "start_ns" => self.start_ns = value,
            "end_ns" => self.end_ns = value,
            _ => {}
        }
        if let Some(value) = value {
            self.number(*column, value as f64);
        }
    }
    fn f64(&mut self, value: Option<f64>) {
        let Some(column) = self.columns.next() else { return };
        if let Some(value) = value {
            self.number(*column, value);
        }
    }
    fn u64(&mut self, _: Option<u64>) {
        self.columns.next();
    }
    fn u16(&mut self, _: Option<u16>) {
        self.columns.next();
    }
    fn bool(&mut self, _: Option<bool>) {
        self.columns.next();
    }
    fn utf8(&mut self, _: Option<&str>) {
        self.columns.next();
    }
}

#[cfg(test)]
mod tests {
    use crate::script::run;

    const LINES: [&str; 22] = [
        "+.2 > S 0:0(0) win 5000 <mss 1000,sackOK>",
        "+.02 < S. 0:0(0) ack 1 <mss 1000,sackOK>",
        "+.03 > . ack 1 win 5000",
        "+.4 > P. 1:101(100) ack 1 win 5000",
        "+.02 < . ack 101",
        "+.1 < . 1:1001(1000) ack 101",
        "+0 < . 1001:2001(1000) ack 101",
        "+.05 > . ack 2001 win 3000",
        "+.02 < . 2001:5001(3000) ack 101",
        "+.05 > . ack 5001 win 0",
        "+.3 > . ack 5001 win 5000",
        "+.02 < . 5001:6001(1000) ack 101",
        "+0 < . 6001:7001(1000) ack 101",
        "+0 < . 7001:8001(1000) ack 101",
        "+.05 > . ack 5001 <sack 6001:7001>",
        "+0 > . ack 5001 <sack 6001:8001>",
        "+.02 < . 5001:6001(1000) ack 101",
        "+.05 > . ack 8001",
        "+1.2 > P. 101:201(100) ack 8001",
        "+.3 < P. 8001:9001(1000) ack 201",
        "+.05 > F. 201:201(0) ack 9001",
        "+.02 < F. 9001:9001(0) ack 202",
    ];

    /// Every script checks its rows against the contract (`Collected`).
    #[test]
    fn a_clock_that_steps_back_at_any_packet_breaks_no_row() {
        for (index, line) in LINES.iter().enumerate() {
            for step in ["-.01", "-.5", "-4"] {
                let (_, packet) = line.split_once(' ').unwrap();
                let mut lines = LINES.map(str::to_owned);
                lines[index] = format!("{step} {packet}");
                run(&lines.join("\n")).unwrap();
            }
        }
    }
}
