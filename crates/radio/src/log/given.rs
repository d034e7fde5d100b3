//! Reads the cell bandwidths that the user gives.

use std::collections::BTreeMap;

/// The largest bandwidth accepted, in PRBs. LTE has at most 110 (TS 36.101 table 5.6-1: 20 MHz) and
/// NR at most 273 (TS 38.101-1 table 5.3.2-1).
pub(super) const MOST_PRBS: u16 = 275;

/// The largest physical cell identity of NR (TS 38.211 section 7.4.2.1); LTE's is 503.
const MOST_CELL: u16 = 1007;

/// The cell bandwidths (N_RB) that the user gives on the command line.
#[derive(Clone, Debug, Default)]
pub struct GivenBandwidths {
    pub(super) every: Option<u16>,
    pub(super) cells: BTreeMap<u16, u16>,
}

impl GivenBandwidths {
    /// Reads texts of the form `N` (for every cell) or `CELL:N` (for the cell with this physical
    /// cell identity).
    ///
    /// # Errors
    /// The first text that has neither form, or whose numbers are out of range.
    pub fn read(given: &[String]) -> Result<Self, BadBandwidth> {
        let mut prbs = Self::default();
        for text in given {
            let (cell, total) = match text.split_once(':') {
                Some((cell, total)) => (Some(cell), total),
                None => (None, text.as_str()),
            };
            let total: u16 = total.trim().parse().unwrap_or(0);
            let wrong = || BadBandwidth(text.clone());
            if total == 0 || total > MOST_PRBS {
                return Err(wrong());
            }
            match cell {
                None => prbs.every = Some(total),
                Some(cell) => {
                    let cell: u16 = cell.trim().parse().map_err(|_| wrong())?;
                    if cell > MOST_CELL {
                        return Err(wrong());
                    }
                    prbs.cells.insert(cell, total);
                }
            }
        }
        Ok(prbs)
    }

    /// The bandwidth given for a cell. If the cell is not known, or no bandwidth is given for it,
    /// this is the one given for every cell.
    pub fn of(&self, cell: Option<u16>) -> Option<u16> {
        cell.and_then(|cell| self.cells.get(&cell)).copied().or(self.every)
    }
}

/// A text that is neither `N` nor `CELL:N`, or whose numbers are out of range.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct BadBandwidth(String);

impl BadBandwidth {
    /// A text for users that names the accepted forms and ranges.
    pub fn hint() -> String {
        format!(
            "N is the cell's PRBs, 1 to {MOST_PRBS} (6 to 110 in LTE), CELL its physical cell \
             identity, 0 to {MOST_CELL}"
        )
    }
}

impl std::fmt::Display for BadBandwidth {
    fn fmt(&self, out: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(out, "--cell-prbs {}: not of the form N or CELL:N", self.0)
    }
}

impl std::error::Error for BadBandwidth {}
