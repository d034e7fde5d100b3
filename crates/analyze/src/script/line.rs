//! One line of a packet script, read into words (grammar: docs/design/packet-scripts.md).

use std::num::NonZeroU32;

use airmile_read::TcpFlags;
use airmile_types::{Direction, Duration};

use super::extras::{Extras, extras};
use super::number::number;

/// The time at which a packet passes the capture point.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum When {
    /// A time after the packet before it.
    After(Duration),
    /// A time since the start of the script.
    At(Duration),
}

/// A packet as it is written.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Line {
    pub(super) when: When,
    pub(super) direction: Direction,
    pub(super) kind: Kind,
    pub(super) extras: Extras,
}

/// What the packet is.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum Kind {
    /// TCP.
    Tcp(TcpLine),
    /// UDP with this number of payload bytes, or with the payload that the extras describe.
    Udp(Option<u32>),
    /// ICMP echo.
    Echo { reply: bool, sequence: u16 },
}

/// The TCP header as it is written.
#[derive(Clone, Debug, Default, PartialEq)]
pub(super) struct TcpLine {
    pub(super) flags: TcpFlags,
    pub(super) data: Data,
    pub(super) ack: Number,
    pub(super) window: Option<u16>,
    pub(super) options: Vec<OptionWord>,
}

/// The bytes of the data of its direction that the packet carries.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(super) enum Data {
    /// The packet has no payload and is at the next byte.
    #[default]
    None,
    /// The bytes from one offset to another.
    At(i64, i64),
    /// This number of bytes, after the highest one sent.
    Next(i64),
}

/// A number that may be relative to an earlier packet.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(super) enum Number {
    /// The same as in the sender's packet before.
    #[default]
    Same,
    /// This number.
    Is(i64),
    /// This much more than in the sender's packet before.
    Plus(i64),
    /// All that the peer has sent; the newest value that the peer has sent.
    Newest,
}

/// A TCP option as it is written.
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

/// Reads `TIME DIRECTION PACKET`; `TIME` may be left out when `when` says it.
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

/// `+.1`, `0.25`; seconds, or with the suffix `ms` or `us`.
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

/// `1:1001(1000)`, `1:1001`, `+1000`; the length in brackets is checked.
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

/// `17`, `+10`, `all` or `last`.
fn relative(word: &str) -> Result<Number, String> {
    Ok(match (word, word.strip_prefix('+')) {
        ("all" | "last", _) => Number::Newest,
        (_, Some(more)) => Number::Plus(number(more)?),
        (word, None) => Number::Is(number(word)?),
    })
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

/// Takes `{...}` off the end.
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

/// Takes `<...>` off the end.
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
