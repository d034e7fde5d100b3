//! What the decoder noticed about a frame, beside its packet.

/// What the decoder noticed, as a set of bits; each is counted in the input's report.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Remarks(u8);

impl Remarks {
    /// The IP header claims more bytes than the frame had on the wire.
    pub(crate) const LENGTH_LIE: Self = Self(1);
    /// The transport header, or an extension header before it, was not captured whole.
    pub(crate) const CUT: Self = Self(2);
    /// The transport header contradicts itself.
    pub(crate) const MALFORMED: Self = Self(4);
    /// A tunnel was peeled.
    pub(crate) const TUNNEL: Self = Self(8);

    /// Adds a remark where a condition holds.
    #[inline]
    pub(super) const fn add(&mut self, remark: Self, holds: bool) {
        self.0 |= remark.0 * holds as u8;
    }

    /// Whether no remark was made.
    #[inline]
    pub(crate) const fn is_empty(self) -> bool {
        self.0 == 0
    }

    /// 1 when the remark was made, otherwise 0.
    pub(crate) const fn count(self, remark: Self) -> u64 {
        (self.0 & remark.0 != 0) as u64
    }
}
