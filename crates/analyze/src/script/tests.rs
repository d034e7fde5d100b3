//! Tests over the list of analyses, and of the script runner itself.

use std::collections::BTreeSet;

use super::check;
use super::page::HEADINGS;
use crate::{PAGES, REGISTRY, tables};

/// The cases of these pages have other notations; tests of the radio crate run them.
#[test]
fn the_pages_of_the_radio_have_every_heading() {
    for page in [
        include_str!("../../../radio/src/bursts/bursts.md"),
        include_str!("../../../radio/src/clock/clock.md"),
    ] {
        let mut rest = page.lines();
        for heading in HEADINGS {
            assert!(rest.any(|line| line.strip_prefix("## ") == Some(heading)), "{heading}");
        }
    }
}

#[test]
fn every_page_holds() {
    let faults: Vec<String> = pages().flat_map(|(name, page)| check(name, page)).collect();
    assert!(faults.is_empty(), "\n{}", faults.join("\n"));
}

fn pages() -> impl Iterator<Item = (&'static str, &'static str)> {
    REGISTRY
        .iter()
        .map(|analysis| (analysis.name, analysis.page))
        .chain(PAGES.iter().chain(airmile_verdict::PAGES).copied())
}

#[test]
fn names_are_unique() {
    let mut seen = BTreeSet::new();
    for table in tables() {
        assert!(seen.insert(table.name.to_owned()), "two tables are called {}", table.name);
        for column in table.columns {
            let name = format!("{}.{}", table.name, column.name);
            assert!(seen.insert(name.clone()), "two columns are called {name}");
        }
    }
}

/// The units that columns may have. A column whose name ends in a unit has that unit.
const UNITS: &[&str] = &[
    "",
    "ns",
    "us",
    "ms",
    "s",
    "bps",
    "bytes",
    "packets",
    "segments",
    "samples",
    "ratio",
    "flows",
    "files",
    "promotions",
    "J",
    "bits",
    "ACKs",
    "queries",
    "events",
    "gaps",
    "episodes",
    "windows",
    "ticks",
    "percent",
    "blocks",
    "timeouts",
    "trains",
    "duplicate ACKs",
    "restarts",
    "holes",
    "loops",
    "PRB",
    "dB",
    "dBm",
];

#[test]
fn columns_are_documented() {
    for table in tables() {
        for column in table.columns {
            let name = format!("{}.{}", table.name, column.name);
            assert!(column.doc.trim().ends_with('.'), "{name}: the description is no sentence");
            assert!(!column.cite.is_empty(), "{name}: no source");
            assert!(UNITS.contains(&column.unit), "{name}: unknown unit {}", column.unit);
            for unit in ["ns", "us", "ms", "s", "bps", "bytes", "ratio"] {
                let says = column.name.ends_with(&format!("_{unit}"));
                assert!(!says || column.unit == unit, "{name}: the unit is {}", column.unit);
            }
        }
    }
}

const GOOD: &str = "
# x: y
## What it measures
## Why it matters
## How
## Worked cases
### A case
```flow
+0 > S 0:0(0) win 65535 <mss 1460>
+.05 < S. ack 1
+0 > . ack 1
+0 > P. +100 ack 1
```
```row
ul_packets = 3
ul_payload_bytes = 100 ± 1
start_ns = @0
```
## Limits
## References
";

#[test]
fn a_right_page_is_right() {
    assert_eq!(check("x", GOOD), Vec::<String>::new());
}

#[test]
fn a_wrong_value_is_named() {
    let page = GOOD.replace("ul_packets = 3", "ul_packets = 4");
    assert_eq!(check("x", &page), ["x.md, ### A case: ul_packets left 3 right 4"]);
}

#[test]
fn an_unknown_column_and_a_missing_heading_are_faults() {
    let page = GOOD.replace("ul_packets", "packet").replace("## Limits", "");
    let faults = check("x", &page);
    assert_eq!(faults.len(), 2, "{faults:?}");
    assert!(faults[0].contains("`## Limits`"));
    assert!(faults[1].contains("no column `packet` in flows"));
}

#[test]
fn missing_rows_are_a_fault() {
    let page = GOOD.replace("```row\n", "```rows sessions\nflows\n1\n1\n```\n```row\n");
    assert_eq!(check("x", &page), ["x.md, ### A case: rows of sessions left 1 right 2\n1"]);
}
