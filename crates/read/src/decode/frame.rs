//! A captured frame, where its headers lie, and why a frame is skipped.

use airmile_types::Instant;

use super::ip::Ip;
use crate::link_type::LinkType;

/// Tunnels within tunnels that are peeled: GTP-U in GRE in IPsec gateways' IP-in-IP needs three.
pub(super) const MAX_TUNNELS: u32 = 8;

/// More payload than this in one packet is several segments that offload joined: Ethernet's MTU
/// (IEEE 802.3 clause 3.2.7), which no path over a cellular link exceeds (3GPP TS 23.060 annex C).
pub(super) const SUPER_SEGMENT_BYTES: u32 = 1500;

/// An Ethernet frame of this length (without FCS) or shorter may end with padding (IEEE 802.3
/// clause 4.2.3.3).
pub(super) const ETHERNET_MINIMUM: usize = 60;

/// What else the decoder noticed, as a set of bits; each is counted in the input's report.
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

    /// Whether there is none.
    #[inline]
    pub(crate) const fn is_empty(self) -> bool {
        self.0 == 0
    }

    /// 1 when the remark was made.
    pub(crate) const fn count(self, remark: Self) -> u64 {
        (self.0 & remark.0 != 0) as u64
    }
}

/// Where the innermost IP packet of a frame is, reached by the general way.
pub(crate) struct Located {
    pub(super) ip: Ip,
    pub(super) teid: Option<u32>,
    pub(super) remarks: Remarks,
    /// The frame is so short that padding cannot be told from payload.
    pub(super) padded: bool,
    /// A layer that may be a tunnel's was fragmented: see [`carrier`].
    pub(crate) fragmented: bool,
    /// It lies in a datagram that was put together from fragments.
    pub(crate) joined: bool,
}

/// A frame as a capture file gives it.
#[derive(Clone, Copy, Debug)]
pub struct Frame<'a> {
    /// How it begins.
    pub link: LinkType,
    /// The captured bytes.
    pub bytes: &'a [u8],
    /// Its length on the wire, in bytes, without frame check sequence.
    pub wire_bytes: usize,
    /// When the tap saw it.
    pub time: Instant,
    /// The interface it came from.
    pub interface: u32,
}

pub(super) fn saturate(bytes: usize) -> u32 {
    u32::try_from(bytes).unwrap_or(u32::MAX)
}
