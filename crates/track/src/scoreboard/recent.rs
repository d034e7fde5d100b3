//! Remembers the newest segments of a sender, to find packets that the capture recorded twice.

use airmile_types::{Duration, Instant};

use super::inputs::DataInput;

/// A second record of the same packet that the capture itself makes follows within this time
/// (methods C2).
pub(super) const CAPTURE_DUPLICATE: Duration = Duration::from_millis(5);

/// The newest packets with payload, used to distinguish the capture's duplicates from the sender's
/// retransmissions.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Recent {
    pub(super) packets: [Fingerprint; 4],
    newest: u8,
    /// Whether successive packets had different IP identifications. If so, an equal identification
    /// means the same packet; otherwise it does not, because RFC 6864 lets atomic datagrams carry a
    /// constant.
    pub(super) ip_id_varies: bool,
}

#[derive(Clone, Copy, Debug)]
pub(super) struct Fingerprint {
    start: i64,
    pub(super) time: Instant,
    /// The number of bytes in the packet, for which 32 bits are enough.
    bytes: u32,
    tsval: Option<u32>,
    pub(super) ip_id: u16,
    pub(super) hop_limit: u8,
}

const _: () = assert!(size_of::<Fingerprint>() <= 32, "a connection holds eight");

impl Fingerprint {
    /// A fingerprint that equals that of no packet, because no offset is as small.
    const NONE: Self =
        Self { start: i64::MIN, time: Instant::MIN, bytes: 0, tsval: None, ip_id: 0, hop_limit: 0 };

    #[inline]
    #[expect(
        clippy::cast_possible_truncation,
        reason = "bytes of one packet: the decoder has 32 bits for them"
    )]
    pub(super) fn new(input: &DataInput) -> Self {
        Self {
            start: input.start,
            time: input.time,
            bytes: (input.end - input.start) as u32,
            tsval: input.tsval,
            ip_id: input.ip_id,
            hop_limit: input.hop_limit,
        }
    }

    /// Whether both packets carried the same bytes with the same timestamp.
    pub(super) fn is_like(&self, other: &Self) -> bool {
        (self.start, self.bytes, self.tsval) == (other.start, other.bytes, other.tsval)
    }
}

impl Default for Fingerprint {
    fn default() -> Self {
        Self::NONE
    }
}

/// A segment in IP fragments, of which the first fragment has passed.
#[derive(Clone, Copy, Debug)]
pub(super) struct Fragmented {
    /// The offset at which the first fragment ends.
    pub(super) end: i64,
    /// The greatest offset at which the segment may end; `None` if the receiver's MSS is unknown.
    pub(super) most: Option<i64>,
    pub(super) time: Instant,
}

airmile_types::held!(Fragmented {});

impl Recent {
    #[inline(always)]
    #[expect(clippy::indexing_slicing, reason = "a remainder of the list's length")]
    pub(super) fn add(&mut self, input: &DataInput) {
        let newest = &self.packets[usize::from(self.newest % 4)];
        self.ip_id_varies |= newest.ip_id != input.ip_id
            && newest.start != input.start
            && newest.start != Fingerprint::NONE.start;
        self.newest = (self.newest + 1) % 4;
        self.packets[usize::from(self.newest)] = Fingerprint::new(input);
    }
}
