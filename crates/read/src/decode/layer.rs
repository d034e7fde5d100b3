//! Defines the layers of link headers, and functions that the readers of several of them use.

use super::skip::Skip;
use crate::bytes::{be16, chunk};

pub(super) const IPV4: u16 = 0x0800;

pub(super) const IPV6: u16 = 0x86dd;

/// The EtherTypes of VLAN tags: IEEE 802.1Q, 802.1ad, and those that switches used before 802.1ad.
pub(super) const VLAN: [u16; 4] = [0x8100, 0x88a8, 0x9100, 0x9200];

/// The greatest number of layers that are read. Four VLAN tags, PPPoE, PPP, labels, a pseudowire
/// and its own tags need fewer.
pub(crate) const MAX_LAYERS: usize = 16;

/// The kind of header at a position in the frame.
pub(super) enum Layer {
    Ip,
    Ethernet,
    /// The header that this EtherType announces; in its position there may also be a length.
    Type(u16),
    PppoE,
    Ppp,
}

/// Reads an LLC header. LLC with SNAP (IEEE 802 clause 9.2.4) may contain IP; other LLC does not.
pub(super) fn llc(frame: &[u8], at: usize, length: u16) -> Result<(usize, Layer), Skip> {
    let header = chunk::<8>(frame, at).ok_or(Skip::NotIp(length))?;
    match *header {
        [0xaa, 0xaa, 3, 0, 0, 0 | 0xf8, high, low] => {
            Ok((at + 8, Layer::Type(u16::from_be_bytes([high, low]))))
        }
        _ => Err(Skip::NotIp(length)),
    }
}

/// Whether the bytes at `at` are an Ethernet frame that contains an IP header, directly or after
/// tags; more tags than are read count as such a frame, which the walk then reports. No other
/// layers are searched, because nested labels would be read again at each level.
pub(super) fn holds_ip(frame: &[u8], mut at: usize) -> bool {
    for _ in 0..MAX_LAYERS {
        let version = |at: usize| frame.get(at).map(|first| first >> 4);
        match be16(frame, at + 12) {
            Some(IPV4) => return version(at + 14) == Some(4),
            Some(IPV6) => return version(at + 14) == Some(6),
            Some(tag) if VLAN.contains(&tag) => at += 4,
            _ => return false,
        }
    }
    true
}
