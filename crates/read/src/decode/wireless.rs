//! Reads IEEE 802.11 data frames, with or without the radiotap header of the capturing card.

use super::layer::{self, Layer};
use super::skip::Skip;
use super::walk;
use crate::bytes::chunk;

/// The length of frame control, duration, three addresses and sequence control (IEEE 802.11 clause
/// 9.2.4).
const HEADER: usize = 24;
/// Bits of the first presence word: the field before the flags, and the flags (radiotap.org).
const PRESENT_TSFT: u32 = 1;
const PRESENT_FLAGS: u32 = 1 << 1;
const PRESENT_MORE: u32 = 1 << 31;
/// This flag says that the card has padded the header to a multiple of 32 bits.
const FLAG_PADDED: u8 = 0x20;

/// The offset at which the IP header of an 802.11 frame begins.
pub(super) fn plain(frame: &[u8]) -> Result<usize, Skip> {
    data(frame, 0, false)
}

/// The offset at which the IP header begins in an 802.11 frame after a radiotap header.
pub(super) fn radiotap(frame: &[u8]) -> Result<usize, Skip> {
    let header = chunk::<8>(frame, 0).ok_or(Skip::Cut)?;
    let length = usize::from(u16::from_le_bytes([header[2], header[3]]));
    let present = u32::from_le_bytes([header[4], header[5], header[6], header[7]]);
    data(frame, length, flags(frame, present) & FLAG_PADDED != 0)
}

/// The flags field, which follows the presence words and the 64-bit TSF time; 0 if the card gave
/// none.
fn flags(frame: &[u8], first: u32) -> u8 {
    let (mut at, mut present) = (8_usize, first);
    while present & PRESENT_MORE != 0 {
        let Some(next) = chunk::<4>(frame, at) else { return 0 };
        present = u32::from_le_bytes(*next);
        at += next.len();
    }
    if first & PRESENT_TSFT != 0 {
        at = at.next_multiple_of(8) + 8;
    }
    if first & PRESENT_FLAGS != 0 { frame.get(at).copied().unwrap_or(0) } else { 0 }
}

/// Finds the IP header in a data frame whose body is neither encrypted nor an aggregate; LLC and
/// SNAP begin the body.
fn data(frame: &[u8], at: usize, padded: bool) -> Result<usize, Skip> {
    let &[kind, flags] = chunk::<2>(frame, at).ok_or(Skip::Cut)?;
    let is_data = kind & 0x0f == 0x08 && kind & 0x40 == 0;
    let (protected, between_stations) = (flags & 0x40 != 0, flags & 3 == 3);
    if !is_data || protected {
        return Err(Skip::Wireless);
    }
    let mut header = HEADER + if between_stations { 6 } else { 0 };
    if kind & 0x80 != 0 {
        // Quality of service: bit 7 announces an A-MSDU (clause 9.2.4.5).
        if frame.get(at + header).ok_or(Skip::Cut)? & 0x80 != 0 {
            return Err(Skip::Wireless);
        }
        // The order bit announces the HT control field (clause 9.2.4.1.10).
        header += 2 + if flags & 0x80 != 0 { 4 } else { 0 };
    }
    if padded {
        header = header.next_multiple_of(4);
    }
    match layer::llc(frame, at + header, 0)? {
        (at, Layer::Type(ethertype)) => walk::by_ethertype(frame, at, ethertype),
        _ => Err(Skip::Wireless),
    }
}
