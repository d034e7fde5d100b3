//! Reads the head of an HTTP/1.x message: the start line, and the fields that airmile keeps (RFC
//! 9112 sections 2 to 6, RFC 9110 sections 8 and 14).

use airmile_types::http_method;

const VERSION: &[u8] = b"HTTP/1.";
/// The greatest length of a media type that is kept.
const TYPE_MOST: usize = 64;

/// The kind of a message.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Kind {
    /// A request with this method.
    Request(&'static str),
    /// A response with this status; `None` while the line is not complete.
    Response(Option<u16>),
}

/// The side of a connection that sends one kind of message.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Sender {
    Client,
    Server,
}

/// The head of a message, as far as it was captured.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Head {
    pub(super) kind: Kind,
    /// The media type without its parameters, in lower case.
    pub(super) media_type: Option<Box<str>>,
    pub(super) length: Option<i64>,
    pub(super) chunked: bool,
    /// First and last byte of `Content-Range`.
    pub(super) range: Option<(i64, i64)>,
    /// Whether the connection ends with this message (RFC 9112 section 9.3).
    pub(super) close: bool,
}

/// The kind of message that a payload begins with; `None` when it does not begin with one.
pub(super) fn begins(payload: &[u8]) -> Option<Kind> {
    if payload.starts_with(VERSION) {
        let status = payload.get(VERSION.len() + 2..).and_then(digits);
        return Some(Kind::Response(status));
    }
    http_method(payload).map(Kind::Request)
}

impl Kind {
    /// The side that sends messages of this kind.
    pub(super) const fn sender(self) -> Sender {
        match self {
            Self::Request(_) => Sender::Client,
            Self::Response(_) => Sender::Server,
        }
    }
}

/// Whether a head, or trailers, are whole: they end with an empty line.
pub(super) fn ends(bytes: &[u8]) -> bool {
    bytes.strip_suffix(b"\n").is_some_and(|lines| {
        let last = lines.rsplit(|byte| *byte == b'\n').next().unwrap_or_default();
        last.trim_ascii().is_empty()
    })
}

/// Reads a head. Of a head that was cut, reads the complete lines.
pub(super) fn read(bytes: &[u8]) -> Option<Head> {
    let kind = begins(bytes)?;
    let mut lines = bytes.split_inclusive(|byte| *byte == b'\n').filter(|line| line.ends_with(b"\n"));
    let first = lines.next().unwrap_or_default().trim_ascii_end();
    let old = first.starts_with(b"HTTP/1.0") || first.ends_with(b"HTTP/1.0");
    let mut head = Head { kind, media_type: None, length: None, chunked: false, range: None, close: old };
    for line in lines {
        if let Some(at) = line.iter().position(|byte| *byte == b':') {
            let (name, value) = line.split_at(at);
            head.field(name, value.get(1..).unwrap_or_default().trim_ascii());
        }
    }
    Some(head)
}

impl Head {
    fn field(&mut self, name: &[u8], value: &[u8]) {
        let is = |wanted: &[u8]| name.eq_ignore_ascii_case(wanted);
        if is(b"content-length") {
            self.length = number(value);
        } else if is(b"content-type") {
            self.media_type = media_type(value);
        } else if is(b"transfer-encoding") {
            self.chunked = contains(value, b"chunked");
        } else if is(b"content-range") {
            self.range = range(value);
        } else if is(b"connection") {
            self.close = contains(value, b"close") || (self.close && !contains(value, b"keep-alive"));
        }
    }
}

/// The size of a chunk, from its size line (RFC 9112 section 7.1); `None` when the line is not one.
pub(super) fn chunk_size(line: &[u8]) -> Option<i64> {
    let size = line.split(|byte| *byte == b';').next()?.trim_ascii();
    let is_plain = size.iter().all(u8::is_ascii_hexdigit);
    let text = std::str::from_utf8(size).ok().filter(|_| is_plain)?;
    i64::from_str_radix(text, 16).ok()
}

fn media_type(value: &[u8]) -> Option<Box<str>> {
    let bare = value.split(|byte| *byte == b';').next()?.trim_ascii();
    let plain = |byte: &u8| byte.is_ascii_graphic();
    if bare.is_empty() || bare.len() > TYPE_MOST || !bare.iter().all(plain) {
        return None;
    }
    std::str::from_utf8(bare).ok().map(|text| text.to_ascii_lowercase().into())
}

/// Reads `bytes FIRST-LAST/SIZE` (RFC 9110 section 14.4).
fn range(value: &[u8]) -> Option<(i64, i64)> {
    let text = std::str::from_utf8(value).ok()?.strip_prefix("bytes ")?;
    let (first, last) = text.split('/').next()?.split_once('-')?;
    let (first, last) = (number(first.trim().as_bytes())?, number(last.trim().as_bytes())?);
    (first <= last).then_some((first, last))
}

fn number(value: &[u8]) -> Option<i64> {
    let is_plain = value.iter().all(u8::is_ascii_digit);
    std::str::from_utf8(value).ok().filter(|_| is_plain)?.parse().ok()
}

fn digits(bytes: &[u8]) -> Option<u16> {
    let three = bytes.first_chunk::<3>()?;
    number(three).and_then(|status| u16::try_from(status).ok())
}

fn contains(value: &[u8], word: &[u8]) -> bool {
    value.split(|byte| *byte == b',').any(|part| part.trim_ascii().eq_ignore_ascii_case(word))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn fields_are_read_whatever_their_case_and_their_order() {
        let head = read(
            b"HTTP/1.1 206 Partial Content\r\ncontent-TYPE: Video/MP4; codecs=x\r\n\
              Connection: Keep-Alive, Close\r\nContent-Range: bytes 100-299/5000\r\n\
              Content-Length: 200\r\n\r\n",
        );
        let head = head.expect("it is a head");
        assert_eq!(head.kind, Kind::Response(Some(206)));
        assert_eq!(head.media_type.as_deref(), Some("video/mp4"));
        assert_eq!((head.length, head.range, head.close), (Some(200), Some((100, 299)), true));
    }

    #[test]
    fn a_line_that_was_cut_does_not_count() {
        let head = read(b"HTTP/1.1 200 OK\r\nContent-Length: 20").expect("it begins as a head");
        assert_eq!((head.kind, head.length), (Kind::Response(Some(200)), None));
        assert!(!ends(b"HTTP/1.1 200 OK\r\nContent-Length: 20\r\n"));
    }

    #[test]
    fn http_1_0_closes_unless_it_says_otherwise() {
        let close = |text: &str| read(text.as_bytes()).expect("it is a head").close;
        assert!(close("GET / HTTP/1.0\r\n\r\n"));
        assert!(!close("GET / HTTP/1.0\r\nConnection: keep-alive\r\n\r\n"));
        assert!(!close("GET / HTTP/1.1\r\n\r\n"));
    }

    #[test]
    fn what_is_no_number_is_unknown() {
        for text in ["-5", "+5", "5 5", "99999999999999999999", "0x10", ""] {
            assert_eq!(number(text.as_bytes()), None, "{text}");
        }
        assert_eq!(chunk_size(b"1a;name=value\r\n"), Some(26));
        assert_eq!(chunk_size(b"-1\r\n"), None);
        assert_eq!(chunk_size(b"+1\r\n"), None);
        assert_eq!(begins(b"HTTP/1.1 +20 OK\r\n"), Some(Kind::Response(None)));
        assert_eq!(range(b"bytes 5-4/10"), None);
        assert_eq!(range(b"bytes */10"), None);
    }
}
