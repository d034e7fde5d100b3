//! Gives the layout of a record in each version of 0xB173.

/// The number of bytes before the records: version, number of records, two reserved.
pub(super) const HEADER: usize = 4;

/// The number of slots for transport blocks in a record.
pub(super) const SLOTS: usize = 2;

/// The layout of a record in one version.
pub(super) struct Layout {
    /// The number of bytes of the fields for the subframe.
    pub(super) head: usize,
    /// The number of bytes of a slot.
    pub(super) slot: usize,
    /// The number of bytes of the fields for broadcast.
    tail: usize,
    /// The offset of the block's size in its slot.
    pub(super) size: usize,
    /// Whether the modulation order follows the PRBs of the block.
    pub(super) modulation: bool,
    /// Whether the fields for the subframe contain layers, blocks and carrier without the PRBs
    /// before them.
    pub(super) no_prbs: bool,
    /// Whether the size includes the CRC of 24 bits. If no log has proved that, the blocks of the
    /// log decide.
    pub(super) crc_counted: bool,
    pub(super) verified: bool,
}

impl Layout {
    /// The layout of a version; `None` if it is not known.
    pub(super) const fn of(version: u8) -> Option<Self> {
        Some(match version {
            16 => SMALL,
            24 => MEDIUM,
            5 => Self { verified: false, ..SMALL },
            32 | 34 => Self { verified: false, ..MEDIUM },
            36 | 37 | 40 => LARGE,
            // An export of a log with version 48 contains a block of 225 bytes at MCS 17 on 6 PRBs;
            // 1800 bits is its size in TS 36.213 table 7.1.7.2.1-1.
            48 => Self { crc_counted: false, ..LARGE },
            50 => Self { crc_counted: false, no_prbs: true, ..LARGE },
            _ => return None,
        })
    }

    /// The length of a record, in bytes.
    pub(super) const fn record(&self) -> usize {
        self.broadcast() + self.tail
    }

    /// The offset of the fields for broadcast in a record.
    pub(super) const fn broadcast(&self) -> usize {
        self.head + SLOTS * self.slot
    }
}

/// The layout of versions 5 and 16.
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

/// The layout of versions 24 to 34.
const MEDIUM: Layout = Layout { slot: 8, modulation: true, ..SMALL };

/// The layout of versions from 36 on.
const LARGE: Layout = Layout { head: 12, slot: 12, tail: 4, size: 4, verified: false, ..MEDIUM };
