//! Defines what the decoder notices about a frame in addition to its packet; the report counts it.

/// A set of things that the decoder noticed; each is counted in the report on the input.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Remarks(u8);

impl Remarks {
    /// The IP header claims more bytes than the frame had on the wire.
    pub(crate) const LENGTH_LIE: Self = Self(1);
    /// The transport header, or an extension header before it, was not captured whole.
    pub(crate) const CUT: Self = Self(2);
    /// The transport header contradicts itself.
    pub(crate) const MALFORMED: Self = Self(4);
    /// The packet was found in a tunnel.
    pub(crate) const TUNNEL: Self = Self(8);
    /// The packet carries another one below more headers than are read.
    pub(crate) const TOO_DEEP: Self = Self(16);

    /// Adds `remark` if `holds` is true.
    #[inline]
    pub(super) const fn add(&mut self, remark: Self, holds: bool) {
        self.0 |= remark.0 * holds as u8;
    }

    /// Whether the set is empty.
    #[inline]
    pub(crate) const fn is_empty(self) -> bool {
        self.0 == 0
    }

    /// 1 if the set contains the remark, otherwise 0.
    pub(crate) const fn count(self, remark: Self) -> u64 {
        (self.0 & remark.0 != 0) as u64
    }
}
