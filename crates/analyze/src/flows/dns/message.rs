//! Reads as much of a DNS message as was captured (RFC 1035 section 4.1). The input may be cut or
//! malformed: reading then ends there, and what was read before is kept.

use airmile_types::Address;

/// The header of a message, and its first question.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Message {
    pub(super) id: u16,
    pub(super) response: bool,
    pub(super) truncated: bool,
    pub(super) rcode: u16,
    pub(super) answers: u16,
    /// The name in lower case, without the last dot; `None` when none of it was captured.
    pub(super) name: Option<String>,
    pub(super) name_cut: bool,
    pub(super) query_type: Option<u16>,
}

/// The length of the fixed header (RFC 1035 section 4.1.1).
const HEADER: usize = 12;
const RESPONSE: u16 = 0x8000;
const OPCODE: u16 = 0x7800;
const TRUNCATED: u16 = 0x0200;
const RCODE: u16 = 0x000f;
/// The greatest length of a name in octets, length octets included (RFC 1035 section 3.1).
const NAME_MOST: usize = 255;
/// The greatest length of a label. In larger values the two high bits mark a pointer (RFC 1035
/// section 4.1.4) or are reserved. A first question has nothing before it to point at, so that
/// neither is valid there.
const LABEL_MOST: u8 = 63;

impl Message {
    /// Reads a message; `None` when it is not a standard query with a question, or the response to
    /// one.
    pub(super) fn read(bytes: &[u8]) -> Option<Self> {
        let word = |at: usize| Some(u16::from_be_bytes([*bytes.get(at)?, *bytes.get(at + 1)?]));
        let (id, flags) = (word(0)?, word(2)?);
        let (questions, answers) = (word(4)?, word(6)?);
        word(HEADER - 2)?;
        if flags & OPCODE != 0 || questions == 0 {
            return None;
        }
        let name = name(bytes.get(HEADER..)?)?;
        Some(Self {
            id,
            response: flags & RESPONSE != 0,
            truncated: flags & TRUNCATED != 0,
            rcode: flags & RCODE,
            answers,
            query_type: name.end.and_then(|end| word(HEADER + end)),
            name_cut: name.end.is_none(),
            name: name.text,
        })
    }

    /// Whether both messages belong to one transaction: the identifiers are equal, and names and
    /// types agree as far as they were captured.
    pub(super) fn matches(&self, other: &Self) -> bool {
        let names = match (&self.name, &other.name) {
            (Some(a), Some(b)) if self.name_cut || other.name_cut => a.starts_with(b.as_str()) || b.starts_with(a.as_str()),
            (Some(a), Some(b)) => a == b,
            _ => true,
        };
        let types = self.query_type.zip(other.query_type).is_none_or(|(a, b)| a == b);
        self.id == other.id && names && types
    }
}

/// The greatest number of records of an answer section that are read.
const RECORDS_MOST: u16 = 32;

/// The addresses in the answer section (RFC 1035 section 3.4.1, RFC 3596 section 2.2), as far as it
/// was captured.
pub(super) fn addresses(bytes: &[u8]) -> Vec<Address> {
    let word = |at: usize| Some(u16::from_be_bytes([*bytes.get(at)?, *bytes.get(at + 1)?]));
    let mut addresses = Vec::new();
    let mut read = || -> Option<()> {
        let (questions, answers) = (word(4)?, word(6)?.min(RECORDS_MOST));
        let mut at = HEADER;
        for _ in 0..questions.min(RECORDS_MOST) {
            at = name_end(bytes, at)? + 4;
        }
        for _ in 0..answers {
            // Type, class, time to live and length come before the data.
            let fixed = name_end(bytes, at)?;
            let data = fixed + 10;
            at = data + usize::from(word(fixed + 8)?);
            addresses.extend(address(word(fixed)?, bytes.get(data..at)?));
        }
        Some(())
    };
    read();
    addresses
}

/// The offset after a name, which ends in the root or in a pointer.
fn name_end(bytes: &[u8], mut at: usize) -> Option<usize> {
    loop {
        match *bytes.get(at)? {
            0 => return Some(at + 1),
            length if length > LABEL_MOST => return Some(at + 2),
            length => at += 1 + usize::from(length),
        }
    }
}

fn address(kind: u16, data: &[u8]) -> Option<Address> {
    match kind {
        1 => data.try_into().ok().map(Address::v4),
        28 => data.try_into().ok().map(Address::v6),
        _ => None,
    }
}

/// A name as far as it was captured.
struct Name {
    text: Option<String>,
    /// The number of octets that the name takes; `None` when it was cut.
    end: Option<usize>,
}

/// Reads labels up to the root; `None` when the bytes are not a name.
fn name(bytes: &[u8]) -> Option<Name> {
    let mut text = String::new();
    let mut at = 0;
    while let Some(&length) = bytes.get(at) {
        at += 1;
        if length == 0 {
            let root = if text.is_empty() { ".".to_owned() } else { text };
            return Some(Name { text: Some(root), end: Some(at) });
        }
        let next = at + usize::from(length);
        if length > LABEL_MOST || next >= NAME_MOST {
            return None;
        }
        if !text.is_empty() {
            text.push('.');
        }
        let label = bytes.get(at..next.min(bytes.len())).unwrap_or_default();
        label.iter().for_each(|octet| spell(*octet, &mut text));
        if next > bytes.len() {
            break;
        }
        at = next;
    }
    Some(Name { text: Some(text).filter(|text| !text.is_empty()), end: None })
}

/// Writes an octet of a name in lower case, because resolvers mix case on purpose. Characters other
/// than plain ones are written as \DDD (RFC 4343 section 2.1).
fn spell(octet: u8, text: &mut String) {
    match octet {
        b'.' | b'\\' => text.extend(['\\', char::from(octet)]),
        0x21..=0x7e => text.push(char::from(octet.to_ascii_lowercase())),
        _ => text.push_str(&format!("\\{octet:03}")),
    }
}

/// The name of a query type.
pub(super) fn type_word(number: u16) -> String {
    let word = match number {
        1 => "A",
        2 => "NS",
        5 => "CNAME",
        6 => "SOA",
        12 => "PTR",
        15 => "MX",
        16 => "TXT",
        28 => "AAAA",
        33 => "SRV",
        35 => "NAPTR",
        64 => "SVCB",
        65 => "HTTPS",
        255 => "ANY",
        // RFC 3597 section 5 gives this form to types that have no name here.
        other => return format!("TYPE{other}"),
    };
    word.to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    const QUERY: &[u8] = b"\x12\x34\x01\x00\x00\x01\x00\x00\x00\x00\x00\x00\x03wWw\x07example\x03com\x00\x00\x1c\x00\x01";

    #[test]
    fn every_cut_keeps_what_it_can() {
        for cut in 0..QUERY.len() {
            let message = Message::read(&QUERY[..cut]);
            assert_eq!(message.is_some(), cut >= HEADER, "cut at {cut}");
            if let Some(message) = message {
                assert_eq!(message.name_cut, cut < QUERY.len() - 4, "cut at {cut}");
                assert!(message.name.is_none_or(|name| "www.example.com".starts_with(name.as_str())));
            }
        }
    }

    #[test]
    fn a_label_with_a_dot_and_a_space_is_spelt() {
        let message = Message::read(b"\0\0\x01\0\0\x01\0\0\0\0\0\0\x03a. \0\0\x01\0\x01").unwrap();
        assert_eq!(message.name.as_deref(), Some("a\\.\\032"));
    }

    #[test]
    fn pointers_and_long_names_are_refused() {
        assert_eq!(Message::read(b"\0\0\x01\0\0\x01\0\0\0\0\0\0\xc0\x0c\0\x01\0\x01"), None);
        let mut long = QUERY[..HEADER].to_vec();
        for _ in 0..5 {
            long.push(63);
            long.extend([b'a'; 63]);
        }
        assert_eq!(Message::read(&long), None);
    }

    const ANSWER: &[u8] = b"\0\x07\x81\x80\0\x01\0\x03\0\0\0\0\x01a\0\0\x01\0\x01\
        \xc0\x0c\0\x05\0\x01\0\0\0\x3c\0\x03\x01b\0\
        \x01b\0\0\x01\0\x01\0\0\0\x3c\0\x04\xcb\0\x71\x09\
        \xc0\x0c\0\x01\0\x01\0\0\0\x3c\0\x04\xcb\0\x71\x0a";

    #[test]
    fn every_address_of_an_answer_with_an_alias_is_read() {
        let both = [Address::v4([203, 0, 113, 9]), Address::v4([203, 0, 113, 10])];
        assert_eq!(addresses(ANSWER), both);
        assert_eq!(addresses(&ANSWER[..ANSWER.len() - 1]), both[..1]);
    }

    /// Generates a message in which up to three octets were changed.
    fn damaged() -> impl Strategy<Value = Vec<u8>> {
        let whole = prop_oneof![Just(QUERY), Just(ANSWER)];
        let changes = prop::collection::vec((any::<prop::sample::Index>(), any::<u8>()), 0..4);
        (whole, changes).prop_map(|(whole, changes)| {
            let mut bytes = whole.to_vec();
            changes.iter().for_each(|(at, octet)| bytes[at.index(whole.len())] = *octet);
            bytes
        })
    }

    proptest! {
        #[test]
        fn a_cut_message_contradicts_the_whole_one_in_nothing(bytes in damaged(), cut: prop::sample::Index) {
            let cut = &bytes[..cut.index(bytes.len() + 1)];
            prop_assert!(addresses(&bytes).starts_with(&addresses(cut)));
            if let Some(whole) = Message::read(&bytes) {
                let read = Message::read(cut);
                prop_assert_eq!(read.is_some(), cut.len() >= HEADER);
                prop_assert!(read.is_none_or(|read| read.matches(&whole)));
            }
        }
    }
}
