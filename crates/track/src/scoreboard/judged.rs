//! Keeps what is needed of earlier ACKs and retransmissions to interpret later ACKs.

use airmile_types::Instant;

/// The fields that distinguish a second record of one ACK from the receiver's next ACK.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct PureAck {
    pub(super) ack: i64,
    pub(super) window_field: u16,
    pub(super) tsval: Option<u32>,
    pub(super) ip_id: u16,
    pub(super) block: Option<(i64, i64)>,
    pub(super) time: Instant,
}

/// Recent retransmissions that a D-SACK may still show to be unneeded (RFC 2883 section 4).
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Judged {
    open: [(i64, i64); 8],
    next: u8,
}

airmile_types::held!(Judged {});

impl Judged {
    #[expect(clippy::indexing_slicing, reason = "a remainder of the list's length")]
    pub(super) fn remember(&mut self, start: i64, end: i64) {
        self.open[usize::from(self.next % 8)] = (start, end);
        self.next = (self.next + 1) % 8;
    }

    /// Removes the retransmission that `block` covers; returns whether there was one.
    pub(super) fn judge(&mut self, block: (i64, i64)) -> bool {
        for open in &mut self.open {
            if open.0 < open.1 && block.0 <= open.0 && open.1 <= block.1 {
                *open = (0, 0);
                return true;
            }
        }
        false
    }
}
