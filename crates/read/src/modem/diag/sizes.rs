//! Finds out whether the block sizes of a version include the CRC, because only sizes without the
//! CRC are in the table of sizes.

#![expect(clippy::indexing_slicing, reason = "a byte into 256 entries")]

use crate::modem::tbs;

/// The length of a block's CRC in bytes (TS 36.212 section 5.3.2.1).
pub(crate) const CRC: u32 = 3;
/// The difference in the number of blocks that decides, because some sizes are possible both ways.
const SURE: i32 = 8;

/// For each version of a message, the number of blocks whose size includes the CRC minus the number
/// of blocks whose size does not.
pub(crate) struct Sizes([i32; 256]);

impl Default for Sizes {
    fn default() -> Self {
        Self([0; 256])
    }
}

impl Sizes {
    /// Takes the logged size of a block of one layer, in bytes.
    pub(crate) fn saw(&mut self, version: u8, bytes: u32) {
        let ahead = &mut self.0[usize::from(version)];
        let with_crc = bytes.checked_sub(CRC).is_some_and(tbs::is_size);
        *ahead = ahead.saturating_add(i32::from(with_crc) - i32::from(tbs::is_size(bytes)));
    }

    /// Whether sizes include the CRC; `unsure` is the answer until enough blocks have shown it.
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
