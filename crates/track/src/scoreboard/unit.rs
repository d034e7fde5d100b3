//! Finds the size of full segments from packets that several segments were merged into
//! (methods C6).

/// The segment size that a sender may assume without an MSS option (RFC 9293 section 3.7.1).
pub(super) const LEAST_MSS_BYTES: u32 = 536;

/// The greatest payload of a segment on a path of Ethernet (MTU 1,500, 40 bytes of headers).
const MOST_BYTES: u32 = 1460;

/// A payload that no other confirms may end a write.
const FREQUENT: u8 = 2;

/// The number of which most merged payloads are multiples.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Unit {
    bytes: u16,
    /// How many payloads more were multiples than were not, as in a vote by majority (Boyer and
    /// Moore).
    votes: u8,
}

impl Unit {
    /// Takes the payload of a merged packet, and returns whether it changes the number. One that ends
    /// a write is no multiple: what it has in common with others is less than `largest`, a segment
    /// that was seen alone.
    pub(super) fn take(&mut self, payload: u32, largest: u32) -> bool {
        // The length field of IP has 16 bits: a larger packet (RFC 2675) has no number here.
        let Ok(payload) = u16::try_from(payload) else { return false };
        let before = self.frequent();
        let common = common(self.bytes, payload);
        if self.votes == 0 {
            (self.bytes, self.votes) = (payload, 1);
        } else if u32::from(common) < largest.max(LEAST_MSS_BYTES) {
            self.votes -= 1;
        } else {
            (self.bytes, self.votes) = (common, self.votes.saturating_add(1));
        }
        self.frequent() != before
    }

    /// The number, once frequent payloads show it.
    fn frequent(self) -> Option<u32> {
        (self.votes >= FREQUENT).then_some(self.bytes.into())
    }

    /// The size of a full segment, of which none is smaller than `largest`; `None` without frequent
    /// merged packets. Where all packets were merged of the same number of segments, it is the largest part
    /// that Ethernet carries; payloads without such a part are segments of a path with larger
    /// packets.
    pub(super) fn segment(self, largest: u32) -> Option<u32> {
        let least = largest.max(LEAST_MSS_BYTES);
        let bytes = self.frequent().filter(|bytes| *bytes >= least)?;
        let parts = (1..=bytes / least).filter(|count| bytes % count == 0);
        let part = parts.map(|count| bytes / count).find(|part| *part <= MOST_BYTES);
        part.or(Some(bytes))
    }
}

/// The greatest common divisor.
const fn common(mut a: u16, mut b: u16) -> u16 {
    while b != 0 {
        (a, b) = (b, a % b);
    }
    a
}

#[cfg(test)]
mod tests {
    use super::*;

    fn segment(payloads: &[u32], largest: u32) -> Option<u32> {
        let mut unit = Unit::default();
        for payload in payloads {
            unit.take(*payload, largest);
        }
        unit.segment(largest)
    }

    #[test]
    fn merged_payloads_show_the_segment() {
        assert_eq!(segment(&[2 * 1400, 3 * 1400, 7 * 1400], 0), Some(1400));
        assert_eq!(segment(&[2 * 1448; 3], 0), Some(1448));
        assert_eq!(segment(&[2 * 1448; 3], 1448), Some(1448));
        assert_eq!(segment(&[2 * 1448; 3], 300), Some(1448), "a short segment is not a full one");
        assert_eq!(segment(&[], 300), None);
    }

    #[test]
    fn a_payload_that_ends_a_write_is_outvoted() {
        assert_eq!(segment(&[1700, 2800, 4200, 1900, 9800, 2800], 0), Some(1400));
    }

    #[test]
    fn a_write_that_ends_in_half_a_segment_is_outvoted() {
        assert_eq!(segment(&[2800, 4200, 2100, 2800], 1400), Some(1400));
        assert_eq!(segment(&[2100, 2800, 4200, 2800], 1400), Some(1400));
    }

    #[test]
    fn no_segment_is_smaller_than_one_seen() {
        let mut unit = Unit::default();
        for payload in [2800, 4200, 2100] {
            unit.take(payload, 0);
        }
        assert_eq!(unit.segment(1400), None);
    }

    #[test]
    fn packets_longer_than_their_field_show_nothing() {
        assert_eq!(segment(&[70_000; 3], 0), None);
    }

    #[test]
    fn a_number_that_is_no_longer_frequent_is_a_change() {
        let mut unit = Unit::default();
        assert_eq!([2800, 4200, 1700].map(|payload| unit.take(payload, 0)), [false, true, true]);
        assert_eq!(unit.segment(0), None);
    }

    #[test]
    fn larger_packets_are_not_merged_ones() {
        assert_eq!(segment(&[8948; 3], 0), Some(8948));
    }
}
