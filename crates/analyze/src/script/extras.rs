//! Reads the text between braces after a packet, and makes the DNS messages that it may describe.

use std::net::IpAddr;

use airmile_read::Fragment;

use super::number::{Number, number, relative};
use super::tls;

/// The properties of a packet that the text between braces gives.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Extras {
    pub(super) flow: u32,
    pub(super) ttl: u8,
    pub(super) ecn: u8,
    pub(super) ip_id: Number,
    pub(super) teid: Option<u32>,
    pub(super) isn: Option<u32>,
    pub(super) super_segment: bool,
    pub(super) fragment: Fragment,
    pub(super) payload: Vec<u8>,
    pub(super) cut: Option<usize>,
}

impl Default for Extras {
    fn default() -> Self {
        Self {
            flow: 1,
            ttl: 64,
            ecn: 0,
            ip_id: Number::Is(0),
            teid: None,
            isn: None,
            super_segment: false,
            fragment: Fragment::Whole,
            payload: Vec::new(),
            cut: None,
        }
    }
}

/// Reads the text between braces.
pub(super) fn extras(text: &str) -> Result<Extras, String> {
    let mut extras = Extras::default();
    let words = words(text)?;
    let mut words = words.iter().map(String::as_str);
    while let Some(word) = words.next() {
        if word == "super" {
            extras.super_segment = true;
            continue;
        }
        if word == "first" {
            extras.fragment = Fragment::First;
            continue;
        }
        if word == "dns" {
            extras.payload = dns(&words.by_ref().collect::<Vec<_>>())?;
            continue;
        }
        if word == "tls" {
            extras.payload = tls::payload(&words.by_ref().collect::<Vec<_>>())?;
            continue;
        }
        let value = words.next().ok_or(format!("nothing after `{word}`"))?;
        match word {
            "flow" => extras.flow = number(value)?,
            "ttl" => extras.ttl = number(value)?,
            "ecn" => extras.ecn = number(value)?,
            "id" => extras.ip_id = identification(value)?,
            "teid" => extras.teid = Some(number(value)?),
            "isn" => extras.isn = Some(number(value)?),
            "later" => {
                extras.fragment = Fragment::Later;
                extras.payload = vec![0; number(value)?];
            }
            "cut" => extras.cut = Some(number(value)?),
            "payload" => extras.payload = value.as_bytes().to_vec(),
            "hex" => extras.payload = hex(value)?,
            _ => return Err(format!("`{word}` means nothing between braces")),
        }
    }
    Ok(extras)
}

/// Splits at white space outside of double quotes. Inside of quotes, `\r`, `
/// `, `\"` and `\\` are escapes.
fn words(text: &str) -> Result<Vec<String>, String> {
    let mut words = Vec::new();
    let mut letters = text.chars().peekable();
    while let Some(letter) = letters.next() {
        if letter.is_whitespace() {
            continue;
        }
        let mut word = String::new();
        if letter == '"' {
            loop {
                match letters.next().ok_or("a quotation mark without its partner")? {
                    '"' => break,
                    '\\' => word.push(match letters.next() {
                        Some('r') => '\r',
                        Some('n') => '\n',
                        Some(other) => other,
                        None => return Err("nothing after a backslash".into()),
                    }),
                    other => word.push(other),
                }
            }
        } else {
            word.push(letter);
            while let Some(next) = letters.next_if(|next| !next.is_whitespace()) {
                word.push(next);
            }
        }
        words.push(word);
    }
    Ok(words)
}

fn hex(text: &str) -> Result<Vec<u8>, String> {
    let digits: Vec<u32> = text.chars().filter_map(|letter| letter.to_digit(16)).collect();
    if !digits.len().is_multiple_of(2) {
        return Err(format!("`{text}` holds half a byte"));
    }
    Ok(digits.chunks_exact(2).map(|pair| (pair[0] * 16 + pair[1]) as u8).collect())
}

/// Makes the DNS message (RFC 1035 section 4) that `dns query ID TYPE NAME` or `dns answer ID TYPE
/// NAME [ADDRESS... | rcode N]` describes.
fn dns(words: &[&str]) -> Result<Vec<u8>, String> {
    let [what, id, kind, name, answers @ ..] = words else {
        return Err(
            "dns: write `dns query ID TYPE NAME` or `dns answer ID TYPE NAME ADDRESS...`".into()
        );
    };
    let (rcode, addresses) = match answers {
        ["rcode", code] => (number::<u16>(code)?, &[][..]),
        addresses => (0, addresses),
    };
    let flags = match *what {
        "query" => 0x0100,
        "answer" => 0x8180 | rcode,
        other => return Err(format!("dns: neither query nor answer: `{other}`")),
    };
    let kind = match *kind {
        "A" => 1,
        "AAAA" => 28,
        "HTTPS" => 65,
        other => number(other)?,
    };
    let mut message = Vec::new();
    for word in [number(id)?, flags, 1, addresses.len() as u16, 0, 0] {
        message.extend(u16::to_be_bytes(word));
    }
    for label in name.split('.').filter(|label| !label.is_empty()) {
        message.push(label.len() as u8);
        message.extend(label.as_bytes());
    }
    message.push(0);
    for word in [kind, 1] {
        message.extend(u16::to_be_bytes(word));
    }
    for address in addresses {
        resource(
            &mut message,
            address.parse().map_err(|_| format!("dns: `{address}` is no address"))?,
        );
    }
    Ok(message)
}

/// Appends one address record whose name is a pointer to the question.
fn resource(message: &mut Vec<u8>, address: IpAddr) {
    let (kind, octets) = match address {
        IpAddr::V4(v4) => (1_u8, v4.octets().to_vec()),
        IpAddr::V6(v6) => (28, v6.octets().to_vec()),
    };
    message.extend([0xc0, 12, 0, kind, 0, 1, 0, 0, 0, 60, 0, octets.len() as u8]);
    message.extend(octets);
}

/// Reads an IPv4 identification: `7`, or `+1` after the sender's packet before, from 65,535 on to 0.
fn identification(word: &str) -> Result<Number, String> {
    match relative(word)? {
        Number::Is(id) if u16::try_from(id).is_err() => Err(format!("id {id} is not below 65536")),
        Number::Newest => Err(format!("id {word}: a number, or +NUMBER")),
        read => Ok(read),
    }
}
