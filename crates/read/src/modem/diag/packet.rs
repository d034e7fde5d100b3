//! Splits a log packet into code, time of logging, subscription and payload.

use airmile_types::Instant;

use crate::bytes::chunk;
use crate::modem::record::User;

/// The bytes before the payload that the length field includes: the field itself, the code and the
/// time.
const COUNTED_HEADER: usize = 12;

/// 1980-01-06, at which the modem's clock begins, in nanoseconds since 1970. The clock shows UTC,
/// so leap seconds are not subtracted.
const EPOCH_NS: i64 = 315_964_800_000_000_000;

/// A log packet.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct LogPacket<'a> {
    /// The log code, such as 0xB173.
    pub(crate) code: u16,
    /// The time at which the packet was logged, which is after the events that it describes.
    pub(crate) time: Instant,
    /// The subscription that the multi-radio wrapper names; 0 without a wrapper.
    pub(crate) user: User,
    /// The bytes of the message.
    pub(crate) payload: &'a [u8],
    /// The records of the message to leave out.
    pub(crate) deviating: Deviating,
}

/// Records of a message that contradict themselves, by their index.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Deviating(u64);

impl Deviating {
    /// No record.
    pub(crate) const NONE: Self = Self(0);

    /// Adds a record; the messages whose records are checked have at most 64.
    pub(crate) fn add(&mut self, record: usize) {
        if record < 64 {
            self.0 |= 1 << record;
        }
    }

    pub(crate) const fn contains(self, record: usize) -> bool {
        record < 64 && self.0 >> record & 1 == 1
    }

    /// The number of records.
    pub(crate) const fn count(self) -> u64 {
        self.0.count_ones() as u64
    }
}

impl<'a> LogPacket<'a> {
    /// Reads a log packet without its command, pending count and first length: a length, the code,
    /// the time and the payload. `None` if the length is wrong.
    #[inline]
    pub(super) fn new(bytes: &'a [u8], user: User) -> Option<Self> {
        let length = usize::from(u16::from_le_bytes(*chunk(bytes, 0)?));
        let code = u16::from_le_bytes(*chunk(bytes, 2)?);
        let time = instant(u64::from_le_bytes(*chunk(bytes, 4)?));
        let payload = bytes.get(COUNTED_HEADER..length)?;
        Some(Self { code, time, user, payload, deviating: Deviating::NONE })
    }
}

/// The instant of a time stamp, whose unit is 1/52,428,800 s: bits 16 and up count 1.25 ms.
#[inline]
pub(super) fn instant(stamp: u64) -> Instant {
    // 10^9 / 52,428,800 = 78,125 / 4096. The product fits 128 bits and is rounded down to the
    // nanosecond.
    let ns = (u128::from(stamp) * 78_125) >> 12;
    let ns = i64::try_from(ns).unwrap_or(i64::MAX);
    Instant::from_nanos(ns.saturating_add(EPOCH_NS))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn time_stamps() {
        assert_eq!(instant(0), Instant::from_nanos(EPOCH_NS));
        assert_eq!(instant(52_428_800), Instant::from_nanos(EPOCH_NS + 1_000_000_000));
        assert_eq!(instant(1 << 16), Instant::from_nanos(EPOCH_NS + 1_250_000));
        assert_eq!(instant(u64::MAX).as_nanos(), i64::MAX);
        // 2019-06-01 03:44:29.574046 UTC.
        assert_eq!(instant(65_189_753_366_723_782).as_nanos() / 1000, 1_559_360_669_574_046);
    }

    #[test]
    fn lengths() {
        let mut bytes = vec![14, 0, 0x73, 0xb1, 0, 0, 0, 0, 0, 0, 0, 0, 7, 8];
        let payload = LogPacket::new(&bytes, User(2)).map(|packet| packet.payload.to_vec());
        assert_eq!(payload, Some(vec![7, 8]));
        bytes[0] = 15;
        assert_eq!(LogPacket::new(&bytes, User(2)), None);
        bytes[0] = 11;
        assert_eq!(LogPacket::new(&bytes, User(2)), None);
    }
}
