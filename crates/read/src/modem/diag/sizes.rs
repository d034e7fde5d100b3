//! Whether the sizes of blocks in a version count the CRC: sizes with or without it are in the
//! table of sizes.

#![expect(clippy::indexing_slicing, reason = "a byte into 256 entries")]

use crate::modem::tbs;

/// Bytes of a block's CRC (TS 36.212 section 5.3.2.1).
pub(crate) const CRC: u32 = 3;
/// The difference in the number of blocks that decides, because some sizes are possible both ways.
const SURE: i32 = 8;

/// The number of blocks whose size counts the CRC less the number of those without it, for each
/// version of a message.
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

    /// Whether the CRC is counted; `unsure` is the answer until blocks have shown it.
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
