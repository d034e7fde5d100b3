//! Whether a payload begins as a request or a response of HTTP/1 does.

use airmile_track::Segment;

/// A request line of HTTP/1.x in clear tells more than a size.
pub(super) fn is_http(segment: &Segment<'_>) -> bool {
    const METHODS: [&[u8]; 7] =
        [b"GET ", b"POST ", b"PUT ", b"HEAD ", b"DELETE ", b"OPTIONS ", b"PATCH "];
    let initial = segment.payload.first();
    initial.is_some_and(|byte| b"GPHDO".contains(byte))
        && METHODS.iter().any(|method| segment.payload.starts_with(method))
}
