//! Reads the header that Apple's systems put before each packet of a PKTAP capture, which is what
//! `rvictl` and `tcpdump -i pktap` record (LINKTYPE_PKTAP; `struct pktap_header` of XNU's
//! bsd/net/pktap.h). Its numbers are little-endian on every machine that writes such captures.

use super::skip::Skip;
use crate::bytes::chunk;
use crate::link_type::LinkType;

/// `PTH_TYPE_NONE`: nothing follows the header.
const NOTHING: u32 = 0;
/// `PTH_TYPE_PACKET`: a packet follows the header.
const PACKET: u32 = 1;
/// The length of the header up to the flags, which every version of it has.
const LEAST: u32 = 40;
/// No version of the header is longer than this; 108 and 156 bytes are usual.
const MOST: u32 = 1024;

/// The number of bytes by which the header is recognised.
pub(crate) const LEAST_SEEN: usize = 13;

/// Where `pth_ifname` is in the header.
const NAME: std::ops::Range<usize> = 12..36;

/// Where `pth_flags` is in the header, and its bits for the direction.
const FLAGS: usize = 36;
const DIRECTION_IN: u32 = 1;
const DIRECTION_OUT: u32 = 2;

/// The beginning of the header.
struct Header {
    /// `pth_length`: the length of the header.
    length: u32,
    /// `pth_type_next`: what follows the header.
    next: u32,
    /// `pth_dlt`: the link type of the packet that follows.
    link: u32,
    /// The first letter of `pth_ifname`, the name of the interface.
    letter: u8,
}

/// The length of the header, and the link type of the frame that follows.
pub(super) fn inner(frame: &[u8]) -> Result<(u32, u32), Skip> {
    let Header { length, next, link, .. } = header(frame).ok_or(Skip::Cut)?;
    match next {
        PACKET if length >= LEAST => Ok((length, link)),
        NOTHING => Err(Skip::Empty),
        _ => Err(Skip::LinkHeader),
    }
}

/// Whether a frame of a capture that names another link type begins with this header: tcpdump of
/// Apple's systems has also written such captures as DLT_USER2, and as Ethernet.
pub(crate) fn is_likely(frame: &[u8]) -> bool {
    header(frame).is_some_and(|Header { length, next, link, letter }| {
        (LEAST..=MOST).contains(&length)
            && next == PACKET
            && LinkType::from_number(link).is_some()
            && letter.is_ascii_lowercase()
    })
}

/// The name of the interface that a frame with this header passed, such as `pdp_ip0`; `None` if the
/// frame has no such header.
pub(crate) fn interface(frame: &[u8]) -> Option<&str> {
    let name = frame.get(NAME).filter(|_| is_likely(frame))?;
    let length = name.iter().position(|byte| *byte == 0).unwrap_or(name.len());
    let name = std::str::from_utf8(name.get(..length)?).ok()?;
    name.chars().all(|c| c.is_ascii_graphic()).then_some(name)
}

/// Whether the capturing system sent a packet with this header (`PTH_FLAG_DIR_OUT` of `pth_flags`);
/// `None` if the flags say neither.
pub(super) fn is_outgoing(frame: &[u8]) -> Option<bool> {
    let flags = u32::from_le_bytes(*chunk::<4>(frame, FLAGS)?);
    match flags & (DIRECTION_IN | DIRECTION_OUT) {
        DIRECTION_IN => Some(false),
        DIRECTION_OUT => Some(true),
        _ => None,
    }
}

fn header(frame: &[u8]) -> Option<Header> {
    let h = chunk::<LEAST_SEEN>(frame, 0)?;
    let number = |at: usize| chunk::<4>(h, at).map(|bytes| u32::from_le_bytes(*bytes));
    Some(Header { length: number(0)?, next: number(4)?, link: number(8)?, letter: h[12] })
}
