//! What transfers need to know of HTTP/1.x in clear; the caller follows the messages of a flow.

use airmile_track::Segment;

/// Where a flow's messages of HTTP/1.x in clear are when the newest segment with payload comes. All
/// is false where they cannot be followed.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct HttpProgress {
    /// The segment continues a message that an earlier one began, by its length, its chunks, or up
    /// to the connection's close.
    pub continues: bool,
    /// A request before it has no response, or only a part of one.
    pub owes: bool,
    /// It begins with a response.
    pub responds: bool,
}

/// Whether the segment begins with a request line of HTTP/1.x in clear, which shows more than a
/// size does.
pub(super) fn is_http(segment: &Segment<'_>) -> bool {
    const METHODS: [&[u8]; 7] =
        [b"GET ", b"POST ", b"PUT ", b"HEAD ", b"DELETE ", b"OPTIONS ", b"PATCH "];
    let initial = segment.payload.first();
    initial.is_some_and(|byte| b"GPHDO".contains(byte))
        && METHODS.iter().any(|method| segment.payload.starts_with(method))
}

/// The number of requests of HTTP/1.x in clear in one packet. Those whose line was not captured to
/// its end count as one.
pub(super) fn request_lines(segment: &Segment<'_>) -> u32 {
    const VERSION: &[u8] = b" HTTP/1.";
    let lines = segment.payload.windows(VERSION.len()).filter(|bytes| *bytes == VERSION).count();
    lines.max(1) as u32
}
