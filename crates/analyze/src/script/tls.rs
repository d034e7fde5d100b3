//! Makes the TLS records that a line may give a packet: `tls client_hello(www.example.com)`.

use super::number::number;

const CHANGE_CIPHER_SPEC: u8 = 20;
const ALERT: u8 = 21;
const HANDSHAKE: u8 = 22;
const APPLICATION: u8 = 23;

/// The `random` that makes a ServerHello a HelloRetryRequest (RFC 8446 section 4.1.3).
const RETRY: [u8; 32] = [
    0xcf, 0x21, 0xad, 0x74, 0xe5, 0x9a, 0x61, 0x11, 0xbe, 0x1d, 0x8c, 0x02, 0x1e, 0x65, 0xb8, 0x91,
    0xc2, 0xa2, 0x11, 0x16, 0x7a, 0xbb, 0x8c, 0x5e, 0x07, 0x9e, 0x09, 0xe2, 0xc8, 0xa8, 0x33, 0x9c,
];
const RANDOM: [u8; 32] = [7; 32];

/// Makes records one after the other. With a first word `A..B` or `A..`, returns only those of
/// their bytes.
pub(super) fn payload(words: &[&str]) -> Result<Vec<u8>, String> {
    let range = words.first().and_then(|word| word.split_once(".."));
    let records = if range.is_some() { &words[1..] } else { words };
    let mut bytes = Vec::new();
    for word in records {
        record(word, &mut bytes)?;
    }
    let Some((from, to)) = range else { return Ok(bytes) };
    let to = if to.is_empty() { bytes.len() } else { number(to)? };
    let from: usize = number(from)?;
    let part = bytes.get(from..to).ok_or(format!("tls: there are {} bytes", bytes.len()))?;
    Ok(part.to_vec())
}

fn record(word: &str, out: &mut Vec<u8>) -> Result<(), String> {
    let (name, argument) = word.trim_end_matches(')').split_once('(').unwrap_or((word, ""));
    let (kind, body) = match (name, argument) {
        ("client_hello", name) => (HANDSHAKE, client_hello(name)),
        ("server_hello", version) => (HANDSHAKE, server_hello(version, RANDOM)?),
        ("retry", "") => (HANDSHAKE, server_hello("1.3", RETRY)?),
        ("ccs", "") => (CHANGE_CIPHER_SPEC, vec![1]),
        ("alert", "") => (ALERT, vec![2, 40]),
        ("finished", "") => (APPLICATION, vec![0xee; 53]),
        ("handshake", bytes) => (HANDSHAKE, vec![0x0b; number(bytes)?]),
        ("app", bytes) => (APPLICATION, vec![0xee; number(bytes)?]),
        _ => return Err(format!("`{word}` is no TLS record known here")),
    };
    out.extend([kind, 3, 3]);
    sized16(&body, out);
    Ok(())
}

/// A ClientHello (RFC 8446 section 4.1.2) with the protocols h2 and http/1.1, and without a name
/// when `name` is empty.
fn client_hello(name: &str) -> Vec<u8> {
    let mut list = Vec::new();
    list.push(0);
    sized16(name.as_bytes(), &mut list);
    let mut named = Vec::new();
    sized16(&list, &mut named);
    let mut extensions = Vec::new();
    if !name.is_empty() {
        extension(0, &named, &mut extensions);
    }
    extension(16, b"\0\x0c\x02h2\x08http/1.1", &mut extensions);
    extension(43, &[2, 3, 4], &mut extensions);
    extension(21, &[0; 100], &mut extensions);
    let mut body = vec![3, 3];
    body.extend(RANDOM);
    body.extend([0, 0, 2, 0x13, 1, 1, 0]);
    sized16(&extensions, &mut body);
    message(1, &body)
}

/// A ServerHello (RFC 8446 section 4.1.3). A version above 1.2 is in an extension.
fn server_hello(version: &str, random: [u8; 32]) -> Result<Vec<u8>, String> {
    let (minor, extended) = match version {
        "" | "1.3" => (3, true),
        "1.2" => (3, false),
        "1.0" => (1, false),
        other => return Err(format!("tls: no version is called `{other}`")),
    };
    let mut body = vec![3, minor];
    body.extend(random);
    body.extend([0, 0x13, 1, 0]);
    let mut extensions = Vec::new();
    if extended {
        extension(43, &[3, 4], &mut extensions);
    }
    extension(51, &[0; 36], &mut extensions);
    sized16(&extensions, &mut body);
    Ok(message(2, &body))
}

fn message(kind: u8, body: &[u8]) -> Vec<u8> {
    let [_, length @ ..] = (body.len() as u32).to_be_bytes();
    [&[kind], &length[..], body].concat()
}

fn extension(kind: u16, body: &[u8], out: &mut Vec<u8>) {
    out.extend(kind.to_be_bytes());
    sized16(body, out);
}

fn sized16(body: &[u8], out: &mut Vec<u8>) {
    out.extend((body.len() as u16).to_be_bytes());
    out.extend(body);
}
