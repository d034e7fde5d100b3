//! Defines the state of HTTP/1.x in clear that transfers need; the caller follows the messages of a
//! flow.

use airmile_track::Segment;
use airmile_types::http_method;

/// The state of a flow's HTTP/1.x messages in clear when the newest segment with payload arrives.
/// All fields are false when the messages cannot be followed.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct HttpProgress {
    /// The segment continues a message that an earlier segment began. The message's length, its
    /// chunks or the close of the connection show where the message ends.
    pub continues: bool,
    /// An earlier request has no response, or only a part of one.
    pub owes: bool,
    /// With this segment a response has come in part: its length, or the lack of its last chunk, shows
    /// that more may come.
    pub owes_rest: bool,
    /// The segment begins with a response.
    pub responds: bool,
}

impl HttpProgress {
    /// The state of messages that cannot be followed.
    pub const UNKNOWN: Self =
        Self { continues: false, owes: false, owes_rest: false, responds: false };
}

/// Whether the segment begins with an HTTP/1.x request line in clear, which is better evidence than
/// its size.
pub(super) fn is_http(segment: &Segment<'_>) -> bool {
    http_method(segment.payload).is_some()
}

/// The number of HTTP/1.x requests in clear in one packet. All requests whose line was not captured
/// to its end count together as one.
pub(super) fn request_lines(segment: &Segment<'_>) -> u32 {
    const VERSION: &[u8] = b" HTTP/1.";
    let lines = segment.payload.windows(VERSION.len()).filter(|bytes| *bytes == VERSION).count();
    lines.max(1) as u32
}
