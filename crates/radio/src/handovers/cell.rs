//! Identifies a cell as messages and measurements in a log do.

/// A cell: physical cell identity and EARFCN, as far as the log contains them.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Cell {
    pub(super) pci: Option<u16>,
    pub(super) earfcn: Option<u32>,
}

impl Cell {
    /// Whether the two are certainly different cells.
    pub(super) fn differs(self, other: Self) -> bool {
        let unlike =
            |one: Option<u32>, two: Option<u32>| one.is_some() && two.is_some() && one != two;
        unlike(self.pci.map(u32::from), other.pci.map(u32::from))
            || unlike(self.earfcn, other.earfcn)
    }
}
