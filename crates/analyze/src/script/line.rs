//! Reads one line of a packet script (grammar: docs/design/packet-scripts.md).

use std::num::NonZeroU32;

use airmile_read::TcpFlags;
use airmile_types::{Direction, Duration};

use super::extras::{Extras, extras};
use super::number::{Number, number, relative};

/// The time at which a packet passes the capture point.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum When {
    /// The packet comes this long after the packet before it.
    After(Duration),
    /// The packet comes this long after the start of the script.
    At(Duration),
}

/// A packet as the script writes it.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Line {
    pub(super) when: When,
    pub(super) direction: Direction,
    pub(super) kind: Kind,
    pub(super) extras: Extras,
}

/// The protocol of a packet, with its fields.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum Kind {
    /// A TCP packet.
    Tcp(TcpLine),
    /// A UDP packet with this number of payload bytes, or with the payload that the text in braces
    /// describes.
    Udp(Option<u32>),
    /// An ICMP echo request or reply.
    Echo { reply: bool, sequence: u16 },
}

/// The TCP header as the script writes it.
#[derive(Clone, Debug, Default, PartialEq)]
pub(super) struct TcpLine {
    pub(super) flags: TcpFlags,
    pub(super) data: Data,
    pub(super) ack: Number,
    pub(super) window: Option<u16>,
    pub(super) options: Vec<OptionWord>,
}

/// The bytes of its direction's data that a packet carries.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(super) enum Data {
    /// No payload; the sequence number is that of the next byte.
    #[default]
    None,
    /// The bytes from one offset to another.
    At(i64, i64),
    /// This number of bytes after the highest byte sent.
    Next(i64),
}

/// A TCP option as the script writes it.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum OptionWord {
    Nop,
    Mss(u16),
    WindowScale(u8),
    SackPermitted,
    Timestamps(Number, Number),
    Sack(Vec<(i64, i64)>),
    /// MPTCP, with its token if it has one.
    Mptcp(Option<NonZeroU32>),
    FastOpen,
}

/// Reads `TIME DIRECTION PACKET`; `TIME` may be missing when `when` gives the time.
pub(super) fn line(text: &str, when: Option<When>) -> Result<Line, String> {
    let (text, extras) = braces(text)?;
    let at = text.find(['<', '>']).ok_or("neither `<` nor `>`")?;
    let when = match (text[..at].trim(), when) {
        ("", Some(when)) => when,
        (word, _) => self::when(word)?,
    };
    let direction =
        if text[at..].starts_with('<') { Direction::Downlink } else { Direction::Uplink };
    let (text, options) = angles(text[at + 1..].trim())?;
    let words: Vec<&str> = text.split_whitespace().collect();
    let kind = match words.as_slice() {
        ["udp"] => Kind::Udp(None),
        ["udp", size] => Kind::Udp(Some(number(size.trim_matches(['(', ')']))?)),
        ["echo", sequence] => Kind::Echo { reply: false, sequence: number(sequence)? },
        ["reply", sequence] => Kind::Echo { reply: true, sequence: number(sequence)? },
        [flags, rest @ ..] => Kind::Tcp(tcp(flags, rest, options)?),
        [] => return Err("no packet after the direction".into()),
    };
    Ok(Line { when, direction, kind, extras })
}

/// Reads a time such as `+.1` or `0.25`, in seconds, or with the suffix `ms` or `us`.
pub(super) fn when(word: &str) -> Result<When, String> {
    match word.strip_prefix('+') {
        Some(rest) => Ok(When::After(span(rest)?)),
        None => Ok(When::At(span(word)?)),
    }
}

/// A duration: seconds, or with the suffix `ms` or `us`.
pub(super) fn span(word: &str) -> Result<Duration, String> {
    let (digits, unit) = if let Some(digits) = word.strip_suffix("ms") {
        (digits, 1e-3)
    } else if let Some(digits) = word.strip_suffix("us") {
        (digits, 1e-6)
    } else {
        (word.strip_suffix('s').unwrap_or(word), 1.0)
    };
    let value: f64 = number(digits)?;
    Ok(Duration::from_secs_f64(value * unit))
}

fn tcp(flags: &str, words: &[&str], options: &str) -> Result<TcpLine, String> {
    let mut line = TcpLine { flags: self::flags(flags)?, ..TcpLine::default() };
    let mut words = words.iter();
    while let Some(word) = words.next() {
        let mut value = || words.next().ok_or(format!("nothing after `{word}`"));
        match *word {
            "ack" => line.ack = relative(value()?)?,
            "win" => line.window = Some(number(value()?)?),
            word => line.data = data(word)?,
        }
    }
    for word in options.split(',').map(str::trim).filter(|word| !word.is_empty()) {
        line.options.push(option(word)?);
    }
    Ok(line)
}

fn flags(word: &str) -> Result<TcpFlags, String> {
    word.chars().try_fold(TcpFlags::default(), |flags, letter| {
        Ok(flags
            | match letter {
                'F' => TcpFlags::FIN,
                'S' => TcpFlags::SYN,
                'R' => TcpFlags::RST,
                'P' => TcpFlags::PSH,
                '.' => TcpFlags::ACK,
                'U' => TcpFlags::URG,
                'E' => TcpFlags::ECE,
                'W' => TcpFlags::CWR,
                'A' => TcpFlags::AE,
                '-' => TcpFlags::default(),
                _ => {
                    return Err(format!(
                        "`{letter}` is no TCP flag (F S R P . U E W A, or - for none)"
                    ));
                }
            })
    })
}

/// Reads `1:1001(1000)`, `1:1001` or `+1000`; checks the length in brackets.
fn data(word: &str) -> Result<Data, String> {
    let (range, length) = match word.split_once('(') {
        Some((range, length)) => (range, Some(number::<i64>(length.trim_end_matches(')'))?)),
        None => (word, None),
    };
    let (data, bytes) = match (range.strip_prefix('+'), range.split_once(':')) {
        (Some(bytes), _) => {
            let bytes = number(bytes)?;
            (Data::Next(bytes), bytes)
        }
        (None, Some((start, end))) => {
            let (start, end) = (number::<i64>(start)?, number::<i64>(end)?);
            (Data::At(start, end), end - start)
        }
        _ => return Err(format!("`{word}` is no data: write 1:1001(1000) or +1000")),
    };
    if length.is_some_and(|length| length != bytes) || bytes < 0 {
        return Err(format!("`{word}`: the range holds {bytes} bytes"));
    }
    Ok(data)
}

fn option(word: &str) -> Result<OptionWord, String> {
    let words: Vec<&str> = word.split_whitespace().collect();
    Ok(match words.as_slice() {
        ["nop" | "eol"] => OptionWord::Nop,
        ["mss", value] => OptionWord::Mss(number(value)?),
        ["wscale", value] => OptionWord::WindowScale(number(value)?),
        ["sackOK"] => OptionWord::SackPermitted,
        ["TS", "val", value, "ecr", echo] => {
            OptionWord::Timestamps(relative(value)?, relative(echo)?)
        }
        ["sack", blocks @ ..] => OptionWord::Sack(
            blocks
                .iter()
                .map(|block| match data(block)? {
                    Data::At(left, right) => Ok((left, right)),
                    _ => Err(format!("`{block}` is no SACK block: write 1001:2001")),
                })
                .collect::<Result<_, String>>()?,
        ),
        ["mptcp"] => OptionWord::Mptcp(None),
        ["mptcp", token] => OptionWord::Mptcp(Some(number(token)?)),
        ["FO"] => OptionWord::FastOpen,
        _ => return Err(format!("`{word}` is no TCP option known here")),
    })
}

/// Splits `{...}` off the end of the text.
fn braces(text: &str) -> Result<(&str, Extras), String> {
    match text.split_once('{') {
        Some((before, rest)) => {
            let inside =
                rest.trim_end().strip_suffix('}').ok_or("a `{` without its `}` at the end")?;
            Ok((before, extras(inside)?))
        }
        None => Ok((text, Extras::default())),
    }
}

/// Splits `<...>` off the end of the text.
fn angles(text: &str) -> Result<(&str, &str), String> {
    match text.split_once('<') {
        Some((before, rest)) => {
            let inside =
                rest.trim_end().strip_suffix('>').ok_or("a `<` without its `>` at the end")?;
            Ok((before, inside))
        }
        None => Ok((text, "")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_whole_line() {
        let text = "+.1 < P. 1:1001(1000) ack 1 win 1000 <mss 1460,nop,wscale 7,sackOK,TS val 100 ecr +5,sack 1:5 7:9> {ttl 9 flow 2}";
        let line = line(text, None).unwrap();
        assert_eq!(line.when, When::After(Duration::from_millis(100)));
        assert_eq!(line.direction, Direction::Downlink);
        assert_eq!((line.extras.ttl, line.extras.flow), (9, 2));
        let Kind::Tcp(tcp) = line.kind else { panic!("not TCP") };
        assert_eq!(tcp.flags, TcpFlags::PSH | TcpFlags::ACK);
        assert_eq!((tcp.data, tcp.ack, tcp.window), (Data::At(1, 1001), Number::Is(1), Some(1000)));
        assert_eq!(tcp.options[4], OptionWord::Timestamps(Number::Is(100), Number::Plus(5)));
        assert_eq!(tcp.options[5], OptionWord::Sack(vec![(1, 5), (7, 9)]));
    }

    #[test]
    fn a_length_that_lies_is_an_error() {
        let error = line("0 < . 1:1001(999) ack 1", None).unwrap_err();
        assert!(error.contains("1000 bytes"), "{error}");
    }
}
