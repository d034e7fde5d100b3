//! Reads the two hello messages of a handshake, as far as they were captured (RFC 8446 sections
//! 4.1.2 and 4.1.3; RFC 5246 sections 7.4.1.2 and 7.4.1.3).

use airmile_types::Held;

/// Extension types (RFC 6066, RFC 7301, RFC 8446).
const SERVER_NAME: u16 = 0;
const ALPN: u16 = 16;
const SUPPORTED_VERSIONS: u16 = 43;

/// The length of the version and the `random` in either hello.
const FIXED: usize = 2 + 32;
/// The length of the type and the length field of a handshake message.
const MESSAGE_HEADER: usize = 4;
/// The only name type that exists (RFC 6066 section 3).
const HOST_NAME: u8 = 0;
/// The greatest length of a server's name (RFC 1035 section 3.1).
const NAME_MOST: usize = 255;

/// Message types of a ClientHello and of a ServerHello.
pub(super) const CLIENT_HELLO: u8 = 1;
pub(super) const SERVER_HELLO: u8 = 2;

/// A version of TLS.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Version {
    Ssl3,
    Tls10,
    Tls11,
    Tls12,
    Tls13,
}

impl Version {
    /// The version as the tables name it.
    pub(super) const fn as_str(self) -> &'static str {
        match self {
            Self::Ssl3 => "ssl3",
            Self::Tls10 => "1.0",
            Self::Tls11 => "1.1",
            Self::Tls12 => "1.2",
            Self::Tls13 => "1.3",
        }
    }

    const fn from_number(number: u16) -> Option<Self> {
        match number {
            0x0300 => Some(Self::Ssl3),
            0x0301 => Some(Self::Tls10),
            0x0302 => Some(Self::Tls11),
            0x0303 => Some(Self::Tls12),
            // RFC 8446's drafts counted up from 0x7f00; the drafts of one large site from 0xfb00.
            0x0304 | 0x7f00..=0x7fff | 0xfb00..=0xfbff => Some(Self::Tls13),
            _ => None,
        }
    }
}

/// What is read from a ClientHello.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct ClientHello {
    pub(super) server_name: Option<Box<str>>,
    /// The application protocols that the client offers, in its order, joined by commas.
    pub(super) protocols: Option<Box<str>>,
    /// Whether all of the hello was captured and HTTP/2 is not among the offered protocols.
    pub(super) without_h2: bool,
}

impl Held for ClientHello {
    fn held_bytes(&self) -> usize {
        [&self.server_name, &self.protocols].into_iter().flatten().map(|text| text.len()).sum()
    }
}

/// Reads a ClientHello with its message header; parts that were cut off are left out.
pub(super) fn client_hello(bytes: &[u8]) -> ClientHello {
    let whole = length(bytes).is_some_and(|length| length <= bytes.len());
    let mut hello = ClientHello { without_h2: whole, ..ClientHello::default() };
    for (kind, body) in extensions(offered(bytes).unwrap_or_default()) {
        match kind {
            SERVER_NAME => hello.server_name = server_name(body),
            ALPN => {
                hello.without_h2 &= !body.windows(3).any(|word| word == b"\x02h2");
                hello.protocols = protocols(body);
            }
            _ => {}
        }
    }
    hello
}

/// The extensions of a ClientHello.
fn offered(bytes: &[u8]) -> Option<&[u8]> {
    let mut rest = Reader(bytes);
    rest.message(CLIENT_HELLO)?;
    rest.take(FIXED)?;
    rest.vector8()?;
    rest.vector16()?;
    rest.vector8()?;
    rest.vector16()
}

/// What is read from a ServerHello.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct ServerHello {
    pub(super) version: Option<Version>,
    /// The application protocol that the server chooses; TLS 1.3 encrypts it.
    pub(super) protocol: Option<Box<str>>,
}

/// Reads a ServerHello with its message header; `None` when it was cut. A HelloRetryRequest has the
/// same shape.
pub(super) fn server_hello(bytes: &[u8]) -> Option<ServerHello> {
    let mut rest = Reader(bytes);
    let length = rest.message(SERVER_HELLO)?;
    let mut body = Reader(rest.take(length)?);
    let legacy = body.u16()?;
    body.take(FIXED - 2)?;
    body.vector8()?;
    // Skips the cipher suite and the compression method.
    body.take(3)?;
    let offered = body.vector16().unwrap_or_default();
    let body_of = |wanted| extensions(offered).find(|(kind, _)| *kind == wanted).map(|(_, body)| body);
    let chosen = body_of(SUPPORTED_VERSIONS).and_then(|body| Reader(body).u16());
    Some(ServerHello {
        version: Version::from_number(chosen.unwrap_or(legacy)),
        protocol: body_of(ALPN).and_then(protocols),
    })
}

/// The names of an ALPN extension (RFC 7301 section 3.1), joined by commas. `None` when the
/// extension was cut, or contains a character that no registered name contains.
fn protocols(bytes: &[u8]) -> Option<Box<str>> {
    let mut rest = Reader(bytes);
    let mut names = Reader(rest.whole16()?);
    let mut text = String::new();
    while !names.0.is_empty() && text.len() < NAME_MOST {
        let length = names.u8()?;
        let name = std::str::from_utf8(names.take(length.into())?).ok()?;
        // GREASE values (RFC 8701 section 3.1) are not protocols.
        if name.bytes().all(|byte| byte.is_ascii_graphic() && byte != b',') {
            text += if text.is_empty() { "" } else { "," };
            text += name;
        }
    }
    (!text.is_empty()).then(|| text.into())
}

/// The length of a hello in bytes, message header included. `None` until the length was captured,
/// and 0 when the bytes are not a hello.
pub(super) fn length(bytes: &[u8]) -> Option<usize> {
    let kind = *bytes.first()?;
    if kind != CLIENT_HELLO && kind != SERVER_HELLO {
        return Some(0);
    }
    Some(Reader(bytes).message(kind)? + MESSAGE_HEADER)
}

/// The extensions that were captured; the last may be cut.
fn extensions(bytes: &[u8]) -> impl Iterator<Item = (u16, &[u8])> {
    let mut rest = Reader(bytes);
    std::iter::from_fn(move || Some((rest.u16()?, rest.vector16()?)))
}

/// The first host name of the list; `None` when the name was cut, or is not a host name.
fn server_name(bytes: &[u8]) -> Option<Box<str>> {
    let mut rest = Reader(bytes);
    rest.u16()?;
    let length = (rest.u8()? == HOST_NAME).then(|| rest.u16())??;
    host_name(rest.take(length.into())?)
}

/// A host name in lower case. `None` when it contains a character that host names do not contain
/// (RFC 1123 section 2.1, and `_`), so that no text from outside reaches a terminal or a file
/// unchecked.
pub(super) fn host_name(name: &[u8]) -> Option<Box<str>> {
    let plain = |byte: &u8| byte.is_ascii_alphanumeric() || b"-._".contains(byte);
    let fits = (1..=NAME_MOST).contains(&name.len()) && name.iter().all(plain);
    let text = std::str::from_utf8(name).ok().filter(|_| fits)?.trim_end_matches('.');
    (!text.is_empty()).then(|| text.to_ascii_lowercase().into())
}

/// Reads from the front; returns `None` when there are too few bytes, except for vectors, which may
/// be cut.
struct Reader<'a>(&'a [u8]);

impl<'a> Reader<'a> {
    fn take(&mut self, count: usize) -> Option<&'a [u8]> {
        let (front, rest) = self.0.split_at_checked(count)?;
        self.0 = rest;
        Some(front)
    }

    fn u8(&mut self) -> Option<u8> {
        self.take(1)?.first().copied()
    }

    fn u16(&mut self) -> Option<u16> {
        self.take(2)?.first_chunk::<2>().map(|bytes| u16::from_be_bytes(*bytes))
    }

    /// A vector with a length of 16 bits; `None` when the vector was cut.
    fn whole16(&mut self) -> Option<&'a [u8]> {
        let length = self.u16()?;
        self.take(length.into())
    }

    /// The length of a message when it is of this kind.
    fn message(&mut self, kind: u8) -> Option<usize> {
        let [found, high, middle, low] = *self.take(MESSAGE_HEADER)?.first_chunk::<4>()?;
        (found == kind).then(|| u32::from_be_bytes([0, high, middle, low]) as usize)
    }

    fn vector8(&mut self) -> Option<&'a [u8]> {
        let length = self.u8()?;
        self.cut(length.into())
    }

    fn vector16(&mut self) -> Option<&'a [u8]> {
        let length = self.u16()?;
        self.cut(length.into())
    }

    /// The next `count` bytes, or as many as are left.
    fn cut(&mut self, count: usize) -> Option<&'a [u8]> {
        self.take(count.min(self.0.len()))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn hello(kind: u8, body: &[u8]) -> Vec<u8> {
        let length = u16::try_from(body.len()).expect("it is short").to_be_bytes();
        [&[kind, 0, length[0], length[1]], body].concat()
    }

    #[test]
    fn the_protocol_that_a_server_of_tls_1_2_chooses() {
        let alpn = b"\x00\x10\x00\x0b\x00\x09\x08http/1.1";
        let fixed = [&[3, 3][..], &[0; 32], &[0, 0xc0, 0x2f, 0, 0, 15], alpn].concat();
        let chosen = server_hello(&hello(SERVER_HELLO, &fixed)).expect("it is whole");
        assert_eq!(chosen.version, Some(Version::Tls12));
        assert_eq!(chosen.protocol.as_deref(), Some("http/1.1"));
    }

    #[test]
    fn what_is_no_name_of_a_protocol_is_left_out_and_a_cut_list_is_unknown() {
        let list = b"\x00\x0f\x02\x0a\x0a\x02h2\x08http/1.1";
        assert_eq!(protocols(list).as_deref(), Some("h2,http/1.1"));
        assert_eq!(protocols(&list[..list.len() - 1]), None);
        assert_eq!(protocols(b"\x00\x04\x03a,b"), None);
    }
}
