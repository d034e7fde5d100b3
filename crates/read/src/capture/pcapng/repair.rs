//! Handles blocks that are corrupt or cut off.

use super::PcapNg;
use super::block::{
    Block, ENHANCED_PACKET, INTERFACE_DESCRIPTION, INTERFACE_STATISTICS, NAME_RESOLUTION,
    OBSOLETE_PACKET, SECTION_HEADER, SIMPLE_PACKET,
};
use crate::capture::log::Log;
use crate::capture::window::Window;

/// The greatest length in bytes of a block that is searched for after a corrupt part.
const RESYNCHRONISE_BLOCK: usize = 1 << 19;

impl PcapNg {
    /// Handles a block that is longer than the rest of the input. It is cut off, unless complete
    /// blocks follow its header; then its length is wrong.
    pub(super) fn beyond_the_end(&self, block: Block, window: &mut Window, log: &mut Log) -> bool {
        let offset = window.offset();
        let bytes = window.bytes();
        if let Some(at) = (1..bytes.len()).find(|at| self.whole_block(bytes, *at)) {
            window.skip(at);
            log.resumed(offset, window.offset(), "a block's length exceeds the file");
            return true;
        }
        log.end(window, "a block", block.bytes);
        false
    }

    /// Searches for the next block whose two lengths agree, and reports what was lost.
    #[cold]
    pub(super) fn resynchronise(&self, window: &mut Window, log: &mut Log, what: &str) -> bool {
        let offset = window.offset();
        window.skip(1);
        loop {
            let more = window.have(2 * RESYNCHRONISE_BLOCK);
            let bytes = window.bytes();
            let last_start = if more { RESYNCHRONISE_BLOCK } else { bytes.len() };
            if let Some(at) = (0..last_start).find(|at| self.whole_block(bytes, *at)) {
                window.skip(at);
                log.resumed(offset, window.offset(), what);
                return true;
            }
            window.skip(last_start);
            if !more {
                log.lost(offset, window, what);
                return false;
            }
        }
    }

    fn whole_block(&self, bytes: &[u8], at: usize) -> bool {
        self.block_at(bytes, at).is_some_and(|block| {
            matches!(
                block.kind,
                SECTION_HEADER
                    | INTERFACE_DESCRIPTION
                    | OBSOLETE_PACKET
                    | SIMPLE_PACKET
                    | NAME_RESOLUTION
                    | INTERFACE_STATISTICS
                    | ENHANCED_PACKET
            ) && bytes.get(at..at + block.bytes).and_then(|b| self.trailer(b)) == Some(block.bytes)
        })
    }
}
