//! Says whether a segment emptied its sender's buffer.

use airmile_read::TcpFlags;
use airmile_track::Segment;

/// Whether the segment is short and has PSH: the sender had nothing more to send (RFC 9293 section
/// 3.9.1.2). A sender with a backlog fills every segment; PSH alone also ends each write of a bulk
/// transfer.
#[inline]
pub(super) fn empties_buffer(segment: &Segment<'_>, mss: i64) -> bool {
    let payload = i64::from(segment.payload_bytes);
    segment.flags.has(TcpFlags::PSH) && payload != mss && payload.checked_rem(mss) != Some(0)
}
