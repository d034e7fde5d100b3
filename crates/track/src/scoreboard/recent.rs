//! The newest segments of a sender, by which records of one packet twice are found.

use airmile_types::{Duration, Instant};

use super::inputs::DataInput;

/// The tap's own duplicates come at once (methods C2).
pub(super) const CAPTURE_DUPLICATE: Duration = Duration::from_millis(5);

/// The newest packets with payload, to distinguish the capture's duplicates from the sender's.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Recent {
    pub(super) packets: [Fingerprint; 4],
    newest: u8,
    /// Successive packets carried different identifications, so an equal one means the same
    /// packet (RFC 6864 lets atomic datagrams carry a constant).
    pub(super) ip_id_varies: bool,
}

#[derive(Clone, Copy, Debug)]
pub(super) struct Fingerprint {
    start: i64,
    pub(super) time: Instant,
    /// The bytes of the packet: 32 bits are enough for any.
    bytes: u32,
    tsval: Option<u32>,
    pub(super) ip_id: u16,
    pub(super) hop_limit: u8,
}

const _: () = assert!(size_of::<Fingerprint>() <= 32, "a connection holds eight");

impl Fingerprint {
    /// A fingerprint that no packet has: offsets lie within a window of 64-bit counts.
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

    /// Whether it carried the same bytes with the same timestamp.
    pub(super) fn is_like(&self, other: &Self) -> bool {
        (self.start, self.bytes, self.tsval) == (other.start, other.bytes, other.tsval)
    }
}

impl Default for Fingerprint {
    fn default() -> Self {
        Self::NONE
    }
}

/// A segment in IP fragments, of which the first has passed.
#[derive(Clone, Copy, Debug)]
pub(super) struct Fragmented {
    /// End of the first fragment.
    pub(super) end: i64,
    /// The segment ends here at most; `None` when the receiver's MSS is unknown.
    pub(super) most: Option<i64>,
    pub(super) time: Instant,
}

airmile_types::held!(Fragmented {});

impl Recent {
    #[inline]
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
