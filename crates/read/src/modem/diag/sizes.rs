//! Whether the sizes of blocks in a version count the CRC, by which of both a block can have.

#![expect(clippy::indexing_slicing, reason = "a byte into 256 entries")]

use crate::modem::tbs;

/// Bytes of a block's CRC (TS 36.212 section 5.3.2.1).
pub(crate) const CRC: u32 = 3;
/// So many more blocks must speak for one than for the other: some sizes are possible both ways.
const SURE: i32 = 8;

/// For each version of a message, by how many blocks the one is ahead.
pub(crate) struct Sizes([i32; 256]);

impl Default for Sizes {
    fn default() -> Self {
        Self([0; 256])
    }
}

impl Sizes {
    /// A block of one layer was said to have so many bytes.
    pub(crate) fn saw(&mut self, version: u8, bytes: u32) {
        let ahead = &mut self.0[usize::from(version)];
        let with_crc = bytes.checked_sub(CRC).is_some_and(tbs::is_size);
        *ahead = ahead.saturating_add(i32::from(with_crc) - i32::from(tbs::is_size(bytes)));
    }

    /// Whether the CRC is counted; `unsure` until blocks have told.
    pub(crate) const fn counts_crc(&self, version: u8, unsure: bool) -> bool {
        let ahead = self.0[version as usize];
        if ahead >= SURE {
            true
        } else if ahead <= -SURE {
            false
        } else {
            unsure
        }
    }
}
