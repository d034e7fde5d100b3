//! Finds out what follows a stack of MPLS labels (RFC 3032), which do not announce it.

use super::ip;
use super::layer::{Layer, holds_ip};
use super::skip::Skip;
use crate::bytes::chunk;

/// The length of the control word of a pseudowire (RFC 4385 section 3).
const CONTROL_WORD: usize = 4;

/// The layer below the labels at `at`. The first four bits show what it is (RFC 4928 section 3): 4
/// and 6 mean IP, and 0 means the control word of a pseudowire before an Ethernet frame (RFC 4448
/// section 4.6). A pseudowire may lack the control word. Then the bits belong to a MAC address, and
/// only an IP header within the frame shows that it is a pseudowire.
pub(super) fn below(frame: &[u8], at: usize, ethertype: u16) -> Result<(usize, Layer), Skip> {
    let at = bottom(frame, at).ok_or(Skip::Cut)?;
    match frame.get(at).ok_or(Skip::Cut)? >> 4 {
        4 | 6 if ip::is_likely(frame, at) || !holds_ip(frame, at) => Ok((at, Layer::Ip)),
        0 if holds_ip(frame, at + CONTROL_WORD) => Ok((at + CONTROL_WORD, Layer::Ethernet)),
        _ if holds_ip(frame, at) => Ok((at, Layer::Ethernet)),
        0 => Ok((at + CONTROL_WORD, Layer::Ethernet)),
        _ => Err(Skip::NotIp(ethertype)),
    }
}

/// The offset after the label that is marked as the last one.
fn bottom(frame: &[u8], mut at: usize) -> Option<usize> {
    loop {
        let entry = chunk::<4>(frame, at)?;
        at += entry.len();
        if entry[2] & 1 == 1 {
            return Some(at);
        }
    }
}
