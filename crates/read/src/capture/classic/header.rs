//! Reads the header of a file, and the headers of its records.

use crate::bytes::Order;
use crate::capture::record::{LARGEST_CAPTURED, LARGEST_PLAUSIBLE_WIRE};

/// The length of the file header in bytes.
pub(crate) const FILE_HEADER: usize = 24;

/// The length of a record header in Alexey Kuznetzov's variant, which adds interface, protocol and
/// packet type.
pub(super) const KUZNETZOV_HEADER: usize = 24;

pub(crate) const RECORD_HEADER: usize = 16;

/// The four numbers in a record header.
#[derive(Clone, Copy)]
pub(super) struct Header {
    pub(super) seconds: u32,
    pub(super) fraction: u32,
    pub(super) captured: u32,
    pub(super) wire: u32,
}

impl Header {
    #[inline]
    pub(super) const fn little_endian(h: &[u8; RECORD_HEADER]) -> Self {
        Self {
            seconds: u32::from_le_bytes([h[0], h[1], h[2], h[3]]),
            fraction: u32::from_le_bytes([h[4], h[5], h[6], h[7]]),
            captured: u32::from_le_bytes([h[8], h[9], h[10], h[11]]),
            wire: u32::from_le_bytes([h[12], h[13], h[14], h[15]]),
        }
    }
}

/// Whether lengths and time have values that programs write into captures.
#[inline]
pub(super) const fn is_usual(header: &Header, units: u32) -> bool {
    // All conditions are tested at once, because all of them nearly always hold.
    (header.captured.wrapping_sub(1) < LARGEST_CAPTURED)
        & (header.captured <= header.wire)
        & (header.wire <= LARGEST_PLAUSIBLE_WIRE)
        & (header.fraction < units)
}

/// The byte order, the number of nanoseconds in a unit of time, and the length of a record header
/// in bytes; `None` for another magic number.
pub(super) const fn magic(bytes: [u8; 4]) -> Option<(Order, u32, usize)> {
    let little = u32::from_le_bytes(bytes);
    let big = u32::from_be_bytes(bytes);
    Some(match (little, big) {
        (0xa1b2_c3d4, _) => (Order::Little, 1_000, RECORD_HEADER),
        (_, 0xa1b2_c3d4) => (Order::Big, 1_000, RECORD_HEADER),
        (0xa1b2_3c4d, _) => (Order::Little, 1, RECORD_HEADER),
        (_, 0xa1b2_3c4d) => (Order::Big, 1, RECORD_HEADER),
        (0xa1b2_cd34, _) => (Order::Little, 1_000, KUZNETZOV_HEADER),
        (_, 0xa1b2_cd34) => (Order::Big, 1_000, KUZNETZOV_HEADER),
        _ => return None,
    })
}

/// Whether a file with these first bytes is a classic pcap.
pub(crate) const fn is_magic(bytes: [u8; 4]) -> bool {
    magic(bytes).is_some()
}

#[derive(PartialEq, Eq)]
pub(super) enum Judgement {
    Fine,
    /// The record is accepted only if another record follows.
    Odd,
    Corrupt,
}
