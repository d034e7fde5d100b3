//! How the versions of 0xB173 lay a record out.

/// Bytes before the records: version, their number, two reserved.
pub(super) const HEADER: usize = 4;

/// Slots for transport blocks in a record.
pub(super) const SLOTS: usize = 2;

/// How a version lays a record out.
pub(super) struct Layout {
    /// Bytes for the subframe.
    pub(super) head: usize,
    /// Bytes for a block.
    pub(super) slot: usize,
    /// Bytes for broadcast.
    tail: usize,
    /// Where the size of a block begins in its slot.
    pub(super) size: usize,
    /// The modulation order follows the block's PRBs.
    pub(super) modulation: bool,
    /// The head says layers, blocks and carrier without the PRBs before them.
    pub(super) no_prbs: bool,
    /// The size counts the CRC of 24 bits, unless blocks tell otherwise where no log has proved it.
    pub(super) crc_counted: bool,
    pub(super) verified: bool,
}

impl Layout {
    /// The layout of a version, where it is known.
    pub(super) const fn of(version: u8) -> Option<Self> {
        Some(match version {
            16 => SMALL,
            24 => MEDIUM,
            5 => Self { verified: false, ..SMALL },
            32 | 34 => Self { verified: false, ..MEDIUM },
            36 | 37 | 40 => LARGE,
            // A block of 225 bytes at MCS 17 on 6 PRBs stands in an export of a version-48 log:
            // 1800 bits are what TS 36.213 table 7.1.7.2.1-1 has there.
            48 => Self { crc_counted: false, ..LARGE },
            50 => Self { crc_counted: false, no_prbs: true, ..LARGE },
            _ => return None,
        })
    }

    /// Bytes of a record.
    pub(super) const fn record(&self) -> usize {
        self.broadcast() + self.tail
    }

    /// Where the part for broadcast begins.
    pub(super) const fn broadcast(&self) -> usize {
        self.head + SLOTS * self.slot
    }
}

/// Versions 5 and 16.
const SMALL: Layout = Layout {
    head: 6,
    slot: 6,
    tail: 2,
    size: 2,
    modulation: false,
    no_prbs: false,
    crc_counted: true,
    verified: true,
};

/// Versions 24 to 34.
const MEDIUM: Layout = Layout { slot: 8, modulation: true, ..SMALL };

/// Versions 36 and later.
const LARGE: Layout = Layout { head: 12, slot: 12, tail: 4, size: 4, verified: false, ..MEDIUM };
